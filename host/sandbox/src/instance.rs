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

use crate::host::{Guest, HOST_CALL_BYTES_MAX, Room, Stop};
use crate::interface::{WireConfig, WireQuote, WireUpdate, view};
use crate::outcome::{Callback, FuelScope, Limit, Meaning, Outcome, Usage, Verdict, classify};
use crate::price::{CALLBACK_FUEL, TRAP_FUEL};
use crate::program::{Program, StartError};
use crate::watchdog::Watchdog;
use assay_model::{Budget, Desk, OrderUpdate, REQUESTS_PER_CALLBACK_MAX, StrategyConfig, WAKEUPS_PER_CALLBACK_MAX};
use std::ops::ControlFlow;
use wasmtime::component::{self, ComponentNamedList, Lower, TypedFunc};
use wasmtime::{PoolConcurrencyLimitError, Store, Trap, WasmBacktrace};

/// A strategy that has been started. The five callbacks mirror the guest interface; each returns `Break` once the strategy has
/// failed, and from then on does nothing.
pub struct Instance {
    store: Store<Guest>,
    state: State,
    budget: Budget,
    /// Fuel left for the episode.
    fuel_left: u64,
    usage: Usage,
    /// Keeps code and watchdog alive.
    program: Program,
}

enum State {
    Running(Exports),
    Ended { outcome: Outcome, backtrace: Option<String> },
}

/// The guest's callbacks, looked up once.
struct Exports {
    initialize: component::Func,
    on_tick: TypedFunc<(u64, WireQuote), ()>,
    on_market_data: TypedFunc<(u64, WireQuote), ()>,
    on_order_update: TypedFunc<(u64, WireQuote, WireUpdate), ()>,
    on_simulation_end: TypedFunc<(u64,), ()>,
}

impl Program {
    /// A fresh instance with its own memory, trading at `desk` within `budget`. What the guest does wrong while it is set up is
    /// part of its outcome.
    ///
    /// # Errors
    /// [`StartError`] when the host cannot provide an instance.
    pub fn start(&self, desk: Desk, budget: &Budget) -> Result<Instance, StartError> {
        if budget.memory_bytes > crate::MEMORY_BYTES_MAX {
            return Err(StartError::MemoryBudget { asked: budget.memory_bytes });
        }
        let room = Room { memory_bytes_max: budget.memory_bytes, memory_bytes_peak: 0 };
        let guest = Guest { desk, room, host_calls: 0, panic_message: None };
        let mut store = Store::try_new(self.engine(), guest).map_err(StartError::host)?;
        store.limiter(|guest| &mut guest.room);
        store.set_hostcall_fuel(HOST_CALL_BYTES_MAX);
        // The interface has no resources, so no handle is ever needed.
        store.set_max_component_handles(0);
        store.epoch_deadline_trap();
        let mut instance = Instance {
            store,
            state: State::Ended { outcome: Outcome::Finished, backtrace: None },
            budget: *budget,
            fuel_left: budget.fuel_episode,
            usage: Usage::default(),
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
        Usage { host_calls: guest.host_calls, memory_bytes_peak: guest.room.memory_bytes_peak, ..self.usage }
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
        let Some(initialize) = self.export(|exports| exports.initialize) else { return ControlFlow::Break(()) };
        // Typed here, not with the others: the parameter borrows the configuration.
        match initialize.typed::<(WireConfig<'_>,), ()>(&self.store) {
            Ok(function) => self.call(Callback::Initialize, function, (config.into(),)),
            Err(error) => self.end(Callback::Initialize, 0, &error),
        }
    }

    /// At every tick interval and wake-up.
    pub fn on_tick(&mut self) -> ControlFlow<()> {
        let Some(function) = self.export(|exports| exports.on_tick) else { return ControlFlow::Break(()) };
        let view = view(&self.store.data().desk);
        self.call(Callback::OnTick, function, view)
    }

    /// The desk has a new quote.
    pub fn on_market_data(&mut self) -> ControlFlow<()> {
        let Some(function) = self.export(|exports| exports.on_market_data) else { return ControlFlow::Break(()) };
        let view = view(&self.store.data().desk);
        self.call(Callback::OnMarketData, function, view)
    }

    /// The desk has taken in this update.
    pub fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        let Some(function) = self.export(|exports| exports.on_order_update) else { return ControlFlow::Break(()) };
        let (now, quote) = view(&self.store.data().desk);
        self.call(Callback::OnOrderUpdate, function, (now, quote, update.into()))
    }

    /// After the close.
    pub fn on_simulation_end(&mut self) -> ControlFlow<()> {
        let Some(function) = self.export(|exports| exports.on_simulation_end) else { return ControlFlow::Break(()) };
        let now = self.store.data().desk.now().0;
        self.call(Callback::OnSimulationEnd, function, (now,))
    }

    /// Ends the episode and frees the instance.
    #[must_use]
    pub fn finish(self) -> Verdict {
        let usage = self.usage();
        let (outcome, backtrace) = match self.state {
            State::Running(_) => (Outcome::Finished, None),
            State::Ended { outcome, backtrace } => (outcome, backtrace),
        };
        let (lines, log_lines_dropped) = self.store.data().desk.log_lines();
        Verdict { outcome, usage, log: lines.to_vec(), log_lines_dropped, backtrace }
    }

