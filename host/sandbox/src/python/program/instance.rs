//! One Python strategy, running: callbacks in, fuel and outcome out.
//!
//! Invariants: as for compiled strategies (`crate::instance`): a callback's fuel is the lesser of its own budget and what is left for the
//! episode; after the first failure the guest is never entered again; callbacks that the strategy does not have are never entered.

use super::super::state::{Guest, SharedRef};
use super::super::stop::Stop;
use super::super::strategy::{self, Functions, Raised};
use super::PythonProgram;
use crate::callback::Callback;
use crate::meter::Meter;
use crate::outcome::{Limit, Meaning, Outcome, TrapKind, Usage, Verdict, classify};
use crate::price::{CALLBACK_FUEL, TRAP_FUEL};
use crate::watchdog::{Deadline, Stopwatch};
use assay_model::{Budget, Desk, OrderUpdate, REQUESTS_PER_CALLBACK_MAX, StrategyConfig, WAKEUPS_PER_CALLBACK_MAX};
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use wasmtime::{AsContextMut, Store, Trap};

/// Bytes kept of an exception's summary and of its traceback. The runner cuts as well; it cannot be relied upon.
const SUMMARY_BYTES_MAX: usize = 4 << 10;
const TRACEBACK_BYTES_MAX: usize = 16 << 10;

/// A strategy that has been started. The callbacks are those of [`crate::Instance`].
pub struct PythonInstance {
    program: PythonProgram,
    store: Store<Guest>,
    shared: SharedRef,
    state: State,
    meter: Meter,
    /// Fuel of the last callback.
    spent: u64,
    /// Which callbacks the strategy has, by their number.
    has: u32,
    /// Takes this thread's time out of what the episodes of a strategy share.
    stopwatch: Option<Stopwatch>,
}

enum State {
    Running(Functions),
    Ended { outcome: Outcome, backtrace: Option<String> },
}

/// Why a callback came to nothing.
enum Trouble {
    Raised(Raised),
    Engine(wasmtime::Error),
}

impl From<wasmtime::Error> for Trouble {
    fn from(error: wasmtime::Error) -> Self {
        Self::Engine(error)
    }
}

impl PythonInstance {
    pub(super) fn new(
        program: PythonProgram,
        store: Store<Guest>,
        functions: Functions,
        shared: SharedRef,
        budget: &Budget,
    ) -> Self {
        Self {
            program,
            store,
            shared,
            state: State::Running(functions),
            meter: Meter::new(budget),
            spent: 0,
            has: u32::MAX,
            stopwatch: None,
        }
    }

    /// The same, on the clock.
    pub(super) fn timed(self, stopwatch: Option<Stopwatch>) -> Self {
        Self { stopwatch, ..self }
    }

    /// How long a call may compute from now on.
    fn longest(&mut self) -> Duration {
        let left = self.stopwatch.as_mut().map_or(Duration::MAX, Stopwatch::left);
        self.program.engine.0.watchdog.min(left)
    }

    /// The strategy's desk.
    pub fn desk(&mut self) -> &mut Desk {
        &mut self.store.data_mut().seat.desk
    }

