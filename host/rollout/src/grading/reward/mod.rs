//! Rewards of a task's own.

mod expression;

use assay_grade::rule::{Ended, Reason, Score, Verdict};
use serde::{Deserialize, Serialize};

use super::artifacts::{GradingRecord, PATCH, RECORD};
use crate::ports::{Job, OverlayFile, TestBench};

pub use expression::{EXPRESSION_BYTES_MAX, Expression, ExpressionError, VARIABLES};

/// Where a reward command finds what it may want to read: outside of the repository, which may have files of the same names.
const INPUTS: &str = "/tmp/assay-reward";
/// How these files get there: an overlay reaches no further than the repository.
const CARRIED: &str = ".assay-reward-inputs";

/// How a task wants to be rewarded, where it does not take the plain 0 or 1.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CustomReward {
    /// A number computed from what is known.
    Expression(Expression),
    /// A command that runs in a fresh container without the submission, with `ASSAY_GRADING` and `ASSAY_SUBMISSION` as the paths of
    /// `grading.json` and `submission.patch`, and whose last line of output is the number.
    Command(String),
}

/// What an expression may ask.
pub(super) struct Facts<'a> {
    pub(super) record: &'a GradingRecord,
}

impl Facts<'_> {
    /// The value of one of [`VARIABLES`]; `None` where it is unknown.
    #[expect(clippy::cast_precision_loss, reason = "counts of an episode are far below 2^52")]
    pub(super) fn value(&self, name: &str) -> Option<f64> {
        let Verdict::Scored(score) = &self.record.verdict else { return None };
        let (record, facts) = (self.record, &self.record.facts);
        let truth = |holds: bool| Some(if holds { 1.0 } else { 0.0 });
        let count = |count: Option<u64>| count.map(|count| count as f64);
        match name {
            "solved" => truth(score.reward >= 1.0),
            "forfeited" => truth(matches!(score.reason, Reason::Forfeit(_))),
            "flags" => Some(record.flags.len() as f64),
            "changed_files" => count(Some(record.changed_files)),
            "changed_lines" => count(Some(record.changed_lines)),
            "steps" => count(facts.steps),
            "tokens" => count(facts.tokens),
            "cost" => count(facts.cost_microdollars).map(|cost| cost / 1e6),
            "seconds" => facts.seconds,
            part => share(score, part),
        }
    }
}

/// A part of the score. Where the tests told nothing, because the submission broke them or changed nothing, none of them is as it should be.
fn share(score: &Score, name: &str) -> Option<f64> {
    let found = score.parts.iter().find(|part| part.name == name).map(|part| part.value);
    found.or((score.parts.is_empty() && score.reward == 0.0).then_some(0.0))
}

/// Runs a reward command. `job` is the one of the tests with the untouched files as its overlay.
pub(super) async fn run_command(
    bench: &dyn TestBench,
    command: &str,
    mut job: Job,
    record: &GradingRecord,
    patch: &[u8],
) -> Result<f64, String> {
    let file = |bytes: Vec<u8>| OverlayFile::Regular { bytes, executable: false };
    let inputs = [(RECORD, record.to_bytes()), (PATCH, patch.to_vec())];
    let carried = inputs.map(|(name, bytes)| (format!("{CARRIED}/{name}").into_bytes(), file(bytes)));
    job.overlay.files.extend(carried);
    job.script = format!(
        "mkdir -p /tmp && rm -rf {INPUTS} && mv {CARRIED} {INPUTS} || exit\n\
         export ASSAY_GRADING={INPUTS}/{RECORD} ASSAY_SUBMISSION={INPUTS}/{PATCH}\n{command}\n"
    );
    job.junit = None;
    job.label.push_str("-reward");
    let run = bench.run(job).await.map_err(|error| format!("the reward command could not run: {error}"))?;
    if run.ended != Ended::Exited(0) {
        return Err(format!("the reward command failed: {:?}", run.ended));
    }
    let text = String::from_utf8_lossy(&run.log);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!(
            "the reward command's last line is no number: `{}`",
            line.chars().take(80).collect::<String>().escape_debug()
        )),
    }
}
