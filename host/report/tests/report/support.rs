//! Records of a native strategy with whatever end a test wants.

use assay_evaluate::{
    Contender, Goal, Infrastructure, Interval, RunRecord, Seeds, StrategyRecord, ToolRecord, Trial, evaluate,
};
use assay_market::{Scenario, Trader};
use assay_model::{Desk, OrderUpdate, RequestKind, Side, StrategyConfig};
use assay_sandbox::{Outcome, Usage, Verdict};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Buys and sells in turn.
struct Alternating(Desk, bool);

impl Trader for Alternating {
    fn desk(&mut self) -> &mut Desk {
        &mut self.0
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.1 = !self.1;
        let side = if self.1 { Side::Buy } else { Side::Sell };
        let _limit = self.0.submit(RequestKind::Market { side, quantity: 7 });
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

struct Ending(Outcome);

impl Contender for Ending {
    type Trader = Alternating;
    fn start(&self, desk: Desk) -> Result<Alternating, Infrastructure> {
        Ok(Alternating(desk, false))
    }
    fn finish(&self, _: Alternating) -> Verdict {
        Verdict {
            outcome: self.0.clone(),
            usage: Usage::default(),
            log: Vec::new(),
            log_lines_dropped: 0,
            fuel_by_call: Default::default(),
            profile: None,
            backtrace: None,
        }
    }
}

pub(crate) fn record(seeds: u64, outcome: Outcome) -> RunRecord {
    let scenario = Scenario::preset("smoke").unwrap();
    let trial = Trial {
        scenario: &scenario,
        seeds: &Seeds::count(seeds).unwrap(),
        threads: NonZeroUsize::MIN,
        tool: ToolRecord { assay: "0.1.0".to_owned(), wasmtime: "48.0.8".to_owned() },
        command: "assay run alternating.rs --scenario smoke --seeds 3".to_owned(),
        strategy: StrategyRecord {
            file_name: "alternating.rs".to_owned(),
            source: Some("use assay_sdk::*;\n\nfn main() {}\n".to_owned()),
            source_hash: Some("a".repeat(64)),
            component_hash: "b".repeat(64),
            sdk_version: Some("0.1.0".to_owned()),
            rustc_version: Some("1.95.0".to_owned()),
        },
        findings: Vec::new(),
        findings_omitted: 0,
        recorder: None,
        baselines: None,
    };
    evaluate(&trial, &Ending(outcome), &(), &AtomicBool::new(false)).unwrap()
}

/// The same beside a strategy that was chosen as the baseline, and lost far more in every seed.
pub(crate) fn beside(mut record: RunRecord, file_name: &str) -> RunRecord {
    record.baseline = Some(StrategyRecord { file_name: file_name.to_owned(), ..record.strategy.clone() });
    let mut score = record.score(Goal::default());
    let interval = Some(Interval { low: 1.5, high: 2.5, degenerate: false });
    (score.value, score.interval, score.reason) = (Some(2.0), interval, None);
    record.score = Some(score);
    let pnl = record.summary.measures.iter_mut().find(|row| row.key == "pnl").unwrap();
    let interval = pnl.difference.interval.as_mut().unwrap();
    interval.low += 1e9;
    interval.high += 1e9;
    record
}

/// A copy with as many episodes as asked for, seeds counting on.
pub(crate) fn multiplied(mut record: RunRecord, episodes: u64) -> RunRecord {
    let pattern = record.episodes.clone();
    record.episodes = pattern.into_iter().cycle().take(episodes as usize).collect();
    for (episode, seed) in record.episodes.iter_mut().zip(1..) {
        episode.seed = seed;
    }
    record.seeds = (1..=episodes).collect();
    record
}
