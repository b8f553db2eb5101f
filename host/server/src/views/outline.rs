//! The outline of a trajectory, from its index alone.

use super::records::broken_in;
use super::{Problem, View, indexed};
use crate::id::ItemId;
use crate::library::{Library, What};
use crate::pages::Frame;
use crate::pages::outline::{self as page, Entry, Outline, Point};
use crate::pages::trajectory::ROWS_PER_PAGE;

/// Entries of a page.
const ENTRIES_MAX: usize = 500;
/// Rows that are looked at for one page.
const LOOKED_MAX: u64 = 100_000;
/// Rows that are read at once.
const ROWS_AT_ONCE: u64 = 4_096;

/// The entries from a row on.
pub(crate) fn outline(frame: Frame<'_>, library: &Library, id: &ItemId, from: u64, only: Option<&str>) -> View {
    told(library, id, from, only, |outline| page::page(frame, outline))
}

/// The same, shown as `show` does.
pub(crate) fn told<T>(
    library: &Library,
    id: &ItemId,
    from: u64,
    only: Option<&str>,
    show: impl FnOnce(&Outline<'_>) -> T,
) -> Result<T, Problem> {
    let only = only.and_then(|word| Entry::ALL.into_iter().find(|entry| entry.word() == word));
    let what = library.folder(id.folder).map(|found| found.what);
    let step = match what {
        Some(What::World) => Some(("state", "state")),
        Some(What::Rollout) => Some(("files", "files")),
        _ => None,
    };
    let (file, index) = indexed(library, id)?;
    let (mut entries, mut at): (Vec<Point>, u64) = (Vec::new(), from);
    let end = index.rows().min(from.saturating_add(LOOKED_MAX));
    'rows: while at < end {
        let rows = index.read(at, ROWS_AT_ONCE.min(end - at)).map_err(|error| Problem::of_index(&error))?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            if entries.len() == ENTRIES_MAX {
                break 'rows;
            }
            at = row.number + 1;
            let entry = Entry::of(&row).filter(|entry| only.is_none_or(|only| only == *entry));
            entries.extend(entry.map(|entry| Point { entry, row }));
        }
    }
    let next = (at < index.rows()).then_some(at);
    let total = index.rows();
    let broken = broken_in(&file, &index).map_err(|error| Problem::of_index(&error))?;
    Ok(show(&Outline { id, rows_of_page: ROWS_PER_PAGE, only, entries: &entries, from, next, total, broken, step }))
}
