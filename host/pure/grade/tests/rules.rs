//! The three rules: the table of known weaknesses in both of R2E's modes, exit codes, contradictions, and SWE-bench's gate and resolution.

use assay_grade::rule::{Ended, EvalType, Expected, Flag, Reason, Rule, Run, Scenario, Unscored, Verdict, grade};
use assay_grade::{Parser, Status, StatusMap};

const HEADER: &str = "=========== short test summary info ============";

fn map(statuses: &[(&str, &str)]) -> StatusMap {
    statuses.iter().map(|(name, status)| (*name, Status::from_word(status))).collect()
}

fn r2e_scenario(after: &[(&str, &str)], before: Option<&[(&str, &str)]>) -> Scenario {
    let expected = Expected::Map { after: map(after), before: before.map(map) };
    Scenario { expected, parser: Parser::R2e, nested_summaries: false }
}

fn run(rule: Rule, scenario: &Scenario, log: &str, ended: &Ended) -> Verdict {
    grade(rule, scenario, Run { log, ended, junit: None })
}

/// What a verdict comes to, in one word for the tables below.
fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Scored(score) if score.reward == 1.0 => "1".to_owned(),
        Verdict::Scored(score) => match &score.reason {
            Reason::Differences { .. } => "0".to_owned(),
            Reason::Forfeit(Flag::SeveralSummaries { .. }) => "0 several".to_owned(),
            Reason::Forfeit(Flag::FooterDisagrees { .. }) => "0 footer".to_owned(),
            Reason::Forfeit(Flag::NoFooter) => "0 no footer".to_owned(),
            Reason::Forfeit(Flag::ExitZeroWithFailures { .. } | Flag::ExitWithoutFailure { .. }) => "0 exit".to_owned(),
            Reason::Forfeit(Flag::JunitDisagrees { .. }) => "0 junit".to_owned(),
            Reason::BrokeCollection { .. } => "0 collection".to_owned(),
            Reason::NoResults => "0 nothing".to_owned(),
            Reason::PatchDoesNotApply => "0 apply".to_owned(),
            other => format!("0 {other}"),
        },
        Verdict::Unscored(Unscored::ReferenceStops { .. }) => "KeyError".to_owned(),
        Verdict::Unscored(Unscored::Ambiguous { .. }) => "ambiguous".to_owned(),
        Verdict::Unscored(Unscored::InvalidScenario(_)) => "invalid".to_owned(),
        Verdict::Unscored(Unscored::TimedOut) => "time".to_owned(),
        Verdict::Unscored(Unscored::OutOfMemory) => "memory".to_owned(),
        Verdict::Unscored(Unscored::Excess(_)) => "excess".to_owned(),
        Verdict::Unscored(Unscored::ExitUnrecorded) => "no exit".to_owned(),
        Verdict::Unscored(Unscored::AbnormalExit { .. }) => "abnormal".to_owned(),
        Verdict::Unscored(Unscored::Infrastructure(_) | Unscored::NoBench(_)) => "bench".to_owned(),
        Verdict::Unscored(Unscored::CannotRun(_)) => "cannot run".to_owned(),
    }
}

/// A log, what is expected of it, and what the published and the strict rule make of it. The exit code is pytest's own.
#[track_caller]
fn check(log: &str, expected: &[(&str, &str)], exit: i32, compat: &str, strict: &str) {
    let scenario = r2e_scenario(expected, None);
    let published = run(Rule::R2eCompat, &scenario, log, &Ended::Exited(exit));
    assert_eq!(word(&published), compat, "published rule on {log:?}: {published:?}");
    let ours = run(Rule::Strict, &scenario, log, &Ended::Exited(exit));
    assert_eq!(word(&ours), strict, "strict rule on {log:?}: {ours:?}");
}

fn summary(entries: &str, footer: &str) -> String {
    format!("test session starts\n{HEADER}\n{entries}\n=== {footer} in 0.12s ===\n")
}

