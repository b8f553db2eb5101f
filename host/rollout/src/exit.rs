//! How an episode ends: every way has a name, and the name decides what it is worth.
//!
//! Invariant: an exit that is nobody's in the episode (the provider, the disk, the user's settings) never becomes a number.

use std::fmt;

/// Why an episode ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Exit {
    /// The model called `finish`.
    Finished,
    /// A `run_tests` on the way was worth 1.
    SolvedEarly,
    /// Several replies in a row held no code.
    NoCode,
    /// The model went in circles after it had been told so.
    Stuck,
    /// All steps are used up.
    Steps,
    /// All tokens are used up.
    Tokens,
    /// All money is used up.
    Cost,
    /// The episode's time on the wall is over.
    WallTime,
    /// The episode's time without waiting for others is over.
    WorkingTime,
    /// Not even the report and the newest step fit in the model's context.
    ContextTooLong,
    /// The record holds as much output as it may.
    Output,
    /// The whole run's budget is used up. What was paid for is graded; an episode without a reply has not begun.
    Budget,
    /// Money is limited, but the price of a reply is unknown.
    PriceUnknown,
    /// A scripted model or a cassette has no reply left.
    ScriptEnded,
    /// The provider refuses the request.
    ModelRefused,
    /// The provider does not answer.
    ModelUnavailable,
    /// The session's host failed.
    SessionFailed,
    /// The record cannot be written.
    SinkFailed,
    /// The supervisor ended it.
    Cancelled,
}

/// What an exit means for the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worth {
    /// The files are graded; if they do not pass, the outcome is `failure`.
    Graded,
    /// The files are graded all the same; if they do not pass, the outcome is `timeout`. If they do, it is a success with the flag
    /// `success_after_limit`, because some trainers mask such luck.
    GradedAfterLimit,
    /// Nothing is graded: the verdict is unscored, and says why.
    Unscored,
}

impl Exit {
    /// Every exit.
    pub const ALL: &[Self] = &[
        Self::Finished,
        Self::SolvedEarly,
        Self::NoCode,
        Self::Stuck,
        Self::Steps,
        Self::Tokens,
        Self::Cost,
        Self::WallTime,
        Self::WorkingTime,
        Self::ContextTooLong,
        Self::Output,
        Self::Budget,
        Self::PriceUnknown,
        Self::ScriptEnded,
        Self::ModelRefused,
        Self::ModelUnavailable,
        Self::SessionFailed,
        Self::SinkFailed,
        Self::Cancelled,
    ];

    /// The exit's name in verdicts and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::SolvedEarly => "solved_early",
            Self::NoCode => "no_code",
            Self::Stuck => "stuck",
            Self::Steps => "steps",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::WallTime => "wall_time",
            Self::WorkingTime => "working_time",
            Self::ContextTooLong => "context_too_long",
            Self::Output => "output",
            Self::Budget => "budget",
            Self::PriceUnknown => "price_unknown",
            Self::ScriptEnded => "script_ended",
            Self::ModelRefused => "model_refused",
            Self::ModelUnavailable => "model_unavailable",
            Self::SessionFailed => "session_failed",
            Self::SinkFailed => "sink_failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// What it means for the verdict.
    #[must_use]
    pub const fn worth(self) -> Worth {
        match self {
            Self::Finished | Self::SolvedEarly | Self::NoCode | Self::Stuck => Worth::Graded,
            Self::Steps
            | Self::Tokens
            | Self::Cost
            | Self::WallTime
            | Self::WorkingTime
            | Self::ContextTooLong
            | Self::Output
            | Self::Budget => Worth::GradedAfterLimit,
            Self::PriceUnknown
            | Self::ScriptEnded
            | Self::ModelRefused
            | Self::ModelUnavailable
            | Self::SessionFailed
            | Self::SinkFailed
            | Self::Cancelled => Worth::Unscored,
        }
    }

    /// Whether the trouble was the infrastructure's, so that the same episode may be tried again.
    #[must_use]
    pub const fn is_infrastructure(self) -> bool {
        matches!(self, Self::ModelUnavailable | Self::SessionFailed | Self::SinkFailed)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
