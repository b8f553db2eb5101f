//! A board: a ranking among people over seeds that the board chose.
//!
//! ```text
//! submission ──► known content? ──► again | copy          (not run: same content, same results)
//!      │ new
//!      └─► public seeds, sealed seeds ──► entry | same results | failed
//! ```
//!
//! Pure: who keeps the tries, and who holds the secret of the sealed seeds, is the caller's business. Invariants: an entry is its content and belongs to whoever
//! submitted it first, whatever names come later; every submission is a try; ranks are corrected for everything that was run, by whomever;
//! of sealed seeds nothing comes out but ranks, and a rounded mean when an entry beats the best shown so far (the Ladder).
//! `docs/boards.md` says what a board is worth, and to whom.

mod ladder;
mod standings;
mod tries;

pub use ladder::Ladder;
pub use standings::{BoardLuck, Standings, StandingsError, StandingsRow, standings};
pub use tries::{
    BOARD_FORMAT, BOARD_SEEDS, BOARD_TRIES_MAX, BoardDefinition, BoardScenario, BoardTry, Mismatch, SealedRow,
    SealedSeeds, TryOutcome, classify, classify_results, is_board_step,
};
