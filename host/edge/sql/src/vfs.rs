//! SQLite's files: the image of a database, and temporary files in memory. No path is ever opened.
//!
//! Here is what must be unsafe: the table of functions that SQLite calls, and three settings that have no safe name. Invariants: a file owns its content from
//! `open` to `close`; the clock is the call's; the functions do not panic, as nothing could catch that.
//!
//! Locks do nothing, as an image has one connection. They are not held either: a connection that keeps its lock counts its changes once, however many
//! there are, and the bytes would depend on when a database was forked.

#![expect(unsafe_code, reason = "SQLite takes its files as a table of C functions")]

use crate::call;
use crate::image::{Image, Shared};
use crate::memory;
use chrono::{DateTime, Datelike as _, Timelike as _};
use rusqlite::{Connection, OpenFlags, ffi};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::slice;
use std::sync::{Arc, MutexGuard, OnceLock, PoisonError};

const NAME: &CStr = c"assay-pages";
/// The longest name of a file, with its end. Ours is `world.db`, and SQLite derives that of a journal from it.
const NAME_BYTES_MAX: c_int = 64;
/// The epoch as a Julian day, in milliseconds.
const EPOCH_MS: i64 = 210_866_760_000_000;

thread_local! {
    /// The image that the connection shall get which the thread is about to open.
    static OPENING: Cell<Option<Shared>> = const { Cell::new(None) };
}

/// Opens a connection to an image.
pub(crate) fn open(image: &Shared) -> rusqlite::Result<Connection> {
    let registered = register();
    if registered != ffi::SQLITE_OK {
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(registered), None));
    }
    if !memory::is_in_use() {
        let why = "SQLite was started without the allocator that bounds a call".to_owned();
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_MISUSE), Some(why)));
    }
    OPENING.set(Some(Arc::clone(image)));
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let connection = Connection::open_with_flags_and_vfs("world.db", flags, NAME);
    OPENING.take();
    let connection = connection?;
    // The store has every connection of the process traced, for its clock.
    // SAFETY: the handle is open, and without a callback there is nothing to get wrong.
    unsafe { ffi::sqlite3_trace_v2(connection.handle(), 0, None, ptr::null_mut()) };
    Ok(connection)
}

/// Makes `last_insert_rowid()` say 0, as in a new connection.
pub(crate) fn forget_last_insert(connection: &Connection) {
    // SAFETY: the handle is open.
    unsafe { ffi::sqlite3_set_last_insert_rowid(connection.handle(), 0) };
}

/// Makes the files known to SQLite, once, and local time the same as UTC, which it is for the whole process: there is no setting for less.
fn register() -> c_int {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    *REGISTERED.get_or_init(|| {
        let vfs = Box::leak(Box::new(ffi::sqlite3_vfs {
            iVersion: 2,
            szOsFile: size_of::<File>() as c_int,
            mxPathname: NAME_BYTES_MAX,
            pNext: ptr::null_mut(),
            zName: NAME.as_ptr(),
            pAppData: ptr::null_mut(),
            xOpen: Some(open_file),
            xDelete: Some(delete),
            xAccess: Some(access),
            xFullPathname: Some(full_path),
            xDlOpen: Some(load),
            xDlError: None,
            xDlSym: None,
            xDlClose: None,
            xRandomness: Some(randomness),
            xSleep: Some(sleep),
            xCurrentTime: Some(current_time),
            xGetLastError: None,
            xCurrentTimeInt64: Some(current_time_ms),
            xSetSystemCall: None,
            xGetSystemCall: None,
            xNextSystemCall: None,
        }));
        let local: unsafe extern "C" fn(*const c_void, *mut c_void) -> c_int = local_time;
        // SAFETY: the table lives as long as the process, and the control takes a number and a function of this type.
        unsafe {
            ffi::sqlite3_test_control(ffi::SQLITE_TESTCTRL_LOCALTIME_FAULT, 2 as c_int, local);
            ffi::sqlite3_vfs_register(vfs, 0)
        }
    })
}

/// What SQLite has instead of a file: its own part first.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    content: *mut Content,
}

