//! What can be put on trial: a guest in the sandbox, or a native trader on the same path.

use assay_market::{FuelOf, Inert, Trader};
use assay_model::{Budget, Desk, OrderUpdate, StrategyConfig};
use assay_sandbox::python::{PythonInstance, PythonProgram};
use assay_sandbox::{Allowance, Instance, Outcome, Program, Usage, Verdict};
use std::ops::ControlFlow;

/// Starts one trader for each episode and says afterwards what became of it.
pub trait Contender: Sync {
    /// The trader of one episode.
    type Trader: Trader;

    /// A trader at this desk.
    ///
    /// # Errors
    /// [`Infrastructure`] when the host could not provide one; says nothing about the strategy.
    fn start(&self, desk: Desk) -> Result<Self::Trader, Infrastructure>;

    /// What became of it.
    fn finish(&self, trader: Self::Trader) -> Verdict;

    /// What it may use in an episode, if that is not what the scenario says.
    fn budget(&self) -> Option<Budget> {
        None
    }

    /// What its episodes may compute in all, if there is such a limit. Once that is used up, they end as if interrupted.
    fn allowance(&self) -> Option<&Allowance> {
        None
    }
}

/// Something on our side kept an episode from being scored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}")]
pub struct Infrastructure {
    /// What happened.
    pub what: String,
}

/// A loaded strategy with its budget.
#[derive(Clone)]
pub struct Guest {
    program: Loaded,
    budget: Budget,
    allowance: Option<Allowance>,
}

#[derive(Clone)]
enum Loaded {
    Compiled(Program),
    Python(PythonProgram),
}

impl Guest {
    /// `program` may use `budget` in each episode.
    #[must_use]
    pub const fn new(program: Program, budget: Budget) -> Self {
        Self { program: Loaded::Compiled(program), budget, allowance: None }
    }

    /// `program` may use what a Python strategy may where a compiled one may use `budget`: [`Budget::for_python`].
    #[must_use]
    pub const fn python(program: PythonProgram, budget: Budget) -> Self {
        Self { program: Loaded::Python(program), budget: budget.for_python(), allowance: None }
    }

    /// The same, where all episodes together may compute for as long as the `allowance` says.
    #[must_use]
    pub fn within(self, allowance: Allowance) -> Self {
        Self { allowance: Some(allowance), ..self }
    }
}

impl Contender for Guest {
    type Trader = GuestTrader;

    fn start(&self, desk: Desk) -> Result<GuestTrader, Infrastructure> {
        let started = match &self.program {
            Loaded::Compiled(program) => {
                program.start_within(desk, &self.budget, self.allowance()).map(Running::Compiled)
            }
            Loaded::Python(program) => program
                .start_within(desk, &self.budget, self.allowance())
                .map(|instance| Running::Python(Box::new(instance))),
        };
        started
            .map(GuestTrader)
            .map_err(|error| Infrastructure { what: format!("failed to start the strategy: {error}") })
    }

    fn finish(&self, trader: GuestTrader) -> Verdict {
        match trader.0 {
            Running::Compiled(instance) => instance.finish(),
            Running::Python(instance) => instance.finish(),
        }
    }

    fn budget(&self) -> Option<Budget> {
        Some(self.budget)
    }

    fn allowance(&self) -> Option<&Allowance> {
        self.allowance.as_ref()
    }
}

/// A sandboxed strategy as the market sees it.
pub struct GuestTrader(Running);

#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each episode, and compiled calls should not go through a pointer more"
)]
enum Running {
    Compiled(Instance),
    Python(Box<PythonInstance>),
}

/// The same call on either kind of instance.
macro_rules! running {
    ($trader:expr, $instance:ident => $call:expr) => {
        match &mut $trader.0 {
            Running::Compiled($instance) => $call,
            Running::Python($instance) => $call,
        }
    };
}

impl Trader for GuestTrader {
    fn desk(&mut self) -> &mut Desk {
        running!(self, instance => instance.desk())
    }
    fn fuel_of(&self) -> FuelOf {
        match self.0 {
            Running::Compiled(_) => FuelOf::Code,
            Running::Python(_) => FuelOf::Python,
        }
    }
    fn fuel_spent(&self) -> u64 {
        match &self.0 {
            Running::Compiled(instance) => instance.fuel_spent(),
            Running::Python(instance) => instance.fuel_spent(),
        }
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        running!(self, instance => instance.initialize(config))
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        running!(self, instance => instance.on_tick())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        running!(self, instance => instance.on_market_data())
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        running!(self, instance => instance.on_order_update(update))
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        running!(self, instance => instance.on_simulation_end())
    }
}

/// A trusted trader in this process, made by a function; unmetered, always finishes.
#[derive(Clone, Copy, Debug)]
pub struct Native<F>(pub F);

/// The baseline: present, connected, and does nothing.
pub const BASELINE: Native<fn(Desk) -> Inert> = Native(Inert::new);

impl<T: Trader, F: Fn(Desk) -> T + Sync> Contender for Native<F> {
    type Trader = T;

    fn start(&self, desk: Desk) -> Result<T, Infrastructure> {
        Ok((self.0)(desk))
    }

    fn finish(&self, mut trader: T) -> Verdict {
        let (log, log_lines_dropped) = trader.desk().log_lines();
        Verdict {
            outcome: Outcome::Finished,
            usage: Usage::default(),
            log: log.to_vec(),
            log_lines_dropped,
            fuel_by_call: Default::default(),
            profile: None,
            backtrace: None,
        }
    }
}
