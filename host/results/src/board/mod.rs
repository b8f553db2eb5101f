//! Boards: what they are called, their seasons on the disk, and what their standings say.
//!
//! Which try has which rank is [`assay_evaluate::board`]'s. Here is how a board is kept, and the words in which the command line and the pages tell of it.

mod season;
mod words;

pub use season::{OpenSeason, Published, Season, last_season};
pub use words::{Money, heading, notes, tries};

use assay_store::StoreError;
use std::path::{Path, PathBuf};

/// Characters of a name.
const NAME_CHARS_MAX: usize = 40;
/// Entries of the folder of all boards that are looked at.
const ENTRIES_MAX: usize = 10_000;

/// Why a board cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// It cannot be the name of a board.
    #[error("`{0}` is not a valid board name")]
    Name(String),
    /// It is not there.
    #[error("there is no board `{name}` in {}", boards.display())]
    Unknown {
        /// The board.
        name: String,
        /// The folder of all boards.
        boards: PathBuf,
        /// What is in it.
        known: Vec<String>,
    },
    /// The board has no such season.
    #[error("{name} has no season {season}")]
    NoSeason {
        /// The board.
        name: String,
        /// The season.
        season: u32,
        /// Its last one.
        last: u32,
    },
    /// Its folder cannot be made.
    #[error("failed to make {}: {why}", folder.display())]
    Make {
        /// Which.
        folder: PathBuf,
        /// What the system says.
        why: String,
    },
    /// It was begun, and not finished.
    #[error("{} is a season that was not finished: `assay board new` is running, or was interrupted", .0.display())]
    HalfMade(PathBuf),
    /// It takes no more.
    #[error("season {season} of {name} is closed")]
    Closed {
        /// The board.
        name: String,
        /// The season.
        season: u32,
    },
    /// It has as many tries as there can be.
    #[error("season {season} of {name} already has {} tries, the maximum", assay_evaluate::board::BOARD_TRIES_MAX)]
    Full {
        /// The board.
        name: String,
        /// The season.
        season: u32,
    },
    /// A file is not what was written.
    #[error("{} is damaged, or does not belong to a board: {why}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file is larger than whoever asks may read.
    #[error("{} has more than {} MiB", path.display(), bytes_max >> 20)]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// The limit.
        bytes_max: u64,
    },
    /// A file cannot be written.
    #[error("failed to write {}: {why}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// What happened.
        why: String,
    },
    /// A try cannot be written.
    #[error("failed to write a try: {0}")]
    Try(String),
    /// A journal cannot be read or written.
    #[error(transparent)]
    Store(StoreError),
}

impl BoardError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let words = match self {
            Self::Name(_) => {
                format!("use lower-case letters, digits and hyphens, at most {NAME_CHARS_MAX}: spring-2027")
            }
            Self::Unknown { known, .. } if known.is_empty() => {
                "create one with `assay board new`, or name another folder with --boards".to_owned()
            }
            Self::Unknown { known, .. } => format!("there are: {}", known.join(", ")),
            Self::NoSeason { last, .. } => format!("its last one is {last}"),
            Self::Make { .. } => "choose another folder with --boards".to_owned(),
            Self::HalfMade(_) => "if it is not running and the folder's tries.log is empty, remove the folder and try again; otherwise restore board.json from a backup".to_owned(),
            Self::Closed { .. } => {
                "run `assay board new` with the same name to start the next season, with new seeds".to_owned()
            }
            Self::Full { .. } => {
                "run `assay board close`, then `assay board new` with the same name: this starts a new season, with new seeds"
                    .to_owned()
            }
            Self::Damaged { .. } => {
                "it was left as it is: restore the board's folder from a backup".to_owned()
            }
            Self::TooLarge { .. } => "`assay board show` reads it".to_owned(),
            Self::Write { .. } | Self::Try(_) => return None,
            Self::Store(error) => return error.hint().map(str::to_owned),
        };
        Some(words)
    }

    /// Whether whoever asked can mend it: another name, another folder.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Name(_)
            | Self::Unknown { .. }
            | Self::NoSeason { .. }
            | Self::Make { .. }
            | Self::HalfMade(_)
            | Self::Closed { .. }
            | Self::Full { .. } => true,
            Self::Damaged { .. } | Self::TooLarge { .. } | Self::Write { .. } | Self::Try(_) => false,
            Self::Store(error) => error.is_usage(),
        }
    }
}

/// A name that is a folder's on every system, and no path.
///
/// # Errors
/// It is none.
pub fn checked_name(name: &str) -> Result<&str, BoardError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > NAME_CHARS_MAX || name.starts_with('-') || !name.chars().all(is_plain) {
        return Err(BoardError::Name(name.to_owned()));
    }
    Ok(name)
}

/// The boards in the folder of all boards, by name.
#[must_use]
pub fn all(boards: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(boards).into_iter().flatten().take(ENTRIES_MAX).flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_board = |name: &String| checked_name(name).is_ok() && last_season(boards, name) > 0;
    let mut names: Vec<String> = names.filter(is_board).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_evaluate::board::{BOARD_FORMAT, BoardDefinition, BoardScenario, SealedSeeds};

    pub(super) fn definition(name: &str) -> BoardDefinition {
        let scenario = BoardScenario {
            reference: "calm".to_owned(),
            name: "calm".to_owned(),
            hash: "0".to_owned(),
            recording: None,
            series: None,
        };
        BoardDefinition {
            format: BOARD_FORMAT.to_owned(),
            name: name.to_owned(),
            season: 1,
            release: "0.1.0".to_owned(),
            schema: "2.0".to_owned(),
            measure: "pnl".to_owned(),
            scenario,
            public: vec![1, 2],
            sealed: SealedSeeds { count: 2, commitment: "0".to_owned() },
            step: 1.0,
            created_ms: 0,
        }
    }

    #[test]
    fn names_are_no_paths() {
        for (name, expected) in [("spring-2027", true), ("", false), ("-a", false), ("..", false), ("a/b", false)] {
            assert_eq!(checked_name(name).is_ok(), expected, "{name}");
        }
    }

    #[test]
    fn boards_are_listed_and_read_within_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let season = Season::create(folder.path(), definition("spring")).expect("a season");
        std::fs::create_dir(folder.path().join("no-board")).expect("made");
        assert_eq!(all(folder.path()), ["spring"]);
        let published = season.published_within(1 << 20).expect("published");
        assert_eq!(
            (heading(&published.standings, str::to_owned).as_str(), published.behind, published.unfinished),
            ("spring, season 1 (open): pnl on calm, Assay 0.1.0, 2 public and 2 sealed seeds", 0, 0)
        );
        assert!(matches!(season.published_within(10), Err(BoardError::TooLarge { .. })));
        let unknown = Season::last(folder.path(), "autumn").expect_err("unknown");
        assert!(unknown.is_usage(), "{unknown}");
        assert_eq!(unknown.hint().expect("a hint"), "there are: spring");
        assert!(matches!(Season::numbered(folder.path(), "spring", 2), Err(BoardError::NoSeason { last: 1, .. })));
    }
}
