//! SQL over a recorded run, in a program of its own: `assay-query`.
//!
//! ```text
//! assay query ──Question, as JSON──► stdin ┐
//!     stdout ◄──────────the answer─────────┤ assay-query: limits first, then the query
//!     an End, as JSON, ◄──────────── stderr┘
//! ```
//!
//! What SQL can compute has no bound: functions of text make gigabytes of a line, and the engine counts only what sorting and joining hold. So a query
//! runs in a process with little memory. That it is another binary than `assay` has a second reason: the engine takes longer to compile than all the rest.
//!
//! Invariants: the process limits itself before it opens the run; it goes with its parent; nothing but the answer goes to standard output.

mod answer;
mod engine;
mod limit;
mod output;
mod words;

pub use answer::{Answer, query};
pub use output::{WriteAnswerError, Written, write_answer};

use assay_data::{End, QueryError, Question, RunData};
use rustix::process::Signal;
use std::fmt::Display;
use std::io::{BufWriter, IsTerminal as _, Read as _, Write as _, stderr, stdin, stdout};
use std::process::ExitCode;

/// A question is hardly longer than its SQL may be, and JSON makes up to six bytes of one.
const QUESTION_BYTES_MAX: u64 = 1 << 20;
const FOR_PEOPLE: &str =
    "assay-query answers for `assay query`, which starts it and sends it a question; `assay query --help` has examples";

/// The binary: answers the question on standard input. Whatever becomes of it is said by the last line on standard error, so the exit code is 0; it is 2
/// if there is no question because a person started the program.
#[must_use]
pub fn main() -> ExitCode {
    if std::env::args_os().len() > 1 || stdin().is_terminal() {
        say(FOR_PEOPLE);
        return ExitCode::from(2);
    }
    let end = answered().unwrap_or_else(|end| end);
    say(&format!("\n{}", serde_json::to_string(&end).unwrap_or_default()));
    ExitCode::SUCCESS
}

/// Nobody may be left to read it; that is not a failure of the answer.
fn say(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}

/// Answers on standard output.
fn answered() -> Result<End, End> {
    // A query must not outlive whoever asked it.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| ours("tie the query to its command", &error))?;
    let mut text = Vec::new();
    stdin()
        .lock()
        .take(QUESTION_BYTES_MAX)
        .read_to_end(&mut text)
        .map_err(|error| ours("read the question", &error))?;
    let Question { run, sql, rows, format, limits } = serde_json::from_slice(&text).map_err(|error| End::Failed {
        is_ours: true,
        message: format!("failed to read the question: {error}"),
        hint: Some(
            "`assay` and `assay-query` must be of the same release: build both with `make build query`".to_owned(),
        ),
    })?;
    limit::this_process(limits).map_err(|error| ours("limit the query", &error))?;
    let failed = |error: &QueryError| End::failed(error);
    let run = RunData::open(&run).map_err(|error| failed(&QueryError::Read(error)))?;
    let answer = query(&run, &sql, rows, limits).map_err(|error| failed(&error))?;
    match write_answer(answer, format, &mut BufWriter::new(stdout().lock())) {
        Ok(Written::Whole(rows)) => Ok(End::Answered { rows: Some(rows) }),
        Ok(Written::Unread) => Ok(End::Answered { rows: None }),
        Err(WriteAnswerError::Query(error)) => Err(failed(&error)),
        Err(WriteAnswerError::Io(error)) => Err(ours("write the answer", &error)),
    }
}

fn ours(what: &str, error: &dyn Display) -> End {
    End::Failed { is_ours: true, message: format!("failed to {what}: {error}"), hint: None }
}