#[test]
fn honest_runs_agree_in_both_modes() {
    let log = summary("PASSED t.py::a\nPASSED t.py::C::b", "2 passed, 1 warning");
    check(&log, &[("a", "PASSED"), ("C.b", "PASSED")], 0, "1", "1");
    check(&log, &[("a", "PASSED"), ("C.b", "FAILED")], 0, "0", "0");
    check(&log, &[("a", "PASSED")], 0, "0", "0");
    check(&log, &[("a", "PASSED"), ("C.b", "PASSED"), ("c", "PASSED")], 0, "0", "0");
    // A failure that belongs to the image must show again.
    let log = summary("PASSED t.py::a\nFAILED t.py::b - fixture 'x' not found", "1 failed, 1 passed");
    check(&log, &[("a", "PASSED"), ("b", "FAILED")], 1, "1", "1");
    check(&log, &[("a", "PASSED"), ("b", "PASSED")], 1, "0", "0");
    // Colours, on either side.
    let log = summary("\u{1b}[32mPASSED\u{1b}[0m t.py::\u{1b}[1ma\u{1b}[0m", "\u{1b}[32m1 passed\u{1b}[0m");
    check(&log, &[("\u{1b}[1ma\u{1b}[0m", "PASSED")], 0, "1", "1");
    // A test that fails and breaks in tear-down: pytest lists failures last, and the published rule takes the last.
    let log = summary("ERROR t.py::a - boom\nFAILED t.py::a - x", "1 failed, 1 error");
    check(&log, &[("a", "FAILED")], 1, "1", "1");
    // A passed test that breaks in tear-down is listed twice.
    let log = summary("PASSED t.py::a\nERROR t.py::a - boom", "1 passed, 1 error");
    check(&log, &[("a", "ERROR")], 1, "1", "1");
}

#[test]
fn the_table_of_weaknesses() {
    let a = [("a", "PASSED")];
    // A status in the message of an assertion.
    check(&summary("FAILED t.py::a - AssertionError: PASSED", "1 failed"), &a, 1, "1", "0");
    // An earlier, printed summary.
    let forged = format!("{HEADER}\nPASSED t.py::a\n{}", summary("FAILED t.py::a - x", "1 failed"));
    check(&forged, &a, 1, "1", "0 several");
    // A later one, printed at exit.
    let forged = format!("{}{}", summary("FAILED t.py::a - x", "1 failed"), summary("PASSED t.py::a", "1 passed"));
    check(&forged, &a, 0, "0", "0 several");
    // Nothing expected, nothing printed.
    check("no summary here", &[], 0, "1", "invalid");
    // As many tests, another name.
    check(&summary("PASSED t.py::b", "1 passed"), &a, 0, "KeyError", "0");
    // Two files, one name: the last wins.
    check(&summary("FAILED t1.py::a - x\nPASSED t2.py::a", "1 failed, 1 passed"), &a, 1, "1", "ambiguous");
    check(&summary("PASSED t1.py::a\nFAILED t2.py::a - x", "1 failed, 1 passed"), &a, 1, "0", "ambiguous");
    // A file that cannot be imported has the empty key.
    check(&summary("ERROR t.py - ImportError: x", "1 error"), &a, 1, "KeyError", "0");
    check(&summary("ERROR t.py - ImportError: x", "1 error"), &[("", "ERROR")], 1, "1", "1");
    // Skips and expected failures are dropped.
    let skipped =
        summary("PASSED t.py::a\nSKIPPED [1] t.py:3: no\nXFAIL t.py::b - x\nXPASS t.py::c y", "1 passed, 1 skipped");
    check(&skipped, &a, 0, "1", "1");
    // A stray line behind the summary.
    let stray = format!("{}ERROR in the clean-up\n", summary("PASSED t.py::a", "1 passed"));
    check(&stray, &a, 0, "0", "1");
}

