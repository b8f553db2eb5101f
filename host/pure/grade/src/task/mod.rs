//! Tasks: a bug report, a place to work in, and what decides. [`import`] reads them from data-set rows.
//!
//! Invariant: a prompt is made from [`Public`], and nothing that gives the answer away is of that type or reachable from it. What does is of
//! type [`Secret`], whose `Debug` shows sizes only, so that neither a log nor an error can spill it. Every key of a row that we do not know is
//! kept, in the secret part, as nobody has judged it harmless.

mod describe;
mod fields;
mod import;
mod kinds;
mod r2e;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::parse::Parser;
use crate::patch::touched_files;
use crate::rule::{Expected, Scenario};

pub use describe::Summary;
pub use fields::RowError;
pub use import::{Imported, import, import_line, import_row};

/// Which data set a row is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// R2E-Gym.
    R2eGym,
    /// SWE-bench before version 5: no image, no script.
    SweBench,
    /// SWE-bench 5: image, evaluation script and parser in the row.
    SweBench5,
    /// SWE-Gym.
    SweGym,
    /// SWE-rebench: image, test command and parser in the row.
    SweRebench,
    /// SWE-smith: the row's patch is the bug.
    SweSmith,
    /// Multi-SWE-bench.
    MultiSwe,
    /// A task of our own form, which no row describes: docs/tasks.md.
    Native,
}

impl Kind {
    /// Every one.
    pub const ALL: [Self; 8] = [
        Self::R2eGym,
        Self::SweBench,
        Self::SweBench5,
        Self::SweGym,
        Self::SweRebench,
        Self::SweSmith,
        Self::MultiSwe,
        Self::Native,
    ];

    /// The data set's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::R2eGym => "R2E-Gym",
            Self::SweBench => "SWE-bench",
            Self::SweBench5 => "SWE-bench 5",
            Self::SweGym => "SWE-Gym",
            Self::SweRebench => "SWE-rebench",
            Self::SweSmith => "SWE-smith",
            Self::MultiSwe => "Multi-SWE-bench",
            Self::Native => "native",
        }
    }

    /// Whether tests that are whole files ([`Tests::Files`]) are put in place when a submission is graded. R2E-Gym's are in the image.
    #[must_use]
    pub fn places_test_files(self) -> bool {
        match self {
            Self::R2eGym => false,
            Self::SweBench
            | Self::SweBench5
            | Self::SweGym
            | Self::SweRebench
            | Self::SweSmith
            | Self::MultiSwe
            | Self::Native => true,
        }
    }
}

// `Native` stays the last one: otherwise this would not see that one is missing.
const _: () = assert!(Kind::ALL.len() == Kind::Native as usize + 1, "a kind is missing in `ALL`");

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Where it is from.
    pub kind: Kind,
    /// What a model may see.
    pub public: Public,
    /// Where the work is done.
    pub bench: Bench,
    /// What decides, and what must stay hidden.
    pub secret: Secret,
}

/// What a prompt may be made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Public {
    /// The task's id, unique within its data set.
    pub instance_id: String,
    /// The repository as its data set names it: `owner/name`, or R2E-Gym's bare name.
    pub repository: String,
    /// The bug report. May be empty, as it is in 1,192 rows of R2E-Gym V1.
    pub problem_statement: String,
    /// The programming language.
    pub language: String,
}

/// Where a task's tests run. For the test bench; no part of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bench {
    /// The container image.
    pub image: String,
    /// The repository's folder in it.
    pub folder: String,
    /// The commit that the work starts from; none where the image alone decides.
    pub base_commit: Option<String>,
    /// The command that runs the tests, where the row or its data set says so.
    pub test_command: Option<String>,
    /// The version by which SWE-bench groups its instances.
    pub version: Option<String>,
    /// When the issue or the change was made, as the row has it.
    pub created_at: Option<String>,
}

/// The right fix.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gold {
    /// A diff that mends the bug.
    Patch(String),
    /// A diff that made the bug: its reverse mends it.
    Bug(String),
    /// The files before and after.
    Files(Vec<GoldFile>),
}

/// A file that the right fix changes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldFile {
    /// Its path in the repository.
    pub path: String,
    /// Its text before; none where the fix adds it.
    pub old: Option<String>,
    /// Its text after; none where the fix deletes it.
    pub new: Option<String>,
}

