//! The state of a world after a step: its parts, and rows, documents, files or letters of one of them, with what the step changed.

use super::compare::difference;
use super::layout::{Frame, Section, layout};
use super::step::{Kind, Step, Told};
use crate::place::{Place, encoded};
use crate::text;
use assay_worlds::view::{FileView, Line, Mark, Page, PartHead, View};
use maud::{Markup, html};
use serde::Serialize;

/// Characters of a value; the command has cut it already.
const CELL_CHARS_MAX: usize = 1_100;

pub(crate) const STATE: Kind = Kind { path: "state", with: ("world", "its world") };

/// A place that a step has changed, with the value before and after that step.
#[derive(Serialize)]
pub(crate) struct Changed {
    pub path: String,
    pub step: u64,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// What the trajectory alone tells of it.
#[derive(Serialize)]
pub(crate) struct Known {
    /// By path.
    pub places: Vec<Changed>,
    /// Whether there is more.
    pub is_cut: bool,
}

/// Everything of the page.
#[derive(Serialize)]
pub(crate) struct Shown<'a> {
    #[serde(flatten)]
    pub at: Step<'a>,
    pub told: Told<View>,
    /// What is shown where the state cannot be.
    pub known: Option<Known>,
}

impl Shown<'_> {
    fn address(&self, part: &str, from: u64) -> String {
        let rows = if from > 0 { format!("&from={from}") } else { String::new() };
        self.at.address(self.at.step, &format!("&part={}{rows}", encoded(part)))
    }

    fn part(&self) -> Option<&str> {
        let Told::View(view) = &self.told else { return None };
        view.page.as_ref().map(|page| page.path.as_str())
    }
}

pub(crate) fn page(frame: Frame<'_>, shown: &Shown<'_>) -> String {
    let (at, part) = (&shown.at, shown.part());
    let more = part.map(|part| format!("&part={}", encoded(part))).unwrap_or_default();
    let kept: Vec<(&str, String)> = part.map(|part| ("part", text::whole(part))).into_iter().collect();
    let body = html! {
        p {
            (at.around(frame, &Place::World(at.id.folder)))
            @if frame.can_start && at.step < at.steps {
                " · " a href=(fork(at)) { "Fork from here" }
            }
        }
        (at.missed())
        (at.proof(frame))
        (at.others(&more, &kept))
        @match &shown.told {
            Told::View(view) => (state(shown, view)),
            Told::Refused(why) => (at.refused(why)),
            Told::Unknown => (unknown(frame, at)),
        }
        @if let Some(known) = &shown.known { (changed(known, at.step)) }
    };
    layout(frame, &format!("{} after step {}", at.id.name, at.step), Section::Worlds, None, &body)
}

fn fork(at: &Step<'_>) -> String {
    let world = at.chosen.as_deref().map(|world| format!("&world={world}")).unwrap_or_default();
    format!("/worlds/fork?episode={}&step={}{world}", at.id, at.step)
}

fn unknown(frame: Frame<'_>, at: &Step<'_>) -> Markup {
    html! {
        @if at.offers.is_empty() {
            p class="notice" {
                "The whole state can be shown where the world is at hand: start " code { "assay serve" }
                @if frame.can_start { " with " } @else { " without " code { "--read-only" } ", and with " }
                code { "--sources DIR" } " and a folder above it. The same on the command line: "
                code { "assay worlds state DIR EPISODE@" (at.step) } "."
            }
        } @else { p { "Choose the world in which the episode ran." } (at.choice()) }
    }
}

fn state(shown: &Shown<'_>, view: &View) -> Markup {
    html! {
        p class="small" {
            "World time " (text::moment(i64::try_from(view.now_ns / 1_000_000).unwrap_or(i64::MAX))) " UTC, state " code { (text::name(view.root.get(..16).unwrap_or_default())) }
            ". The steps were made again, and left the state that was recorded."
        }
        @if let Some(page) = &view.page { (rows(shown, page)) }
        @if let Some(file) = &view.file { (content(file)) }
        h2 id="parts" { "Parts" }
        @if view.parts.is_empty() { p { "The world holds nothing." } }
        @else { (parts(shown, view)) }
        @if view.parts_left_out > 0 { p class="small" { (text::counted(view.parts_left_out, "more part", "more parts")) " can be named in the address: " code { "&part=documents/COLLECTION" } } }
    }
}

/// What the step changed, then the rest.
fn changed_first(parts: &[PartHead]) -> impl Iterator<Item = &PartHead> {
    let changed = parts.iter().filter(|head| head.changed > 0);
    changed.chain(parts.iter().filter(|head| head.changed == 0))
}

