//! The code quality report of GitLab: a list of issues with file, line, severity and fingerprint
//! (<https://docs.gitlab.com/ci/testing/code_quality/>). What is signed off is left out: the format has no word for it.

use super::Context;
use super::problem::{Problem, Spot, Weight, problems};
use crate::verdict::Verdict;
use serde_json::{Value, json};

/// Issues that a report holds; the worst are kept.
const ISSUES_MAX: usize = 5_000;

/// The verdicts as a code quality report.
#[must_use]
pub fn code_quality(verdicts: &[Verdict], context: &Context<'_>) -> Value {
    let problems = problems(verdicts, context);
    problems.iter().filter(|problem| problem.weight != Weight::Accepted).take(ISSUES_MAX).map(issue).collect()
}

fn issue(problem: &Problem<'_>) -> Value {
    let line = match problem.spot {
        Spot::Line(line) => line,
        Spot::Span(region) => region.start_line,
        Spot::Whole | Spot::Byte(_) => 1,
    };
    json!({
        "description": format!("{}: {}", problem.title, problem.message),
        "check_name": problem.rule,
        "fingerprint": problem.fingerprint,
        "severity": match problem.weight {
            Weight::Refuses => "blocker",
            Weight::Fails => "critical",
            Weight::Unknown => "major",
            Weight::Warns | Weight::Accepted => "minor",
        },
        "location": { "path": problem.file, "lines": { "begin": line } },
    })
}
