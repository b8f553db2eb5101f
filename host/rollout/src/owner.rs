//! Which process a container or a temporary file belongs to, so that what a killed process left behind can be told from what is in use.
//!
//! Invariant: [`Owner::state`] says [`State::Dead`] only if it is sure. A process id alone is reused; with its start time, in its own boot and
//! process namespace, it is not. Elsewhere than on Linux nothing is sure, and a deadline must do.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;
use tempfile::NamedTempFile;

/// How long a file of another machine's process, or of an unknown one, may lie unfinished: nothing is written for longer.
const UNFINISHED_MAX: Duration = Duration::from_hours(24);

/// A process: where it runs, its id and when it began.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Owner {
    /// The boot and the process namespace; ids of two places are not comparable.
    place: String,
    pid: u32,
    /// In clock ticks since boot, field 22 of `/proc/PID/stat`; 0 where that is unknown.
    started: u64,
}

/// Whether an owner still lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It runs.
    Alive,
    /// It is gone, and its things are nobody's.
    Dead,
    /// It belongs to another machine, or this system cannot say.
    Unknown,
}

impl Owner {
    /// This process.
    #[must_use]
    pub fn current() -> Self {
        let pid = std::process::id();
        Self { place: place().unwrap_or_else(|| "elsewhere".into()), pid, started: started(pid).unwrap_or(0) }
    }

    /// Whether it still lives.
    #[must_use]
    pub fn state(&self) -> State {
        if self.started == 0 || place().as_ref() != Some(&self.place) {
            return State::Unknown;
        }
        if started(self.pid) == Some(self.started) { State::Alive } else { State::Dead }
    }
}

/// `PLACE-PID-STARTED`: letters, digits and `-`, fit for a label and for a file's name.
impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.place, self.pid, self.started)
    }
}

/// The text was not written by an [`Owner`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this does not name a process")]
pub struct NotAnOwner;

impl FromStr for Owner {
    type Err = NotAnOwner;

    fn from_str(text: &str) -> Result<Self, NotAnOwner> {
        let mut parts = text.split('-');
        let (Some(place), Some(pid), Some(started), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NotAnOwner);
        };
        if place.is_empty() {
            return Err(NotAnOwner);
        }
        let number = |text: &str| text.parse::<u64>().map_err(|_| NotAnOwner);
        let pid = u32::try_from(number(pid)?).map_err(|_| NotAnOwner)?;
        Ok(Self { place: place.into(), pid, started: number(started)? })
    }
}

/// The boot's random id and the inode of the process namespace.
fn place() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    Some(format!("{}{}", letters(boot.trim()), letters(&namespace.to_string_lossy())))
}

/// When a running process began; none if there is no such process.
fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name in parentheses and may itself hold spaces and parentheses; 20 fields further on is the 22nd.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    // A zombie has ended: only its parent has not noticed yet.
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// A file in this folder that is to be renamed when it is whole. Its name says whose it is, for [`remove_abandoned`].
///
/// # Errors
/// When the folder cannot be written.
pub fn unfinished_file(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(&format!("{}.", Owner::current())).tempfile_in(folder)
}

/// Removes the unfinished files of processes that are gone. What has no such name is not ours.
///
/// # Errors
/// When the folder cannot be listed.
pub fn remove_abandoned(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(owner) = name.to_str().and_then(|name| name.split('.').next()?.parse::<Owner>().ok()) else {
            continue;
        };
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        let abandoned = match owner.state() {
            State::Alive => false,
            State::Dead => true,
            State::Unknown => age().is_some_and(|age| age > UNFINISHED_MAX),
        };
        if abandoned {
            // Another process may be doing the same: what is gone is gone.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{NotAnOwner, Owner, State};
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_is_told_from_one_that_is_gone() {
        let mine = Owner::current();
        assert_eq!(mine.to_string().parse(), Ok(mine.clone()));
        assert_eq!(mine.state(), State::Alive);
        assert_eq!(Owner { started: mine.started + 1, ..mine.clone() }.state(), State::Dead, "the id was reused");
        assert_eq!(Owner { place: "other".into(), ..Owner::current() }.state(), State::Unknown);

        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat starts");
        let started = super::started(child.id()).expect("it runs");
        let other = Owner { pid: child.id(), started, ..mine };
        assert_eq!(other.state(), State::Alive);
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        assert_eq!(other.state(), State::Dead);
    }

    #[test]
    fn what_is_no_owner_is_refused() {
        for text in ["", "a", "a-1", "a-1-", "-1-1", "a-1-2-3", "a-x-1", "a-99999999999-1"] {
            assert_eq!(text.parse::<Owner>(), Err(NotAnOwner), "{text:?}");
        }
    }
}