#[test]
fn the_log_must_agree_with_itself_and_the_exit_code() {
    let a = [("a", "PASSED")];
    check(&summary("PASSED t.py::a", "1 failed"), &a, 0, "1", "0 footer");
    check(&summary("PASSED t.py::a", "2 passed"), &a, 0, "1", "0 footer");
    check(&summary("PASSED t.py::a", "1 passed"), &a, 1, "1", "0 exit");
    check(
        &summary("PASSED t.py::a\nFAILED t.py::b - x", "1 failed, 1 passed"),
        &[("a", "PASSED"), ("b", "FAILED")],
        0,
        "1",
        "0 exit",
    );
    check(&format!("{HEADER}\nPASSED t.py::a\n"), &a, 0, "1", "0 no footer");
    // Only the first line of counts is the summary's own.
    let counted_again = format!("{}=== 1 passed in 0.1s ===\n", summary("PASSED t.py::a", "1 failed"));
    check(&counted_again, &a, 0, "1", "0 footer");
    check("os._exit came first\n", &a, 0, "0", "0 nothing");
    // A result that does not begin its line is none.
    check(&summary("x PASSED t.py::a", "1 passed"), &a, 0, "1", "0");
    check(&format!("PASSED t.py::a\n{}", summary("PASSED t.py::b", "1 passed")), &a, 0, "KeyError", "0");
}

#[test]
fn exit_codes_are_routed() {
    let log = summary("PASSED t.py::a", "1 passed");
    for (ended, expected) in [
        (Ended::Exited(0), "1"),
        (Ended::Exited(2), "0 collection"),
        (Ended::Exited(3), "abnormal"),
        (Ended::Exited(4), "0 collection"),
        (Ended::Exited(5), "0 collection"),
        (Ended::Exited(134), "abnormal"),
        (Ended::Exited(137), "abnormal"),
        (Ended::Exited(-9), "abnormal"),
        (Ended::Unrecorded, "no exit"),
        (Ended::TimedOut, "time"),
        (Ended::OutOfMemory, "memory"),
        (Ended::Lost("no test engine".to_owned()), "bench"),
    ] {
        let verdict = run(Rule::Strict, &r2e_scenario(&[("a", "PASSED")], None), &log, &ended);
        assert_eq!(word(&verdict), expected, "{ended:?}");
        let is_scored = matches!(verdict, Verdict::Scored(_));
        assert_eq!(verdict.reward().is_some(), is_scored);
    }
    // The code of what a script ran after the tests says nothing of them, whatever it is; the log does.
    let pytest = lists(&["t.py::a"], &[], EvalType::PassAndFail, Parser::Pytest);
    for (log, expected) in [
        (summary("PASSED t.py::a\nFAILED t.py::b - x", "1 failed, 1 passed"), "1"),
        (summary("PASSED t.py::b\nFAILED t.py::a - x", "1 failed, 1 passed"), "0"),
        (summary("PASSED t.py::a", "2 passed"), "0 footer"),
        ("bash: git: command not found".to_owned(), "0 nothing"),
    ] {
        for code in [0, 1, 4] {
            assert_eq!(
                word(&run(Rule::Strict, &pytest, &log, &Ended::ScriptExited(code))),
                expected,
                "{log:?}, {code}"
            );
        }
    }
    let go = Scenario {
        expected: Expected::Lists {
            fail_to_pass: vec!["TestA".to_owned()],
            pass_to_pass: Vec::new(),
            eval_type: EvalType::PassAndFail,
        },
        parser: "gotest".parse().unwrap(),
        nested_summaries: false,
    };
    for (log, exit, expected) in [
        ("--- PASS: TestA (0.0s)", 0, "1"),
        ("--- PASS: TestA (0.0s)", 1, "0 exit"),
        ("--- PASS: TestA (0.0s)\n--- FAIL: TestB (0.0s)", 0, "0 exit"),
        ("--- PASS: TestA (0.0s)\n--- FAIL: TestB (0.0s)", 1, "1"),
        ("# build failed", 2, "0 collection"),
        ("", 1, "0 nothing"),
        ("", 137, "abnormal"),
    ] {
        assert_eq!(word(&run(Rule::Strict, &go, log, &Ended::Exited(exit))), expected, "{log:?}, exit {exit}");
    }
}

