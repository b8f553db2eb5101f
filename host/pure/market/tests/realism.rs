//! The presets on the gates of realism and on what their names promise, over a few seeds: full runs are the command's part.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::realism::{GATES, Observer, STATISTICS, gates, observe, report, scorecard};
use assay_market::{Event, EventKind, EventSink, Fundamental, Inert, Scenario, simulate};
use assay_model::{Nanos, Quote, Seed, SymbolIndex, Time};

/// Gates of which the medians of the first seeds lie within their limits: the intervals take more seeds than a test can run, and so does a Sharpe ratio.
#[track_caller]
fn check(preset: &str, seeds: u64, expected: &[usize]) {
    let scenario = Scenario::preset(preset).unwrap();
    let observations: Vec<_> = (1..=seeds)
        .map(|seed| {
            let mut observer = Observer::new(scenario.open, scenario.close);
            simulate(&scenario, Seed(seed), &mut Inert::new(scenario.new_desk(Seed(seed))), &mut observer);
            observer.finish()
        })
        .collect();
    let scores = scorecard(&observations);
    let within = |gate: usize| {
        let mut own = scores.iter().filter(|score| score.statistic.gate == gate);
        own.all(|score| {
            score.centre.is_some_and(|centre| (score.statistic.least..=score.statistic.most).contains(&centre))
        })
    };
    let passed: Vec<usize> = (1..=GATES.len()).filter(|gate| within(*gate)).collect();
    let centres: Vec<_> = scores.iter().map(|score| (score.statistic.name, score.centre)).collect();
    assert_eq!(passed, expected, "{preset}: {centres:?}");
}

