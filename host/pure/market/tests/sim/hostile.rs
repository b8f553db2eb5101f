//! Traders that try to hang, swamp or confuse the market. Each run must end, within bounds, and leave the market consistent.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{
    Inert, REQUESTS_IN_FLIGHT_MAX, REQUESTS_PER_EPISODE_MAX, Scenario, StopCause, Summary, Trader, WAKEUPS_PENDING_MAX,
    WAKEUPS_PER_EPISODE_MAX, simulate,
};
use assay_model::{
    Desk, Nanos, OrderUpdate, Qualifiers, REQUESTS_PER_CALLBACK_MAX, RequestId, RequestKind, Seed, Side,
    StrategyConfig, Time, WAKEUPS_PER_CALLBACK_MAX,
};
use std::ops::ControlFlow;

/// Does the same at every callback.
struct Relentless<F> {
    desk: Desk,
    callbacks: u64,
    action: F,
}

impl<F: FnMut(&mut Desk)> Relentless<F> {
    fn act(&mut self) -> ControlFlow<()> {
        self.callbacks += 1;
        (self.action)(&mut self.desk);
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&mut Desk)> Trader for Relentless<F> {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        self.act()
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.act()
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.act()
    }
    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        self.act()
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.act()
    }
}

fn run(strategy: &str, action: impl FnMut(&mut Desk)) -> (Summary, u64, Desk) {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let (market, _) = text.split_once("[strategy]").unwrap();
    let scenario = Scenario::parse(&format!("{market}[strategy]\n{strategy}")).unwrap();
    let mut trader = Relentless { desk: scenario.new_desk(Seed(6)), callbacks: 0, action };
    let summary = simulate(&scenario, Seed(6), &mut trader, &mut ());
    assert!(summary.ended_at >= scenario.close_at(Seed(6)));
    (summary, trader.callbacks, trader.desk)
}

fn limit(side: Side, price: i64, quantity: u64) -> RequestKind {
    RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() }
}

#[test]
fn a_flood_of_requests_stops_its_trader() {
    for kind in [limit(Side::Buy, 1, 1), RequestKind::CancelAll, limit(Side::Sell, i64::MIN, u64::MAX)] {
        let (summary, callbacks, _) = run("", |desk| while desk.submit(kind).is_ok() {});
        assert_eq!(summary.seats[0].stopped.map(|(_, cause)| cause), Some(StopCause::RequestsInFlight), "{kind:?}");
        let full_callbacks = (REQUESTS_IN_FLIGHT_MAX / REQUESTS_PER_CALLBACK_MAX) as u64;
        // Those made before the open have been answered by then.
        assert!(callbacks <= 2 * full_callbacks + 2, "{kind:?}: stopped only after {callbacks} callbacks");
    }
}

#[test]
fn answering_every_answer_with_a_request_ends() {
    let answer = |desk: &mut Desk| {
        let _ = desk.submit(limit(Side::Buy, 1, 0));
    };
    // Each tick and quote starts a chain of requests that does not end before the close.
    let (summary, callbacks, desk) = run("latency = \"500ms\"", answer);
    assert_eq!(summary.seats[0].stopped.map(|(_, cause)| cause), None);
    assert!(callbacks > 10_000, "{callbacks} callbacks are not chains");
    assert_eq!(desk.open_orders_all(), 0, "what was asked for after the close was refused on the spot");
    // With a short way there and back it takes a limit to end it.
    let (summary, callbacks, desk) = run("latency = \"10us\"", answer);
    assert_eq!(summary.seats[0].stopped.map(|(_, cause)| cause), Some(StopCause::RequestsPerEpisode));
    assert!(callbacks <= REQUESTS_PER_EPISODE_MAX + 1);
    assert_eq!(desk.open_orders_all(), 0);
}

