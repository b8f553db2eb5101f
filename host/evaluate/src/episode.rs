//! One episode of one contender: measured, kept if that is wanted, and given up soon after an interruption, whoever acts in the market.

use crate::contender::{Contender, Infrastructure};
use crate::recorder::{EpisodeKind, SeedRecorder};
use assay_market::metrics::{Collected, Collector};
use assay_market::{Event, EventSink, Exchange, LeftOut, LevelChange, OthersQuote, Scenario, Summary, Until, simulate};
use assay_model::{Nanos, Seed, SymbolIndex, Time};
use assay_sandbox::{Allowance, Outcome, Verdict, thread_time};
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
    let is_over = || cancel.load(Ordering::Relaxed) || allowance.is_some_and(Allowance::is_used_up);
    if is_over() {
        return Err(NoScore::Interrupted);
    }
    let (start, computed) = (Instant::now(), thread_time());
    let mut trader = Until::new(contender.start(scenario.new_desk(seed))?, is_over);
    let summary = match &mut tape.recorder {
        None => simulate(scenario, seed, &mut trader, &mut collector),
        Some(recorder) => {
            let mut both = Both { collector: &mut collector, sink: recorder.episode(tape.kind) };
            simulate(scenario, seed, &mut trader, &mut both)
        }
    };
    let Some(trader) = trader.into_finished() else { return Err(NoScore::Interrupted) };
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
