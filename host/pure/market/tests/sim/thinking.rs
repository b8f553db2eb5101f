//! Computing takes time: a request leaves when the fuel spent before it has been paid for, and until the whole callback has been, the trader is busy.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{Event, EventKind, EventSink, FuelOf, Scenario, Summary, Thinking, Trader, simulate};
use assay_model::{
    Desk, Nanos, OrderUpdate, Qualifiers, Reason, RequestKind, Seed, Side, StrategyConfig, Time, UpdateKind,
};
use std::ops::ControlFlow;

/// Burns fuel before each of two orders at the tick `seconds` after the open, and once more behind them.
struct Burns {
    desk: Desk,
    of: FuelOf,
    fuel: [u64; 3],
    at_tick: u32,
    /// Also sets this many wake-ups, a millisecond apart.
    wakeups: u64,
    ticks: Vec<Time>,
    /// When a quote came, and its number.
    quotes: Vec<(Time, u64)>,
    updates: Vec<(Time, OrderUpdate)>,
    spent: u64,
}

impl Burns {
    fn new(scenario: &Scenario, of: FuelOf, fuel: [u64; 3]) -> Self {
        let desk = scenario.new_desk(Seed(6));
        let (ticks, quotes, updates) = Default::default();
        Self { desk, of, fuel, at_tick: 5, wakeups: 0, ticks, quotes, updates, spent: 0 }
    }

    fn burn(&mut self, fuel: u64) {
        self.spent += fuel;
        self.desk.set_fuel_spent(self.spent);
    }

    fn bid(&mut self) {
        let kind = RequestKind::Limit { side: Side::Buy, price: 1, quantity: 1, qualifiers: Qualifiers::default() };
        self.desk.submit(kind).unwrap();
    }
}