/// The tests that decide.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tests {
    /// They are in the image already.
    InImage,
    /// A diff that adds them.
    Patch(String),
    /// Whole files: name and text.
    Files(Vec<(String, String)>),
    /// A commit that has them, before the one that the image shows: SWE-smith takes them out in its last commit.
    InParentCommit,
}

/// What must never reach a model.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Secret {
    /// The right fix.
    pub gold: Gold,
    /// The tests.
    pub tests: Tests,
    /// What they must say.
    pub expected: Expected,
    /// The parser that the row names, where it names one that we have.
    pub log_parser: Option<String>,
    /// The script that applies and runs the tests (SWE-bench 5). It spells them out.
    pub eval_script: Option<String>,
    /// What people wrote below the issue. Often it holds the fix.
    pub hints: Option<String>,
    /// Every other key of the row, as it was.
    pub other: BTreeMap<String, Value>,
}

/// Sizes only.
impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tests = match &self.expected {
            Expected::Map { after, .. } => after.len(),
            Expected::Lists { fail_to_pass, pass_to_pass, .. } => fail_to_pass.len() + pass_to_pass.len(),
        };
        write!(formatter, "Secret({tests} tests, {} other keys)", self.other.len())
    }
}

impl fmt::Debug for Gold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Patch(patch) => write!(formatter, "Patch({} bytes)", patch.len()),
            Self::Bug(patch) => write!(formatter, "Bug({} bytes)", patch.len()),
            Self::Files(files) => write!(formatter, "Files({})", files.len()),
        }
    }
}

impl fmt::Debug for Tests {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InImage => formatter.write_str("InImage"),
            Self::Patch(patch) => write!(formatter, "Patch({} bytes)", patch.len()),
            Self::Files(files) => write!(formatter, "Files({})", files.len()),
            Self::InParentCommit => formatter.write_str("InParentCommit"),
        }
    }
}

impl Task {
    /// How this task's logs are read: by the parser that the row names, else by its repository, else, for Go and Rust, by its language.
    #[must_use]
    pub fn parser(&self) -> Option<Parser> {
        let named = self.secret.log_parser.as_deref().and_then(|name| name.parse().ok());
        named.or_else(|| Parser::for_repository(&self.public.repository)).or_else(|| {
            match self.public.language.as_str() {
                "go" => "gotest".parse().ok(),
                "rust" => "cargo".parse().ok(),
                _ => None,
            }
        })
    }

    /// The task with a test command or a log parser of the user's instead of what its row says. With a command, the row's own script is not run: it
    /// is kept with the keys that nobody reads.
    #[must_use]
    pub fn with_tests(mut self, command: Option<&str>, parser: Option<Parser>) -> Self {
        if let Some(command) = command {
            self.bench.test_command = Some(command.to_owned());
            if let Some(script) = self.secret.eval_script.take() {
                self.secret.other.insert("eval_script".to_owned(), Value::from(script));
            }
        }
        if let Some(parser) = parser {
            self.secret.log_parser = Some(parser.name().to_owned());
        }
        self
    }

    /// The files that the bench must restore before it grades, and whose change is flagged: those of the task's tests and the script that
    /// runs them. A folder ends in `/`. Sorted, each once.
    #[must_use]
    pub fn protected_files(&self) -> Vec<String> {
        let mut files: BTreeSet<String> = match &self.secret.tests {
            Tests::Patch(patch) => touched_files(patch).into_iter().map(|file| file.path).collect(),
            Tests::Files(files) if self.kind.places_test_files() => {
                files.iter().map(|(path, _)| path.clone()).collect()
            }
            Tests::InImage | Tests::Files(_) | Tests::InParentCommit => BTreeSet::new(),
        };
        if self.kind == Kind::R2eGym {
            files.extend(["r2e_tests/", "run_tests.sh"].map(str::to_owned));
        }
        if let Expected::Lists { fail_to_pass, pass_to_pass, .. } = &self.secret.expected {
            // A pytest id begins with its file.
            let ids = fail_to_pass.iter().chain(pass_to_pass).filter_map(|id| id.split_once(".py::"));
            files.extend(ids.map(|(stem, _)| format!("{stem}.py")));
        }
        files.into_iter().collect()
    }

    /// What a run is graded against; `None` where no parser is known for the task.
    #[must_use]
    pub fn scenario(&self) -> Option<Scenario> {
        Some(Scenario {
            expected: self.secret.expected.clone(),
            parser: self.parser()?,
            // pytest's own tests run pytest and show what it printed.
            nested_summaries: self.public.repository.ends_with("pytest-dev/pytest"),
        })
    }
}
