//! Each rendering of ordinary verdicts says what the verdicts say, in the form that its readers define.

use crate::support::{
    CONTEXT, check, decided, finding, one_of_each, passed, read_by_others, sarif_schema, with_findings,
};
use assay_gate::output::{
    ANNOTATIONS_MAX, SARIF_BYTES_MAX, SARIF_RESULTS_MAX, SUMMARY_BYTES_MAX, annotations, code_quality, junit, markdown,
    sarif,
};
use assay_gate::{Decision, Verdict};
use serde_json::{Value, json};

/// Checks a log against the official schema.
pub(crate) fn check_sarif(verdicts: &[Verdict]) -> Value {
    let log = sarif(verdicts, &CONTEXT);
    let schema = jsonschema::validator_for(&sarif_schema()).expect("the schema is one");
    let errors: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{log:#}");
    let run = &log["runs"][0];
    for result in run["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    log
}

#[test]
fn junit_is_read_as_it_is_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("junit.xml"), junit(&one_of_each())).expect("written");
    let seen = read_by_others(folder.path());
    let cases = |suite: usize, result: &str| -> Vec<String> {
        let of_suite = seen["junit"][suite]["cases"].as_array().expect("cases");
        let named = of_suite.iter().filter(|case| case["result"] == result);
        named.map(|case| case["name"].as_str().expect("a name").to_owned()).collect()
    };
    let static_checks = ["check: source", "check: build", "check: component"];
    type Words<'a> = &'a [&'a str];
    let expected: [(&str, Words<'_>, Words<'_>, Words<'_>); 7] = [
        ("good.rs", &[], &[], &[]),
        ("accepted.rs", &[], &[], &[]),
        ("folder/failed.rs", &["drawdown (rmsc04)"], &[], &[]),
        ("folder/failed.rs", &[], &["drawdown (rmsc04)"], &[]),
        ("blank.rs", &[], &["submission"], &static_checks),
        ("refused.rs", &["check: source"], &[], &static_checks[1..]),
        ("refused.wasm", &["check: component"], &[], &[]),
    ];
    for (suite, (name, failures, errors, skipped)) in expected.into_iter().enumerate() {
        assert_eq!(seen["junit"][suite]["name"], name);
        assert_eq!(cases(suite, "failure"), failures, "failures of {name}");
        assert_eq!(cases(suite, "error"), errors, "errors of {name}");
        assert_eq!(cases(suite, "skipped"), skipped, "skipped of {name}");
    }
    let passed = ["check: source", "check: build", "check: component", "outcome (rmsc04)", "outcome (volatile)"];
    assert_eq!(cases(0, "passed"), passed);
    let properties = &seen["junit"][0]["properties"];
    for (name, value) in [
        ("submission.blake3", "a1".repeat(32)),
        ("policy.blake3", "c3".repeat(32)),
        ("scenario.rmsc04.seeds", "1,2,3".to_owned()),
        ("scenario.volatile.seeds", format!("20 hidden, commitment {}", "d4".repeat(32))),
    ] {
        assert_eq!(properties[name], value, "{name}");
    }
}

#[test]
fn sarif_has_findings_rules_and_sign_offs() {
    let log = check_sarif(&one_of_each());
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    let rules: Vec<&Value> = results.iter().map(|result| &result["ruleId"]).collect();
    let worst_first = ["S001", "S002", "C002", "gate/drawdown", "gate/drawdown", "gate/unscored", "B003", "S001"];
    assert_eq!(rules, worst_first);
    let place = |result: usize| &results[result]["locations"][0]["physicalLocation"];
    assert_eq!(place(0)["artifactLocation"]["uri"], "submissions/refused.rs");
    assert_eq!(place(0)["region"], json!({ "startLine": 9, "startColumn": 5, "endLine": 9, "endColumn": 11 }));
    assert_eq!(place(2)["region"], json!({ "byteOffset": 77, "byteLength": 0 }));
    assert_eq!(place(3)["artifactLocation"]["uri"], "ci/gate.toml");
    assert_eq!(place(3)["region"], json!({ "startLine": 12 }));
    let related = &results[3]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(related, "submissions/folder/failed.rs");
    let accepted = &results[7]["suppressions"][0];
    assert_eq!(
        *accepted,
        json!({ "kind": "external", "status": "accepted", "justification": "Ada: reviewed by hand" })
    );
    assert_eq!(run["invocations"][0]["exitCode"], 3);
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    // Links and placeholders of SARIF are text.
    assert!(
        results[0]["message"]["text"].as_str().is_some_and(|text| text.ends_with(r"\[the guide\](guide.md) {{0}}."))
    );
    // A line above moves a finding and leaves its fingerprint; another message does not.
    let print = |message: &str, line| {
        let mut finding = finding("S001", "a.rs", line);
        finding.message = message.to_owned();
        let log = sarif(&[with_findings(passed("a.rs"), vec![finding])], &CONTEXT);
        log["runs"][0]["results"][0]["partialFingerprints"]["primaryLocationLineHash"].clone()
    };
    assert_eq!(print("one", 1), print("one", 2));
    assert_ne!(print("one", 1), print("two", 1));
}

#[test]
fn annotations_are_workflow_commands_worst_first() {
    let text = annotations(&one_of_each(), &CONTEXT);
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "::error file=submissions/refused.rs,line=9,endLine=9,col=5,endColumn=10,title=S001 unsafe-code::The keyword",
        "::error file=submissions/refused.rs,line=10,",
        "::error file=submissions/refused.wasm,title=C002 ",
        "::error file=ci/gate.toml,line=12,title=Rule drawdown%3A fail::submissions/folder/failed.rs in rmsc04: the policy asks for lower 95%25 bound",
        "::error file=ci/gate.toml,line=12,title=Rule drawdown%3A unscored::",
        "::error file=submissions/blank.rs,title=Submission unscored::It is a Unscored.",
        "::warning file=submissions/accepted.rs,line=4,",
    ];
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, start) in lines.iter().zip(expected) {
        assert!(line.starts_with(start), "{line}\n{start}");
    }
}

