//! Auctions, halts, bands, limits and fees in a whole market, as a scenario file asks for them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::metrics::{Collector, Kpi, Settings};
use assay_market::{Event, EventKind, EventSink, Inert, Scenario, Session, StopCause, Trader, simulate};
use assay_model::{
    Desk, OrderUpdate, Reason, RequestKind, Seed, Side, StrategyConfig, Terms, Time, TimeInForce, UpdateKind,
};
use std::ops::ControlFlow;

/// rmsc04 with these lines in `[market]` and these sections.
fn scenario(market: &str, strategy: &str) -> Scenario {
    let text = Scenario::preset("rmsc04").unwrap().to_toml().to_owned();
    let text = text.replace("[network]", &format!("close_window = \"0s\"\n{market}\n[network]"));
    Scenario::parse(&text.replace("[strategy]", strategy)).unwrap()
}

/// Events of one kind, with their times in seconds from the open.
#[derive(Default)]
struct Tape {
    open: u64,
    sessions: Vec<(u64, Session)>,
    trades: Vec<u64>,
    refused: Vec<Reason>,
}

impl EventSink for Tape {
    fn event(&mut self, event: &Event) {
        let seconds = event.at.0.saturating_sub(self.open) / 1_000_000_000;
        match event.kind {
            EventKind::Session(session) => self.sessions.push((seconds, session)),
            EventKind::Trade { .. } => self.trades.push(seconds),
            EventKind::Update { update: OrderUpdate { kind: UpdateKind::Rejected { reason }, .. }, .. } => {
                self.refused.push(reason);
            }
            _ => {}
        }
    }
}

fn run(scenario: &Scenario, seed: u64) -> Tape {
    let mut tape = Tape { open: scenario.open.0, ..Tape::default() };
    let mut trader = Inert::new(scenario.new_desk(Seed(seed)));
    let summary = simulate(scenario, Seed(seed), &mut trader, &mut tape);
    assert!(summary.ended_at.since(scenario.close).0 < 1_000_000_000, "nothing goes on after the close");
    tape
}

#[test]
fn a_session_has_the_auctions_and_halts_it_asks_for() {
    let market = "opening_auction = \"60s\"\nclosing_auction = \"60s\"\nhalts = [{ at = 09:40:00, lasts = \"2min\" }]";
    let scenario = scenario(market, "[strategy]");
    let tape = run(&scenario, 1);
    let (call, continuous) = (Session::Call, Session::Continuous);
    let expected = [(0, call), (60, continuous), (600, call), (720, continuous), (1_740, call)];
    assert_eq!(tape.sessions, expected);
    let calls = [0..60, 600..720, 1_740..1_800];
    assert!(!tape.trades.iter().any(|at| calls.iter().any(|call| call.contains(at))), "somebody traded in a call");
    assert!(tape.trades.len() > 500, "{} trades", tape.trades.len());
}

/// Sells at market each second, and sends one order that waits for the close.
struct Seller(Desk, bool);

