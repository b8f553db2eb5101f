//! Single rows of the two files, checked for themselves.

use super::{LEVEL_SHARES_MAX, LEVELS_MAX};
use crate::rows::{DataError, Row, shown};
use assay_model::{Nanos, PRICE_MAX_CENTS, Price, QUANTITY_MAX, Side};
use std::num::NonZeroU32;

const COLUMNS: [&str; 6] = ["time", "type", "order id", "size", "price", "direction"];
/// What an empty level's price is, for offers; for bids the same below zero.
const EMPTY: i64 = 9_999_999_999;
/// LOBSTER's prices are ten-thousandths of a dollar.
const PRICES_PER_CENT: i64 = 100;

/// A tick in the files' unit.
pub(super) fn prices_per_tick(tick_cents: NonZeroU32) -> i64 {
    i64::from(tick_cents.get()) * PRICES_PER_CENT
}

/// What a message is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Submit,
    Reduce,
    Delete,
    Execute,
    /// Of a hidden order.
    ExecuteHidden,
    Cross,
    Halt,
    /// Orders can be entered again, nothing trades yet.
    Quoting,
    Resume,
}

/// A row of the message file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) time: Nanos,
    pub(super) kind: Kind,
    pub(super) id: i64,
    /// At most [`QUANTITY_MAX`] where it is about a visible order.
    pub(super) size: u64,
    /// None where there is none, or where it lies between two ticks, as that of a hidden order may.
    pub(super) price: Option<Price>,
    pub(super) side: Side,
}

impl Message {
    pub(super) fn parse(row: &Row<'_>, per_tick: i64) -> Result<Self, DataError> {
        let cells: Vec<&[u8]> = row.cells().take(COLUMNS.len() + 2).collect();
        if cells.len() != COLUMNS.len() && cells.len() != COLUMNS.len() + 1 {
            let expected = format!("6 columns ({}), or 7 in newer files", COLUMNS.join(", "));
            let seen = if cells.len() > COLUMNS.len() { "more".to_owned() } else { format!("{} columns", cells.len()) };
            return Err(row.unexpected(None, seen, &expected));
        }
        let integer = |column: usize, range| row.integer(COLUMNS[column], cells[column], range);
        let time = row.time(COLUMNS[0], cells[0])?;
        let kind = match cells[1] {
            b"1" => Kind::Submit,
            b"2" => Kind::Reduce,
            b"3" => Kind::Delete,
            b"4" => Kind::Execute,
            b"5" => Kind::ExecuteHidden,
            b"6" => Kind::Cross,
            b"7" => match integer(4, -1..=1)? {
                -1 => Kind::Halt,
                0 => Kind::Quoting,
                _ => Kind::Resume,
            },
            other => {
                let expected = "a type: 1 submission, 2 partial cancellation, 3 deletion, 4 execution, 5 hidden execution, 6 cross or 7 halt";
                return Err(row.wrong(COLUMNS[1], other, expected));
            }
        };
        let side = match cells[5] {
            b"1" => Side::Buy,
            b"-1" => Side::Sell,
            other => return Err(row.wrong(COLUMNS[5], other, "1 for a buy order or -1 for a sell order")),
        };
        let (id, size, price) = match kind {
            Kind::Submit | Kind::Reduce | Kind::Delete | Kind::Execute => {
                let price = price(row, COLUMNS[4], cells[4], per_tick)?;
                (integer(2, 1..=i64::MAX)?, integer(3, 1..=QUANTITY_MAX as i64)?, Some(price))
            }
            Kind::ExecuteHidden | Kind::Cross => {
                let units = integer(4, 1..=PRICE_MAX_CENTS * PRICES_PER_CENT)?;
                let price = (units % per_tick == 0).then(|| Price::clamped(units / PRICES_PER_CENT));
                (integer(2, -1..=i64::MAX)?, integer(3, 0..=LEVEL_SHARES_MAX)?, price)
            }
            Kind::Halt | Kind::Quoting | Kind::Resume => (0, 0, None),
        };
        Ok(Self { time, kind, id, size: size as u64, price, side })
    }
}

