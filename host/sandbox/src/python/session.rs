//! One interpreter: cells in, outcomes out.
//!
//! ```text
//! start ──► Idle ──run──► (cell runs) ──► Idle          after an outcome that the interpreter survives
//!                              └────────► Dead ──restart──► Idle     after any other, or a `run` that was dropped half way
//! ```
//!
//! Invariants: a cell's fuel is the lesser of its own limit and what is left for the episode; a dead interpreter is never entered again;
//! the files are the same before and after a restart. A running cell gives its thread back every [`FUEL_PER_SLICE`], and whenever it waits
//! for a host call, so that one thread serves many sessions.

use super::calls::{HostAnswer, HostCalls, Mailbox};
use super::engine::{Opened, PythonEngine};
use super::exports::Exports;
use super::limits::{
    FUEL_PER_SLICE, HANDLES_BASE, HANDLES_PER_DESCRIPTOR, HOST_CALL_BYTES_MAX, MEMORY_BYTES_MAX, PythonLimits,
    RESTORED_MAX, START_FUEL, SUMMARY_BYTES_MAX, TABLE_ELEMENTS_MAX, TRACEBACK_BYTES_MAX,
};
use super::mounts::Mounts;
use super::outcome::{CellError, CellOutcome};
use super::state::{Captured, Guest, Room, Seat, Shared, SharedRef};
use crate::watchdog::{Deadline, thread_time};
use assay_model::{Seed, Time};
use assay_tree::{Tree, TreeError};
use futures::channel::oneshot;
use futures::future::BoxFuture;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use wasmtime::component::{ComponentType, Instance, Lift, ResourceTable, TypedFunc};
use wasmtime::{PoolConcurrencyLimitError, Store};

/// How a session begins.
#[derive(Clone)]
pub struct SessionConfig {
    /// The files. `diff` compares with them as they are now.
    pub tree: Tree,
    /// Where they are found, absolute, as in `/testbed`.
    pub folder: String,
    /// Of all randomness in the session.
    pub seed: Seed,
    /// The time of day at its beginning.
    pub start_time: Time,
    /// What it may use.
    pub limits: PythonLimits,
}

/// Trouble that is not the guest's: unscored, may be retried.
#[derive(Debug, thiserror::Error)]
pub enum PythonError {
    /// As many sessions as the pool holds exist already.
    #[error("failed to start a Python session: the pool is full")]
    PoolFull,
    /// The configuration makes no sense.
    #[error("failed to start a Python session: {0}")]
    Config(String),
    /// The engine failed.
    #[error("failed to start a Python session")]
    Start(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The interpreter is dead and has not been restarted.
    #[error("failed to run a cell: the interpreter has ended")]
    Dead,
    /// Content could not be loaded, or a host call could not be served.
    #[error("failed to run a cell: {0}")]
    Infrastructure(String),
}

/// A running interpreter with its files.
pub struct PythonSession {
    engine: PythonEngine,
    config: SessionConfig,
    store: Store<Guest>,
    state: State,
    shared: SharedRef,
    mailbox: Mailbox,
    cells: u32,
    starts: u32,
    fuel_used: u64,
}

enum State {
    Idle(Functions),
    Dead,
}

#[derive(Clone)]
struct Functions {
    run_cell: TypedFunc<(u32, String), (Reply,)>,
}

#[derive(ComponentType, Lift)]
#[component(record)]
struct Reply {
    failure: Option<Failure>,
    restored: Vec<String>,
}

#[derive(ComponentType, Lift)]
#[component(record)]
struct Failure {
    summary: String,
    traceback: String,
}

impl PythonEngine {
    /// A fresh interpreter over `config.tree`.
    ///
    /// # Errors
    /// See [`PythonError`].
    pub async fn start(&self, config: SessionConfig) -> Result<PythonSession, PythonError> {
        check(&config)?;
        let mounts = Mounts::new(config.tree.fork(), &config.folder, config.start_time)
            .map_err(|error: TreeError| PythonError::Config(error.to_string()))?;
        let shared = SharedRef::new(Shared {
            mounts,
            output: Default::default(),
            now: config.start_time.0,
            slept: 0,
            debt: 0,
            debt_max: u64::MAX,
            deadline: Deadline::NEVER,
        });
        let mailbox = Mailbox::default();
        let store = store(&self.0, &config, &shared, &mailbox, 0, 0)?;
        let engine = self.clone();
        let (state, cells, starts, fuel_used) = (State::Dead, 0, 0, 0);
        let mut session = PythonSession { engine, config, store, state, shared, mailbox, cells, starts, fuel_used };
        session.boot().await?;
        Ok(session)
    }
}

fn check(config: &SessionConfig) -> Result<(), PythonError> {
    let limits = &config.limits;
    let named = config.folder.strip_prefix('/').is_some_and(|path| {
        path.split('/').all(|name| !matches!(name, "" | "." | "..")) && !path.starts_with("tmp/") && path != "tmp"
    });
    if !named {
        return Err(PythonError::Config(format!("{} cannot be where the files are", config.folder)));
    }
    if limits.memory_bytes > MEMORY_BYTES_MAX {
        return Err(PythonError::Config(format!("at most {MEMORY_BYTES_MAX} bytes of memory can be given")));
    }
    Ok(())
}

fn store(
    engine: &Arc<Opened>,
    config: &SessionConfig,
    shared: &SharedRef,
    mailbox: &Mailbox,
    starts: u32,
    fuel_before: u64,
) -> Result<Store<Guest>, PythonError> {
    let limits = config.limits;
    let mut table = ResourceTable::new();
    let handles = HANDLES_BASE + limits.descriptors as usize * HANDLES_PER_DESCRIPTOR;
    table.set_max_capacity(handles);
    let mut random = blake3::Hasher::new_derive_key("assay python session randomness v1");
    random.update(&config.seed.0.to_le_bytes()).update(&starts.to_le_bytes());
    let guest = Guest {
        table,
        shared: shared.clone(),
        base: config.tree.fork(),
        room: Room {
            memory_bytes_max: limits.memory_bytes,
            memory_bytes_peak: 0,
            table_elements_max: TABLE_ELEMENTS_MAX,
            refused: false,
            is_final: false,
        },
        random: random.finalize_xof(),
        mailbox: mailbox.clone(),
        limits,
        start_time: config.start_time,
        fuel_before,
        fuel_given: 0,
        host_calls: 0,
        descriptors_open: 0,
        entries_listed: 0,
        finished: None,
        seat: Seat::empty(),
    };
    let start = |error: wasmtime::Error| PythonError::Start(error.into());
    let mut store = Store::try_new(&engine.engine, guest).map_err(start)?;
    store.limiter(|guest| &mut guest.room);
    store.set_hostcall_fuel(HOST_CALL_BYTES_MAX);
    store.set_max_component_handles(handles);
    store.fuel_async_yield_interval(Some(FUEL_PER_SLICE)).map_err(start)?;
    Ok(store)
}

impl PythonSession {
    /// The files as they are now.
    #[must_use]
    pub fn tree(&self) -> Tree {
        self.shared.lock().mounts.episode.fork()
    }

