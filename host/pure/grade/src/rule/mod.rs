//! What a run of the tests is worth: [`grade`] takes what was expected and what happened, and gives a [`Verdict`].
//!
//! Three rules. [`Rule::Strict`], the default, believes a log only where log, summary line, exit code and `JUnit` report agree.
//! [`Rule::R2eCompat`] and [`Rule::SweBench`] are the published rules, weaknesses included, for numbers that compare with others'.
//!
//! Invariants: a run that ended by the infrastructure's doing is [`Verdict::Unscored`] under every rule, never a zero; a reward is 0 or 1, and
//! what lies between is told by the parts.

mod flag;
mod flags;
mod r2e_compat;
mod strict;
mod summary;
mod swebench;
mod verdict;

use serde::{Deserialize, Serialize};

use crate::parse::Parser;
use crate::status::StatusMap;

pub use flag::Flag;
pub use flags::{Evidence, flags};
pub use verdict::{Difference, Part, Reason, Score, Unscored, Verdict};

/// Which rule scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Ours: everything must agree.
    #[default]
    Strict,
    /// R2E-Gym's, as published.
    R2eCompat,
    /// SWE-bench 5.0.1's, as published.
    SweBench,
}

/// How SWE-bench judges an expected test (`eval_type` of a row).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvalType {
    /// A test must be seen to pass.
    #[default]
    PassAndFail,
    /// A test must not be seen to fail, for runners that print failures only.
    FailOnly,
}

/// What the tests must say after a right fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// R2E-Gym: the status of every test, by R2E's keys. A FAILED or ERROR in it is a defect of the image that must show again.
    Map {
        /// After the fix.
        after: StatusMap,
        /// Before the fix, where known: tells which tests the fix is about, for the partial score.
        before: Option<StatusMap>,
    },
    /// SWE-bench and its kin: the tests that the fix mends, and those that it must not break.
    Lists {
        /// `FAIL_TO_PASS`.
        fail_to_pass: Vec<String>,
        /// `PASS_TO_PASS`.
        pass_to_pass: Vec<String>,
        /// How they are judged.
        eval_type: EvalType,
    },
}

/// What is graded against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// What the tests must say.
    pub expected: Expected,
    /// How their log is read.
    #[serde(with = "parser_name")]
    pub parser: Parser,
    /// Whether honest logs hold summaries of other pytest runs, as those of pytest's own tests do. Then the last one is read and several
    /// are not an offence.
    pub nested_summaries: bool,
}

mod parser_name {
    use super::Parser;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(parser: &Parser, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(parser.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Parser, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// How the test command ended, recorded outside of the container: what a log says about it is only a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By our deadline.
    TimedOut,
    /// By the kernel, out of memory.
    OutOfMemory,
    /// By the bench, since it took more than it may; the text says of what.
    Excess(String),
    /// It never ran, or its end was lost; the text says why.
    Lost(String),
    /// By itself, in a script that goes on after the tests: this code is another command's, and the rules go by the log alone.
    ScriptExited(i32),
    /// Nobody wrote it down: an old log. The published rules go by the log then, the strict rule does not score.
    Unrecorded,
}

/// One run of a task's tests.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Everything that the test command printed.
    pub log: &'a str,
    /// How it ended.
    pub ended: &'a Ended,
    /// The `JUnit` report, where one was asked for.
    pub junit: Option<&'a str>,
}

/// Scores a run.
#[must_use]
pub fn grade(rule: Rule, scenario: &Scenario, run: Run<'_>) -> Verdict {
    let exit = match run.ended {
        Ended::Exited(code) => Some(*code),
        Ended::Unrecorded | Ended::ScriptExited(_) => None,
        Ended::TimedOut => return Verdict::Unscored(Unscored::TimedOut),
        Ended::OutOfMemory => return Verdict::Unscored(Unscored::OutOfMemory),
        Ended::Excess(why) => return Verdict::Unscored(Unscored::Excess(why.clone())),
        Ended::Lost(why) => return Verdict::Unscored(Unscored::Infrastructure(why.clone())),
    };
    match (rule, &scenario.expected) {
        (Rule::Strict, _) => strict::grade(scenario, run, exit),
        (Rule::R2eCompat, Expected::Map { after, .. }) => r2e_compat::grade(after, run.log),
        (Rule::SweBench, Expected::Lists { fail_to_pass, pass_to_pass, eval_type }) => {
            swebench::grade(fail_to_pass, pass_to_pass, *eval_type, scenario.parser, run.log, exit)
        }
        (Rule::R2eCompat, _) => Verdict::invalid("the rule r2e_compat needs a map of expected statuses"),
        (Rule::SweBench, _) => Verdict::invalid("the rule swe_bench needs FAIL_TO_PASS and PASS_TO_PASS"),
    }
}
