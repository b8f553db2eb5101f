//! The child process of a job: started with a lifeline, listened to, waited for.
//!
//! Invariants: what it prints is kept up to a bound, and its end always; a child that does not stop once its lifeline is gone is killed, by the handle of the
//! child that was started here.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Bytes of output that are kept as they come.
const OUTPUT_HEAD_MAX: u64 = 1 << 20;
/// Bytes of the end that are kept beyond.
const OUTPUT_TAIL_MAX: usize = 32 << 10;
/// Bytes of the output of a question.
const ASKED_BYTES_MAX: usize = 64 << 10;
/// How long a child may take to stop by itself: commands end after 20 s at the latest.
const STOP_WAIT: Duration = Duration::from_secs(30);
/// How often it is looked whether a child has ended.
const LOOK: Duration = Duration::from_millis(20);
/// Pieces of output that wait to be written; a child that prints more waits for them.
const PIECES_MAX: usize = 16;
/// How long its last words are waited for: something that it started may hold them open.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The program whose commands are jobs.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Words before those of the command: they make it stop when its standard input ends.
    pub before: Vec<String>,
    /// What its environment has beside this process's.
    pub environment: Vec<(OsString, OsString)>,
}

/// What a child runs by: it stops when this is gone.
pub(super) struct Lifeline {
    _input: ChildStdin,
}

/// A child that runs.
pub(super) struct Child {
    child: std::process::Child,
    output: io::PipeReader,
}

/// What became of a command that was asked something.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its exit code; none if it was killed.
    pub code: Option<i32>,
    /// What it printed.
    pub output: String,
}

impl Child {
    pub(super) fn start(program: &Program, words: &[String]) -> io::Result<(Self, Lifeline)> {
        let (output, writer) = io::pipe()?;
        let mut command = Command::new(&program.path);
        command
            .args(&program.before)
            .args(words)
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            // Ctrl-C in the server's terminal is the server's: it lets go of its jobs in its own order.
            .process_group(0);
        let mut child = command.spawn()?;
        let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((Self { child, output }, Lifeline { _input: input }))
    }

    /// Waits for its end and adds what it prints to a file; its exit code. `is_let_go` tells whether its lifeline is gone.
    pub(super) fn wait(mut self, to: File, is_let_go: &dyn Fn() -> bool) -> io::Result<Option<i32>> {
        let pieces = listen(self.output.try_clone()?);
        let mut kept = Kept::new(to)?;
        let mut stopping: Option<Instant> = None;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            kept.take(&pieces, LOOK);
            if stopping.is_none() && is_let_go() {
                stopping = Some(Instant::now());
            }
            if stopping.is_some_and(|since| since.elapsed() > STOP_WAIT) {
                self.child.kill()?;
            }
        };
        let since = Instant::now();
        while since.elapsed() < LAST_WORDS && kept.take(&pieces, LOOK) {}
        kept.finish();
        Ok(status.code())
    }
}

/// Runs a command to its end, or to that of patience.
pub(super) fn ask(program: &Program, words: &[String], patience: Duration) -> io::Result<Asked> {
    let (mut child, lifeline) = Child::start(program, words)?;
    let pieces = listen(child.output.try_clone()?);
    let (mut output, since, mut lifeline) = (Vec::new(), Instant::now(), Some(lifeline));
    let mut take = |pieces: &Receiver<Vec<u8>>| match pieces.recv_timeout(LOOK) {
        Ok(piece) => {
            let room = ASKED_BYTES_MAX.saturating_sub(output.len()).min(piece.len());
            output.extend_from_slice(&piece[..room]);
            true
        }
        Err(RecvTimeoutError::Timeout) => true,
        Err(RecvTimeoutError::Disconnected) => false,
    };
    let status = loop {
        if let Some(status) = child.child.try_wait()? {
            break status;
        }
        if !take(&pieces) {
            std::thread::sleep(LOOK);
        }
        if since.elapsed() > patience {
            drop(lifeline.take());
        }
        if since.elapsed() > patience + STOP_WAIT {
            child.child.kill()?;
        }
    };
    let ended = Instant::now();
    while ended.elapsed() < LAST_WORDS && take(&pieces) {}
    Ok(Asked { code: status.code(), output: String::from_utf8_lossy(&output).into_owned() })
}

/// Reads on a thread of its own: a child that prints much is never held up, and one whose pipe stays open holds nobody up.
fn listen(mut output: io::PipeReader) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(PIECES_MAX);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 16 << 10];
        while let Ok(read @ 1..) = output.read(&mut buffer) {
            if sender.send(buffer[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// What of an output has been kept. A disk that takes no more of it ends the output, not the job.
struct Kept {
    to: File,
    written: u64,
    tail: Vec<u8>,
    left_out: u64,
}

impl Kept {
    /// After what is in the file.
    fn new(mut to: File) -> io::Result<Self> {
        let written = to.seek(SeekFrom::End(0))?;
        Ok(Self { to, written, tail: Vec::new(), left_out: 0 })
    }

    /// Takes the next piece if one comes; `false` once none will.
    fn take(&mut self, pieces: &Receiver<Vec<u8>>, patience: Duration) -> bool {
        let piece = match pieces.recv_timeout(patience) {
            Ok(piece) => piece,
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(patience);
                return false;
            }
        };
        let room = usize::try_from(OUTPUT_HEAD_MAX.saturating_sub(self.written)).unwrap_or(0).min(piece.len());
        match self.to.write_all(&piece[..room]) {
            Ok(()) => self.written += room as u64,
            Err(_) => self.written = OUTPUT_HEAD_MAX,
        }
        self.tail.extend_from_slice(&piece[room..]);
        if self.tail.len() > 2 * OUTPUT_TAIL_MAX {
            self.cut();
        }
        true
    }

    fn cut(&mut self) {
        let cut = self.tail.len().saturating_sub(OUTPUT_TAIL_MAX);
        self.tail.drain(..cut);
        self.left_out += cut as u64;
    }

    fn finish(mut self) {
        self.cut();
        let note = if self.left_out > 0 {
            format!("\n… {} bytes are left out here …\n", self.left_out)
        } else {
            String::new()
        };
        let _ = self.to.write_all(note.as_bytes()).and_then(|()| self.to.write_all(&self.tail));
    }
}
