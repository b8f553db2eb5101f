//! Why there is no page, and what becomes of a request.
//!
//! Invariant: a [`Problem`] has words for a person.

use crate::code::Code;
use crate::index::IndexError;
use assay_files::OpenError;
use assay_store::StoreError;
use std::fmt::Display;

/// Why there is no page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    pub code: Code,
    pub title: &'static str,
    pub words: String,
    /// The parameter or the field that it is about, by its name.
    pub field: Option<String>,
}

/// A page, or why there is none.
pub(crate) type View = Result<String, Problem>;

/// What becomes of something that was posted.
pub(crate) enum Done {
    /// A page, or part of one, of this status.
    Page(u16, String),
    /// Another page shows it.
    Go(String),
}

impl Problem {
    pub(crate) fn new(code: Code, title: &'static str, words: impl Into<String>) -> Self {
        Self { code, title, words: words.into(), field: None }
    }

    /// The same about a parameter or a field.
    pub(crate) fn about(self, field: &str) -> Self {
        Self { field: Some(field.to_owned()), ..self }
    }

    /// That a thing with a name of its own is not there: a job, say.
    pub(crate) fn none(words: &str) -> Self {
        Self::new(Code::NotFound, "Not found", words)
    }

    /// That no page has an address.
    pub(crate) fn no_address() -> Self {
        Self::none("Nothing has this address. The links at the top lead to everything there is.")
    }

    pub(crate) fn no_job() -> Self {
        Self::none("There is no such job. The list of jobs has those that are kept.")
    }

    pub(crate) fn no_board() -> Self {
        Self::none("There is no such board, or no such season. The list of boards has those that there are.")
    }

    /// That a result is not there: a run, or something in a folder.
    pub(crate) fn nothing() -> Self {
        let words = "Nothing has this address. It may have been removed, or its folder was not named with --runs.";
        Self::new(Code::NotFound, "Not found", words)
    }

    pub(crate) fn unreadable(what: &str, why: impl Display) -> Self {
        Self::new(Code::Unreadable, "It cannot be read", format!("{what}: {why}"))
    }

    pub(crate) fn busy() -> Self {
        Self::new(Code::Busy, "The server is busy", "Try again in a moment.")
    }

    pub(crate) fn bug() -> Self {
        let words = "Making this page failed. That is a fault of Assay, perhaps because the file is damaged.";
        Self::new(Code::Internal, "This page failed", words)
    }

    pub(crate) fn of_store(error: &StoreError) -> Self {
        match error {
            StoreError::NoRun(_) | StoreError::Ambiguous(_) => Self::nothing(),
            error => Self::new(Code::Unavailable, "The store cannot be read", in_words(error)),
        }
    }

    pub(crate) fn of_file(what: &str, error: &OpenError) -> Self {
        if error.is_missing() { Self::nothing() } else { Self::unreadable(what, error) }
    }

    pub(crate) fn of_index(error: &IndexError) -> Self {
        match error {
            IndexError::Busy => {
                let words = "This trajectory is just being indexed. Try again in a moment.";
                Self::new(Code::Busy, "The server is busy", words)
            }
            IndexError::Files(_) => {
                Self::unreadable("the trajectory", format!("{error}; if it has just been changed, try again"))
            }
        }
    }
}

/// What a store says, with what to do about it.
pub(super) fn in_words(error: &StoreError) -> String {
    error.hint().map_or_else(|| error.to_string(), |hint| format!("{error}; {hint}"))
}
