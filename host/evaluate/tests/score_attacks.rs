//! Attacks on the score itself: ways to a number that nothing was done for. Each says what it tries and must not pay.
//!
//! Records are written here rather than run, so that a case is exactly what it says.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_evaluate::score::{Axis, Incomparable, PROFILES, PartRule, combined, combined_value, comparable, pooled};
use assay_evaluate::{Confidence, Goal, MeasureRecord, RunRecord, StopCauseRecord, StopRecord, UnscoredRecord};
use assay_model::{Budget, Seed, Stream};
use assay_sandbox::{Callback, FuelScope, Outcome, Usage};
use serde_json::json;

const SEEDS: usize = 20;
/// Points by which rounding may lift a total.
const ROUNDING: f64 = 1e-9;

/// Noise of seed `index`, between −0.5 and 0.5, with a mean of about nothing.
fn noise(index: usize, stream: usize) -> f64 {
    ((index * 7_919 + stream * 104_729 + 17) % 97) as f64 / 96.0 - 0.5
}

/// What the market is without the strategy: takers pay about $900 a session for immediacy.
fn market(index: usize) -> Vec<(&'static str, f64)> {
    vec![
        ("volatility_10s", 0.2 * (1.0 + 0.4 * noise(index, 1))),
        ("return_sd_60s", 5.0 * (1.0 + 0.4 * noise(index, 2))),
        ("spread", 2.0 * (1.0 + 0.2 * noise(index, 3))),
        ("market_effective_spread", 1.8 * (1.0 + 0.2 * noise(index, 4))),
        ("volume", 100_000.0 * (1.0 + 0.3 * noise(index, 5))),
        ("bid_size", 300.0 * (1.0 + 0.2 * noise(index, 6))),
        ("ask_size", 300.0 * (1.0 + 0.2 * noise(index, 7))),
        ("bid_empty_time", 0.001),
        ("ask_empty_time", 0.001),
        ("one_sided_time", 0.002),
    ]
}

/// A strategy's measures, one `set` after another on those of a trader that does nothing.
#[derive(Clone)]
struct Case {
    record: RunRecord,
}

fn idle() -> Case {
    idle_in(SEEDS)
}

fn idle_in(seeds: usize) -> Case {
    let nothing = ["pnl", "max_drawdown", "fees", "orders", "fills", "rejections", "shares_traded", "inventory_max"];
    let map = |values: &mut dyn Iterator<Item = (&'static str, f64)>| {
        values.map(|(key, value)| (key.to_owned(), json!({"value": value}))).collect::<serde_json::Map<_, _>>()
    };
    let episodes: Vec<_> = (0..seeds)
        .map(|index| {
            json!({
                "seed": index + 1,
                "outcome": Outcome::Finished,
                "stopped": null,
                "measures": map(&mut market(index).into_iter().chain(nothing.map(|key| (key, 0.0)))),
                "baseline_measures": map(&mut market(index).into_iter()),
                "event_log_hash": format!("{index:064x}"),
                "baseline_event_log_hash": format!("{index:064x}"),
                "events": 1,
                "usage": Usage::default(),
                "log": [],
                "log_lines_dropped": 0,
                "pnl_curve": [],
            })
        })
        .collect();
    let definition = |(key, _): &(&str, f64)| json!({"key": key, "title": key, "group": "market", "unit": "ratio", "better": "lower", "definition": ""});
    let record = json!({
        "schema": {"name": "assay.run", "version": "2.0"},
        "complete": true,
        "verdict": "finished",
        "tool": {"assay": "0.0.0", "wasmtime": "0.0.0"},
        "command": "assay run attack.rs",
        "scenario": {"name": "calm", "summary": "", "hash": "c".repeat(64), "text": "", "starting_cash": 10_000_000},
        "strategy": {"file_name": "attack.rs", "source": null, "source_hash": null, "component_hash": "a".repeat(64), "sdk_version": null, "rustc_version": null},
        "findings": [],
        "findings_omitted": 0,
        "seeds": (1..=seeds).collect::<Vec<_>>(),
        "unscored": [],
        "not_run": [],
        "measures": market(0).iter().map(definition).collect::<Vec<_>>(),
        "summary": {"confidence": 0.95, "outcomes": [], "limits_hit": [], "measures": [], "usage": {
            "fuel": 0, "fuel_episode_max": 0, "callbacks": [], "host_calls": 0, "memory_bytes_peak": 0, "log_lines_dropped": 0}},
        "episodes": episodes,
        "series": null,
        "diagnostics": {"backtraces": []},
        "timing": {"threads": 1, "evaluate_seconds": 0.0, "strategy_seconds": 0.0, "baseline_seconds": 0.0, "phases_seconds": {}},
    });
    Case { record: serde_json::from_value(record).unwrap() }
}

