//! What the background agents order: sizes against the mixture's closed form, and the shape of each kind's behaviour.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{AgentIndex, AgentKind, Event, EventKind, EventSink, Inert, Scenario, SizeShape, simulate};
use assay_model::{RequestKind, Seed, Side};
use std::collections::{BTreeMap, BTreeSet};

/// Sizes that the random traders asked for; their sides; ladders that the market makers sent.
#[derive(Default)]
struct Orders {
    sizes: Vec<f64>,
    noise_buys: usize,
    noise_orders: usize,
    ladder_orders: usize,
}

struct Listener<'s>(&'s Scenario, Orders);

impl EventSink for Listener<'_> {
    fn event(&mut self, event: &Event) {
        let EventKind::Request { agent, request } = event.kind else { return };
        let RequestKind::Limit { side, quantity, .. } = request.kind else { return };
        let Some((_, group, _)) = self.0.group_of(agent) else { return };
        match &group.kind {
            AgentKind::MarketMaker(_) => self.1.ladder_orders += 1,
            AgentKind::Noise(_) => {
                self.1.noise_orders += 1;
                self.1.noise_buys += usize::from(side == Side::Buy);
                self.1.sizes.push(quantity as f64);
            }
            AgentKind::Value(_) | AgentKind::Momentum(_) => self.1.sizes.push(quantity as f64),
            other => panic!("{} agents are not in this market", other.name()),
        }
    }
}

fn orders(preset: &str, seed: Seed) -> (Scenario, Orders) {
    let scenario = Scenario::preset(preset).unwrap();
    let mut listener = Listener(&scenario, Orders::default());
    simulate(&scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut listener);
    let orders = listener.1;
    (scenario, orders)
}

#[test]
fn the_mean_order_size_is_that_of_the_mixture() {
    let (scenario, orders) = orders("rmsc04-day", Seed(1));
    let moments = |shape: &SizeShape| match *shape {
        SizeShape::LogNormal { mu, sigma } => {
            (libm::exp(mu + sigma * sigma / 2.0), libm::exp(2.0 * mu + 2.0 * sigma * sigma))
        }
        SizeShape::Normal { mean, deviation } => (mean, mean * mean + deviation * deviation),
    };
    let sum = |moment: fn((f64, f64)) -> f64| -> f64 {
        scenario.order_sizes.iter().map(|size| size.weight * moment(moments(&size.shape))).sum()
    };
    let (expected, square) = (sum(|(mean, _)| mean), sum(|(_, square)| square));
    let n = orders.sizes.len() as f64;
    assert!(n > 15_000.0, "{n} orders");
    let mean = orders.sizes.iter().sum::<f64>() / n;
    let error = ((square - expected * expected) / n).sqrt();
    // Draws of 0 (0.03 %) make no order, which lifts the mean by 0.03.
    assert!((mean - expected).abs() < 4.0 * error, "mean {mean}, not {expected} ± {error}");
    let hundreds = orders.sizes.iter().filter(|size| **size == 100.0).count() as f64 / n;
    assert!((0.68..=0.72).contains(&hundreds), "{hundreds} of orders are of 100 shares");
}

#[test]
fn noise_takes_either_side_and_ladders_come_whole() {
    let (_, orders) = orders("rmsc04-day", Seed(2));
    // 1,000 agents, of whom the 18.5 % that act at the open find an empty book.
    assert!((700..=900).contains(&orders.noise_orders), "{} noise orders", orders.noise_orders);
    let buys = orders.noise_buys as f64 / orders.noise_orders as f64;
    assert!((0.43..=0.57).contains(&buys), "{buys} of noise orders are buys");
    assert_eq!(orders.ladder_orders % 20, 0, "ten levels on each side");
    assert!(orders.ladder_orders > 10_000, "two market makers for 390 minutes");
}

/// Sizes of each agent's orders.
struct BySender(BTreeMap<AgentIndex, BTreeSet<u64>>);

impl EventSink for BySender {
    fn event(&mut self, event: &Event) {
        if let EventKind::Request { agent, request } = event.kind
            && let RequestKind::Limit { quantity, .. } = request.kind
        {
            self.0.entry(agent).or_default().insert(quantity);
        }
    }
}

#[test]
fn an_agent_with_a_size_of_its_own_orders_no_other() {
    let text = Scenario::preset("rmsc03").unwrap().to_toml().replace("close = 16:00:00", "close = 09:40:00");
    let scenario = Scenario::parse(&text).unwrap();
    let mut sizes = BySender(BTreeMap::new());
    simulate(&scenario, Seed(1), &mut Inert::new(scenario.new_desk(Seed(1))), &mut sizes);
    let (mut noise_sizes, mut backstops) = (BTreeSet::new(), 0);
    for (agent, sizes) in &sizes.0 {
        let group = scenario.group_of(*agent).unwrap().1;
        if let Some(own) = group.own_size {
            assert!(sizes.len() == 1 && sizes.iter().all(|size| (20..=49).contains(size)), "{own:?}: {sizes:?}");
            noise_sizes.extend(sizes);
        } else {
            backstops += usize::from(sizes.contains(&50_000));
        }
    }
    assert_eq!(noise_sizes, (20..=49).collect(), "every size is somebody's");
    assert_eq!(backstops, 2, "both market makers back their ladders");
}