    /// What the strategy has used so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let guest = self.store.data();
        Usage {
            host_calls: guest.seat.host_calls,
            memory_bytes_peak: guest.room.memory_bytes_peak,
            ..self.meter.usage()
        }
    }

    /// Fuel that the last callback has spent, its interpreter's included.
    #[must_use]
    pub const fn fuel_spent(&self) -> u64 {
        self.spent
    }

    /// The outcome, once the strategy has failed.
    #[must_use]
    pub fn failure(&self) -> Option<&Outcome> {
        match &self.state {
            State::Running(_) => None,
            State::Ended { outcome, .. } => Some(outcome),
        }
    }

    /// Before the market opens: runs the file, makes the strategy and initializes it, all within one budget.
    pub fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.meter.expect_ticks(config);
        self.meter.count_call(Callback::Initialize);
        self.spent = 0;
        let callback = Callback::Initialize;
        let watchdog = self.longest();
        let PythonProgram { file, source, .. } = &self.program;
        let (file, source) = (file.to_string(), source.to_string());
        let arguments = (file, source, config.symbol.clone(), strategy::state(self.desk()));
        let shared = self.shared.clone();
        let has = self.run(callback, |functions, store| {
            match drive(watchdog, &shared, functions.load.call_async(store, arguments))? {
                (Ok(has),) => Ok(has),
                (Err(raised),) => Err(Trouble::Raised(raised)),
            }
        });
        let Some(has) = has else { return ControlFlow::Break(()) };
        self.has = has;
        let state = strategy::initialize(self.desk(), config);
        self.enter(callback, state)
    }

    /// At every tick interval and wake-up.
    pub fn on_tick(&mut self) -> ControlFlow<()> {
        self.call(Callback::OnTick, strategy::state)
    }

    /// The desk has a new quote. A strategy that does not listen is not told again, as a compiled one.
    pub fn on_market_data(&mut self) -> ControlFlow<()> {
        if !self.has(Callback::OnMarketData) {
            self.desk().mute_market_data();
        }
        self.call(Callback::OnMarketData, strategy::state)
    }

    /// The desk has taken in this update.
    pub fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.call(Callback::OnOrderUpdate, |desk| strategy::update(desk, update))
    }

    /// After the close.
    pub fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.call(Callback::OnSimulationEnd, strategy::state)
    }

    /// Ends the episode and frees the interpreter.
    #[must_use]
    pub fn finish(mut self) -> Verdict {
        let usage = self.usage();
        let (lines, log_lines_dropped) = self.desk().log_lines();
        let log = lines.to_vec();
        let (outcome, backtrace) = match self.state {
            State::Running(_) => (Outcome::Finished, None),
            State::Ended { outcome, backtrace } => (outcome, backtrace),
        };
        let fuel_by_call = self.meter.by_call();
        Verdict { outcome, usage, log, log_lines_dropped, fuel_by_call, profile: None, backtrace }
    }

    fn has(&self, callback: Callback) -> bool {
        self.has & (1 << callback as u32) != 0
    }

    fn call(&mut self, callback: Callback, state: impl FnOnce(&Desk) -> Vec<u8>) -> ControlFlow<()> {
        self.spent = 0;
        if !self.has(callback) {
            return ControlFlow::Continue(());
        }
        if self.failure().is_some() {
            return ControlFlow::Break(());
        }
        self.meter.count_call(callback);
        let state = state(self.desk());
        self.enter(callback, state)
    }

    fn enter(&mut self, callback: Callback, state: Vec<u8>) -> ControlFlow<()> {
        if !self.has(callback) {
            return ControlFlow::Continue(());
        }
        let watchdog = self.longest();
        let shared = self.shared.clone();
        let done = self.run(callback, |functions, store| {
            match drive(watchdog, &shared, functions.call.call_async(&mut *store, (callback as u32, state)))? {
                (Ok(requests),) => {
                    strategy::carry_out(store.as_context_mut(), &requests)?;
                    Ok(())
                }
                (Err(raised),) => Err(Trouble::Raised(raised)),
            }
        });
        if done.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Enters the guest with a full tank, and bills it. `None` if that ended the strategy.
    fn run<T>(
        &mut self,
        callback: Callback,
        enter: impl FnOnce(&Functions, &mut Store<Guest>) -> Result<T, Trouble>,
    ) -> Option<T> {
        let fuel = self.arm(callback);
        let State::Running(functions) = &self.state else { return None };
        if fuel <= CALLBACK_FUEL {
            return self.end(callback, fuel, &Trap::OutOfFuel.into());
        }
        match enter(functions, &mut self.store) {
            Ok(value) => match self.used(fuel) {
                used if used < fuel => {
                    self.bill(callback, used);
                    Some(value)
                }
                _ => self.end(callback, fuel, &Trap::OutOfFuel.into()),
            },
            Err(Trouble::Engine(error)) => self.end(callback, fuel, &error),
            Err(Trouble::Raised(raised)) => {
                let used = self.used(fuel);
                self.bill(callback, used);
                self.state = uncaught(callback, raised);
                None
            }
        }
    }

    /// Fills the tank for one call and returns how much is in it.
    fn arm(&mut self, callback: Callback) -> u64 {
        let now = self.desk().now();
        let fuel = self.meter.allow(callback, now);
        // Fuel metering is on in the engine, which is the only way in which this can fail.
        let _ = self.store.set_fuel(fuel.saturating_sub(CALLBACK_FUEL));
        let mut shared = self.shared.lock();
        shared.debt = 0;
        shared.debt_max = fuel;
        fuel
    }

    /// What has been used of a tank: by computing, and by calls that move data.
    fn used(&self, fuel: u64) -> u64 {
        let left = self.store.get_fuel().unwrap_or(0);
        (fuel.saturating_sub(left)).saturating_add(self.shared.lock().debt).min(fuel)
    }

    fn bill(&mut self, callback: Callback, fuel: u64) {
        // Running the file and `initialize` are billed one after the other.
        self.spent += fuel;
        let now = self.desk().now();
        self.meter.bill(callback, fuel, now);
    }

    /// Records why the strategy ended in a callback that had `fuel`.
    #[cold]
    fn end<T>(&mut self, callback: Callback, fuel: u64, error: &wasmtime::Error) -> Option<T> {
        let outcome = self.outcome(callback, fuel, error);
        let used = match outcome {
            Outcome::OutOfFuel { .. } => fuel,
            _ => self.used(fuel).saturating_add(TRAP_FUEL).min(fuel),
        };
        self.bill(callback, used);
        self.state = State::Ended { outcome, backtrace: None };
        None
    }

    fn outcome(&self, callback: Callback, fuel: u64, error: &wasmtime::Error) -> Outcome {
        let trapped = |trap, message: String| Outcome::Trapped { callback, trap, message };
        if let Some(stop) = error.downcast_ref::<Stop>() {
            return match stop {
                Stop::OutOfFuel => self.meter.out_of_fuel(callback, fuel),
                Stop::Desk(limit) => {
                    let allowed = match limit {
                        Limit::Wakeups => WAKEUPS_PER_CALLBACK_MAX,
                        _ => REQUESTS_PER_CALLBACK_MAX,
                    };
                    Outcome::LimitExceeded { callback, limit: *limit, allowed: allowed as u64 }
                }
                Stop::Memory { requested_bytes } => {
                    let (requested_bytes, limit_bytes) = (*requested_bytes, self.meter.budget().memory_bytes);
                    Outcome::OutOfMemory { callback, requested_bytes, limit_bytes }
                }
                Stop::Exited(_) => trapped(TrapKind::Unreachable, stop.to_string()),
                Stop::Breach(_) | Stop::Limit { .. } => trapped(TrapKind::Interface, stop.to_string()),
                Stop::Watchdog => {
                    let allowed = self.program.engine.0.watchdog.as_millis() as u64;
                    Outcome::LimitExceeded { callback, limit: Limit::ProcessorTime, allowed }
                }
                Stop::Infrastructure(what) => Outcome::Infrastructure { what: what.clone() },
            };
        }
        if error.is::<wasmtime::WasmtimeBug>() || error.is::<wasmtime::OutOfMemory>() {
            return Outcome::Infrastructure { what: error.root_cause().to_string() };
        }
        match error.downcast_ref::<Trap>().map(|trap| (classify(*trap), trap)) {
            Some((Some(Meaning::OutOfFuel), _)) => self.meter.out_of_fuel(callback, fuel),
            Some((Some(Meaning::Guest(kind)), trap)) => trapped(kind, trap.to_string()),
            Some((_, trap)) => Outcome::Infrastructure { what: trap.to_string() },
            // What the engine refuses of a guest's values: lists too large, texts that are none.
            None => trapped(TrapKind::Interface, error.root_cause().to_string()),
        }
    }
}