    fn export<F>(&self, pick: impl Fn(&Exports) -> F) -> Option<F> {
        match &self.state {
            State::Running(exports) => Some(pick(exports)),
            State::Ended { .. } => None,
        }
    }

    /// Sets up the guest's memory; the fuel for it comes out of `initialize`'s budget.
    fn instantiate(&mut self) -> Result<(), StartError> {
        let fuel = self.arm(Callback::Initialize);
        match self.program.instance_pre().instantiate(&mut self.store) {
            Ok(instance) => {
                let exports = self.program.exports();
                let exports = Exports {
                    initialize: instance
                        .get_func(&mut self.store, exports.initialize)
                        .ok_or_else(|| StartError::host(wasmtime::Error::msg("`initialize` is not a function")))?,
                    on_tick: instance.get_typed_func(&mut self.store, exports.on_tick).map_err(StartError::host)?,
                    on_market_data: instance
                        .get_typed_func(&mut self.store, exports.on_market_data)
                        .map_err(StartError::host)?,
                    on_order_update: instance
                        .get_typed_func(&mut self.store, exports.on_order_update)
                        .map_err(StartError::host)?,
                    on_simulation_end: instance
                        .get_typed_func(&mut self.store, exports.on_simulation_end)
                        .map_err(StartError::host)?,
                };
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

    /// Fills the tank for one call and returns how much is in it.
    fn arm(&mut self, callback: Callback) -> u64 {
        let own = match callback {
            // Instantiation and `initialize` share one budget.
            Callback::Initialize => self.budget.fuel_initialize.saturating_sub(self.usage.initialize.fuel),
            _ => self.budget.fuel_callback,
        };
        let fuel = own.min(self.fuel_left);
        // Fuel metering is on in the engine, which is the only way in which this can fail.
        let _ = self.store.set_fuel(fuel.saturating_sub(CALLBACK_FUEL));
        self.store.set_epoch_deadline(Watchdog::DEADLINE_TICKS);
        fuel
    }

    fn call<P>(&mut self, callback: Callback, function: TypedFunc<P, ()>, params: P) -> ControlFlow<()>
    where
        P: ComponentNamedList + Lower,
    {
        let fuel = self.arm(callback);
        if fuel <= CALLBACK_FUEL {
            return self.end(callback, fuel, &Trap::OutOfFuel.into());
        }
        self.usage.of_mut(callback).calls += 1;
        match function.call(&mut self.store, params) {
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
        self.fuel_left = self.fuel_left.saturating_sub(fuel);
        let usage = self.usage.of_mut(callback);
        usage.fuel += fuel;
        usage.fuel_max = match callback {
            // Instantiation and `initialize` are billed one after the other and count as one call.
            Callback::Initialize => usage.fuel,
            _ => usage.fuel_max.max(fuel),
        };
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
                Stop::Limit(limit) => Outcome::LimitExceeded { callback, limit, allowed: allowed(limit) },
                Stop::Memory { requested_bytes } => {
                    Outcome::OutOfMemory { callback, requested_bytes, limit_bytes: self.budget.memory_bytes }
                }
                Stop::Machine => Outcome::Infrastructure { what: stop.to_string() },
            };
        }
        if error.is::<wasmtime::WasmtimeBug>() || error.is::<wasmtime::OutOfMemory>() {
            return Outcome::Infrastructure { what: error.root_cause().to_string() };
        }
        let Some(trap) = error.downcast_ref::<Trap>() else { return interface_breach(callback, error) };
        match classify(*trap) {
            Some(Meaning::OutOfFuel) if fuel >= self.fuel_left => {
                Outcome::OutOfFuel { callback, scope: FuelScope::Episode, limit: self.budget.fuel_episode }
            }
            Some(Meaning::OutOfFuel) => {
                let limit = match callback {
                    Callback::Initialize => self.budget.fuel_initialize,
                    _ => self.budget.fuel_callback,
                };
                Outcome::OutOfFuel { callback, scope: FuelScope::Callback, limit }
            }
            Some(Meaning::Guest(kind)) => {
                let message = self.store.data_mut().panic_message.take().unwrap_or_else(|| trap.to_string());
                Outcome::Trapped { callback, trap: kind, message }
            }
            Some(Meaning::Watchdog) => Outcome::Infrastructure {
                what: format!("the watchdog stopped {callback} after {:?}", self.program.watchdog_period()),
            },
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
    }) as u64
}

/// An error that is no trap comes from moving values between guest and host: the guest passed something malformed or too large.
fn interface_breach(callback: Callback, error: &wasmtime::Error) -> Outcome {
    let message = error.root_cause().to_string();
    // The engine keeps this error's type to itself; a test holds the text in place.
    if message.contains("fuel allocated for hostcalls has been exhausted") {
        let limit = Limit::HostCallBytes;
        return Outcome::LimitExceeded { callback, limit, allowed: allowed(limit) };
    }
    Outcome::Trapped { callback, trap: crate::TrapKind::Interface, message }
}

/// The frames of a backtrace, one a line, without the engine's heading.
fn describe(backtrace: &WasmBacktrace) -> String {
    let text = backtrace.to_string();
    text.split_once('\n').map_or(text.clone(), |(_, frames)| frames.to_owned())
}
