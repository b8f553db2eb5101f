//! Reads a LOBSTER file pair (lobsterdata.com/info/DataStructure.php) into a [`Recording`].
//!
//! The message file has a row for each change of the visible book: time, type, order id, size, price (dollars times 10,000), direction (of the
//! resting order: 1 buy, -1 sell), and in newer files a seventh column that is not used. The order book file has as many rows, each with the best
//! levels after that message: ask price, ask size, bid price, bid size, level by level; empty levels hold 9999999999 and -9999999999 and no shares.
//!
//! | type | what becomes of it |
//! |---|---|
//! | 1 submission | a limit order |
//! | 2 partial cancellation, 3 deletion | the order is reduced or cancelled |
//! | 4 execution of a visible order | the message names the maker; the taker is made anew, as an immediate-or-cancel order of that size at that price |
//! | 5 execution of a hidden order | a hidden order and its taker, where the price is a tick and no visible order stands in between; else left out |
//! | 6 cross | left out |
//! | 7 halt (price -1), quoting (0), end (1) | the venue halts; what happens to the book meanwhile takes effect at the end |
//!
//! The files show a few levels only, and begin with a book that is there already. So shares of unknown orders are taken from what the order book
//! file shows: a level that comes into view holds one order of nobody in particular, and messages about unknown ids take from it. A level that was in
//! view before must agree with the messages to the share, or the row is refused.
//!
//! Invariant: [`read`] plays what it writes on an exchange of its own, so a recording that it returns reproduces the order book file: after each
//! message the best levels are those of the file, as long as nobody else trades. Absent on purpose: opening and unpacking files.

mod book;
mod level;
mod message;
mod replica;

use self::book::Tracked;
use self::message::{BookRow, Message, prices_per_tick};
use super::{RecordedHalt, Recording, RecordingError};
use crate::rows::{DataError, Rows};
use assay_model::Time;
use std::io::BufRead;
use std::num::NonZeroU32;
use thiserror::Error;

/// Most levels of a side in an order book file; LOBSTER offers 200.
pub const LEVELS_MAX: usize = 1_000;
/// Most shares of a level.
pub const LEVEL_SHARES_MAX: i64 = 1_000_000_000;
/// Most cents of a tick in a scenario.
pub const TICK_CENTS_MAX: i64 = 1_000;
/// What errors call the message file.
pub const MESSAGE_FILE: &str = "message file";
/// What errors call the order book file.
pub const BOOK_FILE: &str = "order book file";

/// What part of the day to read, and how prices step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LobsterSettings {
    /// Midnight of the recorded day.
    pub midnight: Time,
    /// What was before is summed up in the book at this time.
    pub open: Time,
    /// What comes from here on is left out.
    pub close: Time,
    /// Prices of visible orders are multiples of this many cents.
    pub tick_cents: NonZeroU32,
}

/// Why a file pair is not a recording.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LobsterError {
    /// A row is wrong.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The rows together are.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// Reads both files, row by row.
///
/// # Errors
/// The first row that is wrong, or that contradicts the rows before it; or that nothing happens in the session.
pub fn read(messages: impl BufRead, book: impl BufRead, settings: &LobsterSettings) -> Result<Recording, LobsterError> {
    let (mut messages, mut books) = (Rows::new(messages, MESSAGE_FILE), Rows::new(book, BOOK_FILE));
    let per_tick = prices_per_tick(settings.tick_cents);
    let mut tracked: Option<Tracked> = None;
    let mut columns = None;
    let mut last = None;
    while let Some(row) = messages.next()? {
        let message = Message::parse(&row, per_tick)?;
        if let Some(before) = last.filter(|before| message.time < *before) {
            let expected = format!("a time not before that of the row before, {}", crate::rows::time_text(before));
            return Err(row.unexpected(Some("time"), crate::rows::time_text(message.time), &expected).into());
        }
        last = Some(message.time);
        let Some(book_row) = books.next()? else {
            return Err(books.ends("a row for each row of the message file").into());
        };
        let now = BookRow::parse(&book_row, &mut columns, per_tick)?;
        let tracked = match &mut tracked {
            Some(tracked) => tracked,
            None => tracked.insert(Tracked::before(&message, &now, &book_row, settings)?),
        };
        if settings.midnight + message.time >= settings.close {
            tracked.findings.messages_outside += 1;
        } else {
            tracked.apply(&message, &row)?;
            tracked.compare(&now, &book_row, &message)?;
        }
    }
    let expected_rows = messages.row_count();
    if let Some(row) = books.next()? {
        let expected = format!("the end of the file after {expected_rows} rows, as in the message file");
        return Err(row.unexpected(None, "one more row".to_owned(), &expected).into());
    }
    let Some(tracked) = tracked else {
        return Err(messages.ends("a message").into());
    };
    let finished = tracked.finish(&messages.last_row())?;
    let recording = Recording::new(finished.requests)?;
    Ok(recording.with(finished.halts, finished.findings))
}
