//! The world of an episode after a step: made again by a command if the world is at hand, and otherwise as far as the trajectory tells.
//!
//! Invariants: nothing is written; the command gives a page and never all of a state; of the trajectory, only what steps have changed is read, up to a bound.

use super::step::At;
use super::{Problem, View};
use crate::id::ItemId;
use crate::index::{Index, line_of};
use crate::library::{Library, What};
use crate::pages::Frame;
use crate::pages::state::{self as page, Changed, Known, STATE, Shown};
use crate::pages::step::Told;
use crate::starting::Work;
use crate::words::RowKind;
use assay_rollout::run::RunRecord;
use assay_trace::{MEMORY_BYTES_MAX, weight};
use assay_work::episodes::StateQuestion;
use assay_work::offers::{Kind, Offer};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;

/// Rows of a page.
const ROWS: usize = 50;
/// Places that are remembered of what steps have changed.
const PLACES_MAX: usize = 2_000;
/// Bytes of records that are read for that.
const READ_BYTES_MAX: u64 = 64 << 20;
/// Rows of the index that are looked at at once.
const ROWS_AT_ONCE: u64 = 4_096;
/// Characters of a value.
const VALUE_CHARS_MAX: usize = 400;

/// What the address asks for.
pub(crate) struct Question {
    /// After which step; none for the last.
    pub step: Option<u64>,
    /// The offered world in which the episode ran.
    pub world: Option<String>,
    /// Which part of the state.
    pub part: Option<String>,
    /// The first row of it.
    pub from: u64,
}

/// The page.
pub(crate) fn state(
    frame: Frame<'_>,
    library: &Library,
    work: Option<&Work>,
    id: &ItemId,
    question: &Question,
) -> View {
    told(library, work, id, question, |shown| page::page(frame, shown))
}

/// The same, shown as `show` does.
pub(crate) fn told<T>(
    library: &Library,
    work: Option<&Work>,
    id: &ItemId,
    question: &Question,
    show: impl FnOnce(&Shown<'_>) -> T,
) -> Result<T, Problem> {
    let at = At::find(library, work, id, (&[What::World, What::Damaged], Kind::World), question.step)?;
    let world = at.chosen(question.world.as_deref(), |offers| of_run(library, id, offers));
    let told = match (work, world) {
        (Some(work), Some(world)) => at.made_again(library, work, "the state", |episode| {
            let (world, part, from) = (world.path(), question.part.clone(), question.from);
            StateQuestion { world, episode, step: at.step, part, from, count: ROWS }.words()
        })?,
        _ => Told::Unknown,
    };
    let known = if let Told::View(_) = told { None } else { Some(known(&at.file, &at.index, at.step)?) };
    Ok(show(&Shown { at: at.shown(&STATE, world)?, told, known }))
}

/// The world that has the name of the run's.
fn of_run<'a>(library: &Library, id: &ItemId, offers: &'a [Offer]) -> Option<&'a Offer> {
    let opened = library.folder(id.folder).and_then(|found| found.open().ok());
    let record = opened.and_then(|folder| RunRecord::read_in(&folder).ok());
    let name = record.as_ref().and_then(|record| record.settings.get("world")?.as_str());
    offers.iter().find(|offer| Some(offer.file_name.as_str()) == name)
}

/// A record of what a step changed.
#[derive(Deserialize)]
struct Record {
    #[serde(default)]
    body: Body,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Body {
    changes: Vec<Change>,
    count: u64,
}

#[derive(Deserialize)]
struct Change {
    path: String,
    #[serde(default)]
    before: Option<Value>,
    #[serde(default)]
    after: Option<Value>,
}

/// The places that steps have changed, as the trajectory tells, with the last value of each.
fn known(file: &File, index: &Index, step: u64) -> Result<Known, Problem> {
    let failed = |error: std::io::Error| Problem::unreadable("the trajectory", error);
    let mut places: BTreeMap<String, (u64, Option<String>, Option<String>)> = BTreeMap::new();
    let (mut read, mut from, mut is_cut) = (0_u64, 0, false);
    'rows: while from < index.rows() {
        for row in index.read(from, ROWS_AT_ONCE).map_err(|error| Problem::of_index(&error))? {
            if u64::from(row.step) > step {
                break 'rows;
            }
            if row.kind != RowKind::Event || row.text != "changes" {
                continue;
            }
            read += u64::from(row.bytes);
            if read > READ_BYTES_MAX {
                is_cut = true;
                break 'rows;
            }
            let line = line_of(file, &row, READ_BYTES_MAX).map_err(failed)?;
            if weight(&line) > MEMORY_BYTES_MAX {
                is_cut = true;
                continue;
            }
            let Ok(Record { body }) = serde_json::from_slice::<Record>(&line) else { continue };
            is_cut |= body.count > body.changes.len() as u64;
            for change in body.changes {
                if places.len() >= PLACES_MAX && !places.contains_key(&change.path) {
                    is_cut = true;
                    continue;
                }
                let at = u64::from(row.step);
                places.insert(change.path, (at, change.before.as_ref().map(cell), change.after.as_ref().map(cell)));
            }
        }
        from += ROWS_AT_ONCE;
    }
    let changed = |(path, (step, before, after))| Changed { path, step, before, after };
    Ok(Known { places: places.into_iter().map(changed).collect(), is_cut })
}

fn cell(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(VALUE_CHARS_MAX).collect()
}
