//! The verdict about one submission: what was decided, why, and about exactly what.
//!
//! Invariants: the decision follows from the checks and findings in it (`Rejected` before `Unscored` before `Fail` before `Pass`); it holds no
//! time, no path of the machine and no hidden seed, so the same submission under the same policy gives the same bytes; every text that
//! comes from the submission is escaped when it is put in.

use crate::policy::Policy;
use serde::{Deserialize, Serialize};

/// Name of the schema.
pub const SCHEMA_NAME: &str = "assay.verdict";
/// Version of the schema, major.minor: a new minor only adds fields.
pub const SCHEMA_VERSION: &str = "1.0";

/// See the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// What this is: [`SCHEMA_NAME`], [`SCHEMA_VERSION`].
    pub schema: Schema,
    /// The answer.
    pub decision: Decision,
    /// The answer in one sentence that a newcomer understands.
    pub summary: String,
    /// What was handed in.
    pub submission: Submission,
    /// What decided.
    pub policy: PolicyReference,
    /// What made this and ran the submission.
    pub tool: Tool,
    /// Each rule of the policy in each scenario it applies to, in the order of the policy. Empty where the submission never ran.
    pub checks: Vec<Check>,
    /// What the checks of source, dependencies and component said, those that the policy signs off included.
    pub findings: Vec<Finding>,
    /// Findings that were counted but not kept.
    pub findings_omitted: u64,
    /// The markets that it ran in.
    pub trials: Vec<Trial>,
}

/// Name of the rule about outcomes, which every policy has.
pub(crate) const OUTCOME_RULE: &str = "outcome";

impl Verdict {
    /// Whether the decision follows from the findings, checks and trials: an error that nobody has signed off rejects, and so may errors of
    /// which too many were found to keep them; of what never ran nothing is known; otherwise the worst check decides, and each trial has the one about
    /// outcomes: whatever ran is asked how it ended. Whether the other rules of a policy were asked, only the policy tells: [`Verdict::answers`].
    #[must_use]
    pub fn decision_follows(&self) -> bool {
        let refused = self.findings.iter().any(|finding| finding.level == Level::Error && finding.sign_off.is_none());
        let ran = !self.trials.is_empty();
        let worst = self.checks.iter().map(|check| check.decision).max();
        match (self.decision, worst) {
            (Decision::Rejected, None) => !ran && (refused || self.findings_omitted > 0),
            (Decision::Unscored, None) => !ran && !refused,
            (decision, worst) => ran && !refused && self.trials_are_checked() && worst == Some(decision),
        }
    }

    fn trials_are_checked(&self) -> bool {
        let asks_how_it_ended =
            |check: &Check, trial: &Trial| check.rule == OUTCOME_RULE && check.scenario == trial.scenario;
        self.trials.iter().all(|trial| self.checks.iter().any(|check| asks_how_it_ended(check, trial)))
    }

    /// Whether the checks are those that `policy` asks for: each rule as often as it has scenarios, and no other. What never ran has none.
    #[must_use]
    pub fn answers(&self, policy: &Policy) -> bool {
        if self.trials.is_empty() {
            return self.checks.is_empty();
        }
        let all = policy.scenarios.len();
        let mut asked = vec![OUTCOME_RULE; all];
        for rule in &policy.rules {
            asked.extend(vec![rule.name.as_str(); rule.scenarios.as_ref().map_or(all, Vec::len)]);
        }
        let mut answered: Vec<&str> = self.checks.iter().map(|check| check.rule.as_str()).collect();
        asked.sort_unstable();
        answered.sort_unstable();
        asked == answered
    }
}

/// Which schema a file follows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// [`SCHEMA_NAME`].
    pub name: String,
    /// [`SCHEMA_VERSION`].
    pub version: String,
}

/// The answer. Each has an exit code of `assay gate`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Every rule holds.
    Pass,
    /// It ran, and at least one rule does not hold.
    Fail,
    /// Nothing is known: infrastructure failed, or a rule had too little data through no fault of the submission. May be tried again.
    Unscored,
    /// It was refused before it ran.
    Rejected,
}