#[test]
fn only_the_runners_own_word_contradicts_exit_zero() {
    for (parser, log, exit, expected) in [
        (Parser::Django, "test_a (x.T) ... ok\nERROR: printed by a test\nRan 1 test\nOK", 0, "1"),
        (Parser::Django, "test_a (x.T) ... ok\ntest_b (x.T) ... FAIL\nFAILED (failures=1)", 0, "0 exit"),
        (Parser::Django, "test_a (x.T) ... ok\ntest_b (x.T) ... FAIL\nFAILED (failures=1)", 1, "1"),
        (Parser::Django, "test_a (x.T) ... ok\nRan 1 test\nOK", 1, "0 exit"),
        (Parser::Sympy, "test_a (x.T) ok\n a.py:3 warning \n", 0, "1"),
        (Parser::Sympy, "test_a (x.T) ok\ntest_b F\n", 0, "0 exit"),
    ] {
        let name = if parser == Parser::Sympy { "test_a" } else { "test_a (x.T)" };
        let scenario = lists(&[name], &[], EvalType::PassAndFail, parser);
        assert_eq!(word(&run(Rule::Strict, &scenario, log, &Ended::Exited(exit))), expected, "{log:?}, exit {exit}");
    }
}

#[test]
fn a_junit_report_has_a_say() {
    let log = summary("PASSED d/t.py::C::a[x::y]\nPASSED d/t.py::b", "2 passed");
    let scenario = r2e_scenario(&[("C.a[x.y]", "PASSED"), ("b", "PASSED")], None);
    let case = |class: &str, name: &str, inner: &str| {
        format!("<testcase classname=\"{class}\" name=\"{name}\">{inner}</testcase>")
    };
    let good = case("d.t.C", "a[x::y]", "");
    for (report, expected) in [
        (format!("{good}{}", case("d.t", "b", "")), "1"),
        (format!("{good}{}", case("d.t", "b", "<failure/>")), "0 junit"),
        (format!("{}{}", case("d.t.C", "a[x::y]", "<error/>"), case("d.t", "b", "")), "0 junit"),
        (format!("{good}{}", case("other", "c", "<failure/>")), "0 junit"),
        (String::new(), "0 junit"),
    ] {
        let report = format!("<testsuites><testsuite>{report}</testsuite></testsuites>");
        let verdict = grade(Rule::Strict, &scenario, Run { log: &log, ended: &Ended::Exited(0), junit: Some(&report) });
        assert_eq!(word(&verdict), expected, "{report}");
    }
}

#[test]
fn differences_and_parts_are_reported() {
    let after: Vec<(String, &str)> = (0..8).map(|index| (format!("t{index}"), "PASSED")).collect();
    let after: Vec<(&str, &str)> = after.iter().map(|(name, status)| (name.as_str(), *status)).collect();
    let before = [("t0", "FAILED"), ("t1", "FAILED"), ("t2", "PASSED"), ("t3", "PASSED")];
    let scenario = r2e_scenario(&after, Some(&before));
    let Verdict::Scored(score) =
        run(Rule::Strict, &scenario, &summary("PASSED x.py::t0\nPASSED x.py::u", "2 passed"), &Ended::Exited(0))
    else {
        panic!("a readable log is scored")
    };
    assert_eq!(score.reason, Reason::Differences { count: 8 });
    let names: Vec<&str> = score.differences.iter().map(|difference| difference.name.as_str()).collect();
    assert_eq!(names, ["t1", "t2", "t3", "t4", "t5"]);
    let parts: Vec<(&str, f64)> = score.parts.iter().map(|part| (part.name.as_str(), part.value)).collect();
    // t4 to t7 were not there before the fix either.
    assert_eq!(parts, [("matched", 0.125), ("fail_to_pass", 1.0 / 6.0), ("partial", 0.0)]);

    let mended = summary("PASSED x.py::t0\nFAILED x.py::t1 - x\nPASSED x.py::t2", "1 failed, 2 passed");
    let scenario = r2e_scenario(&after[..3], Some(&before));
    let Verdict::Scored(score) = run(Rule::Strict, &scenario, &mended, &Ended::Exited(1)) else {
        panic!("a readable log is scored")
    };
    assert_eq!((score.reward, score.parts[2].value), (0.0, 0.5), "half of the mended tests, the rest is kept");
}