fn uncaught(callback: Callback, raised: Raised) -> State {
    let Raised { mut summary, mut traceback } = raised;
    summary.truncate(summary.floor_char_boundary(SUMMARY_BYTES_MAX));
    traceback.truncate(traceback.floor_char_boundary(TRACEBACK_BYTES_MAX));
    let outcome = Outcome::Trapped { callback, trap: TrapKind::Exception, message: summary };
    State::Ended { outcome, backtrace: Some(traceback) }
}

/// Drives a call into the guest to its end. The guest lets go of the thread from time to time, and nothing that it waits for takes time. It may
/// compute for as long as the watchdog says, in its own code and in the host's.
pub(super) fn drive<T>(
    watchdog: Duration,
    shared: &SharedRef,
    call: impl Future<Output = wasmtime::Result<T>>,
) -> wasmtime::Result<T> {
    let mut call = pin!(call);
    let mut context = Context::from_waker(Waker::noop());
    shared.lock().deadline = Deadline::after(watchdog);
    let ended = loop {
        if let Poll::Ready(ended) = call.as_mut().poll(&mut context) {
            break ended;
        }
        if let Err(stop) = shared.lock().is_good() {
            break Err(stop.into());
        }
    };
    shared.lock().deadline = Deadline::NEVER;
    ended
}
