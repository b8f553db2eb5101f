//! Ways to be paid by one's own quotes at the close: in whole episodes none may add to what was there without them, over seeds.
//!
//! The other defences are off, so that the valuation stands alone: no margin, and a close at an instant that the strategy knows.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::metrics::{Collected, Collector, Kpi, Settings};
use assay_market::{Scenario, Trader, simulate};
use assay_model::{Desk, Nanos, OrderUpdate, Qualifiers, RequestKind, Seed, Side, StrategyConfig, Time};
use std::ops::ControlFlow;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=40;

/// What is done at the close, and on the way there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Attack {
    /// An offer of one share far up, and a bid below it that takes every offer on the way.
    Sweep,
    /// The same after going short slowly, so that twice the limit can be bought.
    ShortThenSweep,
    /// Buys slowly, then shows a bid of all it may just below the best offer.
    Wall,
    /// Buys slowly, then sells to what bids there are and bids below the offers itself.
    EmptiesTheBids,
    /// Buys slowly and keeps layers of bids behind the touch, taken away before they could trade.
    Layers,
    /// Buys two thirds of its limit slowly, then the rest at up to a dollar above the best offer.
    Rest,
}

struct Attacker {
    desk: Desk,
    attack: Attack,
    /// Or only does what comes before.
    attacks: bool,
    due: Time,
    next: Time,
    done: bool,
}

impl Attacker {
    fn limit(&mut self, side: Side, price: i64, quantity: i64) {
        if let Ok(quantity) = u64::try_from(quantity)
            && quantity > 0
        {
            self.desk.submit(RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() }).unwrap();
        }
    }

    fn market(&mut self, side: Side, quantity: u64) {
        self.desk.submit(RequestKind::Market { side, quantity }).unwrap();
    }

    fn at_the_close(&mut self) {
        let quote = *self.desk.quote();
        let Some((bid, ask)) = quote.bid.zip(quote.ask) else { return };
        let (bid, ask) = (bid.price.cents(), ask.price.cents());
        let mid = (bid + ask) / 2;
        let room = 4_990 - self.desk.position();
        match self.attack {
            Attack::Sweep | Attack::ShortThenSweep => {
                let top = if self.attack == Attack::Sweep { mid * 1_045 / 1_000 } else { mid * 1_090 / 1_000 };
                let top = top.min(mid * 1_048 / 1_000);
                self.limit(Side::Sell, top, 1);
                self.limit(Side::Buy, top - 1, room);
            }
            Attack::Wall => self.limit(Side::Buy, ask - 1, room),
            Attack::EmptiesTheBids => {
                self.limit(Side::Sell, mid * 960 / 1_000, self.desk.position().min(2_000));
                self.limit(Side::Buy, ask - 1, room / 2);
            }
            Attack::Layers => {
                for level in 1..=20 {
                    self.limit(Side::Buy, bid + 1 - level, room / 20);
                }
            }
            Attack::Rest => self.limit(Side::Buy, ask + 100, room.min(1_650)),
        }
    }

    fn on_the_way(&mut self) {
        match self.attack {
            Attack::ShortThenSweep if self.desk.position() > -4_000 => self.market(Side::Sell, 40),
            Attack::Wall | Attack::EmptiesTheBids if self.desk.position() < 2_000 => self.market(Side::Buy, 20),
            Attack::Rest if self.desk.position() < 3_300 => self.market(Side::Buy, 20),
            Attack::Layers => {
                self.desk.submit(RequestKind::CancelAll).unwrap();
                if self.desk.position() < 1_000 {
                    self.market(Side::Buy, 20);
                }
                if let Some(bid) = self.desk.quote().bid {
                    for level in 1..=10 {
                        self.limit(Side::Buy, bid.price.cents() - level, 200);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Trader for Attacker {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.due = Time(config.market_close.0 - config.latency.0 - 20_000);
        self.next = config.market_open;
        self.desk.wake_at(self.due).unwrap();
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        let now = self.desk.now();
        if !self.done && now >= self.due {
            self.done = true;
            if self.attacks {
                self.at_the_close();
            }
        } else if !self.done && now >= self.next && now + Nanos::from_secs(5) < self.due {
            self.next = now + Nanos::from_secs(10);
            self.on_the_way();
        }
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.on_tick()
    }
    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn run(scenario: &Scenario, seed: u64, attack: Attack, attacks: bool) -> Collected {
    let mut collector = Collector::new(Settings::of(scenario, Seed(seed), 0));
    let (due, next) = (Time(u64::MAX), Time(u64::MAX));
    let desk = scenario.new_desk(Seed(seed));
    let mut attacker = Attacker { desk, attack, attacks, due, next, done: false };
    simulate(scenario, Seed(seed), &mut attacker, &mut collector);
    collector.finish()
}

/// Half an hour of a preset, without margin and with a close that is known.
fn half_hour(preset: &str) -> Scenario {
    let text = Scenario::preset(preset).unwrap().to_toml().replace("close = 16:00:00", "close = 10:00:00");
    let text = text.replace("[market]\n", "[market]\nclose_window = \"0s\"\n");
    let text = text.replace("[strategy]\n", "[strategy]\nmargin_long = 0.0\nmargin_short = 0.0\n");
    Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// Mean and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// What is done at the close adds nothing to what the same strategy earns without it: over the seeds the lower 95% bound of the mean
/// difference is not above 0. None is without a figure because it has emptied the market, and none hides its loss from the drawdown.
fn check(preset: &str, attacks: &[Attack]) {
    let scenario = half_hour(preset);
    for &attack in attacks {
        let (mut gains, mut at_mids) = (Vec::new(), Vec::new());
        for seed in SEEDS {
            let [with, without] = [true, false].map(|attacks| run(&scenario, seed, attack, attacks));
            let dollars = |collected: &Collected, kpi| collected.measures[kpi].value().unwrap() / 100.0;
            gains.push(dollars(&with, Kpi::Pnl) - dollars(&without, Kpi::Pnl));
            at_mids.push(dollars(&with, Kpi::PnlAtMid) - dollars(&without, Kpi::PnlAtMid));
            let [fall, pnl] = [Kpi::MaxDrawdown, Kpi::Pnl].map(|kpi| dollars(&with, kpi));
            assert!(fall >= -pnl, "{preset} {attack:?}: a drawdown of {fall} with a PnL of {pnl}");
        }
        let ((gain, error), (at_mid, _)) = (mean(&gains), mean(&at_mids));
        // 2.02: Student's t, 97.5%, at 39 degrees of freedom.
        assert!(
            gain - 2.02 * error <= 0.0,
            "{preset} {attack:?} adds ${gain:.0} ± {error:.0} a session, ${at_mid:.0} at the mid"
        );
    }
}

#[test]
fn the_close_of_rmsc04_pays_nobody() {
    use Attack::*;
    check("rmsc04", &[Sweep, ShortThenSweep, Wall, EmptiesTheBids, Layers, Rest]);
}

#[test]
fn the_close_of_lively_pays_nobody() {
    use Attack::*;
    check("lively", &[Sweep, ShortThenSweep, Wall, EmptiesTheBids, Rest]);
}
