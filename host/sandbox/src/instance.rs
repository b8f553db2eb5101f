//! One strategy, running: callbacks in, fuel and outcome out.
//!
//! Invariants: a callback's fuel is the lesser of its own budget and what is left for the episode, set before the call; a
//! callback that leaves no fuel has run out of it, whatever it returned (the engine checks only at branches and calls); after
//! the first failure the guest is never entered again.
//!
//! ```text
//! start ──► Running ──(callback returns)──► Running ──► finish: Finished
//!                   └─(anything else)─────► Ended   ──► finish: that outcome
//! ```

use crate::callback::Callback;
use crate::guest::{Guest, HOST_CALL_BYTES_MAX, Reach};
use crate::interface::{Update, View, order_update, view};
use crate::meter::Meter;
use crate::names::readable;
use crate::outcome::{Limit, Meaning, Outcome, TrapKind, Usage, Verdict, classify};
use crate::price::{CALLBACK_FUEL, TRAP_FUEL};
use crate::profile::Recorder;
use crate::program::{Program, StartError};
use crate::stop::Stop;
use crate::watchdog::{Stopwatch, Watchdog, thread_time};
use assay_jail::Allowance;
use assay_model::{Budget, Desk, OrderUpdate, REQUESTS_PER_CALLBACK_MAX, StrategyConfig, WAKEUPS_PER_CALLBACK_MAX};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;
use wasmtime::{
    Extern, ModuleExport, PoolConcurrencyLimitError, Store, Trap, TypedFunc, UpdateDeadline, WasmBacktrace, WasmParams,
    WasmResults,
};

/// A strategy that has been started. The five callbacks mirror the guest interface; each returns `Break` once the strategy has
/// failed, and from then on does nothing.
pub struct Instance {
    store: Store<Guest>,
    state: State,
    meter: Meter,
    /// Fuel of the last call.
    spent: u64,
    /// Keeps code and watchdog alive.
    program: Program,
}

#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each store, and calls should not go through a pointer more"
)]
enum State {
    Running(Exports),
    Ended { outcome: Outcome, backtrace: Option<String> },
}

/// The guest's callbacks, looked up once.
struct Exports {
    /// Its parameters are in memory, at this address.
    initialize: TypedFunc<u32, ()>,
    on_tick: TypedFunc<View, ()>,
    on_market_data: TypedFunc<View, ()>,
    on_order_update: TypedFunc<Update, ()>,
    on_simulation_end: TypedFunc<u64, ()>,
    reach: Arc<Reach>,
}

impl Program {
    /// A fresh instance with its own memory, trading at `desk` within `budget`. What the guest does wrong while it is set up is
    /// part of its outcome.
    ///
    /// # Errors
    /// [`StartError`] when the host cannot provide an instance.
    pub fn start(&self, desk: Desk, budget: &Budget) -> Result<Instance, StartError> {
        self.start_within(desk, budget, None)
    }

    /// As [`start`](Self::start), for an instance that is used on this thread alone: what the thread computes until the instance is gone is taken
    /// out of the `allowance`. A callback in which that is used up ends as one that the watchdog stops.
    ///
    /// # Errors
    /// [`StartError`] when the host cannot provide an instance.
    pub fn start_within(
        &self,
        desk: Desk,
        budget: &Budget,
        allowance: Option<&Allowance>,
    ) -> Result<Instance, StartError> {
        if budget.memory_bytes > crate::MEMORY_BYTES_MAX {
            return Err(StartError::MemoryBudget { asked: budget.memory_bytes });
        }
        let recorder = self.functions().map(|functions| Box::new(Recorder::new(Arc::clone(functions))));
        let parameters = Arc::clone(self.parameters());
        let stopwatch = allowance.map(Stopwatch::start);
        let guest = Guest { recorder, parameters, stopwatch, ..Guest::new(desk, budget.memory_bytes) };
        let mut store = Store::try_new(self.engine(), guest).map_err(StartError::host)?;
        store.limiter(|guest| &mut guest.room);
        let period = self.watchdog_period();
        store.epoch_deadline_callback(move |mut context| {
            let now = thread_time();
            let guest = context.data_mut();
            let since = *guest.computing_since.get_or_insert(now);
            let is_spent = guest.stopwatch.as_mut().is_some_and(|stopwatch| stopwatch.left().is_zero());
            if !is_spent && now.saturating_sub(since) < period {
                return Ok(UpdateDeadline::Continue(Watchdog::TICKS_PER_LOOK));
            }
            Err(Stop::Limit(Limit::ProcessorTime).into())
        });
        let mut instance = Instance {
            store,
            state: State::Ended { outcome: Outcome::Finished, backtrace: None },
            meter: Meter::new(budget),
            spent: 0,
            program: self.clone(),
        };
        instance.instantiate()?;
        Ok(instance)
    }
}

impl Instance {
    /// The strategy's desk.
    pub fn desk(&mut self) -> &mut Desk {
        &mut self.store.data_mut().desk
    }

