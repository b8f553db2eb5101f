//! SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/>): one run, a rule for each finding code and each policy rule that occurs, a result for each
//! problem. What is signed off is a suppressed result. Kept within what GitHub takes in one upload, worst results first; what is left out is said in
//! a notification of the invocation.

use super::Context;
use super::problem::{NAME_BYTES_MAX, Problem, Spot, Weight, code, left_out, problems};
use super::text::{line, uri};
use crate::verdict::{Decision, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Results in a log: GitHub keeps no more of a run.
pub const SARIF_RESULTS_MAX: usize = 5_000;
/// Bytes of a log, without its white space: GitHub takes ten million, compressed.
pub const SARIF_BYTES_MAX: usize = 9_000_000;
/// Bytes of a rule in the log at most, its texts being ours or clipped.
const RULE_BYTES_MAX: usize = 4_000;
/// Bytes of the log without rules and results.
const FRAME_BYTES_MAX: usize = 4_000;

/// The verdicts as a SARIF 2.1.0 log.
#[must_use]
pub fn sarif(verdicts: &[Verdict], context: &Context<'_>) -> Value {
    let problems = problems(verdicts, context);
    let mut rules: BTreeMap<&str, Value> = BTreeMap::new();
    let mut bytes = FRAME_BYTES_MAX;
    let mut results = Vec::new();
    for problem in problems.iter().take(SARIF_RESULTS_MAX) {
        let result = result(problem);
        bytes += result.to_string().len() + if rules.contains_key(problem.rule.as_str()) { 0 } else { RULE_BYTES_MAX };
        if bytes > SARIF_BYTES_MAX {
            break;
        }
        rules.entry(&problem.rule).or_insert_with(|| rule(problem));
        results.push(result);
    }
    let omitted = problems.len() - results.len();
    let notifications: Vec<Value> = (omitted > 0)
        .then(|| json!({ "level": "warning", "message": { "text": format!("{} are left out", left_out(omitted)) } }))
        .into_iter()
        .collect();
    for result in &mut results {
        let index = rules.keys().position(|id| result["ruleId"] == *id);
        result["ruleIndex"] = json!(index);
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "assay-gate",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_values().collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": "assay-gate/" },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": verdicts.iter().all(|verdict| verdict.decision != Decision::Unscored),
                "exitCode": context.exit_code,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    })
}

fn rule(problem: &Problem<'_>) -> Value {
    match code(&problem.rule) {
        Some(code) => {
            let meaning = code.meaning();
            json!({
                "id": meaning.id,
                "name": meaning.name,
                "shortDescription": { "text": message(meaning.means) },
                "fullDescription": { "text": message(meaning.why) },
                "help": { "text": message(meaning.mend) },
            })
        }
        None => json!({
            "id": problem.rule,
            "shortDescription": { "text": message(&problem.title) },
            "help": { "text": "The message of each result says what is asked, what was seen and what to do." },
        }),
    }
}

fn result(problem: &Problem<'_>) -> Value {
    let mut result = json!({
        "ruleId": problem.rule,
        "level": match problem.weight {
            Weight::Refuses | Weight::Fails | Weight::Accepted => "error",
            Weight::Unknown | Weight::Warns => "warning",
        },
        "message": { "text": message(&problem.message) },
        "locations": [location(problem)],
        "partialFingerprints": { "primaryLocationLineHash": problem.fingerprint },
    });
    if let Some(submission) = &problem.about {
        result["relatedLocations"] = json!([{
            "physicalLocation": { "artifactLocation": { "uri": uri(submission) } },
            "message": { "text": "The submission" },
        }]);
    }
    if let Some(sign_off) = problem.sign_off {
        let justification = line(&format!("{}: {}", sign_off.by, sign_off.reason), NAME_BYTES_MAX);
        result["suppressions"] = json!([{ "kind": "external", "status": "accepted", "justification": justification }]);
    }
    result
}

fn location(problem: &Problem<'_>) -> Value {
    let region = match problem.spot {
        // A first line rather than none: GitHub shows no result without one.
        Spot::Whole => json!({ "startLine": 1 }),
        Spot::Line(line) => json!({ "startLine": line }),
        Spot::Span(at) => json!({
            "startLine": at.start_line, "startColumn": at.start_column, "endLine": at.end_line, "endColumn": at.end_column,
        }),
        Spot::Byte(offset) => json!({ "byteOffset": offset.min(i64::MAX as u64), "byteLength": 0 }),
    };
    let mut location = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(&problem.file) }, "region": region },
    });
    if let Some(logical) = problem.logical {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": line(logical, NAME_BYTES_MAX) }]);
    }
    location
}

/// A plain text message: what the standard reads as placeholders and links (§3.11.5, §3.11.6) is escaped.
fn message(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '[' | ']' => escaped.push('\\'),
            '{' | '}' => escaped.push(character),
            _ => {}
        }
        escaped.push(character);
    }
    escaped
}