#[test]
fn invalid_numbers_are_refused_one_by_one() {
    let extremes = [i64::MIN, -1, 0, 1, 100_000_001, i64::MAX];
    let quantities = [0, 1, 1_000_001, u64::MAX];
    let (summary, _, desk) = run("", |desk| {
        if desk.now().0 % Nanos::SECOND.0 != 0 {
            return;
        }
        for price in extremes {
            for quantity in quantities {
                for order in [RequestId(0), RequestId(1), RequestId(u64::MAX)] {
                    let _ = desk.submit(RequestKind::Modify { order, price, quantity });
                    let _ = desk.submit(RequestKind::Replace { order, price, quantity });
                    let _ = desk.submit(RequestKind::Reduce { order, by: quantity });
                    let _ = desk.submit(RequestKind::Cancel { order });
                }
                let _ = desk.submit(limit(Side::Buy, price.min(1), quantity));
            }
        }
    });
    assert_eq!(summary.seats[0].stopped.map(|(_, cause)| cause), None);
    assert_eq!(desk.open_orders_all(), 0, "every request was answered");
}

#[test]
fn waking_up_in_the_past_does_not_hold_time_still() {
    let (summary, callbacks, _) = run("tick_interval = \"1s\"", |desk| {
        for past in 0..WAKEUPS_PER_CALLBACK_MAX as u64 {
            let _ = desk.wake_at(Time(past));
        }
    });
    assert_eq!(summary.seats[0].stopped.map(|(_, cause)| cause), None);
    assert!(callbacks <= WAKEUPS_PER_EPISODE_MAX + 100_000, "{callbacks} callbacks");
    assert!(summary.seats[0].wakeups_ignored > 0);
}

#[test]
fn timers_do_not_pile_up() {
    let close = Scenario::preset("smoke").unwrap().close_at(Seed(6));
    let mut next = 0;
    let (summary, callbacks, _) = run("tick_interval = \"1s\"", |desk| {
        // Always another time, always before the close, in reverse so that none is due soon.
        for _ in 0..WAKEUPS_PER_CALLBACK_MAX {
            next += 1;
            let _ = desk.wake_at(Time(close.0 - next));
        }
    });
    assert_eq!(summary.seats[0].stopped.map(|(_, cause)| cause), None);
    assert!(summary.seats[0].wakeups_ignored > 0, "beyond {WAKEUPS_PENDING_MAX} they are ignored");
    assert!(callbacks < 1_000_000, "{callbacks} callbacks");
}

/// Does nothing, and gives up when it is asked for the last time.
struct Leaves {
    desk: Desk,
    questions: u64,
    last: u64,
}

impl Trader for Leaves {
    fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
    fn watches_market(&self) -> bool {
        false
    }
    fn gives_up(&mut self) -> bool {
        self.questions += 1;
        self.questions >= self.last
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
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

/// The smoke preset with a crowd, each of which acts that often.
fn crowded(count: u32, wake_interval: &str) -> Scenario {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let crowd = format!(
        "[[agents]]\nkind = \"hawkes\"\nname = \"crowd\"\ncount = {count}\nwake_interval = \"{wake_interval}\"\ntaker_share = 0.1\ndepth = 5.0\n\n"
    );
    assert!(text.contains("[strategy]"), "the preset has a strategy's table");
    Scenario::parse(&text.replacen("[strategy]", &format!("{crowd}[strategy]"), 1)).unwrap()
}

/// Twenty million turns a second of simulated time: whoever wants to stop does not wait for the next tick.
#[test]
fn a_crowd_that_never_rests_is_left_when_a_trader_gives_up() {
    let scenario = crowded(20_000, "1ms");
    let left = |last: u64| {
        let mut trader = Leaves { desk: scenario.new_desk(Seed(1)), questions: 0, last };
        let summary = simulate(&scenario, Seed(1), &mut trader, &mut ());
        assert_eq!(trader.questions, last, "nobody is asked once it is over");
        summary.messages
    };
    let (first, third) = (left(1), left(3));
    assert!((1..1_000_000).contains(&first) && (first + 1..1_000_000).contains(&third), "{first}, {third}");
}

#[test]
fn who_is_asked_and_stays_changes_nothing() {
    let scenario = crowded(20, "100ms");
    let mut trader = Leaves { desk: scenario.new_desk(Seed(2)), questions: 0, last: u64::MAX };
    let asked = simulate(&scenario, Seed(2), &mut trader, &mut ());
    assert!(trader.questions > 0);
    assert_eq!(asked, simulate(&scenario, Seed(2), &mut Inert::new(scenario.new_desk(Seed(2))), &mut ()));
}
