//! What a guest computes before an order delays it, by exactly what the scenario says.

use crate::support::{Guest, load};
use assay_market::{Event, EventKind, EventSink, Scenario, Trader, simulate};
use assay_model::{Desk, Nanos, OrderUpdate, Seed, StrategyConfig, Time};
use assay_sandbox::Instance;
use std::ops::ControlFlow;

struct Seated(Instance);

impl Trader for Seated {
    fn desk(&mut self) -> &mut Desk {
        self.0.desk()
    }
    fn fuel_spent(&self) -> u64 {
        self.0.fuel_spent()
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.0.initialize(config)
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.0.on_tick()
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.0.on_market_data()
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.0.on_order_update(update)
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.0.on_simulation_end()
    }
}

/// When the trader's requests reach the exchange.
struct Arrivals(assay_market::AgentIndex, Vec<Time>);

impl EventSink for Arrivals {
    fn event(&mut self, event: &Event) {
        if matches!(event.kind, EventKind::Request { agent, .. } if agent == self.0) {
            self.1.push(event.at);
        }
    }
}

/// Fuel of one turn of the loop.
const TURN: u64 = 8;

/// At the first tick turns in a loop before each of two orders.
fn arrivals(scenario: &Scenario, turns: u64) -> Vec<Time> {
    let turn = format!(
        "(local.set $n (i64.const {turns}))
        (loop $next
            (local.set $n (i64.sub (local.get $n) (i64.const 1)))
            (br_if $next (i64.gt_s (local.get $n) (i64.const 0))))
        (drop (call $limit (i32.const 0) (i64.const 1) (i64.const 1) (i32.const 0) (i32.const 0)))"
    );
    let on_tick = format!(
        "(local $n i64)
        (if (i32.eqz (global.get $done)) (then (global.set $done (i32.const 1)) {turn} {turn}))"
    );
    let program =
        load(&Guest { items: "(global $done (mut i32) (i32.const 0))", on_tick: &on_tick, ..Guest::default() });
    let instance = program.start(scenario.new_desk(Seed(1)), &scenario.budget).expect("the instance starts");
    let mut arrivals = Arrivals(scenario.trader(), Vec::new());
    simulate(scenario, Seed(1), &mut Seated(instance), &mut arrivals);
    arrivals.1
}

#[test]
fn an_order_arrives_later_by_the_fuel_before_it() {
    let mut scenario = Scenario::preset("smoke").expect("it is a preset");
    for (picoseconds, fuel, late) in
        [(1_000, 200, 200), (1_000, 4_000_000, 4_000_000), (500, 200, 100), (500, 4_000_000, 2_000_000)]
    {
        scenario.thinking.picoseconds_per_fuel = picoseconds;
        let (first, later) = (arrivals(&scenario, 1), arrivals(&scenario, 1 + fuel / TURN));
        assert_eq!(later, [first[0] + Nanos(late), first[1] + Nanos(2 * late)], "{fuel} fuel at {picoseconds} ps");
    }
    scenario.thinking.picoseconds_per_fuel = 0;
    assert_eq!(arrivals(&scenario, 1), arrivals(&scenario, 500_001));
}
