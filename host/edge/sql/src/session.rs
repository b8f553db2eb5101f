//! An open connection to an image, with everything that a guest could use against the host or against repetition switched off.
//!
//! The store of the same process has SQLite set up each connection as it wants its own, without triggers and views; what is set here comes later and wins.

use crate::allow::authorize;
use crate::call;
use crate::error::SqlError;
use crate::image::{Image, Shared};
use crate::limits::{Limits, PAGE_BYTES};
use crate::vfs;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::ffi;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::hooks::Action;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use std::sync::{Arc, Mutex, PoisonError};

/// Steps of SQLite's machine between two looks at fuel and watchdog.
const STEPS_PER_LOOK: u8 = 20;
/// KiB of pages that a connection keeps; behind it the image lies in memory as well.
const CACHE_KIB: u32 = 256;

/// An open connection, and the image that it reads and writes.
pub(crate) struct Session {
    pub(crate) connection: Connection,
    image: Shared,
}

impl Session {
    /// Opens a connection to a fork of `image`.
    ///
    /// # Errors
    /// `Image` if the image cannot be read as a database, or its schema is damaged.
    pub(crate) fn open(image: &Image, limits: &Limits) -> Result<Self, SqlError> {
        let shared = Arc::new(Mutex::new(image.clone()));
        let connection = vfs::open(&shared)?;
        configure(&connection, image, limits)?;
        add_functions(&connection)?;
        connection.progress_handler(
            i32::from(STEPS_PER_LOOK),
            Some(|| call::with(|call| call.step(u64::from(STEPS_PER_LOOK))).unwrap_or_default()),
        )?;
        connection.update_hook(Some(|action, _: &str, _: &str, rowid| {
            // Behind this one SQLite would draw rowids from a generator that the whole process shares.
            if rowid == i64::MAX && action != Action::SQLITE_DELETE {
                call::with(|call| call.is_last_rowid_taken = true);
            }
        }))?;
        connection.authorizer(Some(authorize))?;
        Ok(Self { connection, image: shared })
    }

    /// A fork of the image as it is now.
    pub(crate) fn image(&self) -> Image {
        self.image.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn configure(connection: &Connection, image: &Image, limits: &Limits) -> Result<(), SqlError> {
    let switches = [
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, true),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
    ];
    for (switch, value) in switches {
        connection.set_db_config(switch, value)?;
    }
    let most = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
    let bounds = [
        (Limit::SQLITE_LIMIT_LENGTH, most(limits.value_bytes)),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, most(limits.sql_bytes)),
        (Limit::SQLITE_LIMIT_COLUMN, i32::from(limits.columns)),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, i32::from(limits.expression_depth)),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, i32::from(limits.compound_selects)),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, i32::from(limits.pattern_bytes)),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, i32::from(limits.parameters)),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, i32::from(limits.trigger_depth)),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ];
    for (limit, value) in bounds {
        connection.set_limit(limit, value)?;
    }
    let pages = u64::from(limits.pages) * PAGE_BYTES as u64 / page_bytes(image);
    // Journal: nothing survives a crash anyway. Spilling would write pages in an order that depends on the cache. What is deleted is overwritten, so that bytes
    // depend on contents and history only. The last but one makes SQLite read the schema; the last one opens the database of temporary tables, empty as it
    // stays, because some statements take one step more once it is open.
    connection.execute_batch(&format!(
        "PRAGMA journal_mode=memory; PRAGMA synchronous=off; PRAGMA cache_spill=off; PRAGMA secure_delete=on; PRAGMA cell_size_check=on; \
         PRAGMA cache_size=-{CACHE_KIB}; PRAGMA max_page_count={pages}; SELECT 1 FROM sqlite_temp_schema;"
    ))?;
    Ok(())
}

/// The size of SQLite's pages, from the header; that of new databases if there is none.
fn page_bytes(image: &Image) -> u64 {
    let mut field = [0; 2];
    image.read(16, &mut field);
    match u16::from_be_bytes(field) {
        0 => PAGE_BYTES as u64,
        1 => 65_536,
        bytes => u64::from(bytes),
    }
}

/// What SQLite would take from the process, or from the connection's past.
fn add_functions(connection: &Connection) -> Result<(), SqlError> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("random", 0, flags, |_| Ok(random()))?;
    connection.create_scalar_function("randomblob", 1, flags, random_blob)?;
    connection
        .create_scalar_function("changes", 0, flags, |_| Ok(call::with(|call| call.changes).unwrap_or_default()))?;
    connection.create_scalar_function("total_changes", 0, flags, |_| {
        Ok(call::with(|call| call.total_changes).unwrap_or_default())
    })?;
    Ok(())
}

/// As SQLite's own: never the least number, whose absolute value would overflow.
fn random() -> i64 {
    let bits = call::with(|call| call.random.bits()).unwrap_or_default() as i64;
    bits.max(-i64::MAX)
}

fn random_blob(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let length = match context.get_raw(0) {
        ValueRef::Integer(length) => length,
        ValueRef::Real(length) => length as i64,
        ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(|t| t.trim().parse().ok()).unwrap_or_default(),
        ValueRef::Null | ValueRef::Blob(_) => 0,
    };
    let length = usize::try_from(length.max(1)).unwrap_or(usize::MAX);
    call::with(|call| {
        if length > call.value_bytes {
            return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_TOOBIG), None));
        }
        let mut bytes = Vec::with_capacity(length.next_multiple_of(8));
        while bytes.len() < length {
            bytes.extend_from_slice(&call.random.bits().to_le_bytes());
        }
        bytes.truncate(length);
        Ok(bytes)
    })
    .unwrap_or_else(|| Ok(vec![0; 1]))
}
