//! The verdicts as markdown, for the summary of a job: one table of all submissions, then what is wrong with each that does not pass.
//!
//! Text from verdicts is one run of plain text in a cell or a list item: punctuation that markdown or HTML could read is written as character
//! references, and what GitHub turns into links and mentions on its own is broken up by an invisible space.

use super::problem::{Problem, Spot, Weight, left_out, problems};
use super::text::{count, line};
use super::{Context, problem};
use crate::verdict::{Decision, Verdict};

/// Bytes of a summary. GitHub refuses one of more than a mebibyte for a whole step, and other tools may write to the same one.
pub const SUMMARY_BYTES_MAX: usize = 512 * 1024;
/// Bytes that are kept for the part below the table.
const DETAILS_BYTES_MAX: usize = SUMMARY_BYTES_MAX / 2;
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
    let mut page = format!("## Assay gate: {passed} of {} pass\n\n", count(verdicts.len(), "submission"));
    let head = "| decision | submission | why |\n|---|---|---|\n";
    let rows = worst_first.iter().map(|verdict| row(verdict));
    append(&mut page, head, rows, SUMMARY_BYTES_MAX - DETAILS_BYTES_MAX, "submission");
    let sections = worst_first.iter().filter_map(|verdict| section(verdict, context));
    append(&mut page, "", sections, SUMMARY_BYTES_MAX - TEXT_BYTES_MAX * 20, "submission");
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

/// Appends pieces while the page stays below `bytes_max`, and says how many did not fit.
fn append(page: &mut String, head: &str, pieces: impl Iterator<Item = String>, bytes_max: usize, noun: &str) {
    page.push_str(head);
    let mut omitted = 0;
    for piece in pieces {
        if omitted == 0 && page.len() + piece.len() <= bytes_max {
            page.push_str(&piece);
        } else {
            omitted += 1;
        }
    }
    if omitted > 0 {
        page.push_str(&format!("\n… and {} more.\n", count(omitted, noun)));
    }
}

fn row(verdict: &Verdict) -> String {
    let (word, name) = (verdict.decision.word(), plain(&verdict.submission.name));
    format!("| {word} | {name} | {} |\n", plain(&verdict.summary))
}

/// What is to be seen of one verdict; `None` if there is nothing.
fn section(verdict: &Verdict, context: &Context<'_>) -> Option<String> {
    let problems = problems(std::slice::from_ref(verdict), context);
    if problems.is_empty() {
        return None;
    }
    let mut text = format!("\n### {}: {}\n\n", plain(&verdict.submission.name), verdict.decision.word());
    for problem in problems.iter().take(PROBLEMS_MAX) {
        text.push_str(&item(problem));
    }
    let omitted = problems.len().saturating_sub(PROBLEMS_MAX) as u64 + verdict.findings_omitted;
    if omitted > 0 {
        text.push_str(&format!("- {}\n", left_out(usize::try_from(omitted).unwrap_or(usize::MAX))));
    }
    Some(text)
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
            // Followed by an invisible space they are no mention, number of an issue, address or formula.
            '@' | '#' | ':' | '$' | '/' | '.' => safe.push_str(&format!("&#{};&#8203;", u32::from(character))),
            character if character.is_ascii_punctuation() => safe.push_str(&format!("&#{};", u32::from(character))),
            character => safe.push(character),
        }
    }
    safe
}