#[test]
fn calm_passes_every_gate_that_an_observer_judges() {
    check("calm-day", 10, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
}

#[test]
fn where_makers_keep_all_the_spread_it_is_said() {
    // Takers who know nothing: what they pay comes back to the makers.
    let text = Scenario::preset("calm-day").unwrap().to_toml().replace("informed = 0.2", "informed = 0.0");
    let text = text.replace("impact = 0.0167", "impact = 0.0");
    let scenario = Scenario::parse(&text).unwrap();
    let mut observer = Observer::new(scenario.open, scenario.close);
    simulate(&scenario, Seed(1), &mut Inert::new(scenario.new_desk(Seed(1))), &mut observer);
    let observation = observer.finish();
    let [realised, impact] = [15, 16].map(|index| observation[index].unwrap());
    assert_eq!((STATISTICS[15].gate, STATISTICS[16].gate), (11, 12));
    assert!(realised > 0.8 && impact < 0.2 && (realised + impact - 1.0).abs() < 1e-9, "{realised} and {impact}");
}

#[test]
fn rmsc04_passes_the_floor() {
    check("rmsc04-day", 5, &[3, 4, 5]);
}

/// The mid at the end of each minute, and the spread's sum over them.
struct Path {
    next: Time,
    quote: Option<(f64, f64)>,
    mids: Vec<f64>,
    spreads: f64,
}

impl EventSink for Path {
    fn event(&mut self, event: &Event) {
        if let EventKind::Quote(Quote { bid: Some(bid), ask: Some(ask), .. }) = event.kind {
            while self.next <= event.at {
                if let Some((mid, spread)) = self.quote {
                    self.mids.push(mid);
                    self.spreads += spread;
                }
                self.next = self.next + Nanos::from_secs(60);
            }
            let (bid, ask) = (bid.price.cents() as f64, ask.price.cents() as f64);
            self.quote = Some((f64::midpoint(bid, ask), ask - bid));
        }
    }
}

fn path(preset: &str, seed: u64) -> Path {
    let scenario = Scenario::preset(preset).unwrap();
    let mut path = Path { next: scenario.open + Nanos::from_secs(60), quote: None, mids: Vec::new(), spreads: 0.0 };
    simulate(&scenario, Seed(seed), &mut Inert::new(scenario.new_desk(Seed(seed))), &mut path);
    path
}

/// Mean absolute change of the mid in a minute, in cents.
fn restlessness(path: &Path) -> f64 {
    path.mids.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum::<f64>() / (path.mids.len() - 1) as f64
}

#[test]
fn the_regimes_are_what_their_names_say() {
    let over_seeds = |preset: &str, what: fn(&Path) -> f64| (1..=8).map(|seed| what(&path(preset, seed))).sum::<f64>();
    let moves = |preset: &str| over_seeds(preset, restlessness) / over_seeds("calm", restlessness);
    let (volatile, stable) = (moves("volatile"), moves("stable"));
    assert!(volatile > 1.5 && stable < 0.8, "volatile moves {volatile} as much as calm, stable {stable}");
    let spread = |preset: &str| over_seeds(preset, |path| path.spreads / path.mids.len() as f64);
    assert!(spread("thin") > 1.3 * spread("calm"), "thin {}, calm {}", spread("thin"), spread("calm"));
    let moved = |path: &Path| (path.mids.last().unwrap() / path.mids.first().unwrap() - 1.0).abs();
    let (trending, calm) = (over_seeds("trending", moved), over_seeds("calm-day", moved));
    assert!(trending > 1.5 * calm, "trending ends {trending} from where it began, a day of calm {calm}");
}

#[test]
fn what_becomes_known_moves_the_price_at_once() {
    for preset in ["news-shock", "flash-crash"] {
        let scenario = Scenario::preset(preset).unwrap();
        let mut seen = [0; 2];
        for seed in 1..=6 {
            let mids = path(preset, seed).mids;
            let mut value = Fundamental::of(&scenario, SymbolIndex::FIRST, Seed(seed));
            let minute = |minutes: usize| scenario.open + Nanos::from_secs(60 * minutes as u64);
            // From the last minute before the news to the first one that begins after it.
            let mut known = 0.0;
            for before in 1..mids.len() - 1 {
                let news = value.news_at(minute(before + 1)) - known;
                known += news;
                if news == 0.0 {
                    continue;
                }
                let moved = mids[before + 1] - mids[before - 1];
                let later = value.news_at(minute(before + 2)) - known;
                known += later;
                assert!(
                    (moved - news - later).abs() < 150.0,
                    "{preset}, seed {seed}: {moved} on news of {news} + {later}"
                );
                seen[usize::from(news > 0.0)] += 1;
            }
        }
        assert!(seen.into_iter().all(|count| count > 2), "{preset}: both directions, {seen:?}");
    }
}

#[test]
fn what_is_too_short_or_silent_is_not_judged() {
    let smoke = Scenario::preset("smoke").unwrap();
    let short = observe(&smoke, Seed(1));
    assert_eq!(short, [None; STATISTICS.len()], "two minutes");
    let day = Scenario::preset("calm-day").unwrap();
    let silent = Observer::new(day.open, day.close).finish();
    assert_eq!(silent, [None; STATISTICS.len()], "nothing happened");
    let scores = scorecard(&[short, silent]);
    assert_eq!(gates(&scores), [false; GATES.len()]);
    assert!(scores.iter().all(|score| score.centre.is_none() && score.episodes == 0));
    assert_eq!(gates(&scorecard(&[])), [false; GATES.len()], "no episodes");
}

#[test]
fn a_report_says_what_fails_and_draws_it() {
    // All within their limits, then the first one out of them, then without one.
    let mut middle = STATISTICS.map(|statistic| {
        Some(match (statistic.least.is_finite(), statistic.most.is_finite()) {
            (true, true) => f64::midpoint(statistic.least, statistic.most),
            (true, false) => statistic.least + 1.0,
            _ => statistic.most - 1.0,
        })
    });
    let text = |middle| report("x", 12, &scorecard(&[middle; 12]));
    let all = text(middle);
    assert!(all.starts_with("## x\n\nOver 12 seeds it passes all thirteen gates.\n"), "{all}");
    assert!(!all.contains("FAIL") && all.lines().count() == 6 + STATISTICS.len(), "{all}");
    assert!(all.contains("| [              o              ] |"), "the first centre lies in the middle: {all}");
    assert!(all.contains("| 5.0 and down   |") && all.contains("o ] |"), "one limit above: {all}");
    middle[0] = Some(0.3);
    let one = text(middle);
    assert!(one.contains("it passes 12 of thirteen gates; not: no linear autocorrelation."), "{one}");
    assert!(one.contains("|    1 | FAIL |") && one.contains("0.300"), "{one}");
    middle[0] = None;
    assert!(text(middle).contains("   none |"));
    let widths = |text: &str| text.lines().skip(4).map(str::len).collect::<std::collections::BTreeSet<_>>();
    assert_eq!((widths(&all).len(), widths(&one).len()), (1, 1), "the columns are aligned");
}

#[test]
fn a_median_of_few_is_none_and_every_gate_has_a_statistic() {
    let mut some = [Some(1.0); STATISTICS.len()];
    some[0] = None;
    let scores = scorecard(&[some, some, [Some(0.0); STATISTICS.len()]]);
    assert_eq!((scores[0].episodes, scores[0].centre), (1, None), "one of three");
    assert_eq!((scores[1].centre, scores[1].interval, scores[1].passes()), (Some(1.0), None, false), "too few");
    assert!((1..=GATES.len()).all(|gate| STATISTICS.iter().any(|statistic| statistic.gate == gate)));
}

#[test]
fn a_gate_passes_only_if_its_whole_interval_does() {
    // The second statistic must lie from 0.7 to 1.3; its median is 1 in both cases.
    let spread = |by: f64| -> Vec<_> {
        (0..20).map(|number| [Some(1.0 + by * (f64::from(number) - 9.5) / 9.5); STATISTICS.len()]).collect()
    };
    let (narrow, wide) = (scorecard(&spread(0.2))[1], scorecard(&spread(2.0))[1]);
    assert!(narrow.passes() && !wide.passes(), "{narrow:?}, {wide:?}");
    assert!((wide.centre.unwrap() - 1.0).abs() < 1e-9);
    let (low, high) = wide.interval.unwrap();
    assert!(low < 0.7 && high > 1.3);
    assert_eq!(scorecard(&spread(2.0))[1], wide, "the same observations give the same interval");
}
