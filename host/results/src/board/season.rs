//! A season of a board on the disk.
//!
//! ```text
//! BOARDS/NAME/season-N/board.json       what it is; written once
//!                      tries.log        every submission, and the end of the season: a journal, for everybody
//!                      sealed.log       sealed results: a journal, for the holder of the secret alone
//!                      standings.json   what is published; follows from the others, written after each submission
//! ```
//!
//! Invariants: both journals are only appended to, under the lock of `tries.log`; a try is in `sealed.log` before it is in `tries.log`, so a crash
//! between the two leaves a row that no try refers to, which is harmless; standings are written whole or not at all; whoever shows or changes a season has
//! made sure first that its files belong together. Nothing that is published is read through a link.

use super::{BoardError, all, checked_name};
use assay_evaluate::board::{
    BOARD_FORMAT, BOARD_TRIES_MAX, BoardDefinition, BoardTry, SealedRow, Standings, standings,
};
use assay_files::{Folder, Links};
use assay_store::{Journal, Readers, StoreError, Time};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(test)]
mod tests;

const BOARD: &str = "board.json";
const TRIES: &str = "tries.log";
const SEALED: &str = "sealed.log";
const STANDINGS: &str = "standings.json";
/// What a season has before it has its board.json. The journal of tries, which keeps other processes out, is the first that is made and the last to go.
const MADE: [&str; 3] = [STANDINGS, SEALED, TRIES];
/// How long another process is waited for: it appends, it does not run anything meanwhile.
const WAIT: Duration = Duration::from_secs(10);
/// A larger board.json is none.
const BOARD_BYTES_MAX: u64 = 1 << 20;
/// So are standings longer than this: they have a row a try.
const STANDINGS_BYTES_MAX: u64 = 1 << 30;
/// Seasons of a board.
const SEASONS_MAX: u32 = 10_000;

/// A line of `tries.log`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Try(BoardTry),
    Closed { at_ms: i64 },
}

/// A season that is there.
#[derive(Debug)]
pub struct Season {
    folder: PathBuf,
    /// What it is.
    pub board: BoardDefinition,
}

/// A season that nobody else can change meanwhile.
#[derive(Debug)]
pub struct OpenSeason<'a> {
    season: &'a Season,
    journal: Journal,
    sealed_journal: Journal,
    /// Every submission, oldest first.
    pub tries: Vec<BoardTry>,
    /// Sealed results of those that ran.
    pub rows: Vec<SealedRow>,
    /// Whether it takes no more.
    pub closed: bool,
}

/// What is published of a season.
#[derive(Debug)]
pub struct Published {
    /// What it says.
    pub standings: Standings,
    /// Tries that it does not know of yet.
    pub behind: u64,
    /// Bytes behind the last try that are the beginning of another one: it is being written, or a crash cut it short.
    pub unfinished: u64,
}

/// The number of the last season, 0 if there is none. Seasons are numbered from 1 without a gap.
#[must_use]
pub fn last_season(boards: &Path, name: &str) -> u32 {
    (1..=SEASONS_MAX).take_while(|season| path(boards, name, *season).join(BOARD).exists()).last().unwrap_or(0)
}

fn path(boards: &Path, name: &str, season: u32) -> PathBuf {
    boards.join(name).join(format!("season-{season}"))
}

/// Makes the folder of a season. In a project's own folder, which may come with a checkout, no link is followed.
fn make(boards: &Path, season: &Path) -> std::io::Result<()> {
    let Some(own) = assay_store::own_folder(boards, true) else { return std::fs::create_dir_all(season) };
    let inside = season.strip_prefix(boards).unwrap_or(season);
    let mut names = boards.file_name().into_iter().chain(inside.iter());
    names.try_fold(own?, |folder, name| Ok(folder.make_folder(name, 0o777)?)).map(drop)
}

impl Season {
    /// Makes the season that `board` says.
    ///
    /// # Errors
    /// The folder cannot be written, or the season is there. Nothing is left of a season that could not be written.
    pub fn create(boards: &Path, board: BoardDefinition) -> Result<Self, BoardError> {
        let folder = path(boards, &board.name, board.season);
        let failed = |error: std::io::Error| BoardError::Make { folder: folder.clone(), why: error.to_string() };
        make(boards, &folder).map_err(failed)?;
        // So whatever is taken back below was made here.
        if MADE.iter().any(|name| folder.join(name).exists()) {
            return Err(BoardError::HalfMade(folder));
        }
        Journal::create(&folder.join(TRIES), Readers::Everybody).map_err(BoardError::Store)?;
        let season = Self { folder, board };
        let filled = season.fill();
        if filled.is_err() {
            for name in MADE {
                let _ = std::fs::remove_file(season.folder.join(name));
            }
        }
        filled.map(|()| season)
    }