    /// Fuel of all cells so far.
    #[must_use]
    pub fn fuel_used(&self) -> u64 {
        self.fuel_used
    }

    /// Whether another cell can be run without a [`restart`](Self::restart).
    #[must_use]
    pub fn is_alive(&self) -> bool {
        matches!(self.state, State::Idle(_))
    }

    /// A fresh interpreter over the same files; all variables are gone. Fuel, clock and limits go on.
    ///
    /// # Errors
    /// See [`PythonError`].
    pub async fn restart(&mut self) -> Result<(), PythonError> {
        self.state = State::Dead;
        self.starts += 1;
        // The old store holds a slot of the pool, so it goes first.
        let mailbox = Mailbox::default();
        let empty = store(&self.engine.0, &self.config, &self.shared, &mailbox, self.starts, self.fuel_used)?;
        drop(std::mem::replace(&mut self.store, empty));
        self.mailbox = mailbox;
        self.boot().await
    }

    async fn boot(&mut self) -> Result<(), PythonError> {
        let start = |error: wasmtime::Error| match error.downcast_ref::<PoolConcurrencyLimitError>() {
            Some(_) => PythonError::PoolFull,
            None => PythonError::Start(error.into()),
        };
        self.shared.lock().debt_max = u64::MAX;
        self.store.set_fuel(START_FUEL).map_err(start)?;
        self.store.data_mut().fuel_given = START_FUEL;
        let opened = Arc::clone(&self.engine.0);
        let instance = opened.instance_pre.instantiate_async(&mut self.store).await.map_err(start)?;
        let functions = self.enter(&instance, &opened.exports).await.map_err(start)?;
        self.state = State::Idle(functions);
        Ok(())
    }

    async fn enter(&mut self, instance: &Instance, exports: &Exports) -> wasmtime::Result<Functions> {
        let start = instance.get_typed_func::<(String,), ()>(&mut self.store, &exports.start)?;
        start.call_async(&mut self.store, (self.config.folder.clone(),)).await?;
        Ok(Functions { run_cell: instance.get_typed_func(&mut self.store, exports.run_cell)? })
    }

