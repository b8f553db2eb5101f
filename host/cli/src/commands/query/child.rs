//! The child that answers a query.
//!
//! ```text
//! assay query ──order, as JSON──► stdin ┐
//!     stdout ◄──────the answer──────────┤ child: limits first, then the query
//!     words ◄──its end, as JSON── stderr┘
//! ```
//!
//! Invariants: the child limits itself before it reads the order; it goes with its parent; whatever ends it, the parent says in words and with an exit code
//! of ours what became of the query.

use super::{refused, unreadable};
use crate::args::AnswerFormat;
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_data::{QueryError, QueryLimits, RunData, WriteAnswerError, Written};
use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use serde::{Deserialize, Serialize};
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The hidden word that makes a process the child.
pub(crate) const WORD: &str = "answer";
/// Address space beyond what the process has and the query may hold: its thread's stack, of which little is touched, what the allocator sets aside, and
/// what the engine does not count.
const BESIDE_BYTES: u64 = (512 << 20) + (768 << 20);
/// Taken for what a process has where the system does not say.
const OWN_BYTES: u64 = 4 << 30;
/// What the child may take beyond the query's time before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// How often its end is looked for.
const POLL: Duration = Duration::from_millis(5);
/// Bytes of its last words that are read.
const WORDS_BYTES_MAX: u64 = 64 << 10;
/// An order is hardly longer than a query may be.
const ORDER_BYTES_MAX: u64 = 1 << 20;
/// With what a kernel of the engine, or an allocator, says that something has no place.
const TOO_LARGE_WORDS: [&str; 4] = ["memory allocation of", "capacity overflow", "offset overflow", "Cannot allocate"];

/// A query.
#[derive(Serialize, Deserialize)]
pub(crate) struct Order {
    pub(super) run: PathBuf,
    pub(super) sql: String,
    pub(super) rows: Option<usize>,
    pub(super) format: AnswerFormat,
    pub(super) time: Duration,
}

/// What became of it.
#[derive(Serialize, Deserialize)]
pub(super) struct Answered {
    /// Rows that were written, unless the reader went away.
    pub(super) rows: Option<usize>,
}

/// How the child says it.
#[derive(Serialize, Deserialize)]
enum End {
    Answered(Answered),
    Failed { exit: u8, message: String, hint: Option<String> },
}

/// Has a query answered on standard output.
pub(super) fn ask(order: &Order) -> Result<Answered, Failure> {
    let failed =
        |what: &str, error: &dyn std::fmt::Display| Failure::infrastructure(format!("failed to {what}: {error}"));
    let program = std::env::current_exe().map_err(|error| failed("find the running executable", &error))?;
    let line = serde_json::to_vec(order).map_err(|error| failed("describe the query", &error))?;
    let mut child = Command::new(program)
        .arg(WORD)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed("start a process for the query", &error))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A child that does not read has ended, and how is seen below.
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
    let ended = wait(&mut child, order.time + GRACE).map_err(|error| failed("wait for the query", &error))?;
    let words = words.join().unwrap_or_default();
    let Some(status) = ended else { return Err(refused(&QueryError::TooSlow { limit: order.time })) };
    match words.lines().last().and_then(|line| serde_json::from_str(line).ok()) {
        Some(End::Answered(answered)) => Ok(answered),
        Some(End::Failed { exit, message, hint }) if !is_too_large(&words) => {
            let exit = if exit == Exit::Usage as u8 { Exit::Usage } else { Exit::Infrastructure };
            Err(Failure { exit, message, hint })
        }
        _ => Err(fallen(status, &words, order)),
    }
}

/// Waits for the end of the child; one that takes too long is killed.
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

/// A child that ended without a word of its own.
fn fallen(status: ExitStatus, words: &str, order: &Order) -> Failure {
    let signal = status.signal();
    if is_too_large(words) {
        return refused(&QueryError::TooLarge { limit_bytes: QueryLimits::default().memory_bytes });
    }
    if signal == Some(Signal::XCPU.as_raw()) {
        return refused(&QueryError::TooSlow { limit: order.time });
    }
    if signal == Some(Signal::KILL.as_raw()) {
        return Failure::infrastructure(
            "the process that answered the query was killed, most likely because the machine ran out of memory",
        )
        .hint("ask for less, for example `where seed = 1`");
    }
    Failure::infrastructure(format!("the process that answered the query ended without an answer ({status})"))
        .hint("ask for less, for example `where seed = 1`")
}

/// Entry point of the child: nothing but the answer goes to standard output.
pub(crate) fn main() -> ExitCode {
    let end = match answer() {
        Ok(answered) => End::Answered(answered),
        Err(Failure { exit, message, hint }) => End::Failed { exit: exit as u8, message, hint },
    };
    let line = serde_json::to_string(&end).unwrap_or_default();
    ui::note(&format!("\n{line}"));
    ExitCode::SUCCESS
}

fn answer() -> Result<Answered, Failure> {
    let failed =
        |what: &str, error: &dyn std::fmt::Display| Failure::infrastructure(format!("failed to {what}: {error}"));
    // A query must not outlive whoever asked it.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| failed("tie the query to its command", &error))?;
    let mut line = Vec::new();
    std::io::stdin()
        .lock()
        .take(ORDER_BYTES_MAX)
        .read_to_end(&mut line)
        .map_err(|error| failed("read the query", &error))?;
    let Order { run, sql, rows, format, time } =
        serde_json::from_slice(&line).map_err(|error| failed("read the query", &error))?;
    let limits = QueryLimits { time, ..QueryLimits::default() };
    limit(limits).map_err(|error| failed("limit the query", &error))?;
    let run = RunData::open(&run).map_err(|error| unreadable(&error))?;
    let answer = assay_data::query(&run, &sql, rows, limits).map_err(|error| refused(&error))?;
    match assay_data::write_answer(answer, format.into(), &mut ui::pieces()) {
        Ok(Written::Whole(rows)) => Ok(Answered { rows: Some(rows) }),
        Ok(Written::Unread) => Ok(Answered { rows: None }),
        Err(WriteAnswerError::Query(error)) => Err(refused(&error)),
        Err(WriteAnswerError::Io(error)) => Err(failed("write the answer", &error)),
    }
}

/// Limits this process for good.
fn limit(limits: QueryLimits) -> rustix::io::Result<()> {
    let space = own_bytes().saturating_add(limits.memory_bytes as u64).saturating_add(BESIDE_BYTES);
    let seconds = limits.time.as_secs().saturating_add(GRACE.as_secs());
    for (resource, most) in [(Resource::As, space), (Resource::Cpu, seconds), (Resource::Core, 0)] {
        // There may be a lower limit already, which stays.
        let most = rustix::process::getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

/// The address space that the process has now.
fn own_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size =
        status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    size.map_or(OWN_BYTES, |kibibytes| kibibytes << 10)
}
