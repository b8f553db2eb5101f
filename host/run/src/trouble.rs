//! Why a unit has no result. None of it says anything about the work that was tried.

use std::any::Any;
use thiserror::Error;

/// Why a unit has no result.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{why}")]
pub struct Trouble {
    /// What follows from it.
    pub kind: TroubleKind,
    /// What happened.
    pub why: String,
}

/// What follows from trouble.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TroubleKind {
    /// Another attempt may succeed. Work that ends early because of a stop says this.
    Passing,
    /// Another attempt would end the same.
    Lasting,
    /// No unit of the run can succeed as things are.
    Fatal,
    /// A fault of ours.
    Bug,
}

impl Trouble {
    /// Trouble of this kind.
    pub fn new(kind: TroubleKind, why: impl Into<String>) -> Self {
        Self { kind, why: why.into() }
    }
}

/// What a panic said.
#[must_use]
pub fn panic_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}