#[test]
fn a_page_of_gitlab_has_one_issue_a_problem() {
    let report = code_quality(&one_of_each(), &CONTEXT);
    let issues = report.as_array().expect("a list");
    assert_eq!(issues.len(), 7, "what is signed off is not an issue");
    let worst = json!({ "path": "submissions/refused.rs", "lines": { "begin": 9 } });
    assert_eq!((&issues[0]["location"], &issues[0]["severity"]), (&worst, &json!("blocker")));
    let mut prints: Vec<&str> = issues.iter().map(|issue| issue["fingerprint"].as_str().expect("text")).collect();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), issues.len(), "fingerprints are unique");
}

#[test]
fn the_summary_is_a_table_and_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = markdown(&one_of_each(), &CONTEXT);
    std::fs::write(folder.path().join("summary.md"), &text).expect("written");
    let seen = &read_by_others(folder.path())["markdown"];
    let rows = seen["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1 + 7);
    assert_eq!(rows[1], json!(["rejected", "refused.rs", "It is a Rejected."]));
    assert_eq!(rows[7][0], "pass");
    assert_eq!(seen["headings"][0], "Assay gate: 2 of 7 submissions pass");
    let items = seen["items"].as_array().expect("items");
    let has = |part: &str| items.iter().any(|item| item.as_str().is_some_and(|item| item.contains(part)));
    for part in ["S001 unsafe-code (error): The keyword", "submissions/refused.rs, line 9, column 5", "accepted by Ada"]
    {
        assert!(has(part), "{part}: {items:?}");
    }
}

#[test]
fn large_batches_stay_within_the_limits_of_ci() {
    let mut verdict = passed("crowd.rs");
    verdict.checks = (0..40).map(|number| check(&format!("rule-{number}"), Decision::Fail)).collect();
    let verdicts: Vec<Verdict> = (0..200).map(|_| decided(verdict.clone())).collect();
    let log = sarif(&verdicts, &CONTEXT);
    let run = &log["runs"][0];
    assert_eq!(run["results"].as_array().map(Vec::len), Some(SARIF_RESULTS_MAX));
    let note = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(note, "and 3000 more problems are left out");
    assert!(log.to_string().len() <= SARIF_BYTES_MAX);
    let summary = markdown(&verdicts, &CONTEXT);
    assert!(summary.len() <= SUMMARY_BYTES_MAX && summary.contains("… and "), "{} bytes", summary.len());
    let text = annotations(&verdicts, &CONTEXT);
    assert_eq!(text.lines().count(), ANNOTATIONS_MAX);
    assert!(text.ends_with("::error title=Assay gate::and 7991 more problems; the summary of this job has them\n"));
}
