//! What a store holds for one strategy: its desk, its memory, and what the host notes while a callback runs.

use crate::engine::{TABLE_ELEMENTS_MAX, TABLES_MAX};
use crate::outcome::Limit;
use crate::profile::Recorder;
use crate::stop::Stop;
use crate::watchdog::Stopwatch;
use assay_model::Desk;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::{Memory, ResourceLimiter, TypedFunc};

/// Bytes that one call may hand to the host; more ends the strategy. Far above any sensible log line, far below what would hurt.
pub const HOST_CALL_BYTES_MAX: usize = 1 << 20;

/// What a store holds for one strategy.
pub(crate) struct Guest {
    pub(crate) desk: Desk,
    pub(crate) room: Room,
    /// What the parameters are set to, by number; `None` leaves one at its default.
    pub(crate) parameters: Arc<[Option<f64>]>,
    pub(crate) host_calls: u64,
    /// Fuel with which the running callback began.
    pub(crate) tank: u64,
    /// The processor time of this thread when the watchdog first looked at the running callback.
    pub(crate) computing_since: Option<Duration>,
    /// Takes this thread's time out of what the episodes of a strategy share.
    pub(crate) stopwatch: Option<Stopwatch>,
    /// Known once the guest is set up.
    pub(crate) reach: Option<Arc<Reach>>,
    /// The guest's allocator runs on behalf of the host. It may not call the host: neither side would be done with the other.
    pub(crate) allocating: bool,
    /// What the strategy said before it trapped.
    pub(crate) panic_message: Option<String>,
    /// Books fuel by function, if that is wanted.
    pub(crate) recorder: Option<Box<Recorder>>,
}

impl Guest {
    /// What a strategy begins with.
    pub(crate) fn new(desk: Desk, memory_bytes_max: u64) -> Self {
        Self {
            desk,
            room: Room { memory_bytes_max, memory_bytes_peak: 0 },
            parameters: Arc::default(),
            host_calls: 0,
            tank: 0,
            computing_since: None,
            stopwatch: None,
            reach: None,
            allocating: false,
            panic_message: None,
            recorder: None,
        }
    }
}

/// Grants memory and tables, and remembers the peak. Refusal ends the callback: a failed growth that the guest could see would
/// let it behave differently on different machines.
pub(crate) struct Room {
    pub(crate) memory_bytes_max: u64,
    pub(crate) memory_bytes_peak: u64,
}

impl ResourceLimiter for Room {
    fn memory_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let requested_bytes = desired as u64;
        if requested_bytes > self.memory_bytes_max || maximum.is_some_and(|maximum| desired > maximum) {
            return Err(Stop::Memory { requested_bytes }.into());
        }
        self.memory_bytes_peak = self.memory_bytes_peak.max(requested_bytes);
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        Err(Stop::Machine.into())
    }

    fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if desired > TABLE_ELEMENTS_MAX || maximum.is_some_and(|maximum| desired > maximum) {
            return Err(Stop::Limit(Limit::TableElements).into());
        }
        Ok(true)
    }

    fn table_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        Err(Stop::Machine.into())
    }

    fn instances(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        TABLES_MAX as usize
    }

    fn memories(&self) -> usize {
        1
    }
}

/// How the host reaches into a guest: its memory, and the function by which the guest makes room there.
pub(crate) struct Reach {
    pub(crate) memory: Memory,
    pub(crate) realloc: TypedFunc<(u32, u32, u32, u32), u32>,
}
