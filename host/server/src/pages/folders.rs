//! Folders of results as a table.

use super::layout::Frame;
use crate::library::{Found, What};
use crate::place::Place;
use crate::text;
use maud::{Markup, html};
use std::time::{SystemTime, UNIX_EPOCH};

/// Folders that are listed.
const FOLDERS_MAX: usize = 200;

/// Folders of results, each with a link to its page.
pub(crate) fn folders<'a>(frame: Frame<'_>, found: impl Iterator<Item = &'a Found>) -> Markup {
    let found: Vec<&Found> = found.collect();
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Table" {
            table {
                thead { tr { th scope="col" { "Folder" } th scope="col" { "What" } th scope="col" { "Changed (UTC)" } } }
                tbody {
                    @for found in found.iter().take(FOLDERS_MAX) {
                        tr data-row="" {
                            td class="id" { (frame.link(&place(found), &text::name(&found.name))) }
                            td class=[found.damage.as_ref().map(|_| "prose")] { @if found.damage.is_some() && found.what != What::Damaged { "damaged: " } (word(found.what)) @if let Some(why) = &found.damage { span class="sd" { (text::words(why)) } } }
                            td class="short" { (text::moment(milliseconds(found.modified))) }
                        }
                    }
                }
            }
        }
        @if found.len() > FOLDERS_MAX { p class="small" { (text::counted(found.len() - FOLDERS_MAX, "more folder", "more folders")) } }
    }
}

/// The page of a folder of results.
pub(crate) fn place(found: &Found) -> Place {
    match found.what {
        What::Report | What::Markets => Place::Report(found.id),
        What::Arena => Place::Arena(found.id),
        What::Rollout | What::Trajectories | What::Damaged => Place::Rollout(found.id),
        What::World => Place::World(found.id),
        What::Refinement => Place::Refinement(found.id),
        What::Batch => Place::Batch(found.id),
    }
}

const fn word(what: What) -> &'static str {
    match what {
        What::Report => "report",
        What::Markets => "report over several markets",
        What::Arena => "arena",
        What::Rollout => "rollout",
        What::World => "run in a world",
        What::Refinement => "refinement",
        What::Batch => "verdicts",
        What::Trajectories => "trajectories",
        What::Damaged => "damaged: rollout, or run in a world",
    }
}

/// A time of a file, in milliseconds since 1970.
pub(crate) fn milliseconds(at: SystemTime) -> i64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
