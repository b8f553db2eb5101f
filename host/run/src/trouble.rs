//! Why a unit has no result. None of it says anything about the work that was tried.

use std::any::Any;
use std::fmt::Display;
use thiserror::Error;

/// Why a unit has no result: a submission, an episode, or whatever else is run many times.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{why}")]
pub struct Trouble {
    /// What follows from it.
    pub kind: TroubleKind,
    /// What happened.
    pub why: String,
    /// What the user can do about it.
    pub hint: Option<String>,
}

/// What follows from trouble. It says whether there is another attempt, never what that does: an episode of which only the grading failed has passing trouble,
/// and its files say that the next attempt grades them, as they do to a run that goes on after a crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TroubleKind {
    /// The infrastructure failed, and another attempt may succeed. Work that ends early because of a stop says this.
    Passing,
    /// The infrastructure is not there, or the unit cannot be done as it is: another attempt right away would end the same.
    Lasting,
    /// The run may spend no more, and this unit has not begun: no other begins. To the scheduler this is [`Fatal`](Self::Fatal); it has a name of its own because
    /// nothing is wrong, and whoever began the run is told to allow more, not to mend something.
    Budget,
    /// No unit of the run can succeed as things are, for example without a key: no other begins.
    Fatal,
    /// A fault of ours.
    Bug,
}

impl Trouble {
    /// Trouble of this kind, about which nothing is known that the user can do.
    pub fn new(kind: TroubleKind, why: impl Into<String>) -> Self {
        Self { kind, why: why.into(), hint: None }
    }

    /// A fault of ours.
    pub fn bug(why: impl Display) -> Self {
        Self::new(TroubleKind::Bug, format!("internal error: {why}"))
    }
}

/// What a panic said.
#[must_use]
pub fn panic_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}
