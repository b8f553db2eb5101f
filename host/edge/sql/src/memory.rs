//! SQLite's memory: what a call allocates is charged to it, and beyond its limit SQLite is told that there is none.
//!
//! SQLite's limit on values does not hold while a value is built (by `json_group_array` for one), and a statement may keep thousands of values at once, so
//! nothing but the allocator can bound a call. SQLite takes an allocator only before it is first used, and the whole process shares it, so ours is set before
//! `main`; what is allocated outside of our calls is passed on uncharged. [`is_in_use`] says whether SQLite has taken it: without it no image is opened.
//!
//! Invariants: a block is given back to the call that it was charged to, whichever thread frees it, because connections hand pages of their caches to one
//! another; a block that outlives its call is charged to nobody. The functions do not panic, and use no lock and nothing of the thread that must be dropped.

#![expect(unsafe_code, reason = "SQLite takes its allocator as a table of C functions")]

use rusqlite::ffi;
use std::alloc::{Layout, alloc, dealloc, realloc};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering::Relaxed};

/// Calls that can be charged at once; one more waits. A process has fewer threads.
const ACCOUNTS: usize = 1024;

/// What the call that runs on a thread holds.
struct Account {
    is_taken: AtomicBool,
    /// Counts calls, so that a block of an earlier one is told from those of this one.
    call: AtomicU32,
    held: AtomicI64,
}

static LIST: [Account; ACCOUNTS] =
    [const { Account { is_taken: AtomicBool::new(false), call: AtomicU32::new(0), held: AtomicI64::new(0) } };
        ACCOUNTS];
/// Whether SQLite has started with this allocator.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// The thread's account and how much it may hold.
#[derive(Clone, Copy)]
struct Charged {
    account: &'static Account,
    at: u32,
    most: i64,
}

thread_local! {
    static CHARGED: Cell<Option<Charged>> = const { Cell::new(None) };
    /// Whether the thread's call was refused memory.
    static IS_EXCEEDED: Cell<bool> = const { Cell::new(false) };
}

/// Charges the thread's call while it lives.
pub(crate) struct Charge(&'static Account);

impl Charge {
    /// From now on the thread's call may hold this many bytes.
    pub(crate) fn begin(most: usize) -> Self {
        let (at, account) = loop {
            let free = LIST.iter().enumerate().find(|(_, account)| !account.is_taken.swap(true, Relaxed));
            match free {
                Some(free) => break free,
                None => std::thread::yield_now(),
            }
        };
        account.held.store(0, Relaxed);
        IS_EXCEEDED.set(false);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        CHARGED.set(Some(Charged { account, at: at as u32, most }));
        Self(account)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        CHARGED.set(None);
        self.0.call.fetch_add(1, Relaxed);
        self.0.is_taken.store(false, Relaxed);
    }
}

/// Whether the thread's latest call was refused memory.
pub(crate) fn is_exceeded() -> bool {
    IS_EXCEEDED.get()
}

/// Does something for which SQLite may need a little memory and cannot be refused it, as the binding would panic.
pub(crate) fn uncharged<R>(work: impl FnOnce() -> R) -> R {
    /// Charges again even if `work` panics.
    struct Again(Option<Charged>);
    impl Drop for Again {
        fn drop(&mut self) {
            CHARGED.set(self.0);
        }
    }
    let _again = Again(CHARGED.take());
    work()
}

/// Whether SQLite uses this allocator.
pub(crate) fn is_in_use() -> bool {
    IN_USE.load(Relaxed)
}

/// Before `main` nothing can have started SQLite yet.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = install;

extern "C" fn install() {
    // SAFETY: this option takes a table, which SQLite copies, and no other thread runs yet. If SQLite should refuse, `is_in_use` stays false.
    unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const METHODS) };
}

static METHODS: Methods = Methods(ffi::sqlite3_mem_methods {
    xMalloc: Some(take),
    xFree: Some(give),
    xRealloc: Some(change),
    xSize: Some(size),
    xRoundup: Some(round_up),
    xInit: Some(start),
    xShutdown: Some(stop),
    pAppData: ptr::null_mut(),
});

#[repr(transparent)]
struct Methods(ffi::sqlite3_mem_methods);

// SAFETY: the table is only read, and its pointer is null.
unsafe impl Sync for Methods {}

