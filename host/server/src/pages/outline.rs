//! The outline of a trajectory: its steps, tools, tests and errors, to jump to.
//!
//! Invariants: an entry comes from a row of the index, so no record is read for it; nothing of it is decided by what a guest wrote but the words.

use super::layout::{Frame, Section, layout};
use crate::chain::Break;
use crate::id::ItemId;
use crate::index::Row;
use crate::place::Place;
use crate::text;
use crate::words::RowKind;
use maud::{Markup, html};
use serde::Serialize;

/// Entries of the outline beside the rows of a page.
const BESIDE_MAX: usize = 200;
/// Characters of an entry's words.
const WORDS_CHARS_MAX: usize = 100;

/// What an entry leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    /// A move of the agent, which begins a step.
    Step,
    /// A tool, or code, that ran.
    Tool,
    /// Tests that ran on the way.
    #[serde(rename = "tests")]
    Test,
    /// An error, a flag, a limit, or a line that is not a record.
    Error,
    /// What it was worth.
    Score,
}

impl Entry {
    pub(crate) const ALL: [Self; 5] = [Self::Step, Self::Tool, Self::Test, Self::Error, Self::Score];

    /// Its name in addresses, and in front of an entry.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Tool => "tool",
            Self::Test => "tests",
            Self::Error => "error",
            Self::Score => "score",
        }
    }

    const fn words_of_all(self) -> &'static str {
        match self {
            Self::Step => "steps",
            Self::Tool => "tools",
            Self::Test => "tests",
            Self::Error => "errors",
            Self::Score => "scores",
        }
    }

    /// What a row is in the outline, if anything.
    pub(crate) fn of(row: &Row) -> Option<Self> {
        let ran = |text: &str| text.starts_with("tool_run") || text.starts_with("code_cell");
        match row.kind {
            RowKind::Assistant => Some(Self::Step),
            RowKind::Score => Some(Self::Score),
            _ if row.is_marked => Some(Self::Error),
            RowKind::Event if row.text.starts_with("tool_run") && row.text.contains("run_tests") => Some(Self::Test),
            RowKind::Event if ran(&row.text) => Some(Self::Tool),
            _ => None,
        }
    }
}

/// An entry, and the row that it leads to.
#[derive(Serialize)]
pub(crate) struct Point {
    pub entry: Entry,
    #[serde(flatten)]
    pub row: Row,
}

/// A part of the outline, as a page of its own.
#[derive(Serialize)]
pub(crate) struct Outline<'a> {
    pub id: &'a ItemId,
    /// Rows of a page of the trajectory, to which entries lead.
    #[serde(skip)]
    pub rows_of_page: u64,
    /// The entries that are wanted; all where there are none.
    pub only: Option<Entry>,
    pub entries: &'a [Point],
    /// The first row that was looked at, and where the next part begins, if there is one.
    pub from: u64,
    pub next: Option<u64>,
    pub total: u64,
    /// The first record that is not as it was written.
    pub broken: Option<Break>,
    /// Where the state, or the files, after a step are shown.
    #[serde(skip)]
    pub step: Option<(&'static str, &'static str)>,
}

/// Words of an entry, without the name of the event that its kind says already.
fn words(row: &Row) -> String {
    let text = ["tool_run · ", "code_cell · "].iter().find_map(|name| row.text.strip_prefix(name)).unwrap_or(&row.text);
    let shown: String = text.chars().take(WORDS_CHARS_MAX).collect();
    text::name(&shown)
}

/// The entries of a page of rows, to be put above them. They lead to places of the same page.
pub(crate) fn beside(rows: &[Row]) -> Markup {
    let entries: Vec<(Entry, &Row)> = rows.iter().filter_map(|row| Some((Entry::of(row)?, row))).collect();
    html! {
        @if !entries.is_empty() {
            details class="outline" {
                summary { "Outline: " (counts(entries.iter().map(|(entry, _)| *entry))) }
                ol class="plain" {
                    @for (entry, row) in entries.iter().take(BESIDE_MAX) {
                        li class=(entry.word()) { a href={ "#" (row.number) } { (label(*entry, row)) } }
                    }
                }
                @if entries.len() > BESIDE_MAX { p class="small" { (text::counted(entries.len() - BESIDE_MAX, "more", "more")) } }
            }
        }
    }
}

fn label(entry: Entry, row: &Row) -> Markup {
    html! {
        span class="kind" { (entry.word()) @if entry == Entry::Step { " " (row.step) } } " " span class="line" { (words(row)) }
    }
}

/// How many there are of each.
fn counts(entries: impl Iterator<Item = Entry>) -> String {
    let all: Vec<Entry> = entries.collect();
    let count = |entry: Entry| all.iter().filter(|one| **one == entry).count();
    let named = |entry: Entry| {
        let word = if entry == Entry::Test { "runs of tests" } else { entry.words_of_all() };
        let one = if entry == Entry::Test { "run of tests" } else { entry.word() };
        text::counted(count(entry), one, word)
    };
    let parts: Vec<String> = Entry::ALL.into_iter().filter(|entry| count(*entry) > 0).map(named).collect();
    parts.join(", ")
}

pub(crate) fn page(frame: Frame<'_>, outline: &Outline<'_>) -> String {
    let Outline { id, rows_of_page, only, entries, from, next, total, broken, step } = outline;
    let path = format!("/t/{id}/outline");
    let address = |only: Option<Entry>, from: u64| {
        let only = only.map(|only| format!("&only={}", only.word())).unwrap_or_default();
        format!("{path}?from={from}{only}")
    };
    let row_of = |row: &Row| format!("/t/{id}?from={}#{}", row.number - row.number % rows_of_page, row.number);
    let body = html! {
        p { (frame.link(&Place::Trajectory((*id).clone(), 0), "All records")) }
        @if let Some(at) = broken { (super::broken::notice(frame, id, *at)) }
        nav aria-label="What the outline shows" {
            a href=(address(None, 0)) aria-current=[only.is_none().then_some("true")] { "all" }
            @for entry in Entry::ALL {
                a href=(address(Some(entry), 0)) aria-current=[(*only == Some(entry)).then_some("true")] { (entry.words_of_all()) }
            }
        }
        @if entries.is_empty() {
            p { @if *total == 0 { "No record is here yet." } @else { "Nothing of this kind is among the records that were looked at." } }
        } @else {
            ol class="outline plain" {
                @for Point { entry, row } in *entries {
                    li class=(entry.word()) data-row="" {
                        a href=(row_of(row)) { (label(*entry, row)) }
                        @if let Some((part, words)) = step.filter(|_| *entry == Entry::Step) {
                            " " a class="small" href={ "/t/" (id) "/" (part) "?step=" (row.step) } { (words) span class="away" { " after step " (row.step) } }
                        }
                    }
                }
            }
        }
        @if *from > 0 || next.is_some() {
            nav aria-label="Parts of the outline" {
                @if *from > 0 { a href=(address(*only, 0)) { "Beginning" } }
                @if let Some(next) = next { a rel="next" href=(address(*only, *next)) { "Go on from record " (text::count(*next)) " of " (text::count(*total)) } }
            }
        }
    };
    layout(frame, &format!("Outline of {}", id.name), Section::Rollouts, None, &body)
}