    /// Writes what a new season has beside its first journal.
    fn fill(&self) -> Result<(), BoardError> {
        Journal::create(&self.folder.join(SEALED), Readers::Owner).map_err(BoardError::Store)?;
        self.hold()?.publish()?;
        // Last: a season without it is none.
        self.write(BOARD, &self.board)
    }

    /// The last season of a board.
    ///
    /// # Errors
    /// The board does not exist, or its files are damaged.
    pub fn last(boards: &Path, name: &str) -> Result<Self, BoardError> {
        let name = checked_name(name)?;
        match last_season(boards, name) {
            0 => Err(unknown(boards, name)),
            season => Self::read(boards, name, season),
        }
    }

    /// One season of a board.
    ///
    /// # Errors
    /// The board or season does not exist, or its files are damaged.
    pub fn numbered(boards: &Path, name: &str, season: u32) -> Result<Self, BoardError> {
        let last = last_season(boards, checked_name(name)?);
        if last == 0 {
            return Err(unknown(boards, name));
        }
        if season == 0 || season > last {
            return Err(BoardError::NoSeason { name: name.to_owned(), season, last });
        }
        Self::read(boards, name, season)
    }

    fn read(boards: &Path, name: &str, season: u32) -> Result<Self, BoardError> {
        let folder = path(boards, name, season);
        let file = folder.join(BOARD);
        let text = assay_files::read(&file, Links::Refused, BOARD_BYTES_MAX).map_err(|error| damaged(&file, &error))?;
        let board: BoardDefinition = serde_json::from_slice(&text).map_err(|error| damaged(&file, &error))?;
        if board.format != BOARD_FORMAT || board.name != name || board.season != season {
            return Err(damaged(&file, &"it belongs to another board, or to another version"));
        }
        if let Some(flaw) = board.flaw() {
            return Err(damaged(&file, &flaw));
        }
        Ok(Self { folder, board })
    }

    /// Takes the season for changes.
    ///
    /// # Errors
    /// Another process holds it, or its files are damaged, or do not belong together.
    pub fn open(&self) -> Result<OpenSeason<'_>, BoardError> {
        let open = self.hold()?;
        let found = self.standings()?;
        self.behind(&found, (open.tries.as_slice(), open.closed), open.journal.head())?;
        Ok(open)
    }

    /// The same, whatever is published.
    fn hold(&self) -> Result<OpenSeason<'_>, BoardError> {
        let open = |name: &str| {
            let path = self.folder.join(name);
            Journal::open(&path, WAIT).map_err(|error| journal_failure(&path, error))
        };
        // Always in this order: two processes never wait for each other.
        let (journal, sealed_journal) = (open(TRIES)?, open(SEALED)?);
        let (tries, closed) = tries(&self.folder, journal.lines())?;
        let row =
            |line: &String| serde_json::from_str(line).map_err(|error| damaged(&self.folder.join(SEALED), &error));
        let rows = sealed_journal.lines().iter().map(row).collect::<Result<_, _>>()?;
        Ok(OpenSeason { season: self, journal, sealed_journal, tries, rows, closed })
    }

    /// What is published.
    ///
    /// # Errors
    /// Its files are damaged, or do not belong together.
    pub fn published(&self) -> Result<Published, BoardError> {
        // Standings first: tries that come meanwhile are behind them.
        let standings = self.standings()?;
        let journal = self.folder.join(TRIES);
        let (lines, head, unfinished) = Journal::read(&journal).map_err(|error| journal_failure(&journal, error))?;
        let (tries, closed) = tries(&self.folder, &lines)?;
        let behind = self.behind(&standings, (tries.as_slice(), closed), &head)?;
        Ok(Published { standings, behind, unfinished })
    }

    /// The standings of this board, as they are published.
    fn standings(&self) -> Result<Standings, BoardError> {
        let file = self.folder.join(STANDINGS);
        let text =
            assay_files::read(&file, Links::Refused, STANDINGS_BYTES_MAX).map_err(|error| damaged(&file, &error))?;
        let found: Standings = serde_json::from_slice(&text).map_err(|error| damaged(&file, &error))?;
        if found.board != self.board {
            return Err(damaged(
                &file,
                &format!("it belongs to another board or season, or {BOARD} was changed since"),
            ));
        }
        Ok(found)
    }

    /// The number of tries that published standings do not know of yet, if these tries are the ones that they are about.
    fn behind(&self, found: &Standings, (tries, closed): (&[BoardTry], bool), head: &str) -> Result<u64, BoardError> {
        let count = tries.len() as u64;
        let is_current = found.tries == count && found.closed == closed;
        let wrong = if found.tries > count || is_current && found.head != head {
            "the published standings include tries that are not in it"
        } else if found.closed && !closed {
            "the season is closed in the published standings, but not in it"
        } else {
            return Ok(count - found.tries);
        };
        Err(damaged(&self.folder.join(TRIES), &wrong))
    }

    /// The same, but refuses to read more than a given number of bytes.
    ///
    /// # Errors
    /// As [`Season::published`], or its files are larger.
    pub fn published_within(&self, bytes_max: u64) -> Result<Published, BoardError> {
        let folder = Folder::open(&self.folder, Links::Refused).map_err(|error| damaged(&self.folder, &error))?;
        for name in [STANDINGS, TRIES] {
            let found = folder.look(name).map_err(|error| damaged(&self.folder.join(name), &error))?;
            if found.is_some_and(|found| found.bytes > bytes_max) {
                return Err(BoardError::TooLarge { path: self.folder.join(name), bytes_max });
            }
        }
        self.published()
    }

    fn write(&self, name: &str, value: &impl Serialize) -> Result<(), BoardError> {
        let path = self.folder.join(name);
        let failed = |error: &dyn Display| BoardError::Write { path: path.clone(), why: error.to_string() };
        let json = serde_json::to_vec_pretty(value).map_err(|error| failed(&error))?;
        assay_files::replace(&path, &json, 0o644).map_err(|error| failed(&error))?;
        Ok(())
    }
}

