//! Judging: a policy and what is known of a submission give a verdict.
//!
//! Invariants: a pure function; infrastructure trouble is `Unscored`, never `Fail`; of hidden seeds nothing is told but figures over all of them.

mod checks;
mod findings;
mod words;

use crate::policy::{Hidden, Policy, ScenarioRule};
use crate::verdict::{
    Check, Decision, Finding, Level, PolicyReference, SCHEMA_NAME, SCHEMA_VERSION, Schema, Seeds, Submission, Tool,
    Trial, Verdict,
};
use assay_evaluate::RunRecord;
use assay_validator::Findings;
use toml::value::Date;

/// What every verdict over seeds that are not secret says at the end of its summary.
const PUBLIC_SEEDS: &str = " The seeds are public, so a submission may have been tuned to them.";

/// What is known of a submission.
pub struct Evidence<'a> {
    /// What was handed in. Its name must be escaped.
    pub submission: Submission,
    /// How the findings name it: its path.
    pub path: &'a str,
    /// What made the records.
    pub tool: Tool,
    /// What the checks said.
    pub findings: &'a Findings,
    /// How far it came.
    pub course: Course<'a>,
    /// The day of the verdict, on which exceptions end.
    pub today: Option<Date>,
}

/// How far a submission came.
pub enum Course<'a> {
    /// The checks refused it.
    Refused,
    /// Something of ours kept it from being tried; in words.
    Unscored(String),
    /// It used up the processor time that the policy allows, compilation included, before it had run in every scenario. The records are those of trials that
    /// were not run, so that no clock shows in a verdict.
    OutOfTime(&'a [RanIn<'a>]),
    /// It ran in every scenario of the policy, in that order.
    Ran(&'a [RanIn<'a>]),
}

/// One scenario in which it ran.
pub struct RanIn<'a> {
    /// Which.
    pub scenario: &'a ScenarioRule,
    /// The hidden seeds, if the record is about those, else it is about public ones.
    pub hidden: Option<&'a Hidden>,
    /// What happened.
    pub record: &'a RunRecord,
}

impl Policy {
    /// Whether the findings refuse a submission with this hash before it runs: an error or a denied warning that is not signed off, or
    /// errors of which too many were found to keep them all.
    #[must_use]
    pub fn refuses(&self, findings: &Findings, submission: Option<&str>, today: Option<Date>) -> bool {
        let counts = |finding: &assay_validator::Finding| {
            let is_denied = match finding.severity {
                assay_validator::Severity::Error => true,
                assay_validator::Severity::Warning => self.findings.denies(finding.code),
            };
            is_denied && submission.and_then(|hash| self.sign_off(finding.code, hash, today)).is_none()
        };
        let kept_errors = findings.iter().filter(|f| f.severity == assay_validator::Severity::Error).count();
        findings.iter().any(counts) || findings.errors() > kept_errors
    }
}

/// See the module documentation.
#[must_use]
pub fn judge(policy: &Policy, evidence: Evidence<'_>) -> Verdict {
    let Evidence { submission, path, tool, findings: found, course, today } = evidence;
    let findings = findings::convert(policy, found, &submission, path, today);
    let (checks, trials) = match &course {
        Course::Ran(runs) => (checks::checks(policy, runs), runs.iter().map(trial).collect()),
        Course::OutOfTime(runs) => (checks::out_of_time(policy, runs), runs.iter().map(trial).collect()),
        Course::Refused | Course::Unscored(_) => (Vec::new(), Vec::new()),
    };
    let decision = match &course {
        Course::Refused => Decision::Rejected,
        Course::Unscored(_) => Decision::Unscored,
        // In the order of the verdict: what is not known outweighs what failed.
        Course::Ran(_) | Course::OutOfTime(_) => {
            checks.iter().map(|check| check.decision).max().unwrap_or(Decision::Pass)
        }
    };
    let mut summary = summary(decision, &checks, &findings, &trials, &course);
    if trials.iter().any(|trial: &Trial| matches!(trial.seeds, Seeds::Public { .. })) {
        summary.push_str(PUBLIC_SEEDS);
    }
    Verdict {
        schema: Schema { name: SCHEMA_NAME.to_owned(), version: SCHEMA_VERSION.to_owned() },
        decision,
        summary,
        submission,
        policy: PolicyReference { name: policy.name.clone(), hash: policy.hash.clone() },
        tool,
        checks,
        findings,
        findings_omitted: found.omitted() as u64,
        trials,
    }
}

