//! The domains of τ²-bench (Sierra Research, MIT) as programs of a world: tools in our own words and code that answer, refuse and change what the published
//! ones do, and the hash by which the benchmark compares states.
//!
//! ```text
//! world's documents (table -> id -> JSON) ◄──tool──► answer, or the published error
//!        └──Hasher──► SHA-256 of what Python would write
//! ```
//!
//! Invariants: a tool that refuses changes nothing, also where the published one would leave half of its work; numbers are Python's: sums of floats in the
//! same order, rounded as Python rounds, written as Python writes.
//!
//! Absent on purpose: the data, the policies and the tasks, which the importer of `assay-worlds` takes from the published packages.

mod airline;
mod calculate;
mod hash;
mod phone;
pub mod python;
mod records;
mod retail;
mod standard;
mod telecom;

use std::sync::Arc;

use assay_world::{Native, NativeError, State};
use serde::Deserialize;
use serde_json::Value;

pub use hash::{Hasher, Shape};

/// A domain of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// A shop.
    Retail,
    /// An airline.
    Airline,
    /// A telephone company and a user's phone.
    Telecom,
}

impl Domain {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Retail, Self::Airline, Self::Telecom];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retail => "retail",
            Self::Airline => "airline",
            Self::Telecom => "telecom",
        }
    }

    /// The domain of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|domain| domain.name() == name)
    }

    /// Its tables.
    #[must_use]
    pub const fn tables(self) -> &'static [&'static str] {
        match self {
            Self::Retail => &["orders", "products", "users"],
            Self::Airline => &["flights", "reservations", "users"],
            Self::Telecom => &telecom::TABLES,
        }
    }

    /// What the tables' records look like to Python. Those of telecom are lists; [`telecom_hashes`] hashes them.
    #[must_use]
    pub const fn shape(self) -> Shape {
        match self {
            Self::Telecom => Shape(&[]),
            Self::Retail => Shape(&[
                ("orders", &["price", "amount", "exchange_price_difference"]),
                ("products", &["price"]),
                ("users", &["balance"]),
            ]),
            Self::Airline => Shape(&[("flights", &[]), ("reservations", &[]), ("users", &["amount"])]),
        }
    }

    /// The fields of a record that may be missing in a file and are null then.
    #[must_use]
    pub const fn optional(self, table: &str) -> &'static [&'static str] {
        match (self, table.as_bytes()) {
            (Self::Retail, b"orders") => &[
                "cancel_reason",
                "exchange_items",
                "exchange_new_items",
                "exchange_payment_method_id",
                "exchange_price_difference",
                "return_items",
                "return_payment_method_id",
            ],
            (Self::Airline, b"reservations") => &["status"],
            _ => &[],
        }
    }

    /// The seconds since the epoch at which its tasks take place.
    #[must_use]
    pub const fn now(self) -> u64 {
        match self {
            // 2024-05-15 15:00, which the airline's policy names; the shop names no time.
            Self::Retail | Self::Airline => 1_715_785_200,
            // 2025-02-25 12:08.
            Self::Telecom => 1_740_485_280,
        }
    }

    /// Its tools.
    ///
    /// # Panics
    /// Never: a test reads them.
    #[must_use]
    pub fn tools(self) -> Vec<ToolRow> {
        let text = match self {
            Self::Retail => include_str!("retail.json"),
            Self::Airline => include_str!("airline.json"),
            Self::Telecom => include_str!("telecom.json"),
        };
        serde_json::from_str(text).expect("a test reads it")
    }

    /// The body of a tool.
    #[must_use]
    pub fn tool(self, name: &str) -> Option<Arc<dyn Native>> {
        let row = self.tools().into_iter().find(|row| row.name == name)?;
        Some(Arc::new(Body { domain: self, name: row.name }))
    }
}

/// A tool as agents see it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolRow {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Whether it changes anything.
    pub is_write: bool,
    /// The schema of its arguments.
    pub parameters: Value,
    /// Whether only whoever runs the world calls it: for what tasks begin with, and what must hold in the end.
    #[serde(default)]
    pub is_operators: bool,
}

/// The hashes of the telephone company's database and of the user's phone.
#[must_use]
pub fn telecom_hashes(state: &State) -> (String, String) {
    let (company, user) = telecom::texts_to_hash(state);
    (hash::of(&company), hash::of(&user))
}

/// A record of telecom with everything that the published classes give it: fields that a file leaves out, times as they are written.
#[must_use]
pub fn telecom_record(table: &str, record: &Value) -> Value {
    standard::completed(table, record)
}

/// A tool's body.
#[derive(Debug)]
struct Body {
    domain: Domain,
    name: String,
}

impl Native for Body {
    fn call(&self, arguments: &Value, state: &mut State) -> Result<Value, NativeError> {
        let done = match self.domain {
            Domain::Retail => retail::call(&self.name, arguments, state),
            Domain::Airline => airline::call(&self.name, arguments, state),
            Domain::Telecom => telecom::call(&self.name, arguments, state),
        };
        done.map_err(NativeError::Refused)
    }
}
