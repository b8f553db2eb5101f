//! What every table holds: the one place where columns are defined. Writer, readers, `docs/data.md` and tests all follow from it.
//!
//! Prices are integer cents, quantities shares, times nanoseconds since the Unix epoch (UTC). A number that does not fit a signed 64-bit
//! integer, which only a senseless request of a guest can hold, is written as the largest that does.

use crate::names;
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use std::collections::HashMap;

/// Name of the data's schema, as metadata `assay.schema` of each file and in the manifest.
pub const SCHEMA_NAME: &str = "assay.data";
/// Version of the data's schema, major.minor: a new minor only adds tables and columns.
pub const SCHEMA_VERSION: &str = "1.0";

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A signed 64-bit integer.
    Integer,
    /// A 64-bit float.
    Number,
    /// A point in time.
    Time,
    /// An unsigned 64-bit seed, the same in all rows of an episode.
    Seed,
    /// A text that is the same in all rows of an episode.
    Label,
    /// One of these.
    Name(&'static [&'static str]),
    /// Any text.
    Text,
}

/// How a column's pages are packed beyond their encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    /// Not at all.
    Plain,
    /// Zstandard.
    Zstd,
}

/// One column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether rows may have no value.
    pub nullable: bool,
    /// What it means.
    pub meaning: &'static str,
}

impl Column {
    /// Whether all rows of an episode hold the same.
    pub(crate) const fn is_constant(&self) -> bool {
        matches!(self.kind, Kind::Seed | Kind::Label)
    }

    /// Whether the rows of an episode never go down in it: times at the exchange, and numbers of events.
    pub(crate) fn is_ascending(&self) -> bool {
        (self.kind == Kind::Time && !self.nullable) || self.name == "event"
    }

    pub(crate) const fn packing(&self) -> Packing {
        match self.kind {
            // Packed to a few bits already, or a few bytes in all: Zstandard would take a third off the files for a quarter more time.
            Kind::Integer | Kind::Time | Kind::Name(_) | Kind::Seed | Kind::Label => Packing::Plain,
            Kind::Number | Kind::Text => Packing::Zstd,
        }
    }

    /// The column's type in Arrow.
    #[must_use]
    pub fn data_type(&self) -> DataType {
        match self.kind {
            Kind::Integer => DataType::Int64,
            Kind::Number => DataType::Float64,
            Kind::Time => DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
            Kind::Seed => DataType::UInt64,
            Kind::Label | Kind::Name(_) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            Kind::Text => DataType::Utf8,
        }
    }

    /// The type in words.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Integer => "integer",
            Kind::Number => "float",
            Kind::Time => "timestamp (ns, UTC)",
            Kind::Seed => "unsigned integer",
            Kind::Label | Kind::Name(_) => "text (dictionary)",
            Kind::Text => "text",
        }
    }
}

/// One table: a file of the same name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub meaning: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
}

impl Table {
    /// The name of its file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.parquet", self.name)
    }

    /// The table of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().copied().find(|table| table.name == name)
    }

    /// The table's schema in Arrow, with name and version as metadata.
    #[must_use]
    pub fn arrow(&self) -> Schema {
        let fields = self.columns.iter().map(|column| Field::new(column.name, column.data_type(), column.nullable));
        Schema::new_with_metadata(fields.collect::<Vec<_>>(), HashMap::new())
    }
}

const fn column(name: &'static str, kind: Kind, meaning: &'static str) -> Column {
    Column { name, kind, nullable: false, meaning }
}

const fn maybe(name: &'static str, kind: Kind, meaning: &'static str) -> Column {
    Column { nullable: true, ..column(name, kind, meaning) }
}

const RUN: Column = column("run", Kind::Label, "the run: the same for the same strategy, scenario, seeds and release");
const SEED: Column = column("seed", Kind::Seed, "the seed of the episode");
const EPISODE: Column =
    column("episode", Kind::Label, "`strategy`, or `baseline` for the same seed with an inert trader in its place");
const SYMBOL: Column = column("symbol", Kind::Label, "what is traded");
const TIME: Column = column("time", Kind::Time, "exchange time");
const EVENT: Column =
    column("event", Kind::Integer, "the number of the event in its episode, from 0; orders rows of different tables");

/// Level 1.
pub const QUOTES: Table = Table {
    name: "quotes",
    meaning: "level 1: the best visible bid and offer, last price and volume, whenever one of them changes",
    columns: &[
        RUN,
        SEED,
        EPISODE,
        SYMBOL,
        TIME,
        EVENT,
        column("sequence", Kind::Integer, "counts the quotes of the episode, from 1"),
        maybe("bid_price", Kind::Integer, "cents; none without a bid"),
        maybe("bid_quantity", Kind::Integer, "visible shares at the best bid"),
        maybe("ask_price", Kind::Integer, "cents; none without an offer"),
        maybe("ask_quantity", Kind::Integer, "visible shares at the best offer"),
        maybe("last_price", Kind::Integer, "cents; none before the first trade"),
        column("volume", Kind::Integer, "shares traded since the open"),
    ],
};

/// Level 2.
pub const DEPTH: Table = Table {
    name: "depth",
    meaning: "level 2: every change of a visible price level, all levels; the book at a time is the last row of each side and price",
    columns: &[
        RUN,
        SEED,
        EPISODE,
        SYMBOL,
        TIME,
        column("event", Kind::Integer, "how many events of the episode came before"),
        column("side", Kind::Name(names::SIDES), "bids or offers"),
        column("price", Kind::Integer, "cents"),
        column("quantity", Kind::Integer, "visible shares at this price from now on; 0 when the level is gone"),
    ],
};

