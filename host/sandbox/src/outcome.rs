//! What became of a strategy: outcome, usage, log and backtrace, as plain data.
//!
//! Invariants: an outcome depends on the guest, its inputs and its budget alone, except [`Outcome::Infrastructure`], which must
//! never be scored. Every trap of the engine is classified; a test walks through all of them.

use crate::callback::Callback;
use crate::histogram::FuelHistogram;
use crate::profile::Profile;
use assay_model::LogLine;
use serde::{Deserialize, Serialize};

/// How an episode ended for the strategy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// Every callback returned.
    Finished,
    /// A callback used up its fuel, or what was left for the episode.
    OutOfFuel {
        /// Where.
        callback: Callback,
        /// The budget that ran out.
        scope: FuelScope,
        /// That budget, in fuel.
        limit: u64,
    },
    /// The strategy asked for more linear memory than its budget.
    OutOfMemory {
        /// Where.
        callback: Callback,
        /// What it asked for, in bytes.
        requested_bytes: u64,
        /// What it may have, in bytes.
        limit_bytes: u64,
    },
    /// The strategy did something that WebAssembly forbids; a panic is one of these.
    Trapped {
        /// Where.
        callback: Callback,
        /// What it did.
        trap: TrapKind,
        /// The panic message, or what the engine says.
        message: String,
    },
    /// The strategy ran into a limit of the host interface.
    LimitExceeded {
        /// Where.
        callback: Callback,
        /// Which.
        limit: Limit,
        /// How much is allowed.
        allowed: u64,
    },
    /// The strategy never ran: the checks refused it.
    Rejected {
        /// Why.
        reason: String,
    },
    /// Not the strategy's doing: the run says nothing about it and may be repeated.
    Infrastructure {
        /// What happened.
        what: String,
    },
}

/// Which fuel budget ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FuelScope {
    /// That of the one callback.
    Callback,
    /// That of the whole episode.
    Episode,
}

/// What a trapped strategy did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrapKind {
    /// Executed `unreachable`: a panic, or an abort.
    Unreachable,
    /// Recursed too deeply. The depth depends on the compiled code, and for host calls on the host's, so it is stable for one build of Assay only.
    StackOverflow,
    /// Touched memory that it does not have.
    MemoryOutOfBounds,
    /// Touched a table entry that does not exist.
    TableOutOfBounds,
    /// Called an empty table entry or a null reference.
    NullCall,
    /// Called a function through a pointer of another type.
    SignatureMismatch,
    /// An integer result that does not fit, such as the minimum divided by −1.
    IntegerOverflow,
    /// Divided an integer by zero.
    DivisionByZero,
    /// Converted a float that no integer can hold.
    FloatToInteger,
    /// Broke the calling convention between component and host: a bad string, list, enum value or re-entry.
    Interface,
    /// Used something that this engine does not offer.
    Unsupported,
    /// Raised an exception that it did not catch. Python only.
    Exception,
}

/// A limit of the host interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Requests to the exchange in one callback.
    Requests,
    /// Wake-ups asked for in one callback.
    Wakeups,
    /// Entries of a table.
    TableElements,
    /// Bytes handed to the host, or to the guest, in one call.
    HostCallBytes,
    /// Milliseconds of the processor's time in one callback: the watchdog's, where the fuel did not end it.
    ProcessorTime,
}

/// Use of one kind of callback.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CallbackUsage {
    /// How often it was called.
    pub calls: u64,
    /// Fuel in all.
    pub fuel: u64,
    /// Fuel of the dearest call.
    pub fuel_max: u64,
    /// Exchange time of that call, the first of equally dear ones, in nanoseconds.
    #[serde(default)]
    pub fuel_max_at_ns: u64,
}

/// What the strategy used. Deterministic: fuel, not time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Usage {
    /// `initialize`, including instantiation.
    pub initialize: CallbackUsage,
    /// `on-tick`.
    pub on_tick: CallbackUsage,
    /// `on-market-data`.
    pub on_market_data: CallbackUsage,
    /// `on-order-update`.
    pub on_order_update: CallbackUsage,
    /// `on-simulation-end`.
    pub on_simulation_end: CallbackUsage,
    /// Calls from the strategy to the host.
    pub host_calls: u64,
    /// The most linear memory held at any time, in bytes.
    pub memory_bytes_peak: u64,
}

impl Usage {
    /// The entry of one kind of callback.
    #[must_use]
    pub const fn of(&self, callback: Callback) -> &CallbackUsage {
        match callback {
            Callback::Initialize => &self.initialize,
            Callback::OnTick => &self.on_tick,
            Callback::OnMarketData => &self.on_market_data,
            Callback::OnOrderUpdate => &self.on_order_update,
            Callback::OnSimulationEnd => &self.on_simulation_end,
        }
    }

