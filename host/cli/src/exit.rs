//! The exit codes, and the one error type of the command line.
//!
//! Invariant: every way a command can end is one of [`Exit`]; docs/README.md lists the same codes.

use std::fmt::{self, Display};
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// It did what was asked.
    Success = 0,
    /// The answer is no: the strategy was refused before it ran (findings, or it does not compile), two trajectories differ, one is not whole, or a
    /// limit did not hold.
    Rejected = 1,
    /// The command cannot be carried out as given: flags, names, files, folders.
    Usage = 2,
    /// The strategy ran and failed in at least one seed: out of fuel or memory, a trap, a limit; or a rule of the gate's policy does not hold.
    StrategyFailed = 3,
    /// Something of ours or of this machine failed: a missing tool, a full disk. Worth trying again, never a score and
    /// never a verdict.
    Infrastructure = 4,
    /// Interrupted by Ctrl-C; partial results were kept where there were any.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command ended early: what happened, where, and what to do about it.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What happened, to which thing.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Failure {
    /// The user can mend it.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self { exit: Exit::Usage, message: message.to_string(), hint: None }
    }

    /// This machine or Assay is at fault.
    pub(crate) fn infrastructure(message: impl Display) -> Self {
        Self { exit: Exit::Infrastructure, message: message.to_string(), hint: None }
    }

    /// This build was made without a feature that the whole program has.
    #[cfg(any(test, not(feature = "rollouts")))]
    pub(crate) fn left_out(what: impl Display) -> Self {
        Self::infrastructure(format!("this build of assay has no {what}"))
            .hint("build the whole program with `make build`")
    }

    /// Adds what to do.
    pub(crate) fn hint(mut self, hint: impl Display) -> Self {
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
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