/// Executions.
pub const TRADES: Table = Table {
    name: "trades",
    meaning: "every execution",
    columns: &[
        RUN,
        SEED,
        EPISODE,
        SYMBOL,
        TIME,
        EVENT,
        column("price", Kind::Integer, "cents"),
        column("quantity", Kind::Integer, "shares"),
        column(
            "taker_side",
            Kind::Name(names::SIDES),
            "the side of the order that came in; in an auction the heavier side",
        ),
        column("maker_agent", Kind::Integer, "whose order rested"),
        column("maker_order", Kind::Integer, "its id with that agent"),
        column("taker_agent", Kind::Integer, "whose order came in"),
        column("taker_order", Kind::Integer, "its id with that agent"),
    ],
};

/// Requests and answers.
pub const ORDERS: Table = Table {
    name: "orders",
    meaning: "every request that reached the exchange and every answer that left it, in exchange order",
    columns: &[
        RUN,
        SEED,
        EPISODE,
        SYMBOL,
        TIME,
        EVENT,
        column("agent", Kind::Integer, "who asked; see table `agents`"),
        column("message", Kind::Name(names::MESSAGES), "a request (up to `order`) or an answer (from `accepted` on)"),
        column("request", Kind::Integer, "the request's id with its agent; in an answer, of the request answered"),
        maybe("order", Kind::Integer, "the order concerned: an order's id is that of the request that made it"),
        maybe("side", Kind::Name(names::SIDES), "of a new order"),
        maybe("price", Kind::Integer, "cents: asked for, traded at, or of the order from now on; none at market"),
        maybe(
            "quantity",
            Kind::Integer,
            "shares: asked for, traded or taken off; for `all_cancelled` the number of orders",
        ),
        maybe("remaining", Kind::Integer, "shares left of the order; answers only"),
        maybe("reason", Kind::Name(names::REASONS), "why rejected or cancelled"),
        maybe("liquidity", Kind::Name(names::LIQUIDITY), "of a fill"),
        maybe("time_in_force", Kind::Name(names::TIMES_IN_FORCE), "none: `day`, at market `immediate_or_cancel`"),
        maybe("expires", Kind::Time, "of `good_till`"),
        maybe("display", Kind::Name(names::DISPLAYS), "none: `full`"),
        maybe("shown", Kind::Integer, "shares that an `iceberg` shows at a time"),
        maybe("post_only", Kind::Name(names::POST_ONLY), "none: `no`"),
        maybe("trigger", Kind::Name(names::TRIGGERS), "none: `none`"),
        maybe("trigger_price", Kind::Integer, "cents; for `trail` a distance"),
    ],
};

/// Opening hours, auctions, halts.
pub const SESSIONS: Table = Table {
    name: "sessions",
    meaning: "when trading began, stopped for an auction, went on and ended",
    columns: &[RUN, SEED, EPISODE, SYMBOL, TIME, EVENT, column("phase", Kind::Name(names::PHASES), "what began")],
};

/// Who takes part.
pub const AGENTS: Table = Table {
    name: "agents",
    meaning: "who takes part; the same in every episode, so once a run",
    columns: &[
        RUN,
        SYMBOL,
        column("agent", Kind::Integer, "its number: background agents in scenario order, the strategy last"),
        column("name", Kind::Text, "its name"),
        column(
            "kind",
            Kind::Text,
            "`strategy`, the kind of background agent as scenarios spell it, or `replay` for a recorded participant",
        ),
    ],
};

/// What strategies logged.
pub const LOG: Table = Table {
    name: "log",
    meaning: "the lines that the strategy logged, as far as they were kept",
    columns: &[
        RUN,
        SEED,
        EPISODE,
        SYMBOL,
        column("time", Kind::Time, "when it was logged"),
        column("agent", Kind::Integer, "who logged it"),
        column("line", Kind::Text, "what; written by the strategy, so not to be trusted"),
    ],
};

/// What the stock is worth.
pub const FUNDAMENTAL: Table = Table {
    name: "fundamental",
    meaning: "the fundamental value, each second from open to close; it does not depend on the trader, so once a seed",
    columns: &[
        RUN,
        SEED,
        SYMBOL,
        column("time", Kind::Time, "a whole second after the open"),
        column("value", Kind::Number, "cents, not rounded"),
    ],
};

/// Every table.
pub const TABLES: [&Table; 8] = [&QUOTES, &DEPTH, &TRADES, &ORDERS, &SESSIONS, &AGENTS, &LOG, &FUNDAMENTAL];

/// The tables as Markdown, for `docs/data.md`.
#[must_use]
pub fn markdown() -> String {
    let mut text = format!("Schema `{SCHEMA_NAME}`, version {SCHEMA_VERSION}.\n");
    for table in TABLES {
        text.push_str(&format!("\n### `{}`\n\nA row is: {}.\n\n", table.name, table.meaning));
        text.push_str("| column | type | meaning |\n|---|---|---|\n");
        for column in table.columns {
            let none = if column.nullable { ", may be none" } else { "" };
            let names = match column.kind {
                Kind::Name(names) => {
                    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                    format!("; one of {}", quoted.join(" "))
                }
                _ => String::new(),
            };
            let kind = column.type_name();
            text.push_str(&format!("| `{}` | {kind}{none} | {}{names} |\n", column.name, column.meaning));
        }
    }
    text
}
