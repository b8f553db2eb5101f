//! What a scenario leaves to the seed: levels, events and halts. Each is drawn from a stream of its own and stays within what the file says.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{AgentKind, ExecutionPlan, Fundamental, Scenario};
use assay_model::{Nanos, Seed, Side, SymbolIndex, Time};
use std::collections::BTreeSet;

const SEEDS: std::ops::Range<u64> = 0..200;

fn plans(scenario: &Scenario) -> Vec<Option<ExecutionPlan>> {
    let group = scenario.agents.iter().find(|group| group.kind.name() == "execution").unwrap();
    let AgentKind::Execution(settings) = &group.kind else { panic!("{} is none", group.name) };
    SEEDS.map(|seed| settings.plan(Seed(seed), &group.name)).collect()
}

#[test]
fn the_level_of_prices_is_drawn_and_everybody_starts_from_it() {
    let scenario = Scenario::preset("calm").unwrap();
    let first = SymbolIndex::FIRST;
    let levels: Vec<f64> = SEEDS.map(|seed| scenario.level(first, Seed(seed))).collect();
    assert!(levels.iter().all(|level| (21_000.0..=39_000.0).contains(level)));
    let mean = levels.iter().sum::<f64>() / levels.len() as f64;
    assert!((mean - 30_000.0).abs() < 1_500.0, "{mean}");
    for (seed, level) in SEEDS.zip(&levels) {
        let value = Fundamental::of(&scenario, first, Seed(seed)).value_at(scenario.open);
        assert!((value - level).abs() < 1e-9, "the value begins there");
        let reference = scenario.price_band(first, Seed(seed)).unwrap().opening_reference.cents();
        assert!((reference as f64 - level).abs() <= 0.5, "and so does the band");
    }
    let fixed = Scenario::preset("rmsc04").unwrap();
    assert!({ SEEDS }.all(|seed| fixed.level(first, Seed(seed)) == 100_000.0), "a number stays what it is");
}

#[test]
fn events_differ_in_side_time_size_and_in_whether_they_happen() {
    let plans = plans(&Scenario::preset("trending").unwrap());
    let happen: Vec<_> = plans.iter().flatten().collect();
    let share = happen.len() as f64 / plans.len() as f64;
    assert!((0.7..0.9).contains(&share), "there is an event in {share} of the seeds");
    let buys = happen.iter().filter(|plan| plan.side == Side::Buy).count() as f64 / happen.len() as f64;
    assert!((0.4..0.6).contains(&buys), "{buys} of them buy");
    let times: BTreeSet<Time> = happen.iter().map(|plan| plan.from).collect();
    let sizes: BTreeSet<u64> = happen.iter().map(|plan| plan.quantity).collect();
    assert!(times.len() > 150 * happen.len() / 200 && sizes.len() > 150 * happen.len() / 200);
    assert!(happen.iter().all(|plan| plan.from < plan.until));
}

#[test]
fn news_differs_in_sign_time_size_and_in_whether_there_is_any() {
    for (preset, shares) in [("news-shock", 0.9..1.0), ("halt", 0.9..1.0), ("flash-crash", 0.7..0.9)] {
        let scenario = Scenario::preset(preset).unwrap();
        let first = |seed| {
            let mut value = Fundamental::of(&scenario, SymbolIndex::FIRST, Seed(seed));
            let at = value.next_news(scenario.open);
            (at < scenario.close).then(|| (at, value.news_at(at)))
        };
        let news: Vec<(Time, f64)> = SEEDS.filter_map(first).collect();
        let share = news.len() as f64 / SEEDS.count() as f64;
        assert!(shares.contains(&share), "{preset} has news in {share} of the seeds");
        let good = news.iter().filter(|(_, size)| *size > 0.0).count() as f64 / news.len() as f64;
        assert!((0.35..0.65).contains(&good), "{preset}: {good} of it is good");
        let times: BTreeSet<Time> = news.iter().map(|(at, _)| *at).collect();
        let sizes: BTreeSet<i64> = news.iter().map(|(_, size)| (1_000.0 * size) as i64).collect();
        assert!(times.len() == news.len() && sizes.len() > news.len() * 9 / 10, "{preset}");
    }
}

#[test]
fn a_halt_may_be_drawn_and_stays_within_its_window() {
    let scenario = Scenario::preset("halt").unwrap();
    let midnight = Time(scenario.open.0 - Nanos::from_secs(34_200).0);
    let times: BTreeSet<Time> = SEEDS.map(|seed| scenario.venue_of(Seed(seed)).halts[0].at).collect();
    assert!(times.len() > 190);
    let hours = |hours: u64| midnight + Nanos::from_secs(3_600 * hours);
    assert!(times.iter().all(|at| (hours(10)..=hours(14) + Nanos::from_secs(1_800)).contains(at)));
    assert_eq!(scenario.venue_of(Seed(3)), scenario.venue_of(Seed(3)));
}

#[test]
fn the_old_ways_of_saying_it_still_do_and_nonsense_is_refused_with_its_line() {
    let group = |keys: &str| {
        let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
        let group = format!(
            "[[agents]]\nkind = \"execution\"\ncount = 1\nparticipation = 0.2\ninterval = \"5s\"\n{keys}\n\n[strategy]"
        );
        Scenario::parse(&text.replace("[strategy]", &group))
    };
    let old = group("side = \"buy\"\nquantity = 500\nactive_from = 09:30:30\nactive_until = 09:31:00").unwrap();
    let AgentKind::Execution(settings) = &old.agents.last().unwrap().kind else { panic!() };
    let plan = settings.plan(Seed(9), "execution").unwrap();
    assert_eq!((plan.side, plan.quantity, plan.until.since(plan.from)), (Side::Buy, 500, Nanos::from_secs(30)));
    for (keys, key, says) in [
        (
            "side = \"random\"\nquantity = { least = 5, most = 4 }\nactive_from = 09:30:30\nlasts = \"10s\"",
            "quantity.least",
            "must not be greater than `most`",
        ),
        (
            "side = \"random\"\nquantity = 5\nactive_from = { earliest = 09:31:00, latest = 09:30:00 }\nlasts = \"10s\"",
            "active_from.earliest",
            "must not be greater than `latest`",
        ),
        (
            "side = \"random\"\nquantity = 5\nactive_from = { earliest = 09:30:00, latest = 09:31:30 }\nactive_until = 09:31:00",
            "active_from",
            "must be less than `active_until`",
        ),
        (
            "side = \"random\"\nquantity = 5\nactive_from = 09:30:00\nactive_until = 09:31:00\nlasts = \"10s\"",
            "lasts",
            "cannot be combined with `active_until`",
        ),
        (
            "side = \"either\"\nquantity = 5\nactive_from = 09:30:00\nlasts = \"10s\"",
            "side",
            "is not one of buy, sell, random",
        ),
        (
            "side = \"buy\"\nquantity = 5\nactive_from = 09:30:00\nlasts = \"10s\"\nchance = 1.5",
            "chance",
            "1.5 is not within 0 to 1",
        ),
    ] {
        let error = group(keys).unwrap_err();
        assert!(error.key.ends_with(key) && error.line > 60 && error.to_string().contains(says), "{error}");
    }
}
