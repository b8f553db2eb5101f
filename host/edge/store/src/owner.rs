//! Which process runs a run, and whether it still does.
//!
//! A process is named by its machine, the boot, its process namespace, its number and the time at which it started: a number alone is given again.
//! No heartbeat: a run writes when it begins and when it ends, and whether its process is there is asked of the kernel.

use std::fmt::{self, Display};
use std::fs;

/// A process, anywhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owner {
    machine: String,
    boot: String,
    namespace: String,
    process: u32,
    /// In ticks since the boot.
    started: u64,
}

/// What can be said about a process from here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It is running.
    Here,
    /// It is no more.
    Gone,
    /// It ran on another machine or in another container: nothing can be said.
    Elsewhere,
}

impl Owner {
    /// This process; `None` where there is no `/proc`.
    #[must_use]
    pub fn this_process() -> Option<Self> {
        let process = std::process::id();
        let (machine, boot, namespace) = surroundings()?;
        Some(Self { machine, boot, namespace, process, started: start_of(process)? })
    }

    /// Number of the process.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.process
    }

    /// Name of its machine.
    #[must_use]
    pub fn machine(&self) -> &str {
        &self.machine
    }

    /// Whether it still runs.
    #[must_use]
    pub fn presence(&self) -> Presence {
        let Some((machine, boot, namespace)) = surroundings() else { return Presence::Elsewhere };
        if machine != self.machine {
            return Presence::Elsewhere;
        }
        // The same machine after a restart runs nothing of before.
        if boot != self.boot {
            return Presence::Gone;
        }
        if namespace != self.namespace {
            return Presence::Elsewhere;
        }
        if start_of(self.process) == Some(self.started) { Presence::Here } else { Presence::Gone }
    }

    /// Reads what [`Display`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split_whitespace().map(str::to_owned);
        let (machine, boot, namespace) = (parts.next()?, parts.next()?, parts.next()?);
        let (process, started) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Self { machine, boot, namespace, process, started })
    }
}

impl Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {} {}", self.machine, self.boot, self.namespace, self.process, self.started)
    }
}

/// Machine, boot and process namespace.
fn surroundings() -> Option<(String, String, String)> {
    let read = |path: &str| Some(fs::read_to_string(path).ok()?.trim().replace(char::is_whitespace, "-"));
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?.to_string_lossy().into_owned();
    Some((read("/proc/sys/kernel/hostname")?, read("/proc/sys/kernel/random/boot_id")?, namespace))
}

/// When a process started, in ticks since the boot (field 22 of `/proc/PID/stat`); `None` if there is none, or only what is left of one.
fn start_of(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is the program's name in parentheses and may hold anything; after it come state (3) and the rest.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    match fields.next()? {
        "Z" | "X" => None,
        _ => fields.nth(18)?.parse().ok(),
    }
}
