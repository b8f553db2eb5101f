//! Why a commit does not become a task: one word for programs, a sentence for people.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reasons, by the names that journals and reports use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It has several parents.
    Merge,
    /// It has no parent, or the parent is not in the repository.
    NoParent,
    /// It changes no code outside of tests.
    NoCode,
    /// It adds or changes no file of tests that can be run.
    NoTests,
    /// An object of it is missing, or not what git writes.
    Damaged,
    /// A file has a name that no file of a repository may have.
    UnsafeName,
    /// The repository contains another one.
    Submodule,
    /// It changes a symbolic link.
    Link,
    /// It changes a file that is not text.
    Binary,
    /// It changes more than a bug fix does, or the repository is larger than a task may be.
    TooLarge,
    /// Its patches do not give its files back.
    Patch,
    /// The tests use names that only the fix brings: no report tells them.
    NewNames,
    /// Nobody said how this language is installed or tested.
    Language,
    /// The tests do not end in results.
    TestsDoNotRun,
    /// No test fails before and passes after.
    NoFailToPass,
    /// Tests that fail before and pass after do not always do so.
    Flaky,
    /// Too few tests decide.
    FewTests,
    /// The right fix does not score 1.
    Gold,
    /// The untouched files do not score 0.
    Untouched,
    /// A submission that fixes nothing scores 1.
    Attack,
}

impl Reason {
    /// Its name in journals and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::NoParent => "no_parent",
            Self::NoCode => "no_code",
            Self::NoTests => "no_tests",
            Self::Damaged => "damaged",
            Self::UnsafeName => "unsafe_name",
            Self::Submodule => "submodule",
            Self::Link => "link",
            Self::Binary => "binary",
            Self::TooLarge => "too_large",
            Self::Patch => "patch",
            Self::NewNames => "new_names",
            Self::Language => "language",
            Self::TestsDoNotRun => "tests_do_not_run",
            Self::NoFailToPass => "no_fail_to_pass",
            Self::Flaky => "flaky",
            Self::FewTests => "few_tests",
            Self::Gold => "gold",
            Self::Untouched => "untouched",
            Self::Attack => "attack",
        }
    }

    /// Whether such a commit is no candidate in the first place: it does not change both code and tests.
    #[must_use]
    pub const fn is_no_candidate(self) -> bool {
        matches!(self, Self::Merge | Self::NoParent | Self::NoCode | Self::NoTests)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A refused commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// In a word.
    pub reason: Reason,
    /// In a sentence. It may hold names from the repository: text of a stranger.
    pub why: String,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, why: impl Into<String>) -> Self {
        Self { reason, why: why.into() }
    }
}
