//! Several symbols in one exchange: each has its own book, agents and value, a further one changes nothing about the first, and a strategy trades all.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::metrics::{Collector, Fees, Kpi, Settings};
use assay_market::{Event, EventKind, EventSink, Fundamental, Inert, Scenario, Trader, simulate};
use assay_model::{
    Desk, Nanos, OrderUpdate, RequestKind, SYMBOLS_MAX, Seed, Side, StrategyConfig, SymbolIndex, UpdateKind,
};
use std::ops::ControlFlow;

const FIRST: SymbolIndex = SymbolIndex::FIRST;
const SECOND: SymbolIndex = SymbolIndex(1);

/// The `smoke` preset with more symbols.
fn with_symbols(tables: &str) -> Scenario {
    let text = format!("{}\n{tables}", Scenario::preset("smoke").unwrap().to_toml());
    let mut scenario = Scenario::parse(&text).unwrap();
    scenario.fees = Fees::NONE;
    scenario
}

#[derive(Default)]
struct Record(Vec<Event>);

impl EventSink for Record {
    fn event(&mut self, event: &Event) {
        self.0.push(*event);
    }
}

impl Record {
    fn of(scenario: &Scenario, seed: Seed) -> Self {
        let mut record = Self::default();
        simulate(scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut record);
        record
    }

    fn about(&self, symbol: SymbolIndex) -> Vec<Event> {
        self.0.iter().filter(|event| event.symbol == symbol).copied().collect()
    }
}

#[test]
fn a_further_symbol_changes_nothing_about_the_first() {
    let alone = Scenario::preset("smoke").unwrap();
    let tables = "[[symbols]]\nsymbol = \"XYZ\"\n[[symbols]]\nsymbol = \"UVW\"\nbeta = 1.0\nagents = []\n";
    let several = with_symbols(tables);
    assert_eq!(several.symbols().collect::<Vec<_>>(), [alone.symbol.as_str(), "XYZ", "UVW"]);
    assert_eq!(several.agent_count(), 2 * alone.agent_count());
    for seed in [Seed(1), Seed(2)] {
        let (before, after) = (Record::of(&alone, seed), Record::of(&several, seed));
        assert_eq!(before.0, after.about(FIRST), "{seed:?}");
        let trades = |symbol| after.about(symbol).iter().filter(|e| matches!(e.kind, EventKind::Trade { .. })).count();
        assert!(trades(SECOND) > 0, "the second symbol trades");
        assert_eq!(trades(SymbolIndex(2)), 0, "nobody trades the third");
        assert_ne!(before.0.len(), after.about(SECOND).len(), "the second has a life of its own");
    }
}

#[test]
fn a_value_follows_the_first_by_its_beta() {
    let own = "fundamental = { mean = 50_000, mean_reversion_per_second = 0.0, volatility_per_root_second = 0.0 }";
    for beta in [0.0, 1.0, -0.5] {
        let scenario = with_symbols(&format!("[[symbols]]\nsymbol = \"XYZ\"\nbeta = {beta:?}\n{own}\n"));
        let mut first = Fundamental::of(&scenario, FIRST, Seed(3));
        let mut second = Fundamental::of(&scenario, SECOND, Seed(3));
        for seconds in [0, 1, 7, 300] {
            let at = scenario.open + Nanos::from_secs(seconds);
            let expected = 50_000.0 + beta * (first.value_at(at) - scenario.fundamental.mean);
            assert_eq!(second.value_at(at), expected, "beta {beta} after {seconds} s");
        }
    }
}

/// Buys ten of each symbol at the first tick, and counts what it is told about which.
struct BuysBoth {
    desk: Desk,
    bought: bool,
    fills: [i64; 2],
    quotes: [u64; 2],
}

