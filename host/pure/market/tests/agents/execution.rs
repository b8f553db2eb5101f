//! Execution agents take their share of the volume, within their hours, and stop at their quantity.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{AgentIndex, Event, EventKind, EventSink, Inert, Scenario, simulate};
use assay_model::{Nanos, RequestKind, Seed, Side, Time};

/// What the execution agent ordered and traded, and when anyone traded.
#[derive(Default)]
struct Tape {
    executor: u32,
    orders: Vec<(Time, Side, u64)>,
    bought: u64,
    trades: Vec<(Time, u64)>,
}

impl EventSink for Tape {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Request { agent: AgentIndex(agent), request } if agent == self.executor => match request.kind {
                RequestKind::Market { side, quantity } => self.orders.push((event.at, side, quantity)),
                other => panic!("{other:?} is not a market order"),
            },
            EventKind::Trade { quantity, taker, .. } => {
                self.trades.push((event.at, u64::from(quantity)));
                self.bought += if taker.0.0 == self.executor { u64::from(quantity) } else { 0 };
            }
            _ => {}
        }
    }
}

fn run(quantity: u64, side: &str) -> (Scenario, Tape) {
    let group = format!(
        "[[agents]]\nkind = \"execution\"\ncount = 1\nside = \"{side}\"\nquantity = {quantity}\nparticipation = 0.2\n\
         active_from = 09:30:30\nactive_until = 09:31:30\ninterval = \"5s\"\n\n[strategy]"
    );
    let text = Scenario::preset("smoke").unwrap().to_toml().replace("[strategy]", &group);
    let scenario = Scenario::parse(&text).unwrap();
    let mut tape = Tape { executor: scenario.trader().0 - 1, ..Tape::default() };
    simulate(&scenario, Seed(5), &mut Inert::new(scenario.new_desk(Seed(5))), &mut tape);
    (scenario, tape)
}

#[test]
fn it_orders_its_share_of_the_volume_within_its_hours() {
    let (scenario, tape) = run(1_000_000, "buy");
    let (from, until) = (scenario.open + Nanos::from_secs(30), scenario.open + Nanos::from_secs(90));
    assert!(tape.orders.len() >= 10, "it is the market's whole minute: {:?}", tape.orders);
    for &(at, side, quantity) in &tape.orders {
        assert!(at >= from && at < until + Nanos::SECOND && side == Side::Buy, "{at:?} {side:?}");
        // The answer leaves the exchange one round trip before the order reaches it, so the window is known to some 26 ms.
        let volume = |slack: u64| {
            let (start, end) = (at.0 - 5_000_000_000 - slack, at.0 - (26_000_000 - slack));
            tape.trades.iter().filter(|(at, _)| (start..=end).contains(&at.0)).map(|(_, shares)| shares).sum::<u64>()
        };
        let most = (volume(26_000_000) as f64 * 0.2).round() as u64;
        assert!(quantity <= most, "{quantity} shares are no more than a fifth of the volume, {most}");
    }
    assert!(tape.bought > 0);
}

#[test]
fn it_stops_at_its_quantity() {
    for side in ["buy", "sell"] {
        let (_, tape) = run(150, side);
        assert_eq!(tape.bought, 150, "all of it is done, {side}");
        assert!(tape.orders.iter().map(|order| order.2).sum::<u64>() >= 150);
    }
}