impl Case {
    /// A measure of the strategy's, seed by seed, from what it is now.
    fn set(mut self, key: &str, value: impl Fn(usize, f64) -> Option<f64>) -> Self {
        for (index, episode) in self.record.episodes.iter_mut().enumerate() {
            let now = episode.measures.get(key).and_then(|measure| measure.value).unwrap_or_default();
            let value = value(index, now);
            let missing = value.is_none().then(|| "too few".to_owned());
            episode.measures.insert(key.to_owned(), MeasureRecord { value, missing });
        }
        self
    }

    fn all(self, key: &str, value: f64) -> Self {
        self.set(key, |_, _| Some(value))
    }

    /// Keeps a measure of the strategy's in the seeds for which `keep` says so.
    fn hide(mut self, key: &str, keep: impl Fn(usize) -> bool) -> Self {
        for (index, episode) in self.record.episodes.iter_mut().enumerate() {
            if !keep(index) {
                episode
                    .measures
                    .insert(key.to_owned(), MeasureRecord { value: None, missing: Some("too few".to_owned()) });
            }
        }
        self
    }

    /// Every seed's market is so much more of something than without the strategy.
    fn times(self, key: &str, factor: f64) -> Self {
        self.set(key, |_, now| Some(now * factor))
    }

    /// Trades some shares in some fills, at a distance in cents from the mid a minute later as maker and as taker.
    fn trades(self, shares: f64, maker_share: f64, earned: f64, paid: f64) -> Self {
        let fills = (shares / 50.0).ceil();
        let case = self.all("shares_traded", shares).all("fills", fills).all("orders", 2.0 * fills);
        let case = case.all("order_to_trade", 3.0).all("maker_share", maker_share).all("inventory_max", 100.0);
        let known = |side: f64| if side * fills >= 20.0 { Some(1.0) } else { None };
        case.set("realised_spread_earned_60s", |_, _| known(maker_share).map(|_| earned))
            .set("realised_spread_paid_60s", |_, _| known(1.0 - maker_share).map(|_| paid))
    }

    /// PnL in dollars: a mean, and a deviation that differs by seed.
    fn earns(self, mean: f64, spread: f64) -> Self {
        self.set("pnl", |index, _| Some(100.0 * (mean + spread * noise(index, 11))))
    }

    fn draws_down(self, dollars: f64) -> Self {
        self.all("max_drawdown", 100.0 * dollars)
    }

    /// The same beside another strategy, in whose market every seed has so much more of something.
    fn beside(mut self, changes: &[(&str, f64)]) -> Self {
        self.record.baseline = Some(self.record.strategy.clone());
        for episode in &mut self.record.episodes {
            for (key, factor) in changes {
                let measure = episode.baseline_measures.get_mut(*key).unwrap();
                // Not a number: it has none.
                measure.value = measure.value.map(|value| value * factor).filter(|value| value.is_finite());
            }
        }
        self
    }

    fn value(&self, goal: Goal) -> f64 {
        self.record.score(goal).value.unwrap()
    }
}