impl Trader for Seller {
    fn desk(&mut self) -> &mut Desk {
        &mut self.0
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        if !std::mem::replace(&mut self.1, true) {
            let terms = Terms::market(Side::Buy, 10).with(TimeInForce::AtClose);
            self.0.submit(RequestKind::Order(terms)).unwrap();
        }
        self.0.submit(RequestKind::Market { side: Side::Sell, quantity: 100 }).unwrap();
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

#[test]
fn fees_are_charged_to_the_desk_as_they_are_measured() {
    let fees = "[fees]\ntaker_microcents_per_share = 300_000\ntaker_notional_millionths = 20\nmaker_microcents_per_share = -200_000\n[strategy]\nmargin_long = 0\nmargin_short = 0";
    let market = "closing_auction = \"60s\"";
    let (free, charged) = (scenario(market, "[strategy]\nmargin_long = 0\nmargin_short = 0"), scenario(market, fees));
    let [free, charged] = [free, charged].map(|scenario| {
        let mut collector = Collector::new(Settings::of(&scenario, Seed(2), 0));
        let mut seller = Seller(scenario.new_desk(Seed(2)), false);
        simulate(&scenario, Seed(2), &mut seller, &mut collector);
        (seller.0.cash(), collector.finish().measures[Kpi::Fees].value().unwrap())
    });
    assert_eq!(free.1, 0.0);
    assert!(charged.1 > 10_000.0, "fees of {} cents", charged.1);
    // The desk counts whole cents.
    assert_eq!(free.0 - charged.0, charged.1 as i64);
}

#[test]
fn a_loss_limit_ends_it() {
    let scenario = scenario("", "[strategy]\nloss_limit = 20_000");
    let mut tape = Tape { open: scenario.open.0, ..Tape::default() };
    simulate(&scenario, Seed(2), &mut Seller(scenario.new_desk(Seed(2)), false), &mut tape);
    assert_eq!(tape.refused.first(), Some(&Reason::NoAuction), "there is no closing auction");
    assert!(tape.refused.iter().filter(|reason| **reason == Reason::LossLimit).count() > 100);
}

/// Without a position limit and margins the last trade can be walked down, as the exploits test shows; the mean of five minutes cannot be walked so fast.
#[test]
fn a_slow_band_cannot_be_walked() {
    let lowest = |window: &str| {
        let market = format!("price_band_window = \"{window}\"");
        let scenario =
            scenario(&market, "[strategy]\nmargin_long = 0\nmargin_short = 0\nloss_limit = 100_000_000_000_000");
        let text = scenario.to_toml().replace("position_limit = 5_000", "position_limit = 1_000_000_000");
        let scenario = Scenario::parse(&text).unwrap();
        let mut low = Low(i64::MAX, scenario.open + assay_model::Nanos::from_secs(300));
        simulate(&scenario, Seed(2), &mut Seller(scenario.new_desk(Seed(2)), false), &mut low);
        low.0
    };
    let (fast, slow) = (lowest("0s"), lowest("5min"));
    assert!(slow >= 93_000 && fast < 88_000, "down to {slow} in five minutes, {fast} by the last trade");
}

/// The lowest trade before a time.
struct Low(i64, Time);

impl EventSink for Low {
    fn event(&mut self, event: &Event) {
        if let EventKind::Trade { price, .. } = event.kind
            && event.at < self.1
        {
            self.0 = self.0.min(price.cents());
        }
    }
}

/// With next to nothing between what some two thousand shares need and what there is, a small rise ruins who is short.
#[test]
fn who_is_ruined_is_called_no_more() {
    let text = scenario("", "[strategy]\nmargin_short = 0.01\nmargin_long = 0.01\nmaintenance_margin = 0.01")
        .to_toml()
        .to_owned();
    // A market order is judged at the edge of the band: a narrow one leaves little to spare.
    let text = text.replace("price_band_basis_points = 500 ", "price_band_basis_points = 20 ");
    let scenario = Scenario::parse(&text.replace("starting_cash = 10_000_000", "starting_cash = 2_000_000")).unwrap();
    let ruined = (1..=10).map(Seed).filter(|seed| {
        let mut tape = Tape { open: scenario.open.0, ..Tape::default() };
        let mut seller = Seller(scenario.new_desk(*seed), false);
        let summary = simulate(&scenario, *seed, &mut seller, &mut tape);
        assert!(tape.refused.contains(&Reason::BuyingPower), "{seed:?}");
        let Some((at, cause)) = summary.seats[0].stopped else { return false };
        assert_eq!(cause, StopCause::Ruined);
        assert!(at > scenario.trader_open() && at < scenario.close, "{seed:?}: at {at:?}");
        // Its position stays.
        assert!(seller.0.position() < 0, "{seed:?}: {}", seller.0.position());
        true
    });
    let ruined = ruined.count();
    assert!((3..10).contains(&ruined), "{ruined} of ten");
}
