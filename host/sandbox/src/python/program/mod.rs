//! Python strategies: the same callbacks, desk, prices and outcomes as for compiled ones, in a fresh interpreter for each episode.
//!
//! ```text
//! PythonProgram ──start──► PythonInstance ──initialize (file runs, then the callback)──► callbacks ──► finish ──► Verdict
//! ```
//!
//! Invariants: an episode's interpreter begins as the frozen one and is thrown away, so nothing passes from one seed to the next; its file
//! system is empty and takes nothing, its clock is the simulation's, its random bytes come from the strategy's own stream; same source,
//! component, desk and budget give the same requests, fuel and outcome, on any thread.

mod instance;

pub use instance::PythonInstance;

use super::calls::Mailbox;
use super::engine::PythonEngine;
use super::limits::{
    FUEL_PER_SLICE, HANDLES_BASE, HANDLES_PER_DESCRIPTOR, HOST_CALL_BYTES_MAX, MEMORY_BYTES_MAX, PythonLimits,
    START_FUEL, TABLE_ELEMENTS_MAX,
};
use super::mounts::Mounts;
use super::state::{Captured, Guest, Room, Seat, Shared, SharedRef};
use crate::StartError;
use crate::watchdog::{Deadline, Stopwatch};
use assay_jail::Allowance;
use assay_model::{Budget, Desk, Time};
use assay_tree::{Limits, Tree};
use instance::drive;
use std::sync::Arc;
use wasmtime::component::ResourceTable;
use wasmtime::component::{Instance, TypedFunc};
use wasmtime::{PoolConcurrencyLimitError, Store};

/// A strategy's file, ready to be started. Cheap to clone.
#[derive(Clone)]
pub struct PythonProgram {
    engine: PythonEngine,
    file: Arc<str>,
    source: Arc<str>,
}

/// Why a source could not be surveyed.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The source's doing: reading it took more fuel, memory or stack than reading any honest one does.
    #[error("{0}")]
    Source(String),
    /// Ours.
    #[error("failed to read the source in the sandbox: {0}")]
    Infrastructure(String),
}

/// What surveying one source may use: some seconds, and room for a tree a hundred times as large as a source may be.
const SURVEY: Budget = Budget {
    fuel_initialize: 20_000_000_000,
    fuel_callback: 20_000_000_000,
    fuel_episode: 20_000_000_000,
    memory_bytes: 512 << 20,
    ..Budget::STANDARD
};

impl PythonEngine {
    /// Reads a strategy's source without running it, in an interpreter of its own. The answer, for
    /// [`assay_validator::check_python_survey`], is in JSON.
    ///
    /// # Errors
    /// See [`SurveyError`].
    pub fn survey(&self, source: &str) -> Result<String, SurveyError> {
        let (mut store, instance, shared) =
            open(self, Seat::empty(), &SURVEY).map_err(|error| SurveyError::Infrastructure(error.to_string()))?;
        let mut ask = || {
            let survey: TypedFunc<(String,), (String,)> =
                instance.get_typed_func(&mut store, self.0.strategy.survey)?;
            store.set_fuel(SURVEY.fuel_callback)?;
            shared.lock().debt_max = SURVEY.fuel_callback;
            drive(self.0.watchdog, &shared, survey.call_async(&mut store, (source.to_owned(),)))
        };
        match ask() {
            Ok((found,)) => Ok(found),
            Err(error) => match super::outcome::CellError::classify(&error, &store.data().room) {
                Ok(error) => Err(SurveyError::Source(error.to_string())),
                Err(what) => Err(SurveyError::Infrastructure(what)),
            },
        }
    }
}

impl PythonProgram {
    /// The strategy `source`, which tracebacks call `file`.
    #[must_use]
    pub fn new(engine: PythonEngine, file: &str, source: &str) -> Self {
        Self { engine, file: file.into(), source: source.into() }
    }

    /// The same file with another text.
    #[must_use]
    pub fn with_source(&self, source: &str) -> Self {
        Self { source: source.into(), ..self.clone() }
    }