fn trial(ran: &RanIn<'_>) -> Trial {
    let seeds = match ran.hidden {
        None => Seeds::Public { seeds: ran.record.seeds.clone() },
        Some(hidden) => {
            Seeds::Hidden { count: hidden.seeds.as_slice().len() as u64, commitment: hidden.commitment.clone() }
        }
    };
    // A record is plain data: it can always be written.
    let bytes = serde_json::to_vec(&ran.record.without_timing()).unwrap_or_default();
    Trial {
        scenario: ran.record.scenario.name.clone(),
        scenario_hash: ran.record.scenario.hash.clone(),
        seeds,
        record_hash: blake3::hash(&bytes).to_string(),
    }
}

/// The verdict in one sentence, or two.
fn summary(
    decision: Decision,
    checks: &[Check],
    findings: &[Finding],
    trials: &[Trial],
    course: &Course<'_>,
) -> String {
    let more = |count: usize, one: &str, several: &str| match count {
        0 => String::new(),
        1 => format!(" 1 more {one}."),
        count => format!(" {count} more {several}."),
    };
    let first = |decision: Decision| {
        let mut of_kind = checks.iter().filter(|check| check.decision == decision);
        (of_kind.next(), of_kind.count())
    };
    match decision {
        Decision::Pass => {
            let rules = checks.len();
            let plural = if rules == 1 { "rule holds" } else { "rules hold" };
            let scenarios = trials.iter().map(|trial| format!("{} ({})", trial.scenario, seeds_in_words(&trial.seeds)));
            format!("Passed: {rules} {plural} in {}.", scenarios.collect::<Vec<_>>().join(", "))
        }
        Decision::Fail if matches!(course, Course::OutOfTime(_)) => {
            let words =
                |check: &Check| format!("Failed: {}; {}.", check.saw, check.hint.as_deref().unwrap_or_default());
            checks.first().map_or_else(|| "Failed.".to_owned(), words)
        }
        Decision::Fail => match first(decision) {
            (Some(check), others) => {
                let why = check.hint.as_deref().filter(|_| check.measure.is_some()).unwrap_or_default();
                let text = format!(
                    "Failed in {}: the policy asks for {}, and it was {}. {why}",
                    check.scenario, check.asks, check.saw
                );
                format!("{}{}", text.trim_end(), more(others, "rule does not hold", "rules do not hold"))
            }
            (None, _) => "Failed.".to_owned(),
        },
        Decision::Unscored => {
            let what = match (course, first(decision)) {
                (Course::Unscored(what), _) => what.clone(),
                (_, (Some(check), _)) => format!("{} ({})", check.saw, check.scenario),
                (_, (None, _)) => "nothing was measured".to_owned(),
            };
            format!("No verdict: {what}. This says nothing about the submission; gate it again.")
        }
        Decision::Rejected => {
            let mut errors =
                findings.iter().filter(|finding| finding.level == Level::Error && finding.sign_off.is_none());
            match errors.next() {
                Some(finding) => {
                    let place = match &finding.place.region {
                        Some(region) => format!("{}:{}", finding.place.file, region.start_line),
                        None => finding.place.file.clone(),
                    };
                    let text = format!("Rejected before it ran: {} ({}, {place}).", finding.message, finding.code);
                    format!("{text}{}", more(errors.count(), "finding", "findings"))
                }
                None if findings.is_empty() => {
                    "Rejected before it ran: there are more errors than can be stored.".to_owned()
                }
                None => "Rejected before it ran: it cannot be read, which nobody can sign off.".to_owned(),
            }
        }
    }
}

fn seeds_in_words(seeds: &Seeds) -> String {
    let (count, kind) = match seeds {
        Seeds::Public { seeds } => (seeds.len() as u64, "public"),
        Seeds::Hidden { count, .. } => (*count, "hidden"),
    };
    format!("{count} {kind} seed{}", if count == 1 { "" } else { "s" })
}
