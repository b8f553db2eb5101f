//! Measures a child from a small process of its own: how it ended, how long it took, how much memory.
//!
//! The kernel lets a child's peak of memory begin with what the process that started it holds. `assay doctor` holds a whole corpus, so it
//! starts this binary again, with the hidden word [`WORD`], and that starts the child. The streams of the child are those of its scale.
//!
//! Invariant: the child is over when its scale is; one that is over time is killed, and with it what it jailed.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use wait4::Wait4 as _;

/// The hidden first argument; the others are seconds, where the reading goes, the program, and its arguments.
pub const WORD: &str = "weigh";
/// Bytes kept of each output stream of a child; a report of findings has some hundred kilobytes at most.
const OUTPUT_BYTES_MAX: u64 = 4 << 20;

/// How a child ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// Whether it was over time.
    pub(super) killed: bool,
    /// Wall-clock time.
    pub(super) seconds: f64,
    /// Most resident memory of the child or of a process that it waited for, in bytes.
    pub(super) peak_bytes: u64,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// What a scale writes down.
#[derive(Serialize, Deserialize)]
struct Reading {
    /// As wait(2) has it.
    status: i32,
    killed: bool,
    seconds: f64,
    peak_bytes: u64,
}

/// Runs a child to its end, or kills it when its time is over. `helper` is this binary.
pub(super) fn measure(helper: &Path, command: &Command, input: Vec<u8>, most: Duration) -> io::Result<Ended> {
    let place = tempfile::NamedTempFile::new()?;
    let mut scale = Command::new(helper);
    scale.arg(WORD).arg(most.as_secs().to_string()).arg(place.path()).arg(command.get_program());
    scale.args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => scale.env(key, value),
            None => scale.env_remove(key),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        scale.current_dir(folder);
    }
    let mut scale = scale.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let stdin = scale.stdin.take();
    // On a thread of its own: a child that does not read must not stop the clock.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let (stdout, stderr) = (capture(scale.stdout.take()), capture(scale.stderr.take()));
    scale.wait()?;
    let collected = |stream: &Receiver<Vec<u8>>| stream.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
    let (stdout, stderr) = (collected(&stdout), collected(&stderr));
    let reading: Reading = serde_json::from_slice(&std::fs::read(place.path())?)
        .map_err(|_| io::Error::other(String::from_utf8_lossy(&stderr).trim().to_owned()))?;
    let Reading { status, killed, seconds, peak_bytes } = reading;
    Ok(Ended { status: ExitStatus::from_raw(status), killed, seconds, peak_bytes, stdout, stderr })
}

/// Reads a stream to its end and keeps its beginning.
fn capture(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let kept = (&mut stream).take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
            let _ = kept.and_then(|_| io::copy(&mut stream, &mut io::sink()));
        }
        let _ = sender.send(bytes);
    });
    receiver
}

/// The whole life of the small process.
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match weigh(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            crate::face::warn(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn weigh(mut arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let missing = || io::Error::other(format!("usage: {WORD} SECONDS FILE PROGRAM [ARGUMENTS]"));
    let seconds = arguments.next().and_then(|text| text.to_str()?.parse().ok()).ok_or_else(missing)?;
    let (place, program) = (arguments.next().ok_or_else(missing)?, arguments.next().ok_or_else(missing)?);
    let started = Instant::now();
    let child = Command::new(program).args(arguments).spawn()?;
    let process = process_of(&child);
    let (used, killed) = thread::scope(|scope| {
        let (ended, over) = channel();
        let most = Duration::from_secs(seconds);
        let killer = scope.spawn(move || kill_when_over(process.as_ref(), &over, most));
        let used = child.wait4();
        // If the killer has hung up, it has done its work.
        let _ = ended.send(());
        (used, killer.join().unwrap_or(false))
    });
    let used = used?;
    let (status, seconds, peak_bytes) = (used.status.into_raw(), started.elapsed().as_secs_f64(), used.rusage.maxrss);
    std::fs::write(place, serde_json::to_vec(&Reading { status, killed, seconds, peak_bytes })?)
}

/// A handle that still means this process when its number has been given to another.
fn process_of(child: &Child) -> Option<rustix::fd::OwnedFd> {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
    pidfd_open(id, PidfdFlags::empty()).ok()
}

fn kill_when_over(process: Option<&rustix::fd::OwnedFd>, over: &Receiver<()>, most: Duration) -> bool {
    let is_over = matches!(over.recv_timeout(most), Err(RecvTimeoutError::Timeout));
    is_over && process.is_some_and(|process| pidfd_send_signal(process, Signal::KILL).is_ok())
}
