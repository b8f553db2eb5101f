//! What holds for every connection to a file of SQLite, whoever wrote the file: it may come with a checkout.
//!
//! Nothing in the file is run: triggers and views are off, and what the schema may call is what SQLite calls harmless. A statement ends when it has computed
//! for too long, and no value is longer than what we write. The `Any` connections of sqlx hide SQLite's handle, so this is done where SQLite hands out each
//! new one.

#![expect(unsafe_code, reason = "sqlx has no other way to SQLite's own settings")]

use libsqlite3_sys as ffi;
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Once;
use std::time::Duration;

/// The longest text or row. The longest that we write are values of some 10,000 seeds.
pub(crate) const VALUE_BYTES_MAX: i32 = 8 << 20;
/// Processor time of one statement; what a store asks for takes milliseconds.
pub(crate) const STATEMENT_SECONDS_MAX: u64 = 10;
/// Steps of SQLite's machine between two looks at the clock: some milliseconds.
const STEPS_PER_LOOK: c_int = 100_000;

thread_local! {
    /// The thread's processor time when its statement began. A connection has a thread of its own.
    static BEGAN: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Sees to it that every connection of this process is guarded, once and for all.
pub(crate) fn set() {
    static SET: Once = Once::new();
    SET.call_once(|| {
        // SAFETY: the function has the type that SQLite asks for, and is there as long as the process. It fails for want of memory only; then the
        // schema is still compared before anything else is asked.
        let _ = unsafe { ffi::sqlite3_auto_extension(Some(guard)) };
    });
}

/// Called by SQLite with each connection that it opens.
unsafe extern "C" fn guard(
    connection: *mut ffi::sqlite3,
    _: *mut *mut c_char,
    _: *const ffi::sqlite3_api_routines,
) -> c_int {
    let off =
        [ffi::SQLITE_DBCONFIG_ENABLE_TRIGGER, ffi::SQLITE_DBCONFIG_ENABLE_VIEW, ffi::SQLITE_DBCONFIG_TRUSTED_SCHEMA];
    let settings = off.map(|setting| (setting, 0)).into_iter().chain([(ffi::SQLITE_DBCONFIG_DEFENSIVE, 1)]);
    for (setting, value) in settings {
        // SAFETY: SQLite calls with an open connection, and these settings take a number and a place for the answer, which may be null.
        unsafe { ffi::sqlite3_db_config(connection, setting, c_int::from(value), ptr::null_mut::<c_int>()) };
    }
    let statements = ffi::SQLITE_TRACE_STMT as c_uint;
    // SAFETY: as above; the functions have the types that SQLite asks for, and use nothing but what they are given.
    unsafe {
        ffi::sqlite3_limit(connection, ffi::SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
        ffi::sqlite3_trace_v2(connection, statements, Some(begins), ptr::null_mut());
        ffi::sqlite3_progress_handler(connection, STEPS_PER_LOOK, Some(look), ptr::null_mut());
    }
    ffi::SQLITE_OK
}

/// Called when a statement begins. It is also called for what removes dependent rows within one, whose text begins as a comment does.
unsafe extern "C" fn begins(_: c_uint, _: *mut c_void, _: *mut c_void, text: *mut c_void) -> c_int {
    // SAFETY: for this event SQLite gives a text that ends in a zero; no second byte is read behind that.
    let is_within =
        !text.is_null() && unsafe { text.cast::<u8>().read() == b'-' && text.cast::<u8>().add(1).read() == b'-' };
    if !is_within {
        BEGAN.set(thread_time());
    }
    0
}

/// Called while a statement runs; it is interrupted unless this is 0.
unsafe extern "C" fn look(_: *mut c_void) -> c_int {
    let spent = thread_time().saturating_sub(BEGAN.get());
    c_int::from(spent > Duration::from_secs(STATEMENT_SECONDS_MAX))
}

fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