/// What stands before each block.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Head {
    bytes: u32,
    /// Place of the account from 1 on; 0 if nobody is charged.
    account: u32,
    call: u32,
}

const HEAD_BYTES: usize = size_of::<Head>();

impl Head {
    /// Charges the thread's call.
    fn charge(bytes: u32) -> Option<Self> {
        let Some(Charged { account, at, most }) = CHARGED.get() else {
            return Some(Self { bytes, account: 0, call: 0 });
        };
        let all = i64::from(bytes) + HEAD_BYTES as i64;
        if account.held.fetch_add(all, Relaxed) + all > most {
            account.held.fetch_sub(all, Relaxed);
            IS_EXCEEDED.set(true);
            return None;
        }
        Some(Self { bytes, account: at + 1, call: account.call.load(Relaxed) })
    }

    /// Gives back what it took, if the call still runs. Should it end between the two looks, its successor has one block more.
    fn give_back(self) {
        let account = (self.account as usize).checked_sub(1).and_then(|at| LIST.get(at));
        if let Some(account) = account.filter(|account| account.call.load(Relaxed) == self.call) {
            account.held.fetch_sub(i64::from(self.bytes) + HEAD_BYTES as i64, Relaxed);
        }
    }
}

/// Memory for a block of this size with its head.
fn layout(bytes: u32) -> Option<Layout> {
    Layout::from_size_align((bytes as usize).checked_add(HEAD_BYTES)?, align_of::<Head>()).ok()
}

/// The head of a block.
///
/// # Safety
/// The block is one of `take` or `change`, and is not freed yet.
unsafe fn head(block: *mut c_void) -> *mut Head {
    // SAFETY: what the caller promises: the head lies before it.
    unsafe { block.cast::<Head>().sub(1) }
}

unsafe extern "C" fn take(bytes: c_int) -> *mut c_void {
    let Some((bytes, layout)) = u32::try_from(bytes).ok().and_then(|bytes| Some((bytes, layout(bytes)?))) else {
        return ptr::null_mut();
    };
    let Some(head) = Head::charge(bytes) else { return ptr::null_mut() };
    // SAFETY: the layout has at least the bytes of a head.
    let start = unsafe { alloc(layout) }.cast::<Head>();
    if start.is_null() {
        head.give_back();
        return ptr::null_mut();
    }
    // SAFETY: the memory begins with room for a head.
    unsafe {
        start.write(head);
        start.add(1).cast()
    }
}

unsafe extern "C" fn give(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: SQLite gives a block of ours, once.
    let (start, head) = unsafe { (head(block), *head(block)) };
    head.give_back();
    if let Some(layout) = layout(head.bytes) {
        // SAFETY: as above; the layout is the one that it was taken with.
        unsafe { dealloc(start.cast(), layout) };
    }
}

unsafe extern "C" fn change(block: *mut c_void, bytes: c_int) -> *mut c_void {
    // SAFETY: SQLite gives a block of ours.
    let (start, old) = unsafe { (head(block), *head(block)) };
    let Ok(bytes) = u32::try_from(bytes) else { return ptr::null_mut() };
    let (Some(old_layout), Some(new_layout)) = (layout(old.bytes), layout(bytes)) else { return ptr::null_mut() };
    // Both are charged for a moment, as both may be there.
    let Some(new) = Head::charge(bytes) else { return ptr::null_mut() };
    // SAFETY: the layout is the one that it was taken with, and the new size is that of a layout.
    let start = unsafe { realloc(start.cast(), old_layout, new_layout.size()) }.cast::<Head>();
    if start.is_null() {
        new.give_back();
        return ptr::null_mut();
    }
    old.give_back();
    // SAFETY: the memory begins with room for a head.
    unsafe {
        start.write(new);
        start.add(1).cast()
    }
}

unsafe extern "C" fn size(block: *mut c_void) -> c_int {
    if block.is_null() {
        return 0;
    }
    // SAFETY: SQLite gives a block of ours.
    unsafe { (*head(block)).bytes as c_int }
}

/// As SQLite's own.
unsafe extern "C" fn round_up(bytes: c_int) -> c_int {
    bytes.saturating_add(7) & !7
}

unsafe extern "C" fn start(_: *mut c_void) -> c_int {
    IN_USE.store(true, Relaxed);
    ffi::SQLITE_OK
}

unsafe extern "C" fn stop(_: *mut c_void) {
    IN_USE.store(false, Relaxed);
}
