//! The files of a bug-fix episode after a step: the tree, and what was changed, line by line.

use super::compare::difference;
use super::layout::{Frame, Section, layout};
use super::step::{Kind, Step, Told};
use crate::place::{Place, encoded};
use crate::text;
use assay_rollout::files::{Excerpt, FileLine, FileMark, FilesView};
use maud::{Markup, html};
use serde::Serialize;

pub(crate) const FILES: Kind = Kind { path: "files", with: ("tasks", "tasks of the run") };

/// Everything of the page.
#[derive(Serialize)]
pub(crate) struct Shown<'a> {
    #[serde(flatten)]
    pub at: Step<'a>,
    /// The file whose text was asked for.
    pub wanted: Option<&'a str>,
    pub told: Told<FilesView>,
    /// What the episode changed in all, where the files cannot be shown.
    pub patch: Option<String>,
}

pub(crate) fn page(frame: Frame<'_>, shown: &Shown<'_>) -> String {
    let at = &shown.at;
    let body = html! {
        p { (at.around(frame, &Place::Rollout(at.id.folder))) }
        (at.missed())
        (at.proof(frame))
        (at.others("", &[]))
        @match &shown.told {
            Told::View(view) => (files(shown, view)),
            Told::Refused(why) => (at.refused(why)),
            Told::Unknown if at.offers.is_empty() => {
                p class="notice" {
                    "The files at each step can be shown where the tasks of the run are at hand: start " code { "assay serve" }
                    @if !frame.can_start { " without " code { "--read-only" } ", and" } " with " code { "--sources DIR" } " and a folder above them."
                }
            }
            Told::Unknown => { p { "Choose the tasks of the run." } (at.choice()) }
        }
        @if let Some(patch) = &shown.patch {
            h2 { "What the episode changed in all" }
            @if patch.is_empty() { p { "It changed no files." } }
            @else { (lines(patch)) }
        }
    };
    layout(frame, &format!("Files of {} after step {}", at.id.name, at.step), Section::Rollouts, None, &body)
}

fn files(shown: &Shown<'_>, view: &FilesView) -> Markup {
    html! {
        p class="small" { "The steps were made again, and came out as they were recorded." }
        h2 { "Changed in this step" }
        (patch(&view.in_step, "This step changed no files."))
        h2 { "Changed since the beginning" }
        (patch(&view.since_start, "No files have changed yet."))
        @if let Some(wanted) = shown.wanted {
            h2 id="file" { (text::name(wanted)) }
            @match &view.text {
                Some(excerpt) => {
                    (text::block(&excerpt.text))
                    @if excerpt.left_out > 0 { p class="small" { (text::counted(excerpt.left_out, "more byte", "more bytes")) } }
                }
                None => { p { "It is not there after this step, or no text." } }
            }
        }
        h2 { "Files" }
        (tree(shown, view))
    }
}

fn patch(patch: &Result<Excerpt, String>, nothing: &str) -> Markup {
    html! {
        @match patch {
            Ok(excerpt) if excerpt.text.is_empty() => p { (nothing) },
            Ok(excerpt) => {
                (lines(&excerpt.text))
                @if excerpt.left_out > 0 { p class="small" { (text::counted(excerpt.left_out, "more byte", "more bytes")) " of the patch" } }
            }
            Err(why) => p class="notice" { (text::words(why)) },
        }
    }
}

/// A patch. Lines in which git describes files do not count as changes.
fn lines(patch: &str) -> Markup {
    let is_head = |line: &str| line.starts_with("+++ ") || line.starts_with("--- ");
    let shown = patch.lines().map(|line| if is_head(line) { format!(" {line}") } else { line.to_owned() });
    difference(&shown.collect::<Vec<_>>())
}

const fn word(mark: Option<FileMark>) -> &'static str {
    match mark {
        Some(FileMark::Added) => "added",
        Some(FileMark::Changed) => "changed",
        Some(FileMark::Removed) => "removed",
        None => "",
    }
}

fn tree(shown: &Shown<'_>, view: &FilesView) -> Markup {
    let is_there = |line: &FileLine| {
        !matches!((line.since_start, line.in_step), (Some(FileMark::Removed), _) | (_, Some(FileMark::Removed)))
    };
    html! {
        @if view.files.is_empty() { p { "There are no files." } }
        @else {
            div class="scroll" tabindex="0" role="group" aria-label="Files" { table class="state" {
                thead { tr { th scope="col" { "File" } th class="number" scope="col" { "Bytes" } th scope="col" { "In this step" } th scope="col" { "Since the beginning" } } }
                tbody {
                    @for line in &view.files {
                        tr data-row="" class=[line.in_step.map(|mark| word(Some(mark)))] {
                            td { @if is_there(line) { a href=(shown.at.address(shown.at.step, &format!("&file={}#file", encoded(&line.path)))) { (text::name(&line.path)) } } @else { (text::name(&line.path)) } }
                            td class="number" { (text::count(line.bytes)) }
                            td { (word(line.in_step)) }
                            td { (word(line.since_start)) }
                        }
                    }
                }
            } }
            @if view.total > view.files.len() { p class="small" { (text::counted(view.total - view.files.len(), "more file", "more files")) } }
        }
    }
}