/// A visible price, which must be whole ticks.
fn price(row: &Row<'_>, column: &str, cell: &[u8], per_tick: i64) -> Result<Price, DataError> {
    let units = row.integer(column, cell, 1..=PRICE_MAX_CENTS * PRICES_PER_CENT)?;
    if units % per_tick != 0 {
        let expected = format!("a whole number of ticks: a multiple of {per_tick} ten-thousandths of a dollar");
        return Err(row.wrong(column, cell, &expected).hint("`tick_cents` in the scenario says how prices step"));
    }
    // Within its range, so clamping changes nothing.
    Ok(Price::clamped(units / PRICES_PER_CENT))
}

/// What a row of the order book file shows of one side.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// Best first.
    pub(super) levels: Vec<(Price, u64)>,
    /// Whether there may be more behind.
    pub(super) is_full: bool,
}

impl Shown {
    /// Whether a price is in view: nothing else can be there than what is shown.
    pub(super) fn covers(&self, side: Side, price: Price) -> bool {
        !self.is_full || self.levels.last().is_some_and(|(last, _)| side.sign() * (price.cents() - last.cents()) >= 0)
    }
}

/// A row of the order book file.
#[derive(Clone, Debug)]
pub(super) struct BookRow {
    pub(super) bids: Shown,
    pub(super) asks: Shown,
}

impl BookRow {
    /// Parses a row; all must have as many `columns` as the first.
    pub(super) fn parse(row: &Row<'_>, columns: &mut Option<usize>, per_tick: i64) -> Result<Self, DataError> {
        let cells: Vec<&[u8]> = row.cells().take(4 * LEVELS_MAX + 1).collect();
        let expected = *columns.get_or_insert(cells.len());
        if !cells.len().is_multiple_of(4) || cells.len() > 4 * LEVELS_MAX {
            let text = format!(
                "4 columns for each level (ask price, ask size, bid price, bid size), of at most {LEVELS_MAX} levels"
            );
            return Err(row.unexpected(None, format!("{} columns", cells.len()), &text));
        }
        if cells.len() != expected {
            let text = format!("{expected} columns, as in the first row");
            return Err(row.unexpected(None, format!("{} columns", cells.len()), &text));
        }
        let side = |side, name, first| Self::side(row, &cells, (side, name, first), per_tick);
        let (asks, bids) = (side(Side::Sell, "ask", 0)?, side(Side::Buy, "bid", 2)?);
        Ok(Self { bids, asks })
    }

    fn side(
        row: &Row<'_>,
        cells: &[&[u8]],
        (side, name, first): (Side, &str, usize),
        per_tick: i64,
    ) -> Result<Shown, DataError> {
        let mut levels: Vec<(Price, u64)> = Vec::new();
        let mut is_full = true;
        for (number, level) in cells.chunks_exact(4).enumerate() {
            let column = |what| format!("{name} {what} {}", number + 1);
            let (cell, size) = (level[first], level[first + 1]);
            let is_empty =
                std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok()) == Some(-side.sign() * EMPTY);
            if is_empty || !is_full {
                if !is_empty {
                    let expected = format!("{}, as no level comes after an empty one", -side.sign() * EMPTY);
                    return Err(row.wrong(&column("price"), cell, &expected));
                }
                if size != b"0" {
                    return Err(row.wrong(&column("size"), size, "0, as the level is empty"));
                }
                is_full = false;
                continue;
            }
            let price = price(row, &column("price"), cell, per_tick)?;
            if let Some((before, _)) = levels.last()
                && side.sign() * (price.cents() - before.cents()) >= 0
            {
                let expected = format!("a price worse than that of level {number}");
                return Err(row.unexpected(Some(&column("price")), shown(cell), &expected));
            }
            levels.push((price, row.integer(&column("size"), size, 1..=LEVEL_SHARES_MAX)? as u64));
        }
        Ok(Shown { levels, is_full })
    }

    pub(super) fn side_of(&self, side: Side) -> &Shown {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }
}
