//! What grading finds out about a task once; the data alone, which lasts as long as the task's files.
//!
//! Invariant: what is kept comes from the right fix or from the untouched files, never from a submission.

use std::collections::{BTreeMap, BTreeSet};

use assay_grade::Parser;
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

/// What is known of a task.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The tests that can be made wrong.
    pub(crate) pool: OnceCell<Pool>,
    /// Set once the tests came to a result over the untouched files.
    pub(crate) finishes: OnceCell<()>,
    /// The tests that a second opinion covers.
    pub(crate) second: OnceCell<Covered>,
}

/// What is known of a task's tests from the right fix.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pool {
    /// The wrong tests by the test that they are made of.
    pub(crate) tests: BTreeMap<Test, Vec<Wrong>>,
    /// The files of tests as they are.
    pub(crate) texts: BTreeMap<String, Vec<u8>>,
    /// What a watch sees with the right fix; none where it cannot be used.
    pub(crate) watched: Option<BTreeSet<String>>,
    /// Why no test can be made wrong; empty where one can.
    pub(crate) none: String,
}

impl Pool {
    pub(crate) fn without(why: &str) -> Self {
        Self { none: why.to_owned(), ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// How many wrong tests there are.
    pub(crate) fn len(&self) -> usize {
        self.tests.values().map(Vec::len).sum()
    }
}

/// An edit that is known to fail, and the ids that fail by it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wrong {
    pub(crate) edit: Edit,
    pub(crate) rank: u8,
    pub(crate) place: Place,
    /// The tests that it reaches.
    pub(crate) touches: BTreeSet<Test>,
    /// The ids that failed by it: some may be new, where an id holds its parameters.
    pub(crate) fails: BTreeSet<String>,
    /// The ids that decide and no longer pass: they failed, or their name is another now.
    pub(crate) gone: BTreeSet<String>,
    /// Whether it is where the task's fault shows.
    pub(crate) bites: bool,
}

/// A test function: its file, and its name in it, `Class::name` or `name`.
pub(crate) type Test = (String, String);

/// Where an assertion or a row of a table begins, in bytes.
pub(crate) type Place = usize;

/// One place of a file of tests, and what is to stand there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file.
    pub path: String,
    /// The test that it was made for: `Class::name`, or `name`. A table of parameters may have more readers.
    pub test: String,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What stands there instead.
    pub text: String,
}

/// The tests of a task that a second opinion covers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Covered {
    /// The ids that decide and that the right fix passes each time; none where none of them is mended by it.
    pub(crate) ids: BTreeSet<String>,
    /// How ids are told.
    pub(crate) parser: Option<Parser>,
    /// Why there are none; empty where there are.
    pub(crate) why: String,
}

impl Covered {
    pub(crate) fn without(why: impl Into<String>) -> Self {
        Self { why: why.into(), ..Self::default() }
    }
}
