//! Asks the query engine, which is a program of its own: `assay-query`, beside this one or on the `PATH`.
//!
//! Invariant: whatever ends the engine, this process lives and says in words and with an exit code of ours what became of the query.

use crate::Failure;
use assay_data::{End, QueryError, Question};
use rustix::process::Signal;
use std::fmt::Display;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What the engine's name adds to this program's.
const SUFFIX: &str = "-query";
/// Its name where this program goes by another.
const NAME: &str = "assay-query";
/// What the engine may take beyond the query's time before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// How often its end is looked for.
const POLL: Duration = Duration::from_millis(5);
/// Bytes of its last words that are read.
const WORDS_BYTES_MAX: u64 = 64 << 10;
/// With what the engine, or an allocator, says that something has no place.
const TOO_LARGE_WORDS: [&str; 4] = ["memory allocation of", "capacity overflow", "offset overflow", "Cannot allocate"];

/// Has a question answered on standard output; says how many rows that took, unless the reader went away.
pub(super) fn ask(question: &Question) -> Result<Option<usize>, Failure> {
    ended(start(Stdio::inherit)?, question)
}

/// Has a question answered, and returns the first bytes of the answer.
#[cfg(feature = "rollouts")]
pub(crate) fn answer(question: &Question, bytes_max: u64) -> Result<String, Failure> {
    let mut child = start(Stdio::piped)?;
    let stdout = child.stdout.take();
    let text = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stdout) = stdout {
            let _ = (&mut stdout).take(bytes_max).read_to_end(&mut text);
            // So that it never waits for a reader.
            let _ = std::io::copy(&mut stdout, &mut std::io::sink());
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    ended(child, question)?;
    Ok(text.join().unwrap_or_default())
}

/// Tells an engine the question, and waits for its end: how many rows it wrote.
fn ended(mut child: Child, question: &Question) -> Result<Option<usize>, Failure> {
    let line = serde_json::to_vec(question).map_err(|error| failed("describe the query", &error))?;
    if let Some(mut stdin) = child.stdin.take() {
        // An engine that does not read has ended, and how is seen below.
        let _ = stdin.write_all(&line);
    }
    let stderr = child.stderr.take();
    let words = std::thread::spawn(move || {
        let mut words = Vec::new();
        if let Some(mut stderr) = stderr {
            let _ = (&mut stderr).take(WORDS_BYTES_MAX).read_to_end(&mut words);
            // So that it never waits for a reader.
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        }
        String::from_utf8_lossy(&words).into_owned()
    });
    let time = question.limits.time;
    let ended = wait(&mut child, time.saturating_add(GRACE)).map_err(|error| failed("wait for the query", &error))?;
    let words = words.join().unwrap_or_default();
    let Some(status) = ended else { return Err(failure(&QueryError::TooSlow { limit: time })) };
    match words.lines().last().and_then(|line| serde_json::from_str(line).ok()) {
        Some(End::Answered { rows }) => Ok(rows),
        Some(End::Failed { is_ours, message, hint }) if !is_too_large(&words) => Err(told(is_ours, message, hint)),
        _ => Err(fallen(status, &words, question)),
    }
}

/// Starts the engine that lies beside this program, or the one on the `PATH`.
fn start(stdout: fn() -> Stdio) -> Result<Child, Failure> {
    let beside = std::env::current_exe().ok().and_then(|own| {
        let name = own.file_name()?.to_str()?;
        Some([own.with_file_name(format!("{name}{SUFFIX}")), own.with_file_name(NAME)])
    });
    let places = beside.into_iter().flatten().filter(|path| path.is_file()).chain([PathBuf::from(NAME)]);
    for place in places {
        match Command::new(place).stdin(Stdio::piped()).stdout(stdout()).stderr(Stdio::piped()).spawn() {
            Ok(child) => return Ok(child),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed("start the query engine", &error)),
        }
    }
    Err(Failure::infrastructure("the query engine, `assay-query`, is neither next to `assay` nor on the PATH")
        .hint("build it with `make query`, or install it with `cargo install --path host/edge/query`; other tools can read the Parquet files without it"))
}

/// Waits for the end of the engine; one that takes too long is killed.
fn wait(child: &mut Child, time: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + time;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

fn is_too_large(words: &str) -> bool {
    TOO_LARGE_WORDS.iter().any(|too_large| words.contains(too_large))
}

/// An engine that ended without a word of its own.
fn fallen(status: ExitStatus, words: &str, question: &Question) -> Failure {
    let signal = status.signal();
    if is_too_large(words) {
        return failure(&QueryError::TooLarge { limit_bytes: question.limits.memory_bytes });
    }
    if signal == Some(Signal::XCPU.as_raw()) {
        return failure(&QueryError::TooSlow { limit: question.limits.time });
    }
    let message = if signal == Some(Signal::KILL.as_raw()) {
        "the query engine was killed, probably because the machine ran out of memory".to_owned()
    } else {
        format!("the query engine ended without an answer ({status})")
    };
    Failure::infrastructure(message).hint("ask for less, for example `where seed = 1`")
}

fn failed(what: &str, error: &dyn Display) -> Failure {
    Failure::infrastructure(format!("failed to {what}: {error}"))
}

fn failure(error: &QueryError) -> Failure {
    told(error.is_ours(), error.to_string(), error.hint())
}

fn told(is_ours: bool, message: String, hint: Option<String>) -> Failure {
    let failure = if is_ours { Failure::infrastructure(message) } else { Failure::usage(message) };
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
