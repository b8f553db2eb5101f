//! What a store holds for one session.
//!
//! Streams outlive the call that made them and never see the store, so what they reach is behind one lock, [`Shared`]. The session runs
//! on one thread at a time, and nothing waits while it holds the lock.

use super::calls::Mailbox;
use super::limits::PythonLimits;
use super::mounts::Mounts;
use super::stop::Stop;
use crate::watchdog::Deadline;
use assay_model::{Desk, Seed, Time};
use assay_tree::Tree;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wasmtime::ResourceLimiter;
use wasmtime::component::ResourceTable;
use wasmtime_wasi_io::IoView;

/// Price of a call that moves data between guest and host, in fuel, besides one for each byte; a fuel is about a nanosecond of work.
const CALL_DEBT: u64 = 2_000;
/// Price of a call that looks at a handle, besides what it then does.
const HANDLE_DEBT: u64 = 200;

pub(crate) struct Guest {
    pub(crate) table: ResourceTable,
    pub(crate) shared: SharedRef,
    /// The files as they were at first.
    pub(crate) base: Tree,
    pub(crate) room: Room,
    pub(crate) random: blake3::OutputReader,
    pub(crate) mailbox: Mailbox,
    pub(crate) limits: PythonLimits,
    pub(crate) start_time: Time,
    /// Fuel of the cells before this one, and what this cell began with: together with what is left they are the time of day.
    pub(crate) fuel_before: u64,
    pub(crate) fuel_given: u64,
    pub(crate) host_calls: u32,
    /// Descriptors that the guest has opened; the mounts are not among them.
    pub(crate) descriptors_open: u32,
    /// Entries of all folders that are being listed, which lie in the host's memory.
    pub(crate) entries_listed: usize,
    pub(crate) finished: Option<String>,
    /// Where it trades, if it is a strategy.
    pub(crate) seat: Seat,
}

/// A strategy's place in the market.
pub(crate) struct Seat {
    pub(crate) desk: Desk,
    pub(crate) host_calls: u64,
    /// Whether there is a strategy. The desk of a cell is nobody's.
    pub(crate) is_taken: bool,
}

impl Seat {
    pub(crate) fn taken(desk: Desk) -> Self {
        Self { desk, host_calls: 0, is_taken: true }
    }

    pub(crate) fn empty() -> Self {
        Self { desk: Desk::new(Seed(0), "", 0), host_calls: 0, is_taken: false }
    }
}

impl IoView for Guest {
    /// Every call to `wasi:io` comes by here once, and so pays. What it then owes too much is found out at the next call or slice.
    fn table(&mut self) -> &mut ResourceTable {
        self.shared.lock().owe(HANDLE_DEBT);
        &mut self.table
    }
}

#[derive(Clone)]
pub(crate) struct SharedRef(Arc<Mutex<Shared>>);

pub(crate) struct Shared {
    pub(crate) mounts: Mounts,
    /// Standard output and standard error.
    pub(crate) output: [Captured; 2],
    /// The virtual clock, in nanoseconds since the epoch. It never goes back and moves with fuel, sleep and every change to a file, so
    /// that no two changes have the same time.
    pub(crate) now: u64,
    /// Nanoseconds slept.
    pub(crate) slept: u64,
    /// Fuel owed for data moved in this cell.
    pub(crate) debt: u64,
    pub(crate) debt_max: u64,
    /// Until when the guest may compute on the thread that runs it now.
    pub(crate) deadline: Deadline,
}

impl SharedRef {
    pub(crate) fn new(shared: Shared) -> Self {
        Self(Arc::new(Mutex::new(shared)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Shared> {
        // Nothing that holds the lock leaves the state half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Notes the price of a call that moves `bytes`.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Stop> {
        self.owe(CALL_DEBT.saturating_add(bytes as u64));
        self.is_good()
    }

    /// The same for a call that looks at a handle and does next to nothing.
    pub(crate) fn charge_handle(&mut self) -> Result<(), Stop> {
        self.owe(HANDLE_DEBT);
        self.is_good()
    }

    /// Where the episode's files are, for a guest that asks.
    pub(crate) fn folder(&mut self) -> Result<String, Stop> {
        self.charge(self.mounts.folder.len())?;
        Ok(self.mounts.folder.clone())
    }

    fn owe(&mut self, debt: u64) {
        self.debt = self.debt.saturating_add(debt);
    }

    /// Whether the guest may go on: it can pay what it owes, and is on time. Asked before the work that has just been charged.
    pub(crate) fn is_good(&self) -> Result<(), Stop> {
        if self.debt > self.debt_max { Err(Stop::OutOfFuel) } else { self.on_time() }
    }

    /// Whether it is on time.
    pub(crate) fn on_time(&self) -> Result<(), Stop> {
        if self.deadline.is_over() { Err(Stop::Watchdog) } else { Ok(()) }
    }

    /// The time of a change.
    pub(crate) fn tick(&mut self) -> Time {
        self.now = self.now.saturating_add(1_000);
        Time(self.now)
    }
}

/// The first bytes of what was written, and how many more there were.
#[derive(Default)]
pub(crate) struct Captured {
    pub(crate) bytes: Vec<u8>,
    pub(crate) bytes_max: usize,
    pub(crate) dropped_bytes: u64,
}

impl Captured {
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min(self.bytes_max.saturating_sub(self.bytes.len()));
        self.bytes.extend_from_slice(&bytes[..kept]);
        self.dropped_bytes += (bytes.len() - kept) as u64;
    }
}

/// Grants memory up to the limit. For a cell, a refusal is an answer that it sees: Python raises `MemoryError`. The limit is the session's own,
/// so every machine refuses at the same point. For a strategy it is the end, as for compiled ones.
pub(crate) struct Room {
    pub(crate) memory_bytes_max: u64,
    pub(crate) memory_bytes_peak: u64,
    pub(crate) table_elements_max: usize,
    /// The guest was refused memory in this cell.
    pub(crate) refused: bool,
    /// Whether a refusal ends the guest.
    pub(crate) is_final: bool,
}

impl ResourceLimiter for Room {
    fn memory_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let granted = desired as u64 <= self.memory_bytes_max && maximum.is_none_or(|maximum| desired <= maximum);
        if granted {
            self.memory_bytes_peak = self.memory_bytes_peak.max(desired as u64);
        } else if self.is_final {
            return Err(Stop::Memory { requested_bytes: desired as u64 }.into());
        }
        self.refused |= !granted;
        Ok(granted)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(Stop::Infrastructure(format!("the machine has no memory that the limit allows: {error}")).into())
    }

    fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(desired <= self.table_elements_max && maximum.is_none_or(|maximum| desired <= maximum))
    }
}