impl Trader for Burns {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn fuel_of(&self) -> FuelOf {
        self.of
    }
    fn fuel_spent(&self) -> u64 {
        self.spent
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.spent = 0;
        self.ticks.push(self.desk.now());
        if self.ticks.len() as u32 == self.at_tick + 1 {
            for number in 1..=self.wakeups {
                self.desk.wake_at(self.desk.now() + Nanos(number * 1_000_000)).unwrap();
            }
            let [first, second, behind] = self.fuel;
            self.burn(first);
            self.bid();
            self.burn(second);
            self.bid();
            self.burn(behind);
        }
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.spent = 0;
        self.quotes.push((self.desk.now(), self.desk.quote().sequence));
        ControlFlow::Continue(())
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.spent = 0;
        self.updates.push((self.desk.now(), *update));
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[derive(Default)]
struct Arrivals(Vec<(Time, assay_market::AgentIndex)>);

impl EventSink for Arrivals {
    fn event(&mut self, event: &Event) {
        if let EventKind::Request { agent, .. } = event.kind {
            self.0.push((event.at, agent));
        }
    }
}

/// Smoke, open for two minutes, with this in `[strategy]`, and a band in which bids of a cent rest.
fn market(keys: &str) -> Scenario {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let (market, _) = text.split_once("[strategy]").unwrap();
    let market = market.replace("price_band_basis_points = 500 ", "price_band_basis_points = 10_000 ");
    let market = market.replace("[market]", "[market]\nclose_window = \"0s\"");
    Scenario::parse(&format!("{market}[strategy]\ntick_interval = \"1s\"\nlatency = \"1ms\"\n{keys}")).unwrap()
}

/// When the two orders reach the exchange.
fn play(scenario: &Scenario, trader: &mut Burns) -> (Vec<Time>, Summary) {
    let mut arrivals = Arrivals::default();
    let summary = simulate(scenario, Seed(6), trader, &mut arrivals);
    (arrivals.0.iter().filter(|(_, agent)| *agent == scenario.trader()).map(|(at, _)| *at).collect(), summary)
}

#[test]
fn an_order_is_late_by_what_was_computed_before_it() {
    // Nanoseconds a unit, units, nanoseconds.
    let cases = [
        ("1", 200, 200),
        ("1", 5_000_000, 5_000_000),
        ("0.5", 200, 100),
        ("0.5", 5_000_000, 2_500_000),
        ("0.333", 200, 66),
        ("0.333", 5_000_000, 1_665_000),
        ("0", 200, 0),
        ("0", 5_000_000, 0),
    ];
    for (rate, fuel, late) in cases {
        let scenario = market(&format!("nanoseconds_per_fuel = {rate}\nnanoseconds_per_fuel_python = 77"));
        let (at_once, _) = play(&scenario, &mut Burns::new(&scenario, FuelOf::Code, [0; 3]));
        let mut trader = Burns::new(&scenario, FuelOf::Code, [fuel, fuel, 0]);
        let (arrived, _) = play(&scenario, &mut trader);
        assert_eq!(arrived[0], at_once[0] + Nanos(late), "{fuel} at {rate}");
        let both = 2 * u128::from(fuel) * (rate.parse::<f64>().unwrap() * 1e3) as u128 / 1_000;
        assert_eq!(arrived[1], at_once[1] + Nanos(both as u64), "{fuel} at {rate}");
        // What is computed behind an order delays none.
        let (same, _) = play(&scenario, &mut Burns::new(&scenario, FuelOf::Code, [fuel, fuel, 9_000_000]));
        assert_eq!(same, arrived);
    }
}

#[test]
fn requests_of_python_leave_at_the_end() {
    let scenario = market("nanoseconds_per_fuel = 77\nnanoseconds_per_fuel_python = 0.1");
    let (at_once, _) = play(&scenario, &mut Burns::new(&scenario, FuelOf::Python, [0; 3]));
    let (arrived, _) = play(&scenario, &mut Burns::new(&scenario, FuelOf::Python, [1_000, 20_000, 300_000]));
    assert_eq!(arrived, [at_once[0] + Nanos(32_100), at_once[1] + Nanos(32_100)]);
}

#[test]
fn with_the_rate_0_fuel_makes_no_difference() {
    let scenario = market("nanoseconds_per_fuel = 0\nnanoseconds_per_fuel_python = 0");
    assert_eq!(scenario.thinking, Thinking::NONE);
    for of in [FuelOf::Code, FuelOf::Python] {
        let mut idle = Burns::new(&scenario, of, [0; 3]);
        let mut busy = Burns::new(&scenario, of, [5_000_000; 3]);
        assert_eq!(play(&scenario, &mut idle), play(&scenario, &mut busy));
        assert_eq!((idle.quotes, idle.ticks, idle.updates), (busy.quotes, busy.ticks, busy.updates));
    }
}

/// It is on by default.
#[test]
fn the_usual_rates() {
    for preset in ["rmsc04", "lively"] {
        assert_eq!(Scenario::preset(preset).unwrap().thinking, Thinking::USUAL, "{preset}");
    }
    // As the page on fuel has them.
    let page = include_str!("../../../../../docs/fuel.md");
    let Thinking { picoseconds_per_fuel: code, picoseconds_per_fuel_python: python } = Thinking::USUAL;
    for (key, rate) in [("nanoseconds_per_fuel", code), ("nanoseconds_per_fuel_python", python)] {
        let row = format!("| `{key}` | {} |", rate as f64 / 1e3);
        assert!(page.contains(&row), "docs/fuel.md does not say {row}");
    }
    assert_eq!(Thinking::USUAL.time(FuelOf::Code, 200), Nanos(100));
    assert_eq!(Thinking::USUAL.time(FuelOf::Python, 100_000), Nanos(10_000));
    assert_eq!(
        Thinking { picoseconds_per_fuel: u64::MAX, ..Thinking::NONE }.time(FuelOf::Code, u64::MAX),
        Nanos::from_secs(24 * 60 * 60)
    );
}

/// Three seconds of thought: nothing is heard meanwhile. Then comes one tick for those that fell due, the newest quote, and every update.
#[test]
fn who_computes_is_busy() {
    let scenario = market("nanoseconds_per_fuel = 1");
    let mut trader = Burns::new(&scenario, FuelOf::Code, [0, 0, 3_000_000_000]);
    trader.wakeups = 100;
    play(&scenario, &mut trader);
    let began = trader.ticks[5];
    let done = began + Nanos(3_000_000_000) + scenario.network.computation_delay;
    let during = |at: Time| at > began && at < done;
    assert!(!trader.quotes.iter().any(|(at, _)| during(*at)) && !trader.updates.iter().any(|(at, _)| during(*at)));
    // The tick three seconds later comes a moment before it is done, and so is among those that wait.
    assert!(trader.ticks[6] >= done && trader.ticks[6].since(done) < Nanos(100_000));
    assert_eq!(trader.ticks[7], began + Nanos::from_secs(4));
    let answers = trader.updates.iter().filter(|(_, update)| update.kind == UpdateKind::Accepted);
    assert_eq!(answers.count(), 2);
    let mut all = Burns::new(&scenario, FuelOf::Code, [0; 3]);
    play(&scenario, &mut all);
    let missed = all.quotes.iter().filter(|(at, _)| during(*at)).count();
    assert!(missed > 2, "{missed} quotes in three seconds");
    let heard = trader.quotes.iter().filter(|(at, _)| *at >= done && at.since(done) < Nanos(100_000)).count();
    assert_eq!(heard, 1);
}

/// Whoever computes until after the close gets the answer of those who are late.
#[test]
fn an_order_that_leaves_after_the_close_is_late() {
    let scenario = market("nanoseconds_per_fuel = 1000\n");
    let mut trader = Burns::new(&scenario, FuelOf::Code, [0, 400_000_000, u64::MAX / 4]);
    let (arrived, summary) = play(&scenario, &mut trader);
    assert!(arrived[0] < scenario.close && arrived[1] > scenario.close);
    // The first one rests and expires, the second one is refused; both are heard of, however late.
    let kinds: Vec<_> = trader.updates.iter().map(|(_, update)| update.kind).collect();
    let closed = Reason::MarketClosed;
    assert_eq!(
        kinds,
        [UpdateKind::Accepted, UpdateKind::Cancelled { reason: closed }, UpdateKind::Rejected { reason: closed }]
    );
    assert_eq!((trader.ticks.len(), summary.seats[0].stopped), (6, None));
    assert_eq!(trader.desk.open_orders_all(), 0);
}