fn parts(shown: &Shown<'_>, view: &View) -> Markup {
    let of = |head: &PartHead| match head.path.split('/').next() {
        Some("databases") => "table",
        Some("documents") => "documents",
        Some("mail") => "mail",
        _ => "files",
    };
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Parts of the state" { table {
            thead { tr { th scope="col" { "Part" } th scope="col" { "What" } th class="number" scope="col" { "Entries" } th class="number" scope="col" { "Changed in this step" } } }
            tbody {
                @for head in changed_first(&view.parts) {
                    tr data-row="" class=[(head.changed > 0).then_some("changed")] {
                        td { a href=(shown.address(&head.path, 0)) { (text::name(&head.path)) } }
                        td { (of(head)) }
                        td class="number" { (text::count(head.entries)) }
                        td class="number" { @if head.changed > 0 { strong { (text::count(head.changed)) } } @else { "0" } }
                    }
                }
            }
        } }
    }
}

const fn word(mark: Option<Mark>) -> &'static str {
    match mark {
        Some(Mark::Added) => "added",
        Some(Mark::Changed) => "changed",
        Some(Mark::Removed) => "removed",
        None => "",
    }
}

fn rows(shown: &Shown<'_>, page: &Page) -> Markup {
    let files = page.path == "files";
    let more = |line: &Line| -> Option<String> {
        let path = line.cells.first().filter(|_| files)?;
        Some(shown.address(&format!("files/{path}"), 0))
    };
    html! {
        h2 { (text::name(&page.path)) }
        p class="small" {
            (text::counted(page.total, "entry", "entries"))
            @if !page.lines.is_empty() { "; " (text::count(page.from + 1)) " to " (text::count(page.from + page.lines.len() as u64)) " are here" }
            ". Marked is what this step added, changed or removed."
        }
        div class="scroll" tabindex="0" role="group" aria-label="Entries" { table class="state" {
            thead { tr { th scope="col" { "Change" } @for column in &page.columns { th scope="col" { (text::name(column)) } } } }
            tbody {
                @for line in page.removed.iter().chain(&page.lines) {
                    tr data-row="" class=[line.mark.map(|mark| word(Some(mark)))] {
                        td { (word(line.mark)) }
                        @for (place, cell) in line.cells.iter().enumerate() {
                            td {
                                @match more(line).filter(|_| place == 0) {
                                    Some(address) => a href=(address) { (shown_cell(cell)) },
                                    None => (shown_cell(cell)),
                                }
                                @if let Some(before) = line.before.get(place).filter(|before| *before != cell) {
                                    br; span class="small" { "was " (shown_cell(before)) }
                                }
                            }
                        }
                    }
                }
            }
        } }
        nav aria-label="Pages of the part" {
            @if page.from > 0 { a href=(shown.address(&page.path, 0)) { "First rows" } }
            @if let Some(next) = page.next { a rel="next" href=(shown.address(&page.path, next)) { "More rows" } }
            a href="#parts" { "Other parts" }
        }
    }
}

fn shown_cell(cell: &str) -> String {
    assay_report::visible(cell, CELL_CHARS_MAX)
}

fn content(file: &FileView) -> Markup {
    let changes =
        file.text.as_ref().zip(file.before.as_ref()).and_then(|(now, before)| crate::lines::changes(before, now));
    html! {
        h2 { (text::name(&file.path)) }
        p class="small" {
            @match file.bytes { Some(bytes) => { (text::counted(bytes, "byte", "bytes")) } None => "This step has removed the file." }
            @if file.is_new { ". This step has made it." }
        }
        @if let Some(lines) = changes.filter(|lines| !lines.is_empty()) {
            p class="small" { "Changed in this step: lines with " code { "+" } " are new, those with " code { "−" } " are gone." }
            (difference(&lines))
        }
        @match &file.text {
            Some(content) => (text::block(content)),
            None => { @if file.bytes.is_some() { p { "It is not text." } } }
        }
    }
}

/// What the trajectory tells of the state, where it cannot be made again.
fn changed(known: &Known, step: u64) -> Markup {
    html! {
        h2 { "What has changed until here" }
        p class="small" { "From the records of the steps: each place that was changed, with its last value. Marked is what step " (step) " changed." }
        @if known.places.is_empty() { p { "No step has changed anything yet." } }
        @else {
            div class="scroll" tabindex="0" role="group" aria-label="Changed places" { table class="state" {
                thead { tr { th scope="col" { "Change" } th scope="col" { "Where" } th scope="col" { "Value" } th scope="col" { "Before" } th class="number" scope="col" { "Step" } } }
                tbody {
                    @for Changed { path, step: at, before, after } in &known.places {
                        @let mark = match (before, after) { (None, _) => Mark::Added, (_, None) => Mark::Removed, _ => Mark::Changed };
                        tr data-row="" class=[(*at == step).then_some(word(Some(mark)))] {
                            td { (word(Some(mark))) }
                            td { (text::name(path)) }
                            td { (shown_cell(after.as_deref().unwrap_or_default())) }
                            td { (shown_cell(before.as_deref().unwrap_or_default())) }
                            td class="number" { (at) }
                        }
                    }
                }
            } }
        }
        @if known.is_cut { p class="small" { "There is more: a record names at most 100 changes of a step, and this list 2,000 places." } }
    }
}
