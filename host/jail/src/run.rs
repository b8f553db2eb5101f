//! The caller's side: starts the helper, keeps a bounded part of the output, reads the report.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::wire::{End, Report, Settings};
use crate::{Captured, Ended, HELPER_WORD, Invocation, Jail, JailError, JailedOutput};

/// How long the helper may take beyond the tool's deadline to set up, kill and report before it is given up.
const HELPER_GRACE: Duration = Duration::from_secs(10);

/// How long the helper may take to end after its socket closed.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// How long to wait for output pipes to close once the tool has ended: only a process that escaped the kill holds them open.
const OUTPUT_GRACE: Duration = Duration::from_secs(2);

/// Words with which compilers and allocators say that memory ran out, in lower case.
const OUT_OF_MEMORY_WORDS: [&str; 5] =
    ["memory allocation of", "out of memory", "cannot allocate memory", "bad_alloc", "failed to allocate"];

pub(crate) fn run(jail: &Jail, invocation: &Invocation) -> Result<JailedOutput, JailError> {
    let started = Instant::now();
    let io = |step: &'static str| move |source: std::io::Error| JailError::Io { step, source };
    let input = if invocation.stdin.is_empty() {
        None
    } else {
        let mut file = tempfile::NamedTempFile::new().map_err(io("make a file for the tool's input"))?;
        file.write_all(&invocation.stdin).map_err(io("write the tool's input"))?;
        Some(file.into_temp_path())
    };
    let root = tempfile::tempdir().map_err(io("make a folder for the tool's file tree"))?;
    let settings = Settings {
        root: root.path().to_path_buf(),
        read_only: jail.read_only.clone(),
        writable: jail.writable.clone(),
        limits: jail.limits,
        program: invocation.program.clone().into_os_string(),
        args: invocation.args.clone(),
        env: invocation.env.clone(),
        stdin: input.as_ref().map(|path| path.to_path_buf()),
    };
    let mut line = serde_json::to_vec(&settings)
        .map_err(|error| JailError::Setup { step: "describe the jail".to_owned(), message: error.to_string() })?;
    line.push(b'\n');

    let (mut ours, theirs) = UnixStream::pair().map_err(io("make a socket for the jail helper"))?;
    let mut helper = Command::new(&jail.helper)
        .arg(HELPER_WORD)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| JailError::Helper { helper: jail.helper.clone(), source })?;
    let stdout = capture(helper.stdout.take(), jail.limits.output_bytes);
    let stderr = capture(helper.stderr.take(), jail.limits.output_bytes);
    // A helper that does not read its settings shows up as silent below.
    let _ = ours.write_all(&line);
    let report = read_report(ours, jail.limits.wall + HELPER_GRACE);
    stop(&mut helper);
    let (end, protections, processor) = match report {
        Some(Report::Ended { end, protections, processor }) => (end, protections, processor),
        Some(Report::Failed { step, message }) => return Err(JailError::Setup { step, message }),
        None => return Err(JailError::Silent { helper: jail.helper.clone() }),
    };
    let (stdout, stderr) = (collected(&stdout), collected(&stderr));
    let used_up = processor >= jail.limits.processor_time() * 4 / 5;
    let ended = classify(end, &stderr, used_up);
    Ok(JailedOutput { ended, stdout, stderr, protections, processor, elapsed: started.elapsed() })
}

fn read_report(socket: UnixStream, wait: Duration) -> Option<Report> {
    socket.set_read_timeout(Some(wait)).ok()?;
    let mut line = String::new();
    BufReader::new(socket.take(crate::wire::SETTINGS_BYTES_MAX)).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}

/// Its socket is closed by now, so the helper is ending, tool first. One that hangs is killed.
fn stop(helper: &mut Child) {
    let given_up = Instant::now() + STOP_GRACE;
    while Instant::now() < given_up && !matches!(helper.try_wait(), Ok(Some(_)) | Err(_)) {
        thread::sleep(Duration::from_millis(1));
    }
    let _ = helper.kill();
    let _ = helper.wait();
}

/// Reads a stream to its end on a thread of its own, so that a full pipe never blocks the tool.
fn capture(stream: Option<impl Read + Send + 'static>, keep: usize) -> Receiver<Captured> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut captured = Captured::default();
        let mut chunk = vec![0; 64 << 10];
        let Some(mut stream) = stream else { return };
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => {
                    let kept = read.min(keep - captured.bytes.len());
                    captured.bytes.extend_from_slice(&chunk[..kept]);
                    captured.dropped_bytes += (read - kept) as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let _ = sender.send(captured);
    });
    receiver
}

fn collected(stream: &Receiver<Captured>) -> Captured {
    stream.recv_timeout(OUTPUT_GRACE).unwrap_or_default()
}

/// `used_up`: the kernel counts processor time in two ways, by samples against the limit and exactly in its report, so nearly all of it is all.
fn classify(end: End, stderr: &Captured, used_up: bool) -> Ended {
    let complains = || {
        let text = String::from_utf8_lossy(&stderr.bytes).to_lowercase();
        OUT_OF_MEMORY_WORDS.iter().any(|words| text.contains(words))
    };
    match end {
        End::Exited(0) => Ended::Exited(0),
        End::Exited(code) if is_shell_signal(code) && complains() => Ended::OutOfMemory,
        End::Exited(code) => Ended::Exited(code),
        End::Signalled(signal) if signal == Signal::XCPU.as_raw() => Ended::ProcessorTime,
        End::Signalled(signal) if signal == Signal::KILL.as_raw() && used_up => Ended::ProcessorTime,
        End::Signalled(signal) if signal == Signal::KILL.as_raw() => Ended::KilledByKernel,
        End::Signalled(_) if complains() => Ended::OutOfMemory,
        End::Signalled(signal) => Ended::Signalled(signal),
        End::Deadline | End::Abandoned => Ended::Deadline,
    }
}

/// Exit codes by which a driver passes on that its child died of a signal.
fn is_shell_signal(code: i32) -> bool {
    (129..=159).contains(&code)
}