    /// Runs a cell; its calls are answered by `calls`. Dropping the future ends the interpreter.
    ///
    /// # Errors
    /// See [`PythonError`]. What the cell does wrong is in the outcome.
    pub async fn run(&mut self, code: &str, calls: &dyn HostCalls) -> Result<CellOutcome, PythonError> {
        let limits = self.config.limits;
        let State::Idle(functions) = &self.state else { return Err(PythonError::Dead) };
        if code.len() > limits.code_bytes {
            let error = CellError::TooLong { bytes: code.len() as u64, max: limits.code_bytes as u64 };
            return Ok(self.outcome(0, Some(error), Vec::new()));
        }
        let functions = functions.clone();
        // If this future is dropped, so the interpreter stays.
        self.state = State::Dead;
        self.cells += 1;
        let fuel = limits.fuel_cell.min(limits.fuel_episode.saturating_sub(self.fuel_used));
        self.prepare(fuel).map_err(|error| PythonError::Infrastructure(error.to_string()))?;
        let (watchdog, mailbox) = (self.engine.0.watchdog, self.mailbox.clone());
        let guest = functions.run_cell.call_async(&mut self.store, (self.cells, code.to_owned()));
        let ended = serve(guest, &self.shared, &mailbox, calls, watchdog).await;
        self.shared.lock().deadline = Deadline::NEVER;
        let left = self.store.get_fuel().unwrap_or(0);
        let used = fuel.saturating_sub(left).saturating_add(self.shared.lock().debt).min(fuel);
        self.fuel_used += used;
        let (error, restored) = match ended {
            // The engine looks at the fuel only at branches and calls.
            Ok(_) if left == 0 => (Some(CellError::OutOfFuel), Vec::new()),
            Ok((Reply { failure, restored },)) => (failure.map(exception), restored),
            Err(error) => {
                let told = CellError::classify(&error, &self.store.data().room).map_err(PythonError::Infrastructure)?;
                (Some(told), Vec::new())
            }
        };
        if error.as_ref().is_none_or(CellError::is_survivable) {
            self.state = State::Idle(functions);
        }
        Ok(self.outcome(used, error, restored))
    }

    fn prepare(&mut self, fuel: u64) -> wasmtime::Result<()> {
        self.store.set_fuel(fuel)?;
        let guest = self.store.data_mut();
        guest.fuel_before = self.fuel_used;
        guest.fuel_given = fuel;
        guest.host_calls = 0;
        guest.finished = None;
        guest.room.refused = false;
        let bytes_max = self.config.limits.output_bytes;
        let mut shared = self.shared.lock();
        shared.debt = 0;
        shared.debt_max = fuel;
        shared.output = [0, 1].map(|_| Captured { bytes_max, ..Captured::default() });
        Ok(())
    }

    fn outcome(&mut self, fuel: u64, error: Option<CellError>, mut restored: Vec<String>) -> CellOutcome {
        let [stdout, stderr] = std::mem::take(&mut self.shared.lock().output);
        restored.truncate(RESTORED_MAX);
        restored.iter_mut().for_each(|name| cut(name, SUMMARY_BYTES_MAX));
        CellOutcome {
            dropped_bytes: stdout.dropped_bytes + stderr.dropped_bytes,
            stdout: String::from_utf8_lossy(&stdout.bytes).into_owned(),
            stderr: String::from_utf8_lossy(&stderr.bytes).into_owned(),
            error,
            restored,
            fuel,
            finished: self.store.data_mut().finished.take(),
        }
    }
}

fn exception(failure: Failure) -> CellError {
    let Failure { mut summary, mut traceback } = failure;
    cut(&mut summary, SUMMARY_BYTES_MAX);
    cut(&mut traceback, TRACEBACK_BYTES_MAX);
    CellError::Exception { summary, traceback }
}

fn cut(text: &mut String, bytes_max: usize) {
    text.truncate(text.floor_char_boundary(bytes_max));
}

/// A call that is being answered, and where the answer goes.
type Answering<'a> = (BoxFuture<'a, HostAnswer>, oneshot::Sender<HostAnswer>);

/// Drives the guest, and the calls that it makes, until it has ended, owes more than it can pay, or has computed for too long.
async fn serve<T>(
    guest: impl Future<Output = wasmtime::Result<T>>,
    shared: &SharedRef,
    mailbox: &Mailbox,
    calls: &dyn HostCalls,
    watchdog: Duration,
) -> wasmtime::Result<T> {
    let mut guest = pin!(guest);
    let mut answering: Option<Answering<'_>> = None;
    let mut computed = Duration::ZERO;
    poll_fn(|context: &mut Context<'_>| {
        loop {
            if let Some((mut future, sender)) = answering.take() {
                let Poll::Ready(answer) = future.as_mut().poll(context) else {
                    answering = Some((future, sender));
                    return Poll::Pending;
                };
                // The guest waits for it, unless it has ended.
                let _ = sender.send(answer);
            }
            let started = thread_time();
            // A deadline is of one thread, and the next slice may be on another.
            shared.lock().deadline = Deadline::after(watchdog.saturating_sub(computed));
            if let Poll::Ready(ended) = guest.as_mut().poll(context) {
                return Poll::Ready(ended);
            }
            computed += thread_time().saturating_sub(started);
            if let Err(stop) = shared.lock().is_good() {
                return Poll::Ready(Err(stop.into()));
            }
            match mailbox.take() {
                Some(request) => answering = Some((calls.call(request.call, request.tree), request.answer)),
                None => return Poll::Pending,
            }
        }
    })
    .await
}
