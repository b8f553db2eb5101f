//! Adding an agent changes nobody else's draws: not where they sit, not when they wake, not how much they order.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{
    AgentIndex, Event, EventKind, EventSink, Fundamental, Inert, RosterEntry, Scenario, roster, simulate,
};
use assay_model::{Nanos, RequestKind, Seed, Time};
use std::collections::BTreeMap;

/// Sizes of the limit orders of each agent, by name, in order. Sizes are drawn; which side and price follow from the market.
struct Sizes<'s>(&'s Scenario, BTreeMap<String, Vec<u64>>);

impl EventSink for Sizes<'_> {
    fn event(&mut self, event: &Event) {
        if let EventKind::Request { agent, request } = event.kind
            && let RequestKind::Limit { quantity, .. } = request.kind
        {
            self.1.entry(self.0.agent_name(agent)).or_default().push(quantity);
        }
    }
}

fn sizes(scenario: &Scenario, seed: Seed) -> BTreeMap<String, Vec<u64>> {
    let mut sizes = Sizes(scenario, BTreeMap::new());
    simulate(scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut sizes);
    // A market maker's sizes follow the traded volume: they are not draws.
    sizes.1.retain(|name, _| !name.starts_with("market-maker"));
    sizes.1
}

/// `rmsc04` with one agent more in a group, or with a whole new group before all others.
fn variations() -> Vec<(&'static str, Scenario)> {
    let text = Scenario::preset("rmsc04").unwrap().to_toml().to_owned();
    let replaced = |from: &str, to: &str| {
        assert_eq!(text.matches(from).count(), 1, "{from} is there once");
        Scenario::parse(&text.replace(from, to)).unwrap()
    };
    let newcomer = "[[agents]]\nkind = \"momentum\"\nname = \"newcomer\"\ncount = 1\nwake_interval = \"1s\"\n\n[[agents]]\nkind = \"noise\"";
    let spoofer = "[[agents]]\nkind = \"spoofer\"\ncount = 1\nwake_interval = \"1s\"\nshown_size = 5_000\ndistance = 9\nretreat = 3\n\n[strategy]";
    vec![
        ("a thirteenth momentum agent", replaced("count = 12", "count = 13")),
        ("another value agent", replaced("count = 102", "count = 103")),
        ("a noise agent less", replaced("count = 1_000", "count = 999")),
        ("a third market maker", replaced("count = 2\n", "count = 3\n")),
        ("a spoofer", replaced("[strategy]", spoofer)),
        ("a group in front", replaced("[[agents]]\nkind = \"noise\"", newcomer)),
    ]
}

#[test]
fn places_and_wake_ups_stay() {
    let by_name = |scenario: &Scenario| -> BTreeMap<String, RosterEntry> {
        roster(scenario, Seed(7), 1).into_iter().map(|entry| (entry.name.clone(), entry)).collect()
    };
    let original = by_name(&Scenario::preset("rmsc04").unwrap());
    assert_eq!(original.len(), 1_117, "1,116 agents and the strategy");
    for (what, scenario) in variations() {
        let varied = by_name(&scenario);
        assert_eq!(varied.len().abs_diff(original.len()), 1, "{what}");
        for (name, entry) in &varied {
            assert!(original.get(name).is_none_or(|before| before == entry), "{what} moved {name}");
        }
    }
}

#[test]
fn order_sizes_stay() {
    let original = sizes(&Scenario::preset("rmsc04").unwrap(), Seed(7));
    assert!(original.values().map(Vec::len).sum::<usize>() > 1_000, "there is something to compare");
    for (what, scenario) in variations() {
        for (name, varied) in sizes(&scenario, Seed(7)) {
            // How often an agent orders may follow from the market; the sizes it draws do not.
            let Some(before) = original.get(&name) else { continue };
            let common = before.len().min(varied.len());
            assert_eq!(varied[..common], before[..common], "{what} changed what {name} orders");
        }
    }
}

#[test]
fn the_fundamental_value_does_not_depend_on_who_looks() {
    let scenario = Scenario::preset("rmsc04-day").unwrap();
    let value = || Fundamental::new(&scenario.fundamental, Seed(7), scenario.open);
    let (mut often, mut once) = (value(), value());
    let at = scenario.open + Nanos::from_secs(3_600);
    let mut seen = 0.0;
    for millisecond in 0..=3_600_000 {
        seen = often.value_at(scenario.open + Nanos(millisecond * 1_000_000));
    }
    assert_eq!(seen, once.value_at(at));
}

#[test]
fn names_follow_groups() {
    let scenario = Scenario::preset("rmsc04").unwrap();
    let cases = [(0, "noise-1"), (999, "noise-1000"), (1_000, "value-1"), (1_115, "momentum-12"), (1_116, "strategy")];
    for (index, name) in cases {
        assert_eq!(scenario.agent_name(AgentIndex(index)), name);
    }
    assert_eq!(scenario.trader(), AgentIndex(1_116));
    let kinds = [0, 1_000, 1_102, 1_104].map(|index| scenario.group_of(AgentIndex(index)).unwrap().1.kind.name());
    assert_eq!(kinds, ["noise", "value", "market-maker", "momentum"]);
}

#[test]
fn every_first_wake_up_is_within_hours_and_places_are_spread() {
    let scenario = Scenario::preset("rmsc04-day").unwrap();
    let roster = roster(&scenario, Seed(9), 1);
    let (strategy, background) = roster.split_last().unwrap();
    assert_eq!((strategy.latency, strategy.first_wake), (scenario.latency, None));
    let woken: Vec<Time> = background.iter().filter_map(|entry| entry.first_wake).collect();
    assert!(woken.iter().all(|wake| (scenario.open..scenario.close).contains(wake)));
    // The U-quadratic distribution puts (1 − (6/7)³) / 2 = 18.5 % of the noise agents before the open.
    let at_open =
        background.iter().filter(|entry| entry.first_wake.is_some_and(|wake| wake.since(scenario.open).0 < 100));
    let at_open = at_open.count();
    assert!((150..=220).contains(&at_open), "{at_open} of 1,000 noise agents act at the open");
    // Light takes 12.9 ms from end to end.
    let longest = background.iter().map(|entry| entry.latency).max().unwrap();
    assert!((6_000_000..=12_897_789).contains(&longest.0), "{longest:?}");
}
