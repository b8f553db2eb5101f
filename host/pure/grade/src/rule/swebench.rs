//! SWE-bench's resolution, as published: FULL earns 1, PARTIAL and NO earn 0.
//!
//! Source: SWE-bench 5.0.1, `harness/grading.py`: `get_logs_eval` (the validity gate), `_resolve_case` (truncated ids), `test_passed`,
//! `test_maintained`, `test_failed`, `get_resolution_status`. The published report knows only "resolved or not";
//! where the gate refuses a log for what the bench did (reset, deadline, missing markers), we give no score instead of a zero. Kept weakness: a
//! test whose status is neither of the five counts nowhere, so a list of such tests is fulfilled.

use std::sync::LazyLock;

use super::EvalType;
use super::flag::Flag;
use super::verdict::{Difference, Part, Reason, Unscored, Verdict};
use crate::parse::Parser;
use crate::status::{Status, StatusMap};
use crate::text::{Pattern, python_pattern};

const START: &str = ">>>>> Start Test Output";
const END: &str = ">>>>> End Test Output";
const APPLY_FAILED: &str = ">>>>> Patch Apply Failed";
const RESET_FAILED: &str = ">>>>> Reset Failed";
const TESTS_ERRORED: &str = ">>>>> Tests Errored";
const TESTS_TIMED_OUT: &str = ">>>>> Tests Timed Out";

/// Signs that a runner has run although no result was read: some print failures only. Every count in it is above zero.
static SUITE_RAN: Pattern = LazyLock::new(|| {
    python_pattern(concat!(
        r"(?m)Executed [1-9]\d* of \d+|TOTAL: [1-9]\d* (?:SUCCESS|FAILED)|[1-9]\d* passing|Tests:\s+[1-9]\d*",
        r"|Test Suites:\s+(?:\d+ \w+, )*[1-9]\d* total|^# tests [1-9]\d*|[1-9]\d* specs?, \d+ failures?|': ok$"
    ))
});

/// What lies between the markers of an evaluation script, where both are there in this order or not.
pub(super) fn marked_region(log: &str) -> Option<&str> {
    let (_, rest) = log.split_once(START).filter(|_| log.contains(END))?;
    // The reference cuts at the next start marker too, since it splits by it.
    let rest = rest.split_once(START).map_or(rest, |(region, _)| region);
    Some(rest.split_once(END).map_or(rest, |(region, _)| region))
}

/// The exit code that the evaluation script wrote into its log, first mention.
fn exit_in_log(log: &str) -> Option<i32> {
    static EXIT: Pattern = LazyLock::new(|| python_pattern(r">>>>> Test Exit Code:\s*(-?[0-9]+)"));
    EXIT.captures(log)?[1].parse().ok()
}

fn truncated_matches<'a>(case: &'a str, map: &'a StatusMap) -> impl Iterator<Item = &'a Status> {
    map.iter().filter(move |(name, _)| name.starts_with(case)).map(|(_, status)| status)
}

/// The status of an expected test. 676 ids of Verified are cut off in their brackets; for those, and only where `[` outnumbers `]`, a
/// test that begins so stands in, provided that all that do agree on success.
pub(super) fn resolve<'a>(case: &'a str, map: &'a StatusMap) -> Option<&'a Status> {
    if let Some(status) = map.get(case) {
        return Some(status);
    }
    if case.matches('[').count() <= case.matches(']').count() {
        return None;
    }
    let first = truncated_matches(case, map).next()?;
    truncated_matches(case, map).all(|status| status.is_success() == first.is_success()).then_some(first)
}

/// Some = success or failure; None = the reference counts it nowhere.
fn judge(case: &str, map: &StatusMap, eval_type: EvalType, may_skip: bool) -> Option<bool> {
    match (eval_type, resolve(case, map)) {
        (EvalType::FailOnly, _) => Some(map.get(case) != Some(&Status::Failed)),
        (EvalType::PassAndFail, Some(Status::Passed | Status::Xfail)) => Some(true),
        (EvalType::PassAndFail, Some(Status::Skipped)) => Some(may_skip),
        (EvalType::PassAndFail, Some(Status::Failed | Status::Error) | None) => Some(false),
        (EvalType::PassAndFail, Some(_)) => None,
    }
}

fn refuse(log: &str) -> Option<Verdict> {
    let unscored = |why: &str| Some(Verdict::Unscored(Unscored::Infrastructure(why.to_owned())));
    if log.contains(APPLY_FAILED) {
        Some(Verdict::zero(Reason::PatchDoesNotApply))
    } else if log.contains(TESTS_TIMED_OUT) {
        Some(Verdict::Unscored(Unscored::TimedOut))
    } else if log.contains(RESET_FAILED) {
        unscored("the log says that the reset failed")
    } else if log.contains(TESTS_ERRORED) {
        unscored("the log says that the tests could not be run")
    } else if marked_region(log).is_none() {
        unscored("the log lacks the markers of the test output's start and end")
    } else {
        None
    }
}

pub(super) fn grade(
    fail_to_pass: &[String],
    pass_to_pass: &[String],
    eval_type: EvalType,
    parser: Parser,
    log: &str,
    exit: Option<i32>,
) -> Verdict {
    if let Some(refused) = refuse(log) {
        return refused;
    }
    let mut map = parser.parse(marked_region(log).unwrap_or(log));
    if map.is_empty() {
        // Some runners write past the markers.
        map = parser.parse(log);
    }
    if map.is_empty() && !SUITE_RAN.is_match(log) {
        return Verdict::zero(Reason::NoResults);
    }
    let exit = exit.or_else(|| exit_in_log(log)).unwrap_or(0);
    if exit != 0 && !map.is_empty() && !map.iter().any(|(_, status)| status.is_failure()) {
        return Verdict::zero(Reason::Forfeit(Flag::ExitWithoutFailure { exit }));
    }
    resolution(fail_to_pass, pass_to_pass, &map, |case, may_skip| judge(case, &map, eval_type, may_skip))
}

/// FULL, PARTIAL or NO, from a judgement of each case. The second argument of `judge` says whether a skip will do.
pub(super) fn resolution(
    fail_to_pass: &[String],
    pass_to_pass: &[String],
    map: &StatusMap,
    judge: impl Fn(&str, bool) -> Option<bool>,
) -> Verdict {
    let mut differences = Vec::new();
    let mut share = |name: &str, cases: &[String], may_skip: bool| {
        let (mut success, mut total) = (0, 0);
        for case in cases {
            let Some(is_success) = judge(case, may_skip) else { continue };
            total += 1;
            success += usize::from(is_success);
            if !is_success {
                let found = resolve(case, map).cloned();
                differences.push(Difference { name: case.clone(), expected: Some(Status::Passed), found });
            }
        }
        Part::share(name, success, total)
    };
    let mended = share("fail_to_pass", fail_to_pass, false);
    let kept = share("pass_to_pass", pass_to_pass, true);
    // PARTIAL of the published report is a value strictly between 0 and 1 here.
    let partial = Part { name: "partial".to_owned(), value: if kept.value < 1.0 { 0.0 } else { mended.value } };
    Verdict::from_differences(differences, vec![mended, kept, partial])
}
