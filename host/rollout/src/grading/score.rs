//! A verdict of a rule as a score tree. Invariant: the tree comes to the verdict's reward, or to no number where there is none.

use assay_grade::rule::{Flag, Reason, Score, Verdict};
use assay_trace::score::{Finite, Rule, ScoreNode, Term};

/// Flags that a grading keeps: a submission of a hundred thousand files would drown the rest.
const FLAGS_MAX: usize = 200;

pub(super) fn number(value: f64) -> Finite {
    Finite::new(value).unwrap_or(Finite::new(0.0).expect("0 is finite"))
}

fn node(name: &str, rule: Rule) -> ScoreNode {
    ScoreNode { name: name.to_owned(), rule }
}

/// The tree of a verdict.
pub(super) fn tree(verdict: &Verdict) -> ScoreNode {
    let score = match verdict {
        Verdict::Unscored(why) => return ScoreNode::unscored("tests", why.to_string()),
        Verdict::Scored(score) => score,
    };
    let tree = match &score.reason {
        Reason::AsExpected | Reason::Differences { .. } => of_parts(score),
        Reason::Forfeit(flag) => node(
            "tests",
            Rule::Veto {
                any_of: vec![ScoreNode::scored(flag_name(flag), number(1.0))],
                at_least: number(1.0),
                of: Box::new(ScoreNode::unscored("results", "the log cannot be believed")),
            },
        ),
        reason => node(
            "tests",
            Rule::Gate {
                needs: Box::new(ScoreNode::scored(reason_name(reason), number(0.0))),
                at_least: number(1.0),
                then: Box::new(ScoreNode::unscored("results", reason.to_string())),
            },
        ),
    };
    // A published rule may count otherwise than its parts say.
    if tree.value().number() == Some(score.reward) { tree } else { ScoreNode::scored("tests", number(score.reward)) }
}

/// Solved only where each part is whole; a partial score is shown and weighs nothing.
fn of_parts(score: &Score) -> ScoreNode {
    let (shown, needed): (Vec<_>, Vec<_>) = score.parts.iter().partition(|part| part.name == "partial");
    let leaf = |part: &&assay_grade::rule::Part| ScoreNode::scored(part.name.clone(), number(part.value));
    let gate = node(
        "tests",
        Rule::Gate {
            needs: Box::new(node("shares", Rule::Product(needed.iter().map(leaf).collect()))),
            at_least: number(1.0),
            then: Box::new(ScoreNode::scored("as_expected", number(score.reward))),
        },
    );
    if shown.is_empty() {
        return gate;
    }
    let shown = shown.iter().map(|part| Term { weight: number(0.0), of: leaf(part) });
    node("tests", Rule::WeightedSum([Term { weight: number(1.0), of: gate }].into_iter().chain(shown).collect()))
}

/// What must be reached for anything else to count.
fn reason_name(reason: &Reason) -> &'static str {
    match reason {
        Reason::NoModifiedFiles => "files_modified",
        Reason::BrokeCollection { .. } => "tests_collected",
        Reason::NoResults => "results_in_log",
        Reason::PatchDoesNotApply => "submission_applies",
        Reason::TooLarge { .. } => "submission_size",
        Reason::Unfinished { .. } => "tests_finished",
        Reason::AsExpected | Reason::Differences { .. } | Reason::Forfeit(_) => "as_expected",
    }
}

/// The tree with a reward of the task's own: it alone weighs, and what the tests said stays visible.
pub(super) fn with_custom(tests: ScoreNode, custom: Result<f64, String>) -> ScoreNode {
    let custom = match custom {
        Ok(value) => ScoreNode::scored("custom", number(value)),
        Err(why) => ScoreNode::unscored("custom", why),
    };
    node(
        "reward",
        Rule::WeightedSum(vec![Term { weight: number(1.0), of: custom }, Term { weight: number(0.0), of: tests }]),
    )
}

/// A flag's name as it stands in files, for example `protected_file`.
pub(super) fn flag_name(flag: &Flag) -> String {
    match serde_json::to_value(flag) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(serde_json::Value::Object(body)) => body.into_iter().next().map(|(name, _)| name).unwrap_or_default(),
        _ => String::new(),
    }
}

/// Flags as a trajectory has them, sorted, each once.
pub(super) fn flags(found: Vec<Flag>) -> Vec<assay_trace::Flag> {
    let mut found = found;
    found.sort();
    found.dedup();
    let left_out = found.len().saturating_sub(FLAGS_MAX);
    let shown = found.iter().take(FLAGS_MAX);
    let mut flags: Vec<_> = shown.map(flag).collect();
    if left_out > 0 {
        flags.push(assay_trace::Flag { name: "more_flags".to_owned(), detail: format!("and {left_out} more") });
    }
    flags
}

/// A flag as trajectories hold it.
pub(super) fn flag(flag: &Flag) -> assay_trace::Flag {
    assay_trace::Flag { name: flag_name(flag), detail: flag.to_string() }
}
