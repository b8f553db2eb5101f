//! The port for databases: whatever can be forked, asked in SQL, and compared by content.
//!
//! This crate holds no database; a world has those that its loader gives it.

use std::any::Any;

use assay_model::Time;
use assay_trace::Digest;
use serde_json::Value;

use crate::changes::Change;

/// What a statement may know of the world and use of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ambient {
    /// The world's time.
    pub now: Time,
    /// The seed of what the statement draws.
    pub seed: u64,
    /// How much the statement may work, in steps of the database's machine.
    pub fuel: u64,
}

/// A database as a value.
pub trait Database: Send + Sync {
    /// A database that is equal now and independent from here on.
    fn fork(&self) -> Box<dyn Database>;

    /// Runs statements: all of them, or none.
    ///
    /// # Errors
    /// The database's own words.
    fn run(&mut self, sql: &str, parameters: &[Value], ambient: Ambient) -> Result<Value, String>;

    /// Its digest: equal after the same calls. What two episodes are compared by is [`changes`](Self::changes), which goes by content.
    fn digest(&self) -> Digest;

    /// The rows in which a later state differs. Paths begin with the table, and no two are equal.
    ///
    /// # Errors
    /// One of the two cannot be read, in the database's own words.
    fn changes(&self, later: &dyn Database) -> Result<Vec<Change>, String>;

    /// Everything that its rows hold.
    ///
    /// # Errors
    /// It cannot be read, in the database's own words.
    fn values(&self) -> Result<Vec<Value>, String>;

    /// The database itself, for those who know what it is.
    fn as_any(&self) -> &dyn Any;
}

impl Clone for Box<dyn Database> {
    fn clone(&self) -> Self {
        self.fork()
    }
}