fn lists(fail_to_pass: &[&str], pass_to_pass: &[&str], eval_type: EvalType, parser: Parser) -> Scenario {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let expected = Expected::Lists { fail_to_pass: owned(fail_to_pass), pass_to_pass: owned(pass_to_pass), eval_type };
    Scenario { expected, parser, nested_summaries: false }
}

fn marked(body: &str) -> String {
    format!("set-up\n>>>>> Start Test Output\n{body}\n>>>>> End Test Output\n")
}

#[test]
fn swe_bench_resolves() {
    let cut = "a.py::t[log(photon";
    for (fail_to_pass, pass_to_pass, body, reward, partial) in [
        (vec!["a", "b"], vec!["c"], "PASSED a\nXFAIL b\nSKIPPED c\nFAILED z", 1.0, 1.0),
        (vec!["a", "b"], vec!["c"], "PASSED a\nFAILED b\nPASSED c", 0.0, 0.5),
        (vec!["a", "b"], vec!["c"], "PASSED a\nFAILED b\nERROR c", 0.0, 0.0),
        (vec!["a"], vec!["c"], "SKIPPED a\nPASSED c", 0.0, 0.0),
        (vec!["a"], vec!["c"], "PASSED c", 0.0, 0.0),
        (vec![cut], vec![], "PASSED a.py::t[log(photon)]\nXFAIL a.py::t[log(photon)-2]", 1.0, 1.0),
        (vec![cut], vec![], "PASSED a.py::t[log(photon)]\nFAILED a.py::t[log(photon)-2]", 0.0, 0.0),
        (vec!["a.py::t"], vec![], "PASSED a.py::t2", 0.0, 0.0),
        // Neither list holds anything: the published rule is content.
        (vec![], vec![], "PASSED a", 1.0, 1.0),
        // A status of no known kind counts nowhere.
        (vec!["a"], vec![], "ERROR: a", 1.0, 1.0),
    ] {
        let scenario = lists(&fail_to_pass, &pass_to_pass, EvalType::PassAndFail, Parser::Pytest);
        let Verdict::Scored(score) = run(Rule::SweBench, &scenario, &marked(body), &Ended::Unrecorded) else {
            panic!("{body:?} is scored")
        };
        assert_eq!((score.reward, score.parts[2].value), (reward, partial), "{body:?}: {score:?}");
    }
    let fail_only = lists(&["a"], &["b"], EvalType::FailOnly, Parser::Pytest);
    for (body, expected) in [("ERROR a", "1"), ("FAILED b", "0"), ("3 passing", "1"), ("0 passing", "0 nothing")] {
        assert_eq!(word(&run(Rule::SweBench, &fail_only, &marked(body), &Ended::Unrecorded)), expected, "{body:?}");
    }
}