/// What was handed in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// Path as it was given, relative to the folder of the batch if there is one.
    pub name: String,
    /// What it is.
    pub kind: SubmissionKind,
    /// BLAKE3 of everything that was handed in: the file, or names and contents of the crate's files. `None` if it could not be read.
    pub hash: Option<String>,
    /// BLAKE3 of the component that ran. A Python file runs in [`Tool::python_component`].
    pub component_hash: Option<String>,
    /// Version of the SDK it was built against, if it was built here.
    pub sdk_version: Option<String>,
    /// BLAKE3 of that SDK's sources and interface.
    pub sdk_hash: Option<String>,
    /// Version of the compiler, if it was built here.
    pub rustc_version: Option<String>,
}

/// What a submission is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionKind {
    /// One Rust file.
    RustFile,
    /// A crate folder.
    RustCrate,
    /// A compiled component.
    Component,
    /// One Python file.
    PythonFile,
    /// None of these, or unreadable.
    Unknown,
}

/// Which policy decided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyReference {
    /// Its name.
    pub name: String,
    /// BLAKE3 of its text.
    pub hash: String,
}

/// Versions of what made the verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Assay's.
    pub assay: String,
    /// That of the WebAssembly engine.
    pub wasmtime: String,
    /// BLAKE3 of the Python interpreter, if it ran in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python_component: Option<String>,
}

/// One rule in one scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Name of the rule in the policy, unique in it.
    pub rule: String,
    /// Line of the policy that says it, from 1.
    pub policy_line: u32,
    /// Name of the scenario.
    pub scenario: String,
    /// Key of the measure, as in the run record; `None` for rules about outcomes.
    pub measure: Option<String>,
    /// What is asked, as a sentence: "lower 95% bound of PnL above 0 cents".
    pub asks: String,
    /// What was seen, as a sentence: "-1,204 cents (mean 310, 95% -1,204 to 1,824, 20 seeds)".
    pub saw: String,
    /// Whether it holds. Never [`Decision::Rejected`].
    pub decision: Decision,
    /// What to do or look at, where it does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One complaint of the validator or the compiler.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Stable code.
    pub code: String,
    /// Whether it refuses the submission, unless it is signed off.
    pub level: Level,
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What was seen.
    pub observed: Option<String>,
    /// What is allowed.
    pub limit: Option<String>,
    /// How to mend it.
    pub hint: String,
    /// Who accepted it, and why; then it does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_off: Option<SignOff>,
}

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Refuses.
    Error,
    /// Worth mending.
    Warning,
}

/// Where a finding is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The file, named as the submission is.
    pub file: String,
    /// First character and one past the last, lines and columns from 1, columns in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Dotted key of a manifest, or section and function of a component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical: Option<String>,
    /// Offset into a component in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_offset: Option<u64>,
}

/// A span of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// From 1.
    pub start_line: u32,
    /// From 1, in characters.
    pub start_column: u32,
    /// From 1.
    pub end_line: u32,
    /// From 1, in characters, one past the last.
    pub end_column: u32,
}

/// An exception that somebody answers for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignOff {
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// One market that the submission ran in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Name of the scenario.
    pub scenario: String,
    /// BLAKE3 of its text.
    pub scenario_hash: String,
    /// Whether the author may know the seeds.
    pub seeds: Seeds,
    /// BLAKE3 of the run record without its unhashed fields: what was measured.
    pub record_hash: String,
}

/// The seeds of a trial.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Seeds {
    /// For feedback: the author may know them.
    Public {
        /// Ascending.
        seeds: Vec<u64>,
    },
    /// For the verdict: only a commitment to them is published.
    Hidden {
        /// How many.
        count: u64,
        /// Keyed BLAKE3 of the seeds, ascending, as little-endian bytes; the key stays with whoever keeps the policy.
        commitment: String,
    },
}