enum Content {
    Image(Shared),
    Temporary(Vec<u8>),
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(set),
    xFileSize: Some(file_size),
    xLock: Some(set),
    xUnlock: Some(set),
    xCheckReservedLock: Some(is_reserved),
    xFileControl: Some(control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

unsafe extern "C" fn open_file(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives as many bytes as `szOsFile` says. Without methods it does not close the file.
    unsafe { (*file).pMethods = ptr::null() };
    let content = if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 {
        OPENING.take().map(Content::Image)
    } else {
        name.is_null().then(|| Content::Temporary(Vec::new()))
    };
    let Some(content) = content else { return ffi::SQLITE_CANTOPEN };
    // SAFETY: as above; the place for flags is null or SQLite's.
    unsafe {
        (*file.cast::<File>()).content = Box::into_raw(Box::new(content));
        (*file).pMethods = &raw const METHODS;
        if !out_flags.is_null() {
            *out_flags = flags;
        }
    }
    ffi::SQLITE_OK
}

/// The content of an open file.
///
/// # Safety
/// `file` was opened here, is not closed yet, and nothing else looks at its content meanwhile: SQLite uses a file from one thread at a time.
unsafe fn content<'a>(file: *mut ffi::sqlite3_file) -> &'a mut Content {
    // SAFETY: what the caller promises; `open_file` has set the pointer.
    unsafe { &mut *(*file.cast::<File>()).content }
}

fn lock(shared: &Shared) -> MutexGuard<'_, Image> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite closes a file once, and does not use it again.
    let content = unsafe { Box::from_raw((*file.cast::<File>()).content) };
    if let Content::Temporary(bytes) = *content {
        call::with(|call| call.temporary_bytes += bytes.len());
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn read(file: *mut ffi::sqlite3_file, into: *mut c_void, amount: c_int, offset: i64) -> c_int {
    let (Ok(amount), Ok(offset)) = (usize::try_from(amount), usize::try_from(offset)) else {
        return ffi::SQLITE_IOERR_READ;
    };
    // SAFETY: SQLite gives `amount` bytes, and an open file.
    let (into, content) = unsafe { (slice::from_raw_parts_mut(into.cast::<u8>(), amount), content(file)) };
    let found = match content {
        Content::Image(image) => lock(image).read(offset, into),
        Content::Temporary(bytes) => {
            let rest = bytes.get(offset..).unwrap_or_default();
            let found = rest.len().min(amount);
            into[..found].copy_from_slice(&rest[..found]);
            into[found..].fill(0);
            found
        }
    };
    if found < amount { ffi::SQLITE_IOERR_SHORT_READ } else { ffi::SQLITE_OK }
}

unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, from: *const c_void, amount: c_int, offset: i64) -> c_int {
    let (Ok(amount), Ok(offset)) = (usize::try_from(amount), usize::try_from(offset)) else {
        return ffi::SQLITE_IOERR_WRITE;
    };
    // SAFETY: SQLite gives `amount` bytes, and an open file.
    let (from, content) = unsafe { (slice::from_raw_parts(from.cast::<u8>(), amount), content(file)) };
    match content {
        Content::Image(image) => lock(image).write(offset, from),
        Content::Temporary(bytes) => {
            let Some(end) = offset.checked_add(amount) else { return ffi::SQLITE_FULL };
            let more = end.saturating_sub(bytes.len());
            let is_paid = call::with(|call| {
                call.temporary_bytes.checked_sub(more).is_some_and(|left| {
                    call.temporary_bytes = left;
                    true
                })
            });
            if is_paid != Some(true) {
                return ffi::SQLITE_FULL;
            }
            bytes.resize(bytes.len() + more, 0);
            bytes[offset..end].copy_from_slice(from);
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    let Ok(size) = usize::try_from(size) else { return ffi::SQLITE_IOERR_TRUNCATE };
    // SAFETY: SQLite gives an open file.
    match unsafe { content(file) } {
        Content::Image(image) => lock(image).truncate(size),
        Content::Temporary(bytes) => {
            let fewer = bytes.len().saturating_sub(size);
            bytes.truncate(size);
            call::with(|call| call.temporary_bytes += fewer);
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_size(file: *mut ffi::sqlite3_file, size: *mut i64) -> c_int {
    // SAFETY: SQLite gives an open file and a place for the answer.
    unsafe {
        *size = match content(file) {
            Content::Image(image) => lock(image).len(),
            Content::Temporary(bytes) => bytes.len(),
        } as i64;
    }
    ffi::SQLITE_OK
}

/// Locks and what would reach a disk: nothing is to be done.
unsafe extern "C" fn set(_: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn is_reserved(_: *mut ffi::sqlite3_file, answer: *mut c_int) -> c_int {
    // SAFETY: SQLite gives a place for the answer.
    unsafe { *answer = 0 };
    ffi::SQLITE_OK
}

unsafe extern "C" fn control(_: *mut ffi::sqlite3_file, _: c_int, _: *mut c_void) -> c_int {
    ffi::SQLITE_NOTFOUND
}

unsafe extern "C" fn sector_size(_: *mut ffi::sqlite3_file) -> c_int {
    4096
}

unsafe extern "C" fn characteristics(_: *mut ffi::sqlite3_file) -> c_int {
    ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE
}

unsafe extern "C" fn delete(_: *mut ffi::sqlite3_vfs, _: *const c_char, _: c_int) -> c_int {
    ffi::SQLITE_OK
}

/// No other file exists.
unsafe extern "C" fn access(_: *mut ffi::sqlite3_vfs, _: *const c_char, _: c_int, answer: *mut c_int) -> c_int {
    // SAFETY: SQLite gives a place for the answer.
    unsafe { *answer = 0 };
    ffi::SQLITE_OK
}

/// A name stays as it is.
unsafe extern "C" fn full_path(_: *mut ffi::sqlite3_vfs, name: *const c_char, space: c_int, out: *mut c_char) -> c_int {
    // SAFETY: SQLite gives a text that ends in a zero.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes_with_nul();
    if usize::try_from(space).is_ok_and(|space| name.len() <= space) {
        // SAFETY: SQLite gives `space` bytes, and the name takes no more.
        unsafe { ptr::copy_nonoverlapping(name.as_ptr().cast(), out, name.len()) };
        ffi::SQLITE_OK
    } else {
        ffi::SQLITE_CANTOPEN
    }
}

/// No library is ever loaded.
unsafe extern "C" fn load(_: *mut ffi::sqlite3_vfs, _: *const c_char) -> *mut c_void {
    ptr::null_mut()
}

/// SQLite asks the first of all file systems for its seed, which this is not.
unsafe extern "C" fn randomness(_: *mut ffi::sqlite3_vfs, _: c_int, _: *mut c_char) -> c_int {
    0
}

unsafe extern "C" fn sleep(_: *mut ffi::sqlite3_vfs, _: c_int) -> c_int {
    0
}

/// The call's clock, in milliseconds; the epoch outside of calls.
fn now_ms() -> i64 {
    call::with(|call| call.now_ms).unwrap_or_default()
}

unsafe extern "C" fn current_time_ms(_: *mut ffi::sqlite3_vfs, answer: *mut ffi::sqlite3_int64) -> c_int {
    // SAFETY: SQLite gives a place for the answer.
    unsafe { *answer = EPOCH_MS.saturating_add(now_ms()) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn current_time(_: *mut ffi::sqlite3_vfs, answer: *mut f64) -> c_int {
    // SAFETY: SQLite gives a place for the answer.
    unsafe { *answer = EPOCH_MS.saturating_add(now_ms()) as f64 / 86_400_000.0 };
    ffi::SQLITE_OK
}

/// The members of C's `struct tm` that come first on every system that we build for.
#[repr(C)]
struct BrokenDown {
    second: c_int,
    minute: c_int,
    hour: c_int,
    day: c_int,
    month: c_int,
    years_since_1900: c_int,
    weekday: c_int,
    day_of_year: c_int,
    is_summer: c_int,
}

/// Local time is UTC.
unsafe extern "C" fn local_time(time: *const c_void, out: *mut c_void) -> c_int {
    // SAFETY: SQLite gives a `time_t` of 64 bits.
    let Some(time) = DateTime::from_timestamp(unsafe { time.cast::<i64>().read() }, 0) else { return 1 };
    let broken_down = BrokenDown {
        second: time.second() as c_int,
        minute: time.minute() as c_int,
        hour: time.hour() as c_int,
        day: time.day() as c_int,
        month: time.month0() as c_int,
        years_since_1900: time.year() - 1900,
        weekday: time.weekday().num_days_from_sunday() as c_int,
        day_of_year: time.ordinal0() as c_int,
        is_summer: 0,
    };
    // SAFETY: SQLite gives a whole `struct tm`, which begins with these members.
    unsafe { out.cast::<BrokenDown>().write(broken_down) };
    0
}