impl OpenSeason<'_> {
    /// Refuses a season that takes no more.
    ///
    /// # Errors
    /// It is closed, or full.
    pub fn check_takes(&self) -> Result<(), BoardError> {
        self.check_open()?;
        let board = &self.season.board;
        if self.tries.len() >= BOARD_TRIES_MAX {
            return Err(BoardError::Full { name: board.name.clone(), season: board.season });
        }
        Ok(())
    }

    fn check_open(&self) -> Result<(), BoardError> {
        let board = &self.season.board;
        if self.closed { Err(BoardError::Closed { name: board.name.clone(), season: board.season }) } else { Ok(()) }
    }

    /// Enters a try, with its sealed results if it has any, and publishes. Its number is given here.
    ///
    /// # Errors
    /// It takes no more, or cannot be written.
    pub fn enter(
        mut self,
        mut entry: BoardTry,
        sealed: Option<Vec<(String, f64)>>,
    ) -> Result<(BoardTry, Standings), BoardError> {
        self.check_takes()?;
        entry.number = self.tries.len() as u64 + 1;
        if let Some(values) = sealed {
            // A crash may have left a row without its try: the number is taken again, and the last row counts.
            self.rows.retain(|row| row.number != entry.number);
            let row = SealedRow { number: entry.number, values };
            self.sealed_journal.append(&json(&row)?).map_err(BoardError::Store)?;
            self.rows.push(row);
        }
        self.journal.append(&json(&Line::Try(entry.clone()))?).map_err(BoardError::Store)?;
        self.tries.push(entry.clone());
        Ok((entry, self.publish()?))
    }

    /// Ends the season.
    ///
    /// # Errors
    /// It is closed already, or cannot be written.
    pub fn close(mut self) -> Result<(), BoardError> {
        self.check_open()?;
        let line = Line::Closed { at_ms: Time::now().0 };
        self.journal.append(&json(&line)?).map_err(BoardError::Store)?;
        self.closed = true;
        self.publish().map(drop)
    }

    fn publish(&self) -> Result<Standings, BoardError> {
        let season = self.season;
        // Of rows with one number, the last one counts.
        let rows: Vec<SealedRow> = self.rows.iter().rev().cloned().collect();
        let found = standings(&season.board, &self.tries, &rows, self.closed, self.journal.head())
            .map_err(|error| damaged(&season.folder, &error))?;
        season.write(STANDINGS, &found)?;
        Ok(found)
    }
}

fn json(value: &impl Serialize) -> Result<String, BoardError> {
    serde_json::to_string(value).map_err(|error| BoardError::Try(error.to_string()))
}

fn tries(folder: &Path, lines: &[String]) -> Result<(Vec<BoardTry>, bool), BoardError> {
    let file = folder.join(TRIES);
    let (mut tries, mut closed) = (Vec::new(), false);
    for line in lines {
        match serde_json::from_str(line).map_err(|error| damaged(&file, &error))? {
            Line::Try(entry) if entry.number == tries.len() as u64 + 1 && !closed => tries.push(entry),
            Line::Closed { .. } if !closed => closed = true,
            _ => return Err(damaged(&file, &"its tries are out of order")),
        }
    }
    Ok((tries, closed))
}

fn journal_failure(path: &Path, error: StoreError) -> BoardError {
    match error {
        StoreError::Missing { .. } => damaged(path, &"it is missing"),
        StoreError::Damaged { why, .. } => damaged(path, &why),
        error => BoardError::Store(error),
    }
}

fn damaged(path: &Path, why: &dyn Display) -> BoardError {
    BoardError::Damaged { path: path.to_owned(), why: why.to_string() }
}

fn unknown(boards: &Path, name: &str) -> BoardError {
    BoardError::Unknown { name: name.to_owned(), boards: boards.to_owned(), known: all(boards) }
}
