//! Boards, as `assay board show` tells of them.
//!
//! Invariants: a board is looked up by a name that is no path; its published files are read only if they are small enough for a page.

use super::{FILE_BYTES_MAX, Problem, View};
use crate::code::Code;
use crate::library::Library;
use crate::pages::Frame;
use crate::pages::boards::{self as page, BOARDS_MAX, Line, Shown};
use assay_results::board::{BoardError, Published, Season, all, last_season};
use std::path::Path;

fn failed(error: &BoardError) -> Problem {
    let words = error.hint().map_or_else(|| error.to_string(), |hint| format!("{error}; {hint}"));
    match error {
        BoardError::Name(_) | BoardError::Unknown { .. } | BoardError::NoSeason { .. } => Problem::no_board(),
        _ => Problem::new(Code::Unreadable, "It cannot be read", words),
    }
}

/// The folder of all boards.
fn folder(library: &Library) -> Result<&Path, Problem> {
    library.boards().ok_or_else(Problem::no_board)
}

/// The names of the boards that are listed.
pub(crate) fn names(library: &Library) -> Vec<String> {
    let mut names = library.boards().map(all).unwrap_or_default();
    names.truncate(BOARDS_MAX);
    names
}

/// The number of the last season of a board, 0 if there is none.
pub(crate) fn seasons(library: &Library, name: &str) -> u32 {
    library.boards().map_or(0, |boards| last_season(boards, name))
}

/// All boards.
pub(crate) fn list(frame: Frame<'_>, library: &Library) -> View {
    let (lines, all) = lines(library);
    Ok(page::list(frame, &lines, all))
}

/// The boards that are listed, and how many there are.
pub(crate) fn lines(library: &Library) -> (Vec<Line>, usize) {
    let all = library.boards().map(all).unwrap_or_default();
    let line = |name: &String| {
        let season = folder(library).and_then(|boards| Season::last(boards, name).map_err(|error| failed(&error)));
        Line { name: name.clone(), board: season.map(|season| season.board).map_err(|problem| problem.words) }
    };
    (all.iter().take(BOARDS_MAX).map(line).collect(), all.len())
}

/// One season of a board, the last one if none is named.
pub(crate) fn board(frame: Frame<'_>, library: &Library, name: &str, number: Option<u32>) -> View {
    season(library, name, number, |shown| page::board(frame, shown))
}

/// The same, shown as `show` does.
pub(crate) fn season<T>(
    library: &Library,
    name: &str,
    number: Option<u32>,
    show: impl FnOnce(&Shown<'_>) -> T,
) -> Result<T, Problem> {
    let boards = folder(library)?;
    let season = match number {
        Some(number) => Season::numbered(boards, name, number),
        None => Season::last(boards, name),
    };
    let season = season.map_err(|error| failed(&error))?;
    let Published { standings, behind, .. } =
        season.published_within(FILE_BYTES_MAX).map_err(|error| failed(&error))?;
    let shown = Shown { standings: &standings, behind, last_season: last_season(boards, name) };
    Ok(show(&shown))
}
