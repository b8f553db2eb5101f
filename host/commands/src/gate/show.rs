//! Verdicts on the screen.

use super::phases::Phases;
use crate::face;
use assay_gate::verdict::{Check, Finding, Level};
use assay_gate::{Decision, Verdict};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Findings and rows that are shown; files have them all.
const FINDINGS_SHOWN_MAX: usize = 20;
const ROWS_SHOWN_MAX: usize = 100;
/// Columns of a decision.
const STATE_WIDTH: usize = 8;

/// Padded before it is coloured: escapes have no width.
fn coloured(decision: Decision, width: usize) -> String {
    let padded = format!("{:<width$}", decision.word());
    if decision == Decision::Pass { face::good(&padded) } else { face::bad(&padded) }
}

/// One verdict: each rule with what it asks and what was seen, the findings, and the answer in a sentence.
pub(super) fn verdict(verdict: &Verdict) -> String {
    let mut text = String::new();
    for check in &verdict.checks {
        text.push_str(&rule(check));
    }
    let shown = verdict.findings.iter().take(FINDINGS_SHOWN_MAX);
    shown.for_each(|finding| text.push_str(&one_finding(finding)));
    let hidden = verdict.findings.len().saturating_sub(FINDINGS_SHOWN_MAX) as u64 + verdict.findings_omitted;
    if hidden > 0 {
        // A string takes whatever is written to it, here and below.
        let _ = writeln!(text, "and {hidden} more findings");
    }
    let _ = write!(text, "\n{} {}", coloured(verdict.decision, 0), face::visible(&verdict.summary));
    text.trim_start_matches('\n').to_owned()
}

fn rule(check: &Check) -> String {
    let margin = " ".repeat(9);
    let mut text = format!(
        "{} {}, {}\n{margin}asked  {}\n{margin}seen   {}\n",
        coloured(check.decision, STATE_WIDTH),
        face::visible(&check.rule),
        face::visible(&check.scenario),
        face::visible(&check.asks),
        face::visible(&check.saw)
    );
    if let Some(hint) = check.hint.as_ref().filter(|_| check.decision != Decision::Pass) {
        let _ = writeln!(text, "{margin}{}", face::dim(&face::visible(hint)));
    }
    text
}

fn one_finding(finding: &Finding) -> String {
    let place = match (&finding.place.region, &finding.place.logical) {
        (Some(region), _) => format!("{}:{}:{}", finding.place.file, region.start_line, region.start_column),
        (None, Some(logical)) => format!("{}: {logical}", finding.place.file),
        (None, None) => finding.place.file.clone(),
    };
    let level = match (&finding.sign_off, finding.level) {
        (Some(_), _) => "accepted",
        (None, Level::Error) => "error   ",
        (None, Level::Warning) => "warning ",
    };
    let margin = " ".repeat(9);
    let mut text = format!("{level} {} {}: {}\n", finding.code, face::visible(&place), face::visible(&finding.message));
    let _ = writeln!(text, "{margin}{}", face::dim(&face::visible(&finding.hint)));
    if let Some(sign_off) = &finding.sign_off {
        let _ = writeln!(
            text,
            "{margin}signed off by {}: {}",
            face::visible(&sign_off.by),
            face::visible(&sign_off.reason)
        );
    }
    text
}

/// Why a submission did not pass, in one line: the rules that it broke and what the policy's author says about the first, or else the verdict's summary.
fn reason(verdict: &Verdict) -> String {
    if verdict.decision == Decision::Pass {
        return String::new();
    }
    let broken: Vec<&Check> = verdict.checks.iter().filter(|check| check.decision == Decision::Fail).collect();
    let Some(hint) = broken.first().and_then(|check| check.hint.as_deref()) else { return verdict.summary.clone() };
    let mut names: Vec<&str> = broken.iter().map(|check| check.rule.as_str()).collect();
    // The same rule can be broken in several markets.
    names.dedup();
    format!("{}: {hint}", names.join(", "))
}

/// A batch: what did not pass with its reason, and how many of each.
pub(super) fn batch(verdicts: &[Verdict]) -> String {
    let mut text = String::new();
    let widest =
        verdicts.iter().map(|verdict| verdict.submission.name.chars().count()).max().unwrap_or_default().min(40);
    for verdict in verdicts.iter().take(ROWS_SHOWN_MAX) {
        let name = face::visible(&verdict.submission.name);
        let reason = reason(verdict);
        let reason = face::visible(&reason);
        let room = face::width().saturating_sub(widest + 11).max(20);
        let mut reason: String = reason.chars().take(room).collect();
        if reason.chars().count() == room {
            reason.pop();
            reason.push('…');
        }
        let line = format!("{name:<widest$}  {} {}", coloured(verdict.decision, STATE_WIDTH), face::dim(&reason));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if verdicts.len() > ROWS_SHOWN_MAX {
        let _ = writeln!(text, "and {} more", verdicts.len() - ROWS_SHOWN_MAX);
    }
    let counts = [Decision::Pass, Decision::Fail, Decision::Rejected, Decision::Unscored].map(|decision| {
        let count = verdicts.iter().filter(|verdict| verdict.decision == decision).count();
        format!("{count} {}", decision.word())
    });
    let noun = if verdicts.len() == 1 { "submission" } else { "submissions" };
    let _ = write!(text, "\n{} {noun}: {}", verdicts.len(), counts.join(", "));
    text
}

/// Where the time went.
pub(super) fn phases(phases: &Phases) -> String {
    let seconds = |phase: &AtomicU64| phase.load(Ordering::Relaxed) as f64 / 1e6;
    let kept = match phases.kept.load(Ordering::Relaxed) {
        0 => String::new(),
        files => format!(" ({files} compiled before)"),
    };
    format!(
        "checks {:.1} s, rustc {:.1} s{kept}, machine code {:.1} s, markets {:.1} s, all workers together",
        seconds(&phases.checks),
        seconds(&phases.compile),
        seconds(&phases.translate),
        seconds(&phases.market)
    )
}