/// Quotes both sides, keeps part of the spread, carries little.
fn honest() -> Case {
    idle().trades(6_000.0, 0.95, 0.6, 1.5).earns(15.0, 12.0).draws_down(12.0)
}

/// Crosses the spread for nothing.
fn loser() -> Case {
    idle().trades(4_000.0, 0.0, 0.0, 1.8).earns(-36.0, 20.0).draws_down(45.0)
}

fn goals() -> impl Iterator<Item = Goal> {
    PROFILES.iter().map(|profile| profile.goal)
}

#[test]
fn doing_nothing_is_neutral_and_never_wins() {
    for goal in goals() {
        let score = idle().record.score(goal);
        let axes = score.tree.axes();
        for (axis, part) in Axis::ALL.iter().zip(&axes) {
            match axis {
                Axis::Risk | Axis::Execution => assert_eq!(part.value, None, "{goal:?} {axis:?}"),
                _ => assert_eq!(part.value, Some(axis.neutral()), "{goal:?} {axis:?}"),
            }
        }
        let interval = score.interval.unwrap();
        assert_eq!((interval.low, interval.high), (score.value.unwrap(), score.value.unwrap()), "{goal:?}");
        assert!(honest().value(goal) > score.value.unwrap() + 0.5, "{goal:?} {:?}", honest().value(goal));
        assert!(loser().value(goal) < score.value.unwrap(), "{goal:?} {:?}", loser().value(goal));
    }
}