#[test]
fn swe_bench_refuses_what_is_no_run() {
    let scenario = lists(&["a"], &[], EvalType::PassAndFail, Parser::Pytest);
    let good = marked("PASSED a");
    for (log, exit, expected) in [
        (good.clone(), None, "1"),
        (good.clone(), Some(0), "1"),
        (good.clone(), Some(1), "0 exit"),
        (format!("{good}>>>>> Test Exit Code: 1"), None, "0 exit"),
        (format!("{good}>>>>> Test Exit Code: 1"), Some(0), "1"),
        (format!("{good}FAILED b\n>>>>> Test Exit Code: 1"), None, "0 exit"),
        (marked("PASSED a\nFAILED b"), Some(1), "1"),
        ("PASSED a".to_owned(), None, "bench"),
        (marked("nothing"), None, "0 nothing"),
        (format!("PASSED a\n{}", marked("nothing")), None, "1"),
        (format!("{good}>>>>> Patch Apply Failed"), None, "0 apply"),
        (format!("{good}>>>>> Reset Failed"), None, "bench"),
        (format!("{good}>>>>> Tests Errored"), None, "bench"),
        (format!("{good}>>>>> Tests Timed Out"), None, "time"),
    ] {
        let ended = exit.map_or(Ended::Unrecorded, Ended::Exited);
        assert_eq!(word(&run(Rule::SweBench, &scenario, &log, &ended)), expected, "{log:?}, exit {exit:?}");
    }
}

#[test]
fn strict_lists_believe_the_summary_only() {
    let scenario = lists(&["t.py::a"], &["t.py::b"], EvalType::PassAndFail, Parser::Pytest);
    for (log, exit, expected) in [
        (summary("PASSED t.py::a\nPASSED t.py::b", "2 passed"), 0, "1"),
        (format!("PASSED t.py::a\n{}", summary("PASSED t.py::b", "1 passed")), 0, "0"),
        (format!("{}PASSED t.py::a\n", summary("PASSED t.py::b", "1 passed")), 0, "0"),
        (summary("PASSED t.py::a\nERROR: t.py::b", "1 passed"), 0, "0"),
        (marked(&summary("PASSED t.py::a\nPASSED t.py::b", "2 passed")), 0, "1"),
        ("ImportError".to_owned(), 1, "0 nothing"),
        ("ImportError".to_owned(), 4, "0 collection"),
    ] {
        assert_eq!(word(&run(Rule::Strict, &scenario, &log, &Ended::Exited(exit))), expected, "{log:?}, exit {exit}");
    }
    let empty = lists(&[], &[], EvalType::PassAndFail, Parser::Pytest);
    assert_eq!(word(&run(Rule::Strict, &empty, "", &Ended::Exited(0))), "invalid");
    // pytest's own tests show the summaries of the runs that they make.
    let nested = format!(
        "{HEADER}\nFAILED x.py::y\n= 1 failed in 0.1s =\n{}",
        summary("PASSED t.py::a\nPASSED t.py::b", "2 passed")
    );
    assert_eq!(word(&run(Rule::Strict, &scenario, &nested, &Ended::Exited(0))), "0 several");
    let tolerant = Scenario { nested_summaries: true, ..scenario };
    assert_eq!(word(&run(Rule::Strict, &tolerant, &nested, &Ended::Exited(0))), "1");
}

#[test]
fn a_rule_that_does_not_fit_the_task_does_not_score() {
    let map = r2e_scenario(&[("a", "PASSED")], None);
    let listed = lists(&["a"], &[], EvalType::PassAndFail, Parser::Pytest);
    for (rule, scenario) in [(Rule::SweBench, &map), (Rule::R2eCompat, &listed)] {
        assert_eq!(word(&run(rule, scenario, "", &Ended::Exited(0))), "invalid");
    }
}

#[test]
fn verdicts_survive_json() {
    for verdict in [
        run(Rule::Strict, &r2e_scenario(&[("a", "PASSED")], None), "", &Ended::Exited(0)),
        run(
            Rule::Strict,
            &r2e_scenario(&[("a", "PASSED")], None),
            &summary("FAILED t.py::a", "1 failed"),
            &Ended::Exited(0),
        ),
        run(Rule::Strict, &r2e_scenario(&[], None), "", &Ended::Exited(0)),
    ] {
        let text = serde_json::to_string(&verdict).unwrap();
        assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict, "{text}");
    }
}
