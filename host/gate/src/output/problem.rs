//! What a reader of a verdict has to look at, in one form for every rendering: findings, rules that do not hold, and why nothing is known.
//!
//! Invariants: texts are escaped and clipped; places are within a text (lines and columns from 1, the end not before the start).

use super::text::{join, line};
use super::{Context, text};
use crate::verdict::{Check, Decision, Finding, Level, Place, Region, SignOff, Verdict};
use assay_validator::Code;
use std::collections::BTreeMap;

/// Bytes of a message: hosts of code show a thousand characters or less.
const MESSAGE_BYTES_MAX: usize = 1_500;
/// Bytes of a name: a path, a rule.
pub(super) const NAME_BYTES_MAX: usize = 300;

/// How bad a problem is, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Weight {
    /// Refuses the submission.
    Refuses,
    /// A rule does not hold.
    Fails,
    /// Nothing is known.
    Unknown,
    /// Worth mending.
    Warns,
    /// Somebody answers for it.
    Accepted,
}

/// Where in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    /// The whole of it.
    Whole,
    /// One line of it.
    Line(u32),
    /// A span of it.
    Span(Region),
    /// A byte of it.
    Byte(u64),
}

/// One thing to look at.
#[derive(Clone, Debug)]
pub(super) struct Problem<'a> {
    /// How bad.
    pub weight: Weight,
    /// The finding's code, or `gate/` and the name of the rule.
    pub rule: String,
    /// In a few words.
    pub title: String,
    /// What is wrong, what was seen, what to do.
    pub message: String,
    /// File relative to the root of the repository.
    pub file: String,
    /// Where in it.
    pub spot: Spot,
    /// Where in it in words: the key of a manifest, a function of a component.
    pub logical: Option<&'a str>,
    /// The submission's file, where `file` is another.
    pub about: Option<String>,
    /// Who accepted it, and why.
    pub sign_off: Option<&'a SignOff>,
    /// The same from run to run, whatever lines are added above it; hexadecimal.
    pub fingerprint: String,
}

/// Everything to look at in `verdicts`, worst first, otherwise in their order.
pub(super) fn problems<'a>(verdicts: &'a [Verdict], context: &Context<'_>) -> Vec<Problem<'a>> {
    let mut problems: Vec<Problem<'a>> = verdicts.iter().flat_map(|verdict| of_verdict(verdict, context)).collect();
    problems.sort_by_key(|problem| problem.weight);
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for problem in &mut problems {
        let nth = seen.entry(problem.fingerprint.clone()).and_modify(|nth| *nth += 1).or_insert(1);
        problem.fingerprint = format!("{}:{nth}", problem.fingerprint);
    }
    problems
}

fn of_verdict<'a>(verdict: &'a Verdict, context: &Context<'_>) -> Vec<Problem<'a>> {
    let submission = join(context.folder, &verdict.submission.name);
    let mut problems: Vec<Problem<'a>> = verdict.findings.iter().map(|finding| of_finding(finding, context)).collect();
    let open = verdict.checks.iter().filter(|check| check.decision != Decision::Pass);
    problems.extend(open.map(|check| of_check(check, &submission, context)));
    // A verdict that is not a pass never goes without a reason.
    if verdict.decision != Decision::Pass && problems.iter().all(|problem| problem.weight >= Weight::Warns) {
        let word = verdict.decision.word();
        problems.push(Problem {
            weight: weight(verdict.decision),
            rule: format!("gate/{word}"),
            title: format!("Submission {word}"),
            message: line(&verdict.summary, MESSAGE_BYTES_MAX),
            fingerprint: fingerprint(&[word, &submission]),
            file: submission,
            spot: Spot::Whole,
            logical: None,
            about: None,
            sign_off: None,
        });
    }
    problems
}

fn of_finding<'a>(finding: &'a Finding, context: &Context<'_>) -> Problem<'a> {
    let file = join(context.folder, &finding.place.file);
    let name = code(&finding.code).map_or("finding", Code::name);
    let seen = finding.observed.as_ref().map(|observed| format!(" Seen: {observed}.")).unwrap_or_default();
    let limit = finding.limit.as_ref().map(|limit| format!(" Allowed: {limit}.")).unwrap_or_default();
    Problem {
        weight: match (&finding.sign_off, finding.level) {
            (Some(_), _) => Weight::Accepted,
            (None, Level::Error) => Weight::Refuses,
            (None, Level::Warning) => Weight::Warns,
        },
        rule: line(&finding.code, NAME_BYTES_MAX),
        title: line(&format!("{} {name}", finding.code), NAME_BYTES_MAX),
        message: line(&format!("{}{seen}{limit} {}", finding.message, finding.hint), MESSAGE_BYTES_MAX),
        fingerprint: fingerprint(&[&finding.code, &file, &finding.message]),
        file,
        spot: spot(&finding.place),
        logical: finding.place.logical.as_deref(),
        about: None,
        sign_off: finding.sign_off.as_ref(),
    }
}

fn of_check<'a>(check: &'a Check, submission: &str, context: &Context<'_>) -> Problem<'a> {
    let hint = check.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
    let (name, scenario, asks, saw) = (submission, &check.scenario, &check.asks, &check.saw);
    let message = format!("{name} in {scenario}: the policy asks for {asks}; seen: {saw}.{hint}");
    Problem {
        weight: weight(check.decision),
        rule: line(&format!("gate/{}", check.rule), NAME_BYTES_MAX),
        title: line(&format!("Rule {}: {}", check.rule, check.decision.word()), NAME_BYTES_MAX),
        message: line(&message, MESSAGE_BYTES_MAX),
        file: join("", context.policy_file),
        spot: Spot::Line(check.policy_line.max(1)),
        logical: None,
        about: Some(submission.to_owned()),
        sign_off: None,
        fingerprint: fingerprint(&["gate", &check.rule, scenario, submission]),
    }
}

fn weight(decision: Decision) -> Weight {
    match decision {
        Decision::Rejected => Weight::Refuses,
        Decision::Fail => Weight::Fails,
        Decision::Unscored => Weight::Unknown,
        Decision::Pass => Weight::Warns,
    }
}

fn spot(place: &Place) -> Spot {
    match (place.region, place.byte_offset) {
        (Some(region), _) => {
            let (start_line, start_column) = (region.start_line.max(1), region.start_column.max(1));
            let end_line = region.end_line.max(start_line);
            let first = if end_line == start_line { start_column } else { 1 };
            Spot::Span(Region { start_line, start_column, end_line, end_column: region.end_column.max(first) })
        }
        (None, Some(offset)) => Spot::Byte(offset),
        (None, None) => Spot::Whole,
    }
}

/// What the validator knows by this id.
pub(super) fn code(id: &str) -> Option<Code> {
    Code::ALL.iter().copied().find(|code| code.id() == id)
}

/// What stays the same of a problem while its file is edited, in 16 hexadecimal digits.
fn fingerprint(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// What stands where problems are left out.
pub(super) fn left_out(number: usize) -> String {
    format!("and {}", text::count(number, "more problem"))
}