    pub(crate) const fn of_mut(&mut self, callback: Callback) -> &mut CallbackUsage {
        match callback {
            Callback::Initialize => &mut self.initialize,
            Callback::OnTick => &mut self.on_tick,
            Callback::OnMarketData => &mut self.on_market_data,
            Callback::OnOrderUpdate => &mut self.on_order_update,
            Callback::OnSimulationEnd => &mut self.on_simulation_end,
        }
    }

    /// Fuel of the whole episode.
    #[must_use]
    pub fn fuel(&self) -> u64 {
        Callback::ALL.iter().map(|&callback| self.of(callback).fuel).sum()
    }
}

/// Everything there is to say about a strategy's episode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// How it ended.
    pub outcome: Outcome,
    /// What it used.
    pub usage: Usage,
    /// What it logged. Not trusted: may hold anything.
    pub log: Vec<LogLine>,
    /// Log lines that found no room.
    pub log_lines_dropped: u64,
    /// Fuel of single calls, by [`Callback`] in the order of [`Callback::ALL`].
    pub fuel_by_call: [FuelHistogram; Callback::ALL.len()],
    /// Fuel by function, of a profiled program.
    pub profile: Option<Profile>,
    /// The guest's stack at a trap, innermost frame first. For people: its text may change with the compiler, so keep it out of
    /// anything hashed or compared.
    pub backtrace: Option<String>,
}

/// What a trap of the engine means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// The fuel ran out.
    OutOfFuel,
    /// The guest did something forbidden.
    Guest(TrapKind),
    /// The engine misbehaved.
    Engine,
}

/// Classifies a trap; `None` for one that did not exist when this was written.
pub(crate) const fn classify(trap: wasmtime::Trap) -> Option<Meaning> {
    use wasmtime::Trap;
    Some(Meaning::Guest(match trap {
        Trap::OutOfFuel => return Some(Meaning::OutOfFuel),
        // The watchdog looks at the guest instead of interrupting it.
        Trap::Interrupt | Trap::DisabledOpcode => return Some(Meaning::Engine),
        Trap::UnreachableCodeReached => TrapKind::Unreachable,
        Trap::StackOverflow => TrapKind::StackOverflow,
        Trap::MemoryOutOfBounds => TrapKind::MemoryOutOfBounds,
        Trap::TableOutOfBounds => TrapKind::TableOutOfBounds,
        Trap::IndirectCallToNull | Trap::NullReference => TrapKind::NullCall,
        Trap::BadSignature => TrapKind::SignatureMismatch,
        Trap::IntegerOverflow => TrapKind::IntegerOverflow,
        Trap::IntegerDivisionByZero => TrapKind::DivisionByZero,
        Trap::BadConversionToInteger => TrapKind::FloatToInteger,
        Trap::CannotEnterComponent
        | Trap::CannotLeaveComponent
        | Trap::InvalidChar
        | Trap::DebugAssertStringEncodingFinished
        | Trap::DebugAssertEqualCodeUnits
        | Trap::DebugAssertPointerAligned
        | Trap::DebugAssertUpperBitsUnset
        | Trap::StringOutOfBounds
        | Trap::ListOutOfBounds
        | Trap::InvalidDiscriminant
        | Trap::UnalignedPointer => TrapKind::Interface,
        // Threads, garbage collection, stack switching, exceptions and component-model async are compiled out.
        Trap::HeapMisaligned
        | Trap::AtomicWaitNonSharedMemory
        | Trap::ArrayOutOfBounds
        | Trap::AllocationTooLarge
        | Trap::CastFailure
        | Trap::NoAsyncResult
        | Trap::UnhandledTag
        | Trap::ContinuationAlreadyConsumed
        | Trap::AsyncDeadlock
        | Trap::CannotBlockSyncTask
        | Trap::TaskCancelNotCancelled
        | Trap::TaskCancelOrReturnTwice
        | Trap::SubtaskCancelAfterTerminal
        | Trap::TaskReturnInvalid
        | Trap::WaitableSetDropHasWaiters
        | Trap::SubtaskDropNotResolved
        | Trap::ThreadNewIndirectInvalidType
        | Trap::ThreadNewIndirectUninitialized
        | Trap::BackpressureOverflow
        | Trap::UnsupportedCallbackCode
        | Trap::CannotResumeThread
        | Trap::ConcurrentFutureStreamOp
        | Trap::ReferenceCountOverflow
        | Trap::StreamOpTooBig
        | Trap::WaitableSyncAndAsync
        | Trap::UncaughtException => TrapKind::Unsupported,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trap_of_the_engine_is_classified() {
        let traps: Vec<_> = (0..=u8::MAX).filter_map(wasmtime::Trap::from_u8).collect();
        assert!(traps.len() > 40, "the engine lists {} traps", traps.len());
        let unknown: Vec<_> = traps.iter().filter(|&&trap| classify(trap).is_none()).collect();
        assert!(unknown.is_empty(), "unclassified: {unknown:?}");
    }
}