impl Trader for BuysBoth {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        assert_eq!((self.desk.symbol_name(1), self.desk.symbol_name(2)), ("XYZ", ""));
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        assert_eq!(self.desk.selected(), FIRST, "a tick is about the first");
        if !std::mem::replace(&mut self.bought, true) {
            for symbol in 0..2 {
                assert!(self.desk.select(symbol));
                self.desk.submit(RequestKind::Market { side: Side::Buy, quantity: 10 }).unwrap();
            }
            assert!(!self.desk.select(2), "there are two");
        }
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.quotes[usize::from(self.desk.selected().0)] += 1;
        ControlFlow::Continue(())
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        if let UpdateKind::Fill { quantity, .. } = update.kind {
            self.fills[usize::from(self.desk.selected().0)] += i64::from(quantity);
        }
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[test]
fn a_strategy_trades_all_symbols_with_one_purse() {
    let scenario = with_symbols("[[symbols]]\nsymbol = \"XYZ\"\n");
    let seed = Seed(1);
    let mut trader = BuysBoth { desk: scenario.new_desk(seed), bought: false, fills: [0; 2], quotes: [0; 2] };
    let mut record = Record::default();
    simulate(&scenario, seed, &mut trader, &mut record);
    assert_eq!(trader.fills, [10, 10]);
    assert!(trader.quotes.iter().all(|count| *count > 0), "{:?}", trader.quotes);
    let mut paid = 0;
    for event in &record.0 {
        if let EventKind::Update { agent, update } = event.kind
            && agent == scenario.trader()
            && let UpdateKind::Fill { price, quantity, .. } = update.kind
        {
            paid += price.cents() * i64::from(quantity);
        }
    }
    for symbol in 0..2 {
        assert!(trader.desk.select(symbol));
        assert_eq!(trader.desk.position(), 10);
    }
    assert_eq!(trader.desk.cash(), scenario.starting_cash - paid);
}

#[test]
fn profit_is_over_all_symbols_and_the_rest_is_of_the_first() {
    let scenario = with_symbols("[[symbols]]\nsymbol = \"XYZ\"\n");
    let seed = Seed(1);
    let settings = Settings::of(&scenario, seed, 0);
    let run = |sink: &mut dyn EventSink| {
        let mut trader = BuysBoth { desk: scenario.new_desk(seed), bought: false, fills: [0; 2], quotes: [0; 2] };
        simulate(&scenario, seed, &mut trader, sink);
        trader.desk.cash() - scenario.starting_cash
    };
    let (mut collector, mut record) = (Collector::new(settings), Record::default());
    let cash = run(&mut collector);
    run(&mut record);
    let mid = |symbol| {
        let mut quotes = record.about(symbol).into_iter().filter_map(|event| match event.kind {
            EventKind::Quote(quote) => Some(quote.bid?.price.cents() + quote.ask?.price.cents()),
            _ => None,
        });
        quotes.next_back().unwrap() as f64 / 2.0
    };
    let measures = collector.finish().measures;
    let pnl = cash as f64 + 10.0 * (mid(FIRST) + mid(SECOND));
    assert_eq!(measures[Kpi::PnlAtMid].value(), Some(pnl));
    // Others bid for ten shares of each within the spread's reach of the mid.
    let cost = measures[Kpi::LiquidationCost].value().unwrap();
    assert!(cost > 0.0 && cost < 10.0 * 2.0 * 100.0, "{cost}");
    assert_eq!(measures[Kpi::Pnl].value(), Some(pnl - cost));
    assert_eq!(measures[Kpi::InventoryFinal].value(), Some(10.0));
    let since = scenario.trader_open();
    let is_trade = |event: &Event| event.at >= since && matches!(event.kind, EventKind::Trade { .. });
    let trades = record.about(FIRST).into_iter().filter(is_trade).count();
    assert_eq!(measures[Kpi::Trades].value(), Some(trades as f64));
}

#[test]
fn symbols_are_checked() {
    let parse = |tables: &str| {
        let text = format!("{}\n{tables}", Scenario::preset("smoke").unwrap().to_toml());
        Scenario::parse(&text).map_err(|error| error.to_string()).unwrap_err()
    };
    let many: String = (1..=SYMBOLS_MAX).map(|n| format!("[[symbols]]\nsymbol = \"S{n}\"\nagents = []\n")).collect();
    for (tables, expected) in [
        ("[[symbols]]\nsymbol = \"ASSAY\"\n", "symbols[0].symbol"),
        ("[[symbols]]\nsymbol = \"A\"\n[[symbols]]\nsymbol = \"A\"\n", "symbols[1].symbol"),
        ("[[symbols]]\nbeta = 1.0\n", "missing"),
        ("[[symbols]]\nsymbol = \"A\"\nbeta = 1e9\n", "symbols[0].beta"),
        ("[[symbols]]\nsymbol = \"A\"\nagent = []\n", "symbols[0].agent"),
        ("[[symbols]]\nsymbol = \"A\"\nfundamental = { series = \"a.csv\" }\n", "symbols[0].fundamental.series"),
        (
            "[[symbols]]\nsymbol = \"A\"\n[[symbols.agents]]\nkind = \"noise\"\ncount = -1\n",
            "symbols[0].agents[0].count",
        ),
        (many.as_str(), "at most 8 symbols"),
    ] {
        let error = parse(tables);
        assert!(error.contains(expected), "{tables}: {error}");
    }
}
