//! Arbitrary bytes and long lines: no parser, rule or importer panics, and each ends.
//!
//! A megabyte without a line end is what a quadratic parser would need hours for, so that the test's own end is the assertion.

use assay_grade::rule::{Ended, Evidence, Expected, Rule, Run, Scenario, flags, grade};
use assay_grade::{Parser, StatusMap, decode_log, patch, task};
use proptest::prelude::*;

const PARSERS: [&str; 35] = [
    "maven",
    "gradle_custom",
    "phpunit",
    "pytest",
    "pytest_options",
    "pytest_v2",
    "pytest_pydantic",
    "matplotlib",
    "seaborn",
    "django",
    "sympy",
    "unittest",
    "r2e",
    "junit",
    "smith_pytest",
    "smith_mypy",
    "smith_slugify",
    "smith_tornado",
    "smith_paramiko",
    "smith_autograd",
    "gotest",
    "cargo",
    "redis",
    "jq",
    "micropython_test",
    "googletest",
    "jest",
    "jest_json",
    "vitest",
    "tap",
    "ant",
    "minitest",
    "cucumber",
    "ruby_unit",
    "rspec_transformed_json",
];

fn parsers() -> impl Iterator<Item = Parser> {
    PARSERS.iter().map(|name| name.parse().expect("a parser of that name"))
}

/// The longest line that a log is tried with here.
const LINE_BYTES: usize = 1 << 20;

fn try_everything(log: &str) {
    for parser in parsers() {
        let _ = parser.parse(log);
    }
    let exit = Ended::Exited(1);
    let run = Run { log, ended: &exit, junit: Some(log) };
    let names = vec!["a::t[".to_owned()];
    for expected in [
        Expected::Map { after: StatusMap::from_iter([("t", assay_grade::Status::Passed)]), before: None },
        Expected::Lists { fail_to_pass: names.clone(), pass_to_pass: names, eval_type: Default::default() },
    ] {
        let scenario = Scenario { expected, parser: Parser::PytestV2, nested_summaries: false };
        for rule in [Rule::Strict, Rule::R2eCompat, Rule::SweBench] {
            let _ = grade(rule, &scenario, run);
        }
    }
    let _ = flags(Evidence { patch: log, log, exit: Some(0), protected: &[], nested_summaries: false });
    let _ = patch::touched_files(log);
}

#[test]
fn long_lines_end() {
    for piece in [
        " ",
        "_",
        " _",
        "a.py:b ",
        "PASSED ",
        " ... ",
        " ... ok",
        "[1m",
        "[",
        "]",
        "x[",
        "FAILED [",
        " - ",
        "\u{1b}[",
        "::",
        "=",
        "== ",
        "1 passed, ",
        "<testcase name='",
        "&amp;",
        "<testsuite>",
        ". = ",
        "a (",
        ") ",
        "\t",
        " in x",
        "\u{2028}",
        "é",
        "\"",
        "\\",
        "@@ -1 +1 @@",
        "short test summary info",
        "Testing against Django installed in ",
        " ... Internal Server Error: /",
    ] {
        let line = piece.repeat(LINE_BYTES / piece.len());
        try_everything(&line);
    }
}

#[test]
fn a_long_name_before_many_results_ends() {
    let name = "x".repeat(LINE_BYTES / 2);
    for results in ["ok\n", "FAIL: x\nok\n"] {
        try_everything(&format!("{name} ... \n{}", results.repeat(LINE_BYTES / 2 / results.len())));
    }
}

#[test]
fn many_unclosed_beginnings_end() {
    for piece in [
        "x ... Testing against Django installed in \n",
        "====== short test summary info ======\n",
        "PASSED a::t\n",
        "<testsuite><testcase name='a'>\n",
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1000000 +1,1000000 @@\n",
    ] {
        try_everything(&piece.repeat(LINE_BYTES / piece.len()));
    }
}

fn log_like() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("PASSED ".to_owned()),
        Just("FAILED ".to_owned()),
        Just("SKIPPED [".to_owned()),
        Just(" ... ok".to_owned()),
        Just("FAIL:".to_owned()),
        Just("== short test summary info ==".to_owned()),
        Just("= 1 passed in 0.1s =".to_owned()),
        Just("a.py::t[x]".to_owned()),
        Just("\u{1b}[31m".to_owned()),
        Just("\n".to_owned()),
        Just(" - ".to_owned()),
        Just("@@ -1,2 +3 @@\n+".to_owned()),
        Just("diff --git \"a/\\3".to_owned()),
        Just("<testcase name='é'><failure/>".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        try_everything(&decode_log(&bytes));
        let _ = task::import(&decode_log(&bytes));
    }

    #[test]
    fn what_looks_like_a_log_does_not_panic(log in log_like()) {
        try_everything(&log);
    }
}
