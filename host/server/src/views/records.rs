//! Records of a trajectory: a part of them, one of them, those in which a text stands, and its scores.

use super::{FILE_BYTES_MAX, Problem, View, indexed};
use crate::chain::Break;
use crate::id::ItemId;
use crate::index::{Index, IndexError, Reach, Row, line_of};
use crate::library::{Library, What};
use crate::pages::record::{self, BODY_BYTES, BODY_BYTES_MAX};
use crate::pages::trajectory::{self, Hits, Part, ROWS_PER_PAGE};
use crate::pages::{Frame, Topic};
use crate::place::Place;
use crate::topic::TopicId;
use crate::words::RowKind;
use assay_trace::{Digest, SEAL_BYTES, follow, stated_hash};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Records that a search names.
const HITS_MAX: usize = 200;
/// Rows that a search looks at, a page of rows at a time.
const SEARCHED_BYTES_MAX: u64 = 1 << 30;
/// Rows at the end of a trajectory among which its scores are looked for, and how many of these are told.
const SCORES_AMONG: u64 = 100_000;
const SCORES_MAX: usize = 20;
/// Rows that are read at once for that.
const ROWS_AT_ONCE: u64 = 4_096;
/// Bytes of lines that are checked again when they are looked at.
const AGAIN_BYTES_MAX: u64 = 64 << 20;

