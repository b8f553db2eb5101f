//! What a database and one call may cost, each with its reason. Guests write the statements, and some images come from strangers.

use std::time::Duration;

/// Bytes of a block of an image, and of a page of a database that starts empty.
pub const PAGE_BYTES: usize = 4096;

/// What a database and one call to it may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest image, in blocks of 4 KiB. Beyond it a statement fails as on a full disk.
    pub pages: u32,
    /// The longest text, blob or row, in bytes. One step of SQLite's machine may work on all of it, so time is at most fuel times this.
    pub value_bytes: u32,
    /// The longest script, in bytes.
    pub sql_bytes: u32,
    /// Columns of a table, an index or an answer.
    pub columns: u16,
    /// Depth of an expression. SQLite recurses over it.
    pub expression_depth: u16,
    /// Terms of a compound SELECT.
    pub compound_selects: u16,
    /// The longest pattern of LIKE and GLOB, in bytes. Matching may take the product of pattern and text.
    pub pattern_bytes: u16,
    /// Parameters of a statement.
    pub parameters: u16,
    /// Depth of triggers that fire triggers.
    pub trigger_depth: u16,
    /// Parentheses within parentheses, with views and common table expressions unfolded. SQLite recurses over these on the thread's stack.
    pub nesting: u16,
    /// SELECTs of a statement, with views and common table expressions unfolded, once for each time that they are named. SQLite copies them before
    /// it runs anything, so that 40 short lines could ask for a million million.
    pub selects: u32,
    /// Triggers, and foreign keys that delete or change rows. SQLite compiles those that a statement may set off within one another, on the thread's stack.
    pub actions: u16,
    /// Bytes of all definitions in the schema. SQLite reads them whenever it opens the image.
    pub schema_bytes: u32,
    /// Rows of one answer.
    pub result_rows: u32,
    /// Bytes of all values of one answer.
    pub result_bytes: u32,
    /// Bytes of temporary files of one call: sorting, grouping, recursion.
    pub temporary_bytes: u32,
    /// Bytes that SQLite may hold for one call: the pages that it changes, what it compiles, and values, which may be far larger while they are built than the
    /// longest value. Beyond it a statement fails with `SQLITE_NOMEM`.
    pub memory_bytes: usize,
    /// Values that [`Database::content`](crate::Database::content) reads. In memory a value takes up to 32 times its place in the image.
    pub content_values: u32,
    /// Steps of SQLite's machine for checking an imported image or reading a content.
    pub own_fuel: u64,
    /// Processor time of one call. Fuel decides; this ends what does much in few steps.
    pub watchdog: Duration,
}

impl Limits {
    /// Limits for databases of up to 64 MiB that a model's statements work on.
    pub const STANDARD: Self = Self {
        pages: 16_384,
        value_bytes: 256 << 10,
        sql_bytes: 1 << 20,
        columns: 256,
        expression_depth: 200,
        compound_selects: 50,
        pattern_bytes: 256,
        parameters: 4_096,
        trigger_depth: 16,
        nesting: 100,
        selects: 2_000,
        actions: 100,
        schema_bytes: 1 << 20,
        result_rows: 10_000,
        result_bytes: 4 << 20,
        temporary_bytes: 64 << 20,
        // A statement that changes every page of the largest image keeps each twice, and a third time if it may have to undo itself alone.
        memory_bytes: 256 << 20,
        content_values: 8_000_000,
        own_fuel: 1_000_000_000,
        watchdog: Duration::from_secs(10),
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::STANDARD
    }
}