    /// A fresh interpreter, trading at `desk` within `budget`; nothing of the file has run yet.
    ///
    /// # Errors
    /// [`StartError`] when the host cannot provide one.
    pub fn start(&self, desk: Desk, budget: &Budget) -> Result<PythonInstance, StartError> {
        self.start_within(desk, budget, None)
    }

    /// As [`start`](Self::start), for an instance that is used on this thread alone: what the thread computes until the instance is gone is taken
    /// out of the `allowance`. A callback in which that is used up ends as one that the watchdog stops.
    ///
    /// # Errors
    /// [`StartError`] when the host cannot provide one.
    pub fn start_within(
        &self,
        desk: Desk,
        budget: &Budget,
        allowance: Option<&Allowance>,
    ) -> Result<PythonInstance, StartError> {
        let stopwatch = allowance.map(Stopwatch::start);
        let (mut store, instance, shared) = open(&self.engine, Seat::taken(desk), budget)?;
        let functions = self.engine.0.strategy.functions(&instance, &mut store).map_err(StartError::host)?;
        Ok(PythonInstance::new(self.clone(), store, functions, shared, budget).timed(stopwatch))
    }
}

/// Descriptors that a strategy may have open. It has no files; the interpreter looks for some when a module is not there.
const DESCRIPTORS_MAX: u32 = 16;

/// An interpreter with a file system that is empty and takes nothing.
fn open(engine: &PythonEngine, seat: Seat, budget: &Budget) -> Result<(Store<Guest>, Instance, SharedRef), StartError> {
    let host = |error: wasmtime::Error| match error.downcast_ref::<PoolConcurrencyLimitError>() {
        Some(_) => StartError::PoolFull,
        None => StartError::host(error),
    };
    let mounts = Mounts::empty().map_err(|error| StartError::host(wasmtime::Error::new(error)))?;
    let output = [Captured::default(), Captured::default()];
    let shared = SharedRef::new(Shared {
        mounts,
        output,
        now: 0,
        slept: 0,
        debt: 0,
        debt_max: u64::MAX,
        deadline: Deadline::NEVER,
    });
    let mut store = store(engine, seat, budget, &shared).map_err(host)?;
    store.set_fuel(START_FUEL).map_err(host)?;
    let instance =
        drive(engine.0.watchdog, &shared, engine.0.strategy_pre.instantiate_async(&mut store)).map_err(host)?;
    Ok((store, instance, shared))
}

fn store(engine: &PythonEngine, seat: Seat, budget: &Budget, shared: &SharedRef) -> wasmtime::Result<Store<Guest>> {
    let memory_bytes = budget.memory_bytes.min(MEMORY_BYTES_MAX);
    let limits = PythonLimits { memory_bytes, descriptors: DESCRIPTORS_MAX, ..PythonLimits::STANDARD };
    let handles = HANDLES_BASE + limits.descriptors as usize * HANDLES_PER_DESCRIPTOR;
    let mut table = ResourceTable::new();
    table.set_max_capacity(handles);
    let mut random = blake3::Hasher::new_derive_key("assay python strategy randomness v1");
    random.update(&seat.desk.random_key().to_le_bytes());
    let guest = Guest {
        table,
        shared: shared.clone(),
        base: Tree::new(Limits { bytes_max: 0, inodes_max: 0 }),
        room: Room {
            memory_bytes_max: memory_bytes,
            memory_bytes_peak: 0,
            table_elements_max: TABLE_ELEMENTS_MAX,
            refused: false,
            is_final: true,
        },
        random: random.finalize_xof(),
        mailbox: Mailbox::default(),
        limits,
        start_time: Time(0),
        fuel_before: 0,
        fuel_given: 0,
        host_calls: 0,
        descriptors_open: 0,
        entries_listed: 0,
        finished: None,
        seat,
    };
    let mut store = Store::try_new(&engine.0.engine, guest)?;
    store.limiter(|guest| &mut guest.room);
    store.set_hostcall_fuel(HOST_CALL_BYTES_MAX);
    store.set_max_component_handles(handles);
    store.fuel_async_yield_interval(Some(FUEL_PER_SLICE))?;
    Ok(store)
}