    /// What the strategy has used so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let guest = self.store.data();
        Usage { host_calls: guest.host_calls, memory_bytes_peak: guest.room.memory_bytes_peak, ..self.meter.usage() }
    }

    /// Fuel that the last callback has spent.
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

    /// Before the market opens.
    pub fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.meter.expect_ticks(config);
        self.call(Callback::Initialize, |exports, store| {
            let config = exports.reach.config(&mut *store, config)?;
            exports.initialize.call(store, config)
        })
    }

    /// At every tick interval and wake-up.
    pub fn on_tick(&mut self) -> ControlFlow<()> {
        self.call(Callback::OnTick, |exports, store| {
            let view = view(&store.data().desk);
            exports.on_tick.call(store, view)
        })
    }

    /// The desk has a new quote.
    pub fn on_market_data(&mut self) -> ControlFlow<()> {
        self.call(Callback::OnMarketData, |exports, store| {
            let view = view(&store.data().desk);
            exports.on_market_data.call(store, view)
        })
    }

    /// The desk has taken in this update.
    pub fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.call(Callback::OnOrderUpdate, |exports, store| {
            let update = order_update(&store.data().desk, update);
            exports.on_order_update.call(store, update)
        })
    }

    /// After the close.
    pub fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.call(Callback::OnSimulationEnd, |exports, store| {
            let now = store.data().desk.now().0;
            exports.on_simulation_end.call(store, now)
        })
    }

    /// Ends the episode and frees the instance.
    #[must_use]
    pub fn finish(mut self) -> Verdict {
        let usage = self.usage();
        let recorder = self.store.data_mut().recorder.take();
        let profile = recorder.map(|recorder| recorder.finish(|callback| usage.of(callback).calls));
        let (outcome, backtrace) = match self.state {
            State::Running(_) => (Outcome::Finished, None),
            State::Ended { outcome, backtrace } => (outcome, backtrace),
        };
        let (lines, log_lines_dropped) = self.store.data().desk.log_lines();
        let log = lines.to_vec();
        Verdict { outcome, usage, log, log_lines_dropped, fuel_by_call: self.meter.by_call(), profile, backtrace }
    }

    /// Sets up the guest's memory; the fuel for it comes out of `initialize`'s budget.
    fn instantiate(&mut self) -> Result<(), StartError> {
        let fuel = self.arm(Callback::Initialize);
        match self.program.instance_pre().instantiate(&mut self.store) {
            Ok(instance) => {
                let exports = self.exports(instance)?;
                self.store.data_mut().reach = Some(Arc::clone(&exports.reach));
                self.state = State::Running(exports);
                let used = fuel - self.store.get_fuel().unwrap_or(0);
                self.bill(Callback::Initialize, used);
            }
            Err(error) if error.is::<PoolConcurrencyLimitError>() => return Err(StartError::PoolFull),
            Err(error) => {
                let _ = self.end(Callback::Initialize, fuel, &error);
            }
        }
        Ok(())
    }

    fn exports(&mut self, instance: wasmtime::Instance) -> Result<Exports, StartError> {
        let indices = self.program.exports().clone();
        let memory = instance.get_module_export(&mut self.store, &indices.memory).and_then(Extern::into_memory);
        Ok(Exports {
            initialize: self.typed(instance, &indices.initialize)?,
            on_tick: self.typed(instance, &indices.on_tick)?,
            on_market_data: self.typed(instance, &indices.on_market_data)?,
            on_order_update: self.typed(instance, &indices.on_order_update)?,
            on_simulation_end: self.typed(instance, &indices.on_simulation_end)?,
            reach: Arc::new(Reach {
                memory: memory.ok_or_else(|| StartError::host(wasmtime::Error::msg("`memory` is not a memory")))?,
                realloc: self.typed(instance, &indices.realloc)?,
            }),
        })
    }

    fn typed<P: WasmParams, R: WasmResults>(
        &mut self,
        instance: wasmtime::Instance,
        export: &ModuleExport,
    ) -> Result<TypedFunc<P, R>, StartError> {
        let function = instance.get_module_export(&mut self.store, export).and_then(Extern::into_func);
        let function =
            function.ok_or_else(|| StartError::host(wasmtime::Error::msg("a callback is not a function")))?;
        function.typed(&self.store).map_err(StartError::host)
    }

    /// Fills the tank for one call and returns how much is in it.
    fn arm(&mut self, callback: Callback) -> u64 {
        let now = self.store.data().desk.now();
        let fuel = self.meter.allow(callback, now);
        // Fuel metering is on in the engine, which is the only way in which this can fail.
        let _ = self.store.set_fuel(fuel.saturating_sub(CALLBACK_FUEL));
        self.store.set_epoch_deadline(Watchdog::TICKS_PER_LOOK);
        let guest = self.store.data_mut();
        guest.tank = fuel;
        guest.computing_since = None;
        if let Some(stopwatch) = &mut guest.stopwatch {
            stopwatch.count();
        }
        if let Some(recorder) = &mut guest.recorder {
            recorder.begin(callback, fuel);
        }
        fuel
    }

    #[inline]
    fn call(
        &mut self,
        callback: Callback,
        enter: impl FnOnce(&Exports, &mut Store<Guest>) -> wasmtime::Result<()>,
    ) -> ControlFlow<()> {
        let fuel = self.arm(callback);
        let State::Running(exports) = &self.state else { return ControlFlow::Break(()) };
        if fuel <= CALLBACK_FUEL {
            return self.end(callback, fuel, &Trap::OutOfFuel.into());
        }
        self.meter.count_call(callback);
        match enter(exports, &mut self.store) {
            Ok(()) => match self.store.get_fuel() {
                Ok(left) if left > 0 => {
                    self.bill(callback, fuel - left);
                    ControlFlow::Continue(())
                }
                _ => self.end(callback, fuel, &Trap::OutOfFuel.into()),
            },
            Err(error) => self.end(callback, fuel, &error),
        }
    }

    fn bill(&mut self, callback: Callback, fuel: u64) {
        self.spent = fuel;
        let guest = self.store.data_mut();
        if let Some(recorder) = &mut guest.recorder {
            recorder.end(fuel);
        }
        self.meter.bill(callback, fuel, guest.desk.now());
    }

    /// Records why the strategy ended in a callback that had `fuel`.
    #[cold]
    fn end(&mut self, callback: Callback, fuel: u64, error: &wasmtime::Error) -> ControlFlow<()> {
        let outcome = self.outcome(callback, fuel, error);
        let used = match outcome {
            Outcome::OutOfFuel { .. } => fuel,
            _ => (fuel - self.store.get_fuel().unwrap_or(0).min(fuel)).saturating_add(TRAP_FUEL).min(fuel),
        };
        self.bill(callback, used);
        let backtrace = error.downcast_ref::<WasmBacktrace>().map(describe);
        self.state = State::Ended { outcome, backtrace };
        ControlFlow::Break(())
    }

    fn outcome(&mut self, callback: Callback, fuel: u64, error: &wasmtime::Error) -> Outcome {
        if let Some(stop) = error.downcast_ref::<Stop>() {
            return match *stop {
                Stop::Limit(Limit::ProcessorTime) => {
                    let allowed = self.program.watchdog_period().as_millis() as u64;
                    Outcome::LimitExceeded { callback, limit: Limit::ProcessorTime, allowed }
                }
                Stop::Limit(limit) => Outcome::LimitExceeded { callback, limit, allowed: allowed(limit) },
                Stop::Memory { requested_bytes } => {
                    Outcome::OutOfMemory { callback, requested_bytes, limit_bytes: self.meter.budget().memory_bytes }
                }
                Stop::Breach(message) => {
                    Outcome::Trapped { callback, trap: TrapKind::Interface, message: message.to_owned() }
                }
                Stop::Machine => Outcome::Infrastructure { what: stop.to_string() },
            };
        }
        if error.is::<wasmtime::WasmtimeBug>() || error.is::<wasmtime::OutOfMemory>() {
            return Outcome::Infrastructure { what: error.root_cause().to_string() };
        }
        let Some(trap) = error.downcast_ref::<Trap>() else {
            return Outcome::Infrastructure { what: error.root_cause().to_string() };
        };
        match classify(*trap) {
            Some(Meaning::OutOfFuel) => self.meter.out_of_fuel(callback, fuel),
            Some(Meaning::Guest(kind)) => {
                let message = self.store.data_mut().panic_message.take().unwrap_or_else(|| trap.to_string());
                Outcome::Trapped { callback, trap: kind, message }
            }
            Some(Meaning::Engine) | None => Outcome::Infrastructure { what: trap.to_string() },
        }
    }
}

/// How much a limit of the host interface allows.
const fn allowed(limit: Limit) -> u64 {
    (match limit {
        Limit::Requests => REQUESTS_PER_CALLBACK_MAX,
        Limit::Wakeups => WAKEUPS_PER_CALLBACK_MAX,
        Limit::TableElements => crate::TABLE_ELEMENTS_MAX,
        Limit::HostCallBytes => HOST_CALL_BYTES_MAX,
        Limit::ProcessorTime => 0,
    }) as u64
}

/// The frames of a backtrace, one a line. Written here and not by the engine, which knows no bound: there are few frames, and each name
/// is cut.
fn describe(backtrace: &WasmBacktrace) -> String {
    let mut text = String::new();
    for (number, frame) in backtrace.frames().iter().enumerate() {
        let module = readable(frame.module().name().unwrap_or("<unknown>"));
        let function = frame.func_name().map_or_else(|| format!("<wasm function {}>", frame.func_index()), readable);
        // Never fails: this is a String.
        let _ = writeln!(text, "  {number:>3}: {module}!{function}");
    }
    text.truncate(text.trim_end_matches('\n').len());
    text
}
