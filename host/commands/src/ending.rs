//! How commands end, and the one error type of the work.
//!
//! Invariant: every way a command can end is one of [`Ending`]; docs/README.md lists the same codes.

use std::fmt::{self, Display};

/// How a command ended. Its number is the exit code of a process that did nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It did what was asked.
    Success = 0,
    /// The answer is no: the strategy was refused before it ran (findings, or it does not compile), two trajectories differ, one is not whole, or a
    /// limit did not hold.
    Rejected = 1,
    /// The command cannot be carried out as given: settings, names, files, folders.
    Usage = 2,
    /// The strategy ran and failed in at least one seed: out of fuel or memory, a trap, a limit; or a rule of the gate's policy does not hold.
    StrategyFailed = 3,
    /// Something of ours or of this machine failed: a missing tool, a full disk. Worth trying again, never a score and
    /// never a verdict.
    Infrastructure = 4,
    /// Interrupted by Ctrl-C; partial results were kept where there were any.
    Interrupted = 130,
}

/// Did what was asked.
pub const DONE: Result<Ending, Failure> = Ok(Ending::Success);

/// Why a command ended early: what happened, where, and what to do about it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// How it ended.
    pub ending: Ending,
    /// What happened, to which thing.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Failure {
    /// The user can mend it.
    pub fn usage(message: impl Display) -> Self {
        Self { ending: Ending::Usage, message: message.to_string(), hint: None }
    }

    /// This machine or Assay is at fault.
    pub fn infrastructure(message: impl Display) -> Self {
        Self { ending: Ending::Infrastructure, message: message.to_string(), hint: None }
    }

    /// This build was made without a feature that the whole program has.
    pub fn left_out(what: impl Display) -> Self {
        Self::infrastructure(format!("this build of assay has no {what}"))
            .hint("build the whole program with `make build`")
    }

    /// Adds what to do.
    pub fn hint(mut self, hint: impl Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error with its causes on one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