/// What somebody may try who wants points for nothing.
fn unearned() -> [(&'static str, Case); 16] {
    let flat = || idle().earns(0.0, 4.0).draws_down(5.0);
    [
        ("one share traded, by luck at a profit now and then", flat().trades(1.0, 1.0, 1.0, 1.0)),
        (
            "volume stuffing: the market's whole volume, at the usual cost",
            loser().trades(100_000.0, 0.0, 0.0, 1.8).earns(-900.0, 50.0),
        ),
        ("trading: half made, half taken, nothing earned", flat().trades(20_000.0, 0.5, 1.8, 1.8).earns(-2.0, 4.0)),
        ("a gamble on one side of a coin", idle().trades(5_000.0, 0.0, 0.0, 1.8).earns(0.0, 9_000.0).draws_down(800.0)),
        (
            "trading: a gamble that came out a little ahead",
            idle().trades(5_000.0, 0.0, 0.0, -4.0).earns(100.0, 9_000.0).draws_down(800.0),
        ),
        (
            "one lucky seed",
            idle().trades(600.0, 0.9, 0.1, 1.0).set("pnl", |index, _| Some(if index == 7 { 5e6 } else { 0.0 })),
        ),
        (
            "trading: pennies before a steamroller",
            idle()
                .trades(5_000.0, 1.0, 0.3, 0.0)
                .set("pnl", |index, _| Some(if index == 7 { -200_000.0 } else { 1_500.0 })),
        ),
        (
            "trading: the steamroller not quite flat",
            idle()
                .trades(5_000.0, 1.0, 0.3, 0.0)
                .set("pnl", |index, _| Some(if index == 7 { -20_000.0 } else { 1_500.0 })),
        ),
        (
            "profit from a market made worse for everybody",
            honest().earns(400.0, 50.0).times("volatility_10s", 2.5).times("spread", 3.0),
        ),
        (
            "profit from an emptied book",
            honest().earns(400.0, 50.0).times("bid_size", 0.1).all("bid_empty_time", 0.4).all("one_sided_time", 0.4),
        ),
        (
            "a better market while losing",
            loser()
                .times("spread", 0.5)
                .times("market_effective_spread", 0.5)
                .times("volatility_10s", 0.5)
                .times("bid_size", 4.0)
                .times("ask_size", 4.0),
        ),
        (
            "trading: and a better market by chance",
            flat()
                .trades(3_000.0, 0.5, 0.0, 1.9)
                .earns(-1.0, 4.0)
                .set("volatility_10s", |index, now| Some(now * (0.95 + noise(index, 21)))),
        ),
        ("NaN for a profit", honest().all("pnl", f64::NAN)),
        ("infinite profit", honest().set("pnl", |index, now| Some(if index == 3 { f64::INFINITY } else { now }))),
        ("profit without a figure in the bad seeds", honest().set("pnl", |index, now| (index > 4).then_some(now))),
        ("a profit too large to add", honest().all("pnl", f64::MAX)),
    ]
}

/// None of these was earned: no goal may give more for them than for doing nothing. Cheap trading without profit is what the goal `execution` asks
/// for, so there the cases that only trade are left out, and have a test of their own.
#[test]
fn what_was_not_earned_is_worth_no_more_than_nothing() {
    for (what, case) in unearned() {
        for goal in goals().filter(|goal| *goal != Goal::Execution || !what.starts_with("trading: ")) {
            let nothing = idle().value(goal);
            let score = case.record.score(goal);
            let value = score.value.unwrap_or(0.0);
            assert!(
                value.is_finite() && value <= nothing + ROUNDING,
                "{what}, {goal:?}: {value} against {nothing}\n{:#?}",
                score.tree
            );
        }
    }
}

#[test]
fn execution_is_led_by_what_it_costs() {
    // At the usual cost, and at next to no volume, it is worth no more than staying away.
    let usual = idle().trades(5_000.0, 0.0, 0.0, 1.9).earns(-45.0, 20.0).draws_down(60.0);
    let little = idle().trades(300.0, 1.0, 1.8, 0.0).earns(0.0, 4.0);
    for case in [&usual, &little] {
        assert!(case.value(Goal::Execution) <= idle().value(Goal::Execution) + ROUNDING);
    }
    let cheap = idle().trades(5_000.0, 0.5, 0.9, 1.8).earns(-11.0, 20.0).draws_down(40.0);
    assert!(cheap.value(Goal::Execution) > idle().value(Goal::Execution) + 0.5, "{}", cheap.value(Goal::Execution));
    assert!(cheap.value(Goal::Balanced) < idle().value(Goal::Balanced));
}

#[test]
fn a_little_of_anything_is_worth_little() {
    // A cent a session for certain, with perfect execution and a better market.
    let trivial = idle().trades(600.0, 1.0, 1.8, 0.0).all("pnl", 1.0).times("bid_size", 1.2).times("ask_size", 1.2);
    for goal in [Goal::Balanced, Goal::Profit, Goal::Risk] {
        let gain = trivial.value(goal) - idle().value(goal);
        assert!((0.0..0.01).contains(&gain), "{goal:?}: {gain}");
    }
}

/// Whatever a strategy keeps from being measured, in one seed or in all, it never gains by it.
#[test]
fn hiding_a_measure_never_pays() {
    for (name, case) in
        [("honest", honest()), ("loser", loser()), ("wrecker", loser().times("spread", 2.0).times("bid_size", 0.5))]
    {
        let keys: Vec<String> = case.record.episodes[0].measures.keys().cloned().collect();
        for key in keys {
            for goal in goals() {
                let open = case.value(goal);
                for hidden in [
                    case.clone().hide(&key, |_| false),
                    case.clone().hide(&key, |index| index != 5),
                    case.clone().hide(&key, |index| index % 2 == 0),
                    case.clone().all(&key, f64::NAN),
                    case.clone().all(&key, f64::NEG_INFINITY),
                ] {
                    let value = hidden.record.score(goal).value.unwrap_or(0.0);
                    assert!(value <= open + ROUNDING, "{name} without {key}, {goal:?}: {value} against {open}");
                }
            }
        }
    }
}

#[test]
fn too_few_fills_hide_no_bad_execution() {
    let few = loser().trades(300.0, 0.0, 0.0, 1.8).earns(-36.0, 20.0);
    let score = few.record.score(Goal::Execution);
    let execution = score.tree.axes()[2].clone();
    assert_eq!(execution.value, None);
    assert!(execution.note.unwrap().contains("counts as 1"));
    assert!(few.value(Goal::Execution) <= loser().value(Goal::Execution));
}

#[test]
fn a_veto_is_the_worst_there_is_and_says_why() {
    let stop = |cause| StopRecord { at_ns: 1, cause };
    let fails = |mut case: Case, change: &dyn Fn(&mut assay_evaluate::EpisodeRecord)| {
        change(&mut case.record.episodes[4]);
        case
    };
    let fuel = Outcome::OutOfFuel {
        callback: Callback::OnTick,
        scope: FuelScope::Callback,
        limit: Budget::default().fuel_callback,
    };
    let cases = [
        ("out of fuel", fails(honest(), &|episode| episode.outcome = fuel.clone())),
        (
            "too many requests",
            fails(honest(), &|episode| episode.stopped = Some(stop(StopCauseRecord::RequestsPerEpisode))),
        ),
        ("ruined", fails(honest(), &|episode| episode.stopped = Some(stop(StopCauseRecord::Ruined)))),
        ("ruined", honest().set("pnl", |index, now| Some(if index == 2 { -6_000_000.0 } else { now }))),
        ("requests rejected", honest().all("rejections", 400.0)),
        ("requests rejected", idle().all("orders", 30.0).all("rejections", 30.0)),
    ];
    for (reason, case) in cases {
        for goal in goals() {
            let score = case.record.score(goal);
            assert_eq!(score.value, Some(1.0), "{reason}, {goal:?}");
            assert!(score.reason.as_ref().unwrap().contains(reason), "{reason}: {:?}", score.reason);
        }
    }
    // A few rejections happen to everybody.
    assert!(honest().all("rejections", 30.0).value(Goal::Balanced) > 3.0);
}

#[test]
fn without_enough_to_go_on_there_is_no_score() {
    let changed = |change: &dyn Fn(&mut RunRecord)| {
        let mut record = honest().record;
        change(&mut record);
        record
    };
    let cases = [
        ("no seed", changed(&|record| record.episodes.clear())),
        ("1 seed", changed(&|record| record.episodes.truncate(1))),
        ("interrupted", changed(&|record| record.complete = false)),
        (
            "may be the bad ones",
            changed(&|record| record.unscored.push(UnscoredRecord { seed: 99, what: "watchdog".to_owned() })),
        ),
        (
            "one observation",
            changed(&|record| {
                record.episodes.iter_mut().for_each(|episode| episode.baseline_event_log_hash = "0".repeat(64));
            }),
        ),
        ("starting cash", changed(&|record| record.scenario.starting_cash = None)),
        (
            "how much could be earned",
            changed(&|record| {
                record.episodes.iter_mut().for_each(|episode| {
                    episode.baseline_measures.remove("market_effective_spread");
                });
            }),
        ),
    ];
    for (reason, record) in cases {
        let score = record.score(Goal::Balanced);
        assert_eq!((score.value, score.interval), (None, None), "{reason}");
        assert!(score.reason.as_ref().unwrap().contains(reason), "{reason}: {:?}", score.reason);
    }
}

#[test]
fn what_nobody_can_measure_counts_for_nobody() {
    let blind = |mut case: Case| {
        for episode in &mut case.record.episodes {
            episode.baseline_measures.remove("volatility_10s");
            episode.measures.remove("volatility_10s");
        }
        case
    };
    let score = blind(honest()).record.score(Goal::Balanced);
    let axes = score.tree.axes();
    let weights: f64 = axes.iter().filter_map(|axis| axis.weight).sum();
    assert_eq!((axes[3].value, axes[3].weight), (None, Some(0.0)));
    assert!((weights - 1.0).abs() < 1e-12);
    assert!(score.value.unwrap() > blind(idle()).value(Goal::Balanced));
}

#[test]
fn a_good_market_hides_no_bad_one() {
    let named = |mut case: Case, name: &str| {
        name.clone_into(&mut case.record.scenario.name);
        case.record
    };
    let (good, bad) = (named(honest().earns(90.0, 20.0), "calm"), named(loser(), "thin"));
    let alone = |record: &RunRecord| record.score(Goal::Balanced).value.unwrap();
    let both = combined(Goal::Balanced, &[&good, &bad]);
    let expected = 0.25 * alone(&good) + 0.75 * alone(&bad);
    assert!((both.value.unwrap() - expected).abs() < 1e-9, "{:?} {expected}", both.value);
    assert_eq!(both.tree.rule, PartRule::MeanAndWorst);
    assert!(both.interval.unwrap().low <= both.value.unwrap());
    let many = combined(Goal::Balanced, &[&good, &good, &good, &good, &good, &good, &good, &bad]).value.unwrap();
    assert!(many < f64::midpoint(alone(&good), alone(&bad)) + 0.5, "{many}");

    let failing = named(honest().all("rejections", 400.0), "thin");
    let vetoed = combined(Goal::Balanced, &[&good, &failing]);
    assert_eq!(vetoed.value, Some(1.0));
    assert!(vetoed.reason.unwrap().starts_with("thin: "));

    let short = named(Case { record: RunRecord { complete: false, ..good.clone() } }, "calm");
    for records in [&[&good][..], &[&good, &bad], &[&good, &failing], &[&bad, &short], &[&failing, &short], &[]] {
        let (whole, alone) = (combined(Goal::Balanced, records), combined_value(Goal::Balanced, records));
        assert_eq!((alone.value, alone.reason), (whole.value, whole.reason));
        if records.len() > 1 {
            let parts: Vec<_> = whole.tree.parts.iter().map(|part| part.value).collect();
            assert_eq!(alone.by_market, parts, "what a market is worth without the rest");
        }
    }
}

/// Whoever chooses what the market is compared with gains nothing by a choice that harms or starves it.
#[test]
fn no_choice_of_a_baseline_pays() {
    let thirds = [("market_effective_spread", 0.3), ("volume", 0.3)];
    let wide = [("spread", 3.0), ("market_effective_spread", 3.0), ("one_sided_time", 100.0)];
    let rough = [("volatility_10s", 3.0), ("return_sd_60s", 3.0)];
    let bare = [("bid_size", 0.2), ("ask_size", 0.2), ("bid_empty_time", 100.0), ("ask_empty_time", 100.0)];
    let all = [&wide[..], &rough, &bare].concat();
    let none = f64::NAN;
    let hidden = [("spread", none), ("bid_size", none), ("volatility_10s", none), ("market_effective_spread", none)];
    for goal in goals() {
        for changes in [&[][..], &thirds, &wide, &rough, &bare, &all, &hidden, &hidden[..1], &hidden[1..3]] {
            for (what, case) in [("nothing", idle()), ("honest", honest()), ("loser", loser())] {
                let value = |case: Case| combined_value(goal, &[&case.record]).value.unwrap();
                let (inert, chosen) = (value(case.clone()), value(case.beside(changes)));
                assert!(chosen <= inert + ROUNDING, "{goal:?} {what} beside {changes:?}: {chosen} above {inert}");
            }
        }
        // A gain is told, with why it does not count; a harm counts.
        let score = idle().beside(&all).record.score(goal);
        for (axis, part) in Axis::ALL.iter().zip(score.tree.axes()).filter(|(axis, _)| axis.is_effect()) {
            assert_eq!(part.value, Some(axis.neutral()), "{goal:?} {axis:?}");
            assert!(
                part.note.as_ref().is_some_and(|note| note.contains("chosen baseline")),
                "{goal:?} {axis:?} {part:?}"
            );
        }
        assert!(honest().beside(&[("spread", 0.5)]).value(goal) < honest().value(goal), "{goal:?}");
    }
}

#[test]
fn more_seeds_narrow_the_interval_and_luck_does_not_move_it() {
    let score = honest().record.score(Goal::Balanced);
    let interval = score.interval.unwrap();
    assert!(interval.low < score.value.unwrap() && score.value.unwrap() < interval.high);
    assert!(interval.low >= 1.0 && interval.high <= 10.0);
    assert_eq!(score, honest().record.score(Goal::Balanced), "the same record, the same bits");
}

#[test]
fn scores_of_other_rules_are_not_compared() {
    let score = honest().record.score(Goal::Balanced);
    assert_eq!(comparable(&score, &score), Ok(()));
    let mut older = score.clone();
    older.version = "0".to_owned();
    assert_eq!(comparable(&score, &older), Err(Incomparable::Version("1".to_owned(), "0".to_owned())));
    assert!(matches!(comparable(&score, &honest().record.score(Goal::Risk)), Err(Incomparable::Goal(..))));
    let mut other = honest().record;
    other.scenario.hash = "d".repeat(64);
    assert!(matches!(comparable(&score, &other.score(Goal::Balanced)), Err(Incomparable::Markets(..))));
    let mut against = honest().record;
    against.baseline = Some(against.strategy.clone());
    assert!(matches!(comparable(&score, &against.score(Goal::Balanced)), Err(Incomparable::Baseline(..))));
}

/// A penny in most seeds, and all of the pennies lost in one of so many: worth nothing on average. Beside nothing, and beside a maker who earns without it.
#[test]
fn a_rare_loss_is_no_lead_over_many_seeds_at_once() {
    const MANY: usize = 256;
    const TRIES: u64 = 24;
    let confidence = Confidence::percent(97.0).unwrap();
    let honest = || idle_in(MANY).trades(6_000.0, 0.95, 0.6, 1.5).earns(15.0, 12.0).draws_down(12.0);
    let plus = |case: &Case, (penny, one_in): (f64, f64), attempt: u64| {
        let mut stream = Stream::new(Seed(attempt), "pennies", "losses");
        let draws: Vec<f64> = (0..MANY).map(|_| stream.unit()).collect();
        let gain = |index: usize| if draws[index] * one_in < 1.0 { -penny * (one_in - 1.0) } else { penny };
        case.clone().set("pnl", |index, now| Some(now + 100.0 * gain(index)))
    };
    let nothing = idle_in(MANY).trades(6_000.0, 0.95, 0.0, 0.0).earns(0.0, 4.0).draws_down(12.0);
    for (what, base) in [("nothing", nothing), ("a maker", honest())] {
        for (penny, one_in) in [(20.0, 8.0), (20.0, 25.0), (20.0, 60.0)] {
            let ahead = |attempt: &u64| {
                let attack = plus(&base, (penny, one_in), *attempt);
                pooled(Goal::Balanced, &[&attack.record], &[&base.record], confidence).unwrap().at_least > 0.0
            };
            let found = (0..TRIES).filter(ahead).count();
            assert!(found <= 2, "beside {what}, a loss in one of {one_in}: ahead in {found} of {TRIES}");
        }
        let better = base.clone().set("pnl", |_, now| Some(now + 2_000.0));
        let lead = pooled(Goal::Balanced, &[&better.record], &[&base.record], confidence).unwrap();
        assert!(lead.at_least > 0.0 && lead.ours - lead.theirs >= lead.at_least, "{what}: {lead:?}");
        let even = pooled(Goal::Balanced, &[&base.record], &[&base.record], confidence).unwrap();
        assert_eq!((even.at_least, even.veto), (0.0, None), "{what}");
    }
    let ruined = honest().set("pnl", |index, now| Some(if index == 7 { -9e6 } else { now + 1e5 }));
    let lead = pooled(Goal::Balanced, &[&ruined.record], &[&honest().record], confidence).unwrap();
    assert!(
        lead.at_least < 0.0 && lead.veto.is_some_and(|veto| veto.contains("cash")),
        "a veto is one over many seeds too"
    );
    assert!(pooled(Goal::Balanced, &[&idle().record], &[&honest().record], confidence).is_err(), "other seeds");
}
