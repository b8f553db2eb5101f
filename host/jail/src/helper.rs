//! The helper's side: reads settings, confines itself, runs the tool, watches the clock, reports.
//!
//! Its standard input is a socket to the caller. When that socket closes, the caller is gone and the tool is killed.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, setsid};

use crate::confine::{Failure, confine, writable_inside};
use crate::wire::{End, Report, SETTINGS_BYTES_MAX, Settings};

/// Exit code of a helper that could not even report.
const EXIT_NO_CALLER: u8 = 120;

/// The whole life of a jail helper. An executable calls this when its first argument is [`crate::HELPER_WORD`], before it starts any
/// thread, and returns the code as its own.
#[must_use]
pub fn helper_main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(EXIT_NO_CALLER),
    }
}

fn serve() -> std::io::Result<()> {
    let mut socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let mut line = String::new();
    BufReader::new((&socket).take(SETTINGS_BYTES_MAX)).read_line(&mut line)?;
    let settings: Settings = serde_json::from_str(&line)?;
    let report = supervise(&settings, &socket)
        .unwrap_or_else(|(step, message)| Report::Failed { step: step.to_owned(), message });
    let mut answer = serde_json::to_vec(&report)?;
    answer.push(b'\n');
    socket.write_all(&answer)
}

fn supervise(settings: &Settings, socket: &UnixStream) -> Result<Report, Failure> {
    let started = Instant::now();
    // A session of its own keeps terminal signals away; failing means that we already lead one.
    let _ = setsid();
    let input = match &settings.stdin {
        Some(path) => Stdio::from(File::open(path).map_err(|error| ("open the tool's input", error.to_string()))?),
        None => Stdio::null(),
    };
    let protections = confine(settings)?;
    let folder = writable_inside(settings, protections.private_root);
    let inside = |text: &OsString| renamed(text, &settings.writable, folder);
    let mut child = Command::new(&settings.program)
        .args(settings.args.iter().map(inside))
        .env_clear()
        .envs(settings.env.iter().map(|(name, value)| (name, inside(value))))
        .current_dir(folder)
        .stdin(input)
        .process_group(0)
        .spawn()
        .map_err(|error| ("start the tool", error.to_string()))?;
    let end = watch(&mut child, socket, started + settings.limits.wall);
    Ok(Report::Ended { end: end?, protections, processor: processor_time() })
}

/// The text with every mention of the path `from` replaced by `to`.
fn renamed(text: &OsString, from: &Path, to: &Path) -> OsString {
    let (from, to) = (from.as_os_str().as_bytes(), to.as_os_str().as_bytes());
    let mut rest = text.as_bytes();
    let mut result = Vec::with_capacity(rest.len());
    while let Some((first, others)) = rest.split_first() {
        match rest.strip_prefix(from).filter(|_| !from.is_empty()) {
            Some(after) => {
                result.extend_from_slice(to);
                rest = after;
            }
            None => {
                result.push(*first);
                rest = others;
            }
        }
    }
    OsString::from_vec(result)
}

/// Waits for the first of: the tool ends, the deadline passes, the caller hangs up. The tool is dead when this returns.
fn watch(child: &mut Child, socket: &UnixStream, deadline: Instant) -> Result<End, Failure> {
    let failure = |message: String| ("watch the tool", message);
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let process = process.ok_or_else(|| failure(format!("{} is not a process id", child.id())))?;
    let stopped = wait_for_end(process, socket, deadline);
    // Also after a normal end: what the tool left behind in its group goes with it. It is not reaped yet, so the id is still its own.
    let _ = kill_process_group(process, Signal::KILL);
    let _ = child.kill();
    let status = child.wait().map_err(|error| failure(error.to_string()))?;
    Ok(stopped.map_err(|error| failure(error.to_string()))?.unwrap_or_else(|| end_of(status)))
}

/// `None` when the tool ended by itself, else why it has to be stopped.
fn wait_for_end(process: Pid, socket: &UnixStream, deadline: Instant) -> rustix::io::Result<Option<End>> {
    let ended = pidfd_open(process, PidfdFlags::empty())?;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left == Duration::ZERO {
            return Ok(Some(End::Deadline));
        }
        let mut events = [PollFd::new(&ended, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
        match poll(&mut events, Timespec::try_from(left).ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        if !events[0].revents().is_empty() {
            return Ok(None);
        }
        // The caller sends nothing after the settings: readable means closed.
        if !events[1].revents().is_empty() {
            return Ok(Some(End::Abandoned));
        }
    }
}

/// What the tool and all that it waited for have computed: the tool is the helper's only child. Nothing if the system does not say.
#[expect(unsafe_code, reason = "nothing safe asks for the time of children")]
fn processor_time() -> Duration {
    // SAFETY: all zeros is a value of this type, which has numbers only, and the call writes nothing but it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let time = |time: libc::timeval| {
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or_default())
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        // Neither exited nor signalled does not happen for a process that was waited for.
        (None, None) => End::Exited(-1),
    }
}
