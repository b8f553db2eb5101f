//! One episode of one contender: measured, kept if that is wanted, and given up soon after an interruption, whoever acts in the market.

use crate::contender::{Contender, Infrastructure};
use crate::recorder::{EpisodeKind, SeedRecorder};
use assay_market::metrics::{Collected, Collector};
use assay_market::{
    Event, EventSink, Exchange, FuelOf, LeftOut, LevelChange, OthersQuote, Scenario, Summary, Trader, simulate,
};
use assay_model::{Desk, Nanos, OrderUpdate, Seed, StrategyConfig, SymbolIndex, Time};
use assay_sandbox::{Allowance, Outcome, Verdict, thread_time};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a seed has no score.
#[derive(Debug)]
pub(crate) enum NoScore {
    Infrastructure(Infrastructure),
    Interrupted,
}

impl From<Infrastructure> for NoScore {
    fn from(failure: Infrastructure) -> Self {
        Self::Infrastructure(failure)
    }
}

/// One finished episode.
pub(crate) struct Episode {
    pub(crate) verdict: Verdict,
    pub(crate) summary: Summary,
    pub(crate) collected: Collected,
    pub(crate) seconds: f64,
    /// What the thread computed for it.
    pub(crate) processor: Duration,
}

/// Runs one episode of a contender.
pub(crate) fn run_episode<C: Contender>(
    scenario: &Scenario,
    contender: &C,
    mut collector: Collector,
    seed: Seed,
    cancel: &AtomicBool,
    mut tape: Tape<'_, '_>,
) -> Result<Episode, NoScore> {
    let allowance = contender.allowance();
    if cancel.load(Ordering::Relaxed) || allowance.is_some_and(Allowance::is_used_up) {
        return Err(NoScore::Interrupted);
    }
    let (start, computed) = (Instant::now(), thread_time());
    let mut trader = Interruptible::new(contender.start(scenario.new_desk(seed))?, cancel).within(allowance);
    let summary = match &mut tape.recorder {
        None => simulate(scenario, seed, &mut trader, &mut collector),
        Some(recorder) => {
            let mut both = Both { collector: &mut collector, sink: recorder.episode(tape.kind) };
            simulate(scenario, seed, &mut trader, &mut both)
        }
    };
    let Some(trader) = trader.unless_interrupted() else { return Err(NoScore::Interrupted) };
    let verdict = contender.finish(trader);
    if let Outcome::Infrastructure { what } = verdict.outcome {
        return Err(NoScore::Infrastructure(Infrastructure { what }));
    }
    if let Some(recorder) = tape.recorder {
        recorder.log(&verdict.log);
    }
    let collected = collector.finish();
    let (seconds, processor) = (start.elapsed().as_secs_f64(), thread_time().saturating_sub(computed));
    Ok(Episode { verdict, summary, collected, seconds, processor })
}

/// Where an episode is kept, if it is.
pub(crate) struct Tape<'a, 'r> {
    pub(crate) kind: EpisodeKind,
    pub(crate) recorder: Option<&'a mut (dyn SeedRecorder + 'r)>,
}

/// Measures and keeps.
struct Both<'a> {
    collector: &'a mut Collector,
    sink: &'a mut dyn EventSink,
}

impl EventSink for Both<'_> {
    fn event(&mut self, event: &Event) {
        self.collector.event(event);
        self.sink.event(event);
    }
    /// The collector's: a recorder watches every change instead.
    fn depth_interval(&self) -> Option<Nanos> {
        self.collector.depth_interval()
    }
    fn depth(&mut self, at: Time, exchange: &Exchange) {
        self.collector.depth(at, exchange);
    }
    fn watches_depth(&self) -> bool {
        self.sink.watches_depth()
    }
    fn level(&mut self, change: &LevelChange) {
        self.sink.level(change);
    }
    fn leaves_out(&self) -> Vec<LeftOut> {
        self.collector.leaves_out()
    }
    fn others(&mut self, quote: &OthersQuote) {
        self.collector.others(quote);
    }
    fn closing(&mut self, at: Time, symbol: SymbolIndex, exchange: &Exchange) {
        self.collector.closing(at, symbol, exchange);
        self.sink.closing(at, symbol, exchange);
    }
}

/// A trader that gives up at the first callback after an interruption, or after what it may compute is used up; where the market does not call it, within some
/// thousand of the market's own turns.
pub(crate) struct Interruptible<'a, T> {
    inner: T,
    cancel: &'a AtomicBool,
    allowance: Option<&'a Allowance>,
    interrupted: bool,
}

impl<'a, T> Interruptible<'a, T> {
    pub(crate) const fn new(inner: T, cancel: &'a AtomicBool) -> Self {
        Self { inner, cancel, allowance: None, interrupted: false }
    }

    /// The same, within an allowance.
    fn within(self, allowance: Option<&'a Allowance>) -> Self {
        Self { allowance, ..self }
    }

    /// The trader, if it has not given up.
    pub(crate) fn unless_interrupted(self) -> Option<T> {
        (!self.interrupted).then_some(self.inner)
    }

    fn is_interrupted(&mut self) -> bool {
        if self.cancel.load(Ordering::Relaxed) || self.allowance.is_some_and(Allowance::is_used_up) {
            self.interrupted = true;
        }
        self.interrupted
    }

    fn try_callback(&mut self, callback: impl FnOnce(&mut T) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.is_interrupted() { ControlFlow::Break(()) } else { callback(&mut self.inner) }
    }
}

impl<T: Trader> Trader for Interruptible<'_, T> {
    fn desk(&mut self) -> &mut Desk {
        self.inner.desk()
    }
    fn watches_market(&self) -> bool {
        self.inner.watches_market()
    }
    fn fuel_of(&self) -> FuelOf {
        self.inner.fuel_of()
    }
    fn fuel_spent(&self) -> u64 {
        self.inner.fuel_spent()
    }
    fn gives_up(&mut self) -> bool {
        self.is_interrupted()
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.try_callback(|inner| inner.initialize(config))
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.try_callback(T::on_tick)
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.try_callback(T::on_market_data)
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.try_callback(|inner| inner.on_order_update(update))
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.try_callback(T::on_simulation_end)
    }
}
