//! A trajectory: a page of rows, each a record in short. Bodies are pages of their own, which the script puts beneath their rows.

use super::broken;
use super::layout::{Frame, Section, Topic, layout};
use super::outline;
use crate::chain::Break;
use crate::id::ItemId;
use crate::index::{Reach, Row};
use crate::place::Place;
use crate::text;
use crate::words::RowKind;
use maud::{Markup, html};
use serde::Serialize;

/// Rows of one page.
pub(crate) const ROWS_PER_PAGE: u64 = 1_000;
/// Links to pages on either side of the present one.
const NEAR: u64 = 3;

/// The part of a trajectory that was asked for.
#[derive(Serialize)]
pub(crate) struct Part<'a> {
    pub id: &'a ItemId,
    /// The page of its folder.
    #[serde(skip)]
    pub back: &'a Place,
    pub rows: &'a [Row],
    pub from: u64,
    pub total: u64,
    /// Bytes after the last whole line.
    pub rest: u64,
    pub reach: Reach,
    /// The first record that does not follow from the one before, among all that were looked at.
    pub broken: Option<Break>,
    /// What was searched for, and where it was found.
    pub search: Option<&'a Hits>,
    #[serde(skip)]
    pub topic: Topic,
}

/// Where a text was found.
#[derive(Default, Debug, Serialize)]
pub(crate) struct Hits {
    pub text: String,
    pub records: Vec<u64>,
    /// Whether the search ended before the file did.
    pub is_cut: bool,
    /// The number of a line that is too long to be a record, where the search ended at one.
    pub too_long: Option<u64>,
    /// The first record that is not as it was written.
    pub broken: Option<Break>,
}

pub(crate) fn page(frame: Frame<'_>, part: &Part<'_>, bodies: &[Markup]) -> String {
    let path = format!("/t/{}", part.id);
    let body = html! {
        p {
            (frame.link(part.back, "All trajectories of this folder"))
            @if frame.is_served() {
                " · " a href={ (path) "/outline" } { "Outline" }
                @match part.back {
                    Place::World(_) => { " · " a href={ (path) "/state" } { "State of the world at a step" } }
                    Place::Rollout(_) => { " · " a href={ (path) "/files" } { "Files at a step" } }
                    _ => {}
                }
                " · " a href={ (path) "/compare" } { "Compare with another one" }
            }
            @if frame.can_start && matches!(part.back, Place::World(_)) { " · " a href={ "/worlds/fork?episode=" (part.id) } { "Fork it from a step" } }
        }
        @if frame.is_served() {
            form class="filter" method="get" action=(path) role="search" {
                label { "text" input id="search" name="q" maxlength="200" value=(text::name(part.search.map_or("", |hits| hits.text.as_str()))); }
                button { "Search" }
            }
        }
        @if let Some(at) = part.broken { (broken::notice(frame, part.id, at)) }
        @if let Some(hits) = part.search { (found(part.id, hits)) }
        p class="small" {
            (text::counted(part.total, "record", "records"))
            @if part.total > 0 { "; " (text::count(part.from)) " to " (text::count(part.from + part.rows.len() as u64 - u64::from(!part.rows.is_empty()))) " are here" }
            @if part.rest > 0 && part.reach == Reach::Whole { "; the last " (text::count(part.rest)) " bytes are not a whole record: one is being written, or was cut off" }
        }
        (outline::beside(part.rows))
        @if let Some(words) = unfinished(part) { p class="notice" { (words) } }
        @if part.rows.is_empty() && part.reach == Reach::Whole && part.broken.is_none() { p { "No record is here yet. The page shows the first as soon as it is written." } }
        ol class="rows" id="rows" start=(part.from) data-path=(path) data-total=(part.total) {
            @for (place, row) in part.rows.iter().enumerate() { (item(frame, part.id, row, bodies.get(place))) }
        }
        @if frame.is_served() { (pages(part)) }
    };
    layout(frame, part.id.name.as_str(), Section::Rollouts, Some(&part.topic), &body)
}

/// Why records of the file are not in the list.
fn unfinished(part: &Part<'_>) -> Option<String> {
    let rest = text::count(part.rest);
    match part.reach {
        Reach::Whole => None,
        Reach::Behind => {
            Some(format!("The file is still being indexed: {rest} bytes are left. Reload the page to go on."))
        }
        Reach::Full => {
            Some(format!("The list ends here: it holds no more records. {rest} bytes of the file are not in it."))
        }
        Reach::LongLine => Some(format!(
            "The list ends here: the next line is longer than 64 MiB. {rest} bytes of the file are not in it."
        )),
    }
}

/// Rows alone, to be put beneath those that a page has.
pub(crate) fn rows(frame: Frame<'_>, id: &ItemId, rows: &[Row]) -> String {
    html! { @for row in rows { (item(frame, id, row, None)) } }.into_string()
}

fn item(frame: Frame<'_>, id: &ItemId, row: &Row, body: Option<&Markup>) -> Markup {
    let marked = if row.is_marked { " marked" } else { "" };
    let text = if row.kind == RowKind::Metadata && row.text.is_empty() { "trajectory" } else { &row.text };
    html! {
        li id=(row.number) class={ (row.kind.word()) (marked) } data-row="" {
            a href=(frame.links.to(&Place::Record(id.clone(), row.number))) {
                span class="n" { (row.number) }
                span class="kind" { (row.kind.word()) }
                span class="line" { (text::name(text)) }
                span class="n" title="step" { (row.step) }
            }
            @if let Some(body) = body { details { summary { "Record" } div class="record" { (body) } } }
        }
    }
}

fn found(id: &ItemId, hits: &Hits) -> Markup {
    html! {
        p {
            @if hits.records.is_empty() { "Nothing found. The search is case-sensitive." }
            @else {
                (text::counted(hits.records.len(), "record", "records")) " found: "
                @for number in &hits.records { a href={ "/t/" (id) "/record/" (number) } { (number) } " " }
            }
            @if hits.is_cut { " The search ended before the file did." }
            @if let Some(number) = hits.too_long { " Line " (number) ", counted from 0, is longer than 64 MiB: it was not searched, nor what follows it." }
        }
    }
}

/// Links to other pages of the trajectory: the first, those near, the last.
fn pages(part: &Part<'_>) -> Markup {
    let last = part.total.saturating_sub(1) / ROWS_PER_PAGE;
    let here = part.from / ROWS_PER_PAGE;
    let mut shown: Vec<u64> = (here.saturating_sub(NEAR)..=(here + NEAR).min(last)).chain([0, last]).collect();
    shown.sort_unstable();
    shown.dedup();
    html! {
        @if last > 0 {
            nav aria-label="Pages of the trajectory" {
                @for page in shown {
                    a href=(format!("/t/{}?from={}", part.id, page * ROWS_PER_PAGE)) aria-current=[(page == here).then_some("page")] { (text::count(page * ROWS_PER_PAGE)) }
                }
            }
        }
    }
}
