//! The notice that the hashes of a trajectory do not follow from one another, for every page that shows something of it.

use super::layout::Frame;
use crate::chain::Break;
use crate::id::ItemId;
use crate::place::Place;
use crate::text;
use maud::{Markup, html};

/// That a file is not as it was written.
pub(super) fn notice(frame: Frame<'_>, id: &ItemId, broken: Break) -> Markup {
    if broken.is_end {
        return html! {
            p class="notice" {
                "The file is not as it was written: it ends before the record that its result in " code { "results.jsonl" } " names. Lines were removed from its end; those that are here are as they were written."
            }
        };
    }
    let number = broken.number;
    html! {
        p class="notice" {
            "The file is not as it was written: " (frame.link(&Place::Record(id.clone(), number), &format!("record {}", text::count(number))))
            @if number == 0 { " was changed, or is not the one that was there. Nothing of the file is proven. " }
            @else { " does not follow from the one before. A line was changed, moved, removed or inserted there, and nothing from there on is proven. " }
            code { "assay trace verify" } " says more."
        }
    }
}
