//! The default rule: a log is believed only where everything that speaks of the run agrees.
//!
//! In order: the exit code, where it is that of the tests, decides whether there is anything to read (pytest: 0 and 1; 2, 4 and 5 are a broken collection, worth 0; the rest
//! is not a score). The summary must be one, its entries as many as the line behind it counts, the exit code in accord with the failures, and
//! so the `JUnit` report where there is one. Then every expected test must say what is expected, failures of the image's own making
//! included. Tests are told apart by file; two that share one of R2E's keys make the task ambiguous. A task that expects nothing is invalid.
//!
//! For lists, ids and truncated ids are as in SWE-bench, but results count only within the summary, a status of no known kind is a failure, and
//! an instance that expects a progress mark such as `[100%]` as a test's id (two of SWE-bench's pytest) cannot be fulfilled.

use std::collections::BTreeMap;

use super::flag::Flag;
use super::flags::{exit_flag, log_flags};
use super::summary::{self, Summary};
use super::swebench::{marked_region, resolution, resolve};
use super::verdict::{Difference, Part, Reason, Unscored, Verdict};
use super::{Ended, EvalType, Expected, Run, Scenario};
use crate::parse::{Parser, Runner, Smith, junit, r2e};
use crate::status::{Status, StatusMap};
use crate::text::{before, without_colour};

pub(super) fn grade(scenario: &Scenario, run: Run<'_>, exit: Option<i32>) -> Verdict {
    let is_empty = match &scenario.expected {
        Expected::Map { after, .. } => after.is_empty(),
        Expected::Lists { fail_to_pass, pass_to_pass, .. } => fail_to_pass.is_empty() && pass_to_pass.is_empty(),
    };
    if is_empty {
        return Verdict::invalid("no test is expected to say anything");
    }
    if exit.is_none() && !matches!(run.ended, Ended::ScriptExited(_)) {
        return Verdict::Unscored(Unscored::ExitUnrecorded);
    }
    if let Some(verdict) = exit.and_then(|exit| route(scenario.parser, exit)) {
        return verdict;
    }
    let log = marked_region(run.log).unwrap_or(run.log);
    let run = Run { log, ..run };
    let summary = summary::read(log);
    match &scenario.expected {
        Expected::Map { after, before } => {
            if summary.headers == 0 {
                return Verdict::zero(Reason::NoResults);
            }
            let ids = worst_by_id(&summary);
            contradiction(scenario, &summary, &ids, run, exit).unwrap_or_else(|| {
                project(&ids).map_or_else(Verdict::Unscored, |found| compare(after, before.as_ref(), &found))
            })
        }
        Expected::Lists { fail_to_pass, pass_to_pass, eval_type } => {
            let lists_results = summary.entries.iter().any(|entry| entry.status == Status::Passed);
            let is_summary = scenario.parser.reads_summary() && lists_results;
            let map = scenario.parser.parse(if is_summary { summary.text } else { log });
            if map.is_empty() && *eval_type == EvalType::PassAndFail {
                return Verdict::zero(Reason::NoResults);
            }
            let summary = if scenario.parser.reads_summary() { summary } else { Summary::default() };
            contradiction(scenario, &summary, &map, run, exit).unwrap_or_else(|| {
                resolution(fail_to_pass, pass_to_pass, &map, |case, may_skip| {
                    let status = resolve(case, &map);
                    Some(match eval_type {
                        EvalType::FailOnly => !status.is_some_and(Status::is_failure),
                        EvalType::PassAndFail => {
                            status.is_some_and(|found| found.is_success() || may_skip && *found == Status::Skipped)
                        }
                    })
                })
            })
        }
    }
}

/// A verdict by the exit code alone, where the log need not be read. Source for pytest: its documented exit codes.
fn route(parser: Parser, exit: i32) -> Option<Verdict> {
    let is_readable = match parser {
        Parser::Lines(Runner::Go) => matches!(exit, 0 | 1),
        _ if parser.is_pytest() => matches!(exit, 0 | 1),
        // Other runners choose freely below 126, where the shell's own codes and the signals begin.
        _ => (0..126).contains(&exit),
    };
    let is_broken = match parser {
        Parser::Lines(Runner::Go) => exit == 2,
        _ => matches!(exit, 2 | 4 | 5),
    };
    if is_readable {
        None
    } else if is_broken {
        Some(Verdict::zero(Reason::BrokeCollection { exit }))
    } else {
        Some(Verdict::Unscored(Unscored::AbnormalExit { exit }))
    }
}

/// pytest lists a test that passed and then broke in tear-down twice; the worse of two statuses of one id counts.
fn worst_by_id(summary: &Summary<'_>) -> StatusMap {
    let mut map = StatusMap::new();
    for entry in &summary.entries {
        if !map.get(&entry.id).is_some_and(Status::is_failure) || entry.status == Status::Failed {
            map.insert(entry.id.as_str(), entry.status.clone());
        }
    }
    map
}