/// Part of a trajectory, shown as `show` does: the rows from one on, and how many, that `wanted` chooses once it knows how many there are.
pub(crate) fn part<T>(
    library: &Library,
    id: &ItemId,
    wanted: impl FnOnce(u64) -> (u64, u64),
    search: Option<&str>,
    show: impl FnOnce(&File, &Part<'_>) -> T,
) -> Result<T, Problem> {
    let (file, index) = indexed(library, id)?;
    let total = index.rows();
    let (from, count) = wanted(total);
    let rows = index.read(from, count).map_err(|error| Problem::of_index(&error))?;
    let again = broken_among(&file, &rows).map_err(|error| Problem::of_index(&IndexError::from(error)))?;
    let found = search.filter(|text| !text.is_empty()).map(|text| find(&file, &index, text));
    let hits = found.transpose().map_err(|error| Problem::of_index(&error))?;
    let folder = library.folder(id.folder).map(|found| found.what);
    let back = if folder == Some(What::World) { Place::World(id.folder) } else { Place::Rollout(id.folder) };
    let part = Part {
        id,
        back: &back,
        rows: &rows,
        from,
        total,
        rest: index.rest,
        reach: index.reach,
        broken: index
            .broken()
            .into_iter()
            .chain(again.map(Break::at))
            .chain(hits.as_ref().and_then(|hits| hits.broken))
            .min(),
        search: hits.as_ref(),
        topic: Topic { name: TopicId::Trajectory(id.clone()).to_string(), after: total },
    };
    Ok(show(&file, &part))
}

/// The first of these rows, which follow each other, whose line as it is now does not follow from the one before. The index has looked at all lines, and they
/// may have been changed since.
fn broken_among(trajectory: &File, rows: &[Row]) -> io::Result<Option<u64>> {
    let Some(first) = rows.first() else { return Ok(None) };
    let Some(mut before) = hash_before(trajectory, first)? else { return Ok(Some(first.number.saturating_sub(1))) };
    let mut left = AGAIN_BYTES_MAX;
    for row in rows {
        let Some(rest) = left.checked_sub(u64::from(row.bytes)) else { break };
        left = rest;
        match follow(&line_of(trajectory, row, AGAIN_BYTES_MAX)?, before) {
            Ok(hash) => before = hash,
            Err(_) => return Ok(Some(row.number)),
        }
    }
    Ok(None)
}

/// The first record of a file that is not as it was written, for whoever does not show the rows: what the index has found, and what the lines at its beginning
/// are now.
pub(super) fn broken_in(trajectory: &File, index: &Index) -> Result<Option<Break>, IndexError> {
    let (mut from, mut read) = (0, 0_u64);
    while from < index.rows() && read < AGAIN_BYTES_MAX {
        let rows = index.read(from, ROWS_AT_ONCE)?;
        if let Some(number) = broken_among(trajectory, &rows)? {
            return Ok(index.broken().into_iter().chain([Break::at(number)]).min());
        }
        read += rows.iter().map(|row| u64::from(row.bytes) + 1).sum::<u64>();
        from += ROWS_AT_ONCE;
    }
    Ok(index.broken())
}

/// The hash at the end of the line before a row; none where that line has none.
fn hash_before(trajectory: &File, row: &Row) -> io::Result<Option<Digest>> {
    if row.number == 0 {
        return Ok(Some(Digest::ZERO));
    }
    // Between the two is a line feed.
    let Some(from) = row.offset.checked_sub(SEAL_BYTES as u64 + 1) else { return Ok(None) };
    let mut end = [0; SEAL_BYTES];
    trajectory.read_exact_at(&mut end, from)?;
    Ok(stated_hash(&end).ok())
}

/// A page of rows of a trajectory; with `bodies`, each with its record.
pub(crate) fn trajectory(
    frame: Frame<'_>,
    library: &Library,
    id: &ItemId,
    (from, count): (u64, u64),
    search: Option<&str>,
    bodies: bool,
) -> View {
    // Beyond the end is the last page.
    let wanted = |total: u64| {
        let last = total.saturating_sub(1);
        (from.min(last - last % ROWS_PER_PAGE), count)
    };
    part(library, id, wanted, search, |file, part| {
        let body = |row: &Row| {
            let line = line_of(file, row, BODY_BYTES as u64).unwrap_or_default();
            record::body(&line, row.is_whole(&line), BODY_BYTES / 4, None)
        };
        let bodies: Vec<maud::Markup> = if bodies { part.rows.iter().map(body).collect() } else { Vec::new() };
        trajectory::page(frame, part, &bodies)
    })
}

/// Rows alone.
pub(crate) fn rows(frame: Frame<'_>, library: &Library, id: &ItemId, from: u64, count: u64) -> View {
    let (_, index) = indexed(library, id)?;
    let rows = index.read(from, count.min(ROWS_PER_PAGE)).map_err(|error| Problem::of_index(&error))?;
    Ok(trajectory::rows(frame, id, &rows))
}

/// One record with its line as far as it is read, and what else is told of its trajectory.
pub(crate) struct One {
    pub row: Row,
    pub line: Vec<u8>,
    /// How many records there are.
    pub total: u64,
    /// The first that does not follow from the one before.
    pub broken: Option<Break>,
}

/// One record.
pub(crate) fn one(library: &Library, id: &ItemId, number: u64, bytes_max: usize) -> Result<One, Problem> {
    let (file, index) = indexed(library, id)?;
    let mut found = index.read(number, 1).map_err(|error| Problem::of_index(&error))?;
    let failed = |error: io::Error| Problem::of_index(&IndexError::from(error));
    let again = broken_among(&file, &found).map_err(failed)?;
    let row = found.pop().ok_or_else(|| Problem::none("The trajectory has no record of this number."))?;
    let line = line_of(&file, &row, bytes_max as u64).map_err(failed)?;
    Ok(One { row, line, total: index.rows(), broken: index.broken().into_iter().chain(again.map(Break::at)).min() })
}

/// One record, as a page or as what the script puts beneath its row.
pub(crate) fn record(
    frame: Frame<'_>,
    library: &Library,
    id: &ItemId,
    number: u64,
    (is_all, is_part): (bool, bool),
) -> View {
    let (bytes_max, all) = if is_all { (BODY_BYTES_MAX, None) } else { (BODY_BYTES, Some(record::all(id, number))) };
    let One { row, line, total, broken } = one(library, id, number, bytes_max)?;
    let body = record::body(&line, row.is_whole(&line), bytes_max, all.as_deref());
    if is_part {
        return Ok(body.into_string());
    }
    Ok(record::page(frame, id, &row, (total, broken), &body))
}

/// The records in which a text stands.
pub(crate) fn search(library: &Library, id: &ItemId, text: &str) -> Result<Hits, Problem> {
    let (file, index) = indexed(library, id)?;
    find(&file, &index, text).map_err(|error| Problem::of_index(&error))
}

/// The records in which a text stands as it does in the file.
fn find(file: &File, index: &Index, text: &str) -> Result<Hits, IndexError> {
    // What a file has between the quotation marks.
    let quoted = serde_json::to_string(text).map_err(io::Error::from)?;
    let wanted = &quoted[1..quoted.len() - 1];
    let broken = broken_in(file, index)?;
    let (mut hits, mut from, mut read) = (Hits { text: text.to_owned(), broken, ..Hits::default() }, 0, 0_u64);
    while from < index.rows() {
        for row in index.read(from, ROWS_PER_PAGE)? {
            let line = line_of(file, &row, FILE_BYTES_MAX)?;
            // The line feed counts, so that empty lines are not free.
            read += line.len() as u64 + 1;
            if String::from_utf8_lossy(&line).contains(wanted) {
                hits.records.push(row.number);
            }
            if hits.records.len() == HITS_MAX || read > SEARCHED_BYTES_MAX {
                hits.is_cut = true;
                return Ok(hits);
            }
        }
        from += ROWS_PER_PAGE;
    }
    // What has no row was not searched.
    hits.is_cut = index.reach != Reach::Whole;
    hits.too_long = (index.reach == Reach::LongLine).then(|| index.rows());
    Ok(hits)
}

/// A row with its record as far as that is read.
pub(crate) type WithLine = (Row, Vec<u8>);

/// The last scores of a trajectory, the newest first, and the first record of it that is not as it was written.
pub(crate) fn scores(library: &Library, id: &ItemId) -> Result<(Vec<WithLine>, Option<Break>), Problem> {
    let (file, index) = indexed(library, id)?;
    let (mut scores, mut end) = (Vec::new(), index.rows());
    let first = end.saturating_sub(SCORES_AMONG);
    while end > first && scores.len() < SCORES_MAX {
        let from = end.saturating_sub(ROWS_AT_ONCE).max(first);
        let rows = index.read(from, end - from).map_err(|error| Problem::of_index(&error))?;
        scores.extend(rows.into_iter().rev().filter(|row| row.kind == RowKind::Score));
        end = from;
    }
    scores.truncate(SCORES_MAX);
    let with_line = |row: Row| {
        let line = line_of(&file, &row, BODY_BYTES_MAX as u64 / SCORES_MAX as u64);
        line.map(|line| (row, line)).map_err(|error| Problem::of_index(&IndexError::from(error)))
    };
    let broken = broken_in(&file, &index).map_err(|error| Problem::of_index(&error))?;
    Ok((scores.into_iter().map(with_line).collect::<Result<_, _>>()?, broken))
}
