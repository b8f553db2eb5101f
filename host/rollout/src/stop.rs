//! Why an agent goes no further.

use crate::exit::Exit;
use crate::ports::ModelError;

/// The end of an episode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stop {
    pub(crate) exit: Exit,
    pub(crate) detail: String,
}

impl Stop {
    pub(crate) fn new(exit: Exit, detail: impl Into<String>) -> Self {
        Self { exit, detail: detail.into() }
    }

    pub(crate) fn of_model(error: &ModelError) -> Self {
        let exit = match error {
            ModelError::Unavailable { .. } => Exit::ModelUnavailable,
            ModelError::Refused { .. } => Exit::ModelRefused,
            ModelError::ContextTooLong { .. } => Exit::ContextTooLong,
            ModelError::BudgetSpent { .. } => Exit::Budget,
            ModelError::NoAnswer { .. } => Exit::ScriptEnded,
        };
        Self::new(exit, error.to_string())
    }
}