/// The failures that an exit code can be held against. The loose rules for runners other than pytest also take a line of a test's
/// own output for a failure; an exit code of 0 contradicts only what the runner itself said.
fn credible_failures(parser: Parser, map: &StatusMap, log: &str, exit: i32) -> usize {
    let failures = map.iter().filter(|(_, status)| status.is_failure());
    match parser {
        Parser::Django | Parser::Unittest | Parser::Smith(Smith::Tornado | Smith::Slugify) if exit == 0 => {
            log.split('\n').filter(|line| line.starts_with("FAILED (")).count()
        }
        Parser::Sympy if exit == 0 => failures.filter(|(name, _)| !name.contains(".py:")).count(),
        _ => failures.count(),
    }
}

fn contradiction(
    scenario: &Scenario,
    summary: &Summary<'_>,
    map: &StatusMap,
    run: Run<'_>,
    exit: Option<i32>,
) -> Option<Verdict> {
    let (log, report) = (run.log, run.junit);
    let by_exit = |exit| exit_flag(exit, credible_failures(scenario.parser, map, log, exit));
    let flags = log_flags(summary, scenario.nested_summaries);
    flags
        .into_iter()
        .chain(exit.and_then(by_exit))
        .chain(report.and_then(|report| junit_disagreement(map, report)))
        .find(Flag::forfeits)
        .map(|flag| Verdict::zero(Reason::Forfeit(flag)))
}

/// The first test that the log calls a success and the report a failure, or, where names cannot be compared, a lack of failures.
fn junit_disagreement(map: &StatusMap, report: &str) -> Option<Flag> {
    let report = junit::parse(report);
    let disagreed = map.iter().find(|(id, status)| {
        let said = junit::name_of(id).and_then(|name| report.get(&name));
        status.is_success() && said.is_some_and(Status::is_failure)
    });
    if let Some((id, _)) = disagreed {
        return Some(Flag::JunitDisagrees { name: id.to_owned() });
    }
    let failures = |map: &StatusMap| map.iter().filter(|(_, status)| status.is_failure()).count();
    let successes = |map: &StatusMap| map.iter().filter(|(_, status)| status.is_success()).count();
    if failures(&report) > failures(map) || successes(map) > 0 && successes(&report) == 0 {
        let name = report.iter().find(|(_, status)| status.is_failure()).map_or("", |(name, _)| name);
        return Some(Flag::JunitDisagrees { name: name.to_owned() });
    }
    None
}

/// From ids to R2E's keys. Skips and expected failures are not part of R2E's maps.
fn project(ids: &StatusMap) -> Result<StatusMap, Unscored> {
    let mut found = StatusMap::new();
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for (id, status) in
        ids.iter().filter(|(_, status)| matches!(status, Status::Passed | Status::Failed | Status::Error))
    {
        // As in R2E, a file that cannot be imported has the empty key: an expectation made from such a run must be met again.
        let key = r2e_key(id);
        if let Some(first) = owners.insert(key.clone(), id) {
            return Err(Unscored::Ambiguous { key, first: first.to_owned(), second: id.to_owned() });
        }
        found.insert(key, status.clone());
    }
    Ok(found)
}

fn r2e_key(id: &str) -> String {
    before(&r2e::key(id), " - ").to_owned()
}

fn compare(after: &StatusMap, before_fix: Option<&StatusMap>, found: &StatusMap) -> Verdict {
    let plain = |map: &StatusMap| -> StatusMap {
        map.sorted().map(|(key, status)| (before(&without_colour(key), " - ").to_owned(), status.clone())).collect()
    };
    let expected = plain(after);
    let is_met = |key: &str| found.get(key).is_some() && found.get(key) == expected.get(key);
    let missing = expected.iter().filter(|(key, _)| !is_met(key)).map(|(key, _)| key);
    let surplus = found.iter().filter(|(key, _)| expected.get(key).is_none()).map(|(key, _)| key);
    let differences: Vec<Difference> = missing
        .chain(surplus)
        .map(|key| Difference {
            name: key.to_owned(),
            expected: expected.get(key).cloned(),
            found: found.get(key).cloned(),
        })
        .collect();
    let matched = expected.iter().filter(|(key, _)| is_met(key)).count();
    let mut parts = vec![Part::share("matched", matched, expected.len())];
    if let Some(before_fix) = before_fix.map(plain) {
        // The tests that the fix is about: passed after it, and not before.
        let is_mended = |key: &str| {
            expected.get(key).is_some_and(Status::is_success) && !before_fix.get(key).is_some_and(Status::is_success)
        };
        let total = expected.iter().filter(|(key, _)| is_mended(key)).count();
        let mended = expected.iter().filter(|(key, _)| is_mended(key) && is_met(key)).count();
        let is_rest_met = differences.iter().all(|difference| is_mended(&difference.name));
        let share = Part::share("fail_to_pass", mended, total);
        let partial = Part { name: "partial".to_owned(), value: if is_rest_met { share.value } else { 0.0 } };
        parts.extend([share, partial]);
    }
    Verdict::from_differences(differences, parts)
}
