//! The page as a whole: head, navigation, sections, style.

use crate::format::{counted, visible};
use crate::sections::Manner;
use crate::{replay, result, score, sections};
use assay_evaluate::RunRecord;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// No script, no network, no forms; styles are in the page.
pub(crate) const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/// Characters shown of a file or scenario name.
const NAME_CHARS_MAX: usize = 120;
/// The style of every page, for whoever shows a [`body`] elsewhere.
pub const STYLE: &str = include_str!("style.css");
/// Sections by id and title, in order.
const SECTIONS: [(&str, &str); 10] = [
    ("result", "Result"),
    ("score", "Score"),
    ("charts", "Charts"),
    ("measures", "All measures"),
    ("seeds", "Seeds"),
    ("resources", "Resources"),
    ("findings", "Findings"),
    ("log", "Log"),
    ("source", "Source"),
    ("reproduce", "Reproduce"),
];

/// The page of a run as one self-contained HTML document.
#[must_use]
pub fn render(record: &RunRecord) -> String {
    let file = visible(&record.strategy.file_name, NAME_CHARS_MAX);
    let scenario = visible(&record.scenario.name, NAME_CHARS_MAX);
    let (_, verdict) = result::verdict(record);
    let replay = replay::replay(record);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "Assay " (record.tool.assay) };
                title { (file) " on " (scenario) ": " (verdict) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p class="brand" { "Assay" }
                    h1 { (file) }
                    p { "on " strong { (scenario) } ", " (counted(record.seeds.len(), "seed", "seeds")) }
                    (navigation(replay.is_some()))
                }
                main { (content(record, replay.as_ref(), Manner::default())) }
                footer { p { "The same data as JSON: run.json, next to this page." } }
            }
        }
    };
    page.into_string()
}

/// Navigation and sections of that page alone, for a page around them that has [`STYLE`].
#[must_use]
pub fn body(record: &RunRecord) -> String {
    let replay = replay::replay(record);
    html! { (navigation(replay.is_some())) (content(record, replay.as_ref(), Manner::default())) }.into_string()
}

/// The same for a server that draws any window of the charts.
#[must_use]
pub fn body_served(record: &RunRecord, manner: Manner<'_>) -> String {
    let replay = replay::replay(record);
    html! { (navigation(replay.is_some())) (content(record, replay.as_ref(), manner)) }.into_string()
}

/// The section of charts alone.
#[must_use]
pub fn charts_section(record: &RunRecord, manner: Manner<'_>) -> String {
    sections::course(record, manner).into_string()
}

fn navigation(has_replay: bool) -> Markup {
    html! {
        nav aria-label="Sections" {
            @for (id, title) in SECTIONS { a href={ "#" (id) } { (title) } }
            @if has_replay { a href="#replay" { "Recorded market" } }
        }
    }
}

fn content(record: &RunRecord, replay: Option<&Markup>, manner: Manner<'_>) -> Markup {
    html! {
        (result::result(record))
        (score::score(record))
        (sections::course(record, manner))
        (result::measures(record))
        @if let Some(replay) = replay { (replay) }
        (sections::seeds(record))
        (sections::resources(record))
        (sections::findings(record))
        (sections::log(record))
        (sections::source(record))
        (sections::reproduce(record))
    }
}
