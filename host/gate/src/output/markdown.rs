//! The verdicts as markdown, for the summary of a job: one table of all submissions, then what is wrong with each that does not pass.
//!
//! Text from verdicts is one run of plain text in a cell or a list item: punctuation that markdown or HTML could read is written as character
//! references, and what GitHub turns into links and mentions on its own is broken up by an invisible space.

use super::problem::{Problem, Spot, Weight, left_out, problems};
use super::text::{count, line};
use super::{Context, problem};
use crate::verdict::{Decision, Verdict};
use std::fmt::Write as _;

/// Bytes of a summary. GitHub refuses one of more than a mebibyte for a whole step, and other tools may write to the same one.
pub const SUMMARY_BYTES_MAX: usize = 512 * 1024;
/// Bytes that are kept for the part below the table.
const DETAILS_BYTES_MAX: usize = SUMMARY_BYTES_MAX / 2;
/// Bytes that are kept for the end of the page.
const FOOT_BYTES_MAX: usize = 32 * 1024;
/// Problems listed of one submission: more than a person reads.
const PROBLEMS_MAX: usize = 25;
/// Bytes of a text from a verdict, before it is escaped.
const TEXT_BYTES_MAX: usize = 600;

/// The verdicts as markdown, worst first, at most [`SUMMARY_BYTES_MAX`] bytes.
#[must_use]
pub fn markdown(verdicts: &[Verdict], context: &Context<'_>) -> String {
    let mut worst_first: Vec<&Verdict> = verdicts.iter().collect();
    worst_first.sort_by_key(|verdict| std::cmp::Reverse(verdict.decision));
    let passed = verdicts.iter().filter(|verdict| verdict.decision == Decision::Pass).count();
    let mut page = format!("## Assay gate: {passed} of {} submissions pass\n\n", verdicts.len());
    page.push_str("| decision | submission | why |\n|---|---|---|\n");
    append(&mut page, &worst_first, row, SUMMARY_BYTES_MAX - DETAILS_BYTES_MAX);
    worst_first.retain(|verdict| verdict.decision != Decision::Pass || !verdict.findings.is_empty());
    append(&mut page, &worst_first, |verdict| section(verdict, context), SUMMARY_BYTES_MAX - FOOT_BYTES_MAX);
    if let Some(verdict) = verdicts.first() {
        let (policy, tool) = (&verdict.policy, &verdict.tool);
        page.push_str(&format!(
            "\nPolicy {} (BLAKE3 `{}`), Assay {}, wasmtime {}.\n",
            plain(&policy.name),
            policy.hash.chars().filter(char::is_ascii_hexdigit).take(16).collect::<String>(),
            plain(&tool.assay),
            plain(&tool.wasmtime)
        ));
    }
    page
}

/// Appends a piece for each verdict while the page stays below `bytes_max`, and says how many did not fit.
fn append(page: &mut String, verdicts: &[&Verdict], render: impl Fn(&Verdict) -> String, bytes_max: usize) {
    for (index, verdict) in verdicts.iter().enumerate() {
        let piece = render(verdict);
        if page.len() + piece.len() > bytes_max {
            page.push_str(&format!("\n… and {}.\n", count(verdicts.len() - index, "more submission")));
            return;
        }
        page.push_str(&piece);
    }
}

fn row(verdict: &Verdict) -> String {
    let (word, name) = (verdict.decision.word(), plain(&verdict.submission.name));
    format!("| {word} | {name} | {} |\n", plain(&verdict.summary))
}

/// What is to be seen of one verdict.
fn section(verdict: &Verdict, context: &Context<'_>) -> String {
    let problems = problems(std::slice::from_ref(verdict), context);
    let mut text = format!("\n### {}: {}\n\n", plain(&verdict.submission.name), verdict.decision.word());
    for problem in problems.iter().take(PROBLEMS_MAX) {
        text.push_str(&item(problem));
    }
    let omitted = problems.len().saturating_sub(PROBLEMS_MAX) as u64 + verdict.findings_omitted;
    if omitted > 0 {
        text.push_str(&format!("- {}\n", left_out(usize::try_from(omitted).unwrap_or(usize::MAX))));
    }
    text
}

fn item(problem: &Problem<'_>) -> String {
    let kind = match (problem.weight, problem.sign_off) {
        (_, Some(sign_off)) => format!("accepted by {}, {}", plain(&sign_off.by), plain(&sign_off.reason)),
        (Weight::Warns, None) => "warning".to_owned(),
        (Weight::Unknown, None) => "unscored".to_owned(),
        (Weight::Refuses | Weight::Fails | Weight::Accepted, None) => "error".to_owned(),
    };
    let line = match problem.spot {
        Spot::Line(line) => format!(", line {line}"),
        Spot::Span(at) => format!(", line {}, column {}", at.start_line, at.start_column),
        Spot::Byte(offset) => format!(", byte {offset}"),
        Spot::Whole => String::new(),
    };
    let (title, file, message) = (plain(&problem.title), plain(&problem.file), plain(&problem.message));
    format!("- **{title}** ({kind}): {message} *{file}{line}*\n")
}

/// Text on one line that stays text, whatever is in it.
fn plain(text: &str) -> String {
    let text = line(text, TEXT_BYTES_MAX.max(problem::NAME_BYTES_MAX));
    let mut safe = String::with_capacity(text.len() + text.len() / 4);
    for character in text.chars() {
        match character {
            ' ' | '-' | ',' | '\'' | '"' | '(' | ')' | '%' | '+' | ';' | '=' | '?' => safe.push(character),
            // Followed by an invisible space they are not a mention, an issue number, an address or a formula.
            '@' | '#' | ':' | '$' | '/' | '.' => reference(&mut safe, character, "&#8203;"),
            character if character.is_ascii_punctuation() => reference(&mut safe, character, ""),
            character => safe.push(character),
        }
    }
    safe
}

/// Appends a character reference, and what follows it.
fn reference(safe: &mut String, character: char, after: &str) {
    // Writing to a string cannot fail.
    let _ = write!(safe, "&#{};{after}", u32::from(character));
}
