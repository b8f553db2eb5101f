//! The editor: a strategy as text, what the checks say about it, and what became of its last run.

use super::controls::{complaint, field, goals, market, strategies, summaries, token};
use super::jobs::{Shown, panel};
use super::layout::{Frame, Section, Topic, layout};
use crate::starting::Checked;
use crate::text;
use assay_validator::{Finding, Place, Severity};
use assay_work::offers::Offer;
use maud::{Markup, PreEscaped, html};
use serde::Serialize;

/// What is being written, and how it would run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Draft {
    pub name: String,
    pub source: String,
    /// The version that was opened, where it was saved here.
    pub base: String,
    pub market: String,
    pub seeds: String,
    pub goal: String,
    /// What to compare it with; empty for a trader that does nothing.
    pub baseline: String,
}

/// What the editor shows beside the draft.
#[derive(Default)]
pub(crate) struct Beside<'a> {
    pub offers: &'a [Offer],
    pub checked: Option<&'a Checked>,
    pub job: Option<&'a Shown>,
    pub trouble: Option<&'a str>,
    pub news: Option<&'a str>,
    pub topic: Option<Topic>,
}

pub(crate) fn page(frame: Frame<'_>, draft: &Draft, beside: &Beside<'_>) -> String {
    let form = frame.form.unwrap_or_default();
    let (source, hidden) = text::editable(&draft.source);
    let body = html! {
        (complaint(beside.trouble))
        @if let Some(news) = beside.news { p class="small" role="status" { (text::words(news)) } }
        @if hidden > 0 {
            p class="notice" { (text::counted(hidden, "character that cannot be seen is", "characters that cannot be seen are")) " written out below as \\u{…}. Saving or running this takes the text as you see it." }
        }
        form class="filter" method="get" action="/edit" {
            (strategies("open", "strategy", Some("a new one in Rust"), beside.offers, ""))
            button { "Open" }
            a href="/edit?language=python" { "A new one in Python" }
        }
        form id="edit" method="post" action="/edit/check" data-check="/edit/check" {
            (token(form))
            input type="hidden" name="base" value=(draft.base);
            div class="filter" { (field("name", "name, with .rs or .py", &draft.name, "")) }
            label class="quiet" for="source" { "source" }
            div class="editor" {
                div id="gutter" aria-hidden="true" {}
                textarea id="source" name="source" rows="26" wrap="off" spellcheck="false" autocomplete="off" autocapitalize="off" aria-describedby="findings" {
                    // The line feed after the tag is not part of the text.
                    (PreEscaped("\n")) (source)
                }
            }
            p class="buttons" { button { "Check" } " " button formaction="/edit/save" { "Save" } }
            section id="findings" data-part="" aria-live="polite" { @if let Some(checked) = beside.checked { (findings(checked)) } }
            h2 { "Run" }
            div class="filter" {
                (market(beside.offers, &draft.market))
                (field("seeds", "seeds", &draft.seeds, ""))
                (goals(&draft.goal))
                (strategies("baseline", "compare with", Some("a trader that does nothing"), beside.offers, &draft.baseline))
                button formaction="/edit/run" { "Run" }
            }
            (summaries())
        }
        section id="job" data-part="" { @if let Some(job) = beside.job { (panel(frame, job)) } }
    };
    layout(frame, "Write a strategy", Section::Edit, beside.topic.as_ref(), &body)
}

/// What the checks say. The script marks the lines that it names.
pub(crate) fn findings(checked: &Checked) -> Markup {
    let Checked { findings, has_passed } = checked;
    html! {
        p class={ "verdict " (if *has_passed { "good" } else { "bad" }) } {
            @if *has_passed { "It passes." } @else { "It would be refused." }
            @if !findings.is_empty() { " " (text::counted(findings.count(), "finding", "findings")) "." }
        }
        @for finding in findings { (one(finding)) }
        @if findings.omitted() > 0 { p class="small" { (text::counted(findings.omitted(), "more finding was", "more findings were")) " counted but not kept" } }
    }
}

fn one(finding: &Finding) -> Markup {
    let is_error = finding.severity == Severity::Error;
    let place = match &finding.place {
        Place::Source { start, excerpt, .. } => Some((start, excerpt)),
        _ => None,
    };
    html! {
        div class={ "finding" (if is_error { " error" } else { "" }) } data-line=[place.map(|(start, _)| start.line)] data-column=[place.map(|(start, _)| start.column)] {
            p {
                strong { (finding.code.id()) } " "
                @if let Some((start, _)) = place { a href="#source" { "line " (start.line) ", column " (start.column) } }
            }
            p { (assay_report::visible(&finding.message, 1_000)) }
            @if let Some((_, excerpt)) = place {
                pre {
                    @for (number, line) in excerpt.text.lines().enumerate() { (excerpt.first_line as usize + number) "  " (assay_report::visible(line, 400)) "\n" }
                }
            }
            p class="small" { (assay_report::visible(&finding.hint, 1_000)) }
        }
    }
}
