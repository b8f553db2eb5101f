//! The presets on the gates of realism and on what their names promise, over a few seeds: full runs are the command's part.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::realism::{GATES, Observer, STATISTICS, gates, observe, report, scorecard};
use assay_market::{Event, EventKind, EventSink, Inert, Scenario, simulate};
use assay_model::{Nanos, Quote, Seed, Time};

/// Gates of ten that a preset passes on the median of seeds 1 to 5.
#[track_caller]
fn check(preset: &str, seeds: u64, expected: &[usize]) {
    let scenario = Scenario::preset(preset).unwrap();
    let observations: Vec<_> = (1..=seeds).map(|seed| observe(&scenario, Seed(seed))).collect();
    let scores = scorecard(&observations);
    let passed: Vec<usize> =
        gates(&scores).into_iter().zip(1..).filter_map(|(passed, gate)| passed.then_some(gate)).collect();
    let medians: Vec<_> = scores.iter().map(|score| (score.statistic.name, score.median)).collect();
    assert_eq!(passed, expected, "{preset}: {medians:?}");
}

#[test]
fn lively_passes_every_gate() {
    check("lively", 5, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
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
    let lively = path("lively", 1);
    let moves = |preset: &str| restlessness(&path(preset, 1)) / restlessness(&lively);
    let (volatile, stable) = (moves("volatile"), moves("stable"));
    assert!(volatile > 1.5 && stable < 0.5, "volatile moves {volatile} as much as lively, stable {stable}");
    let thin = path("thin", 1);
    let spread = |path: &Path| path.spreads / path.mids.len() as f64;
    assert!(spread(&thin) > 1.3 * spread(&lively), "thin {}, lively {}", spread(&thin), spread(&lively));
    let trending = path("trending", 1).mids;
    let rise = trending.last().unwrap() / trending.first().unwrap();
    assert!(rise > 1.01, "trending ends at {rise} of where it began");
}

#[test]
fn a_crash_comes_and_goes() {
    let mids = path("flash-crash", 2).mids;
    // Minutes since 09:30: before 14:40, until 14:55, and at the end.
    let (before, low) = (mids[305], mids[310..325].iter().copied().fold(f64::INFINITY, f64::min));
    let (fall, rest) = (before - low, before - mids[mids.len() - 1]);
    assert!(fall > 0.02 * before, "it falls by {fall} from {before}");
    assert!(rest < fall / 2.0, "and {rest} remain at the close");
}

#[test]
fn news_moves_the_price() {
    let mids = path("news-shock", 1).mids;
    let ten_minutes = mids.windows(11).map(|window| (window[10] - window[0]).abs()).fold(0.0, f64::max);
    assert!(ten_minutes > 0.01 * 30_000.0, "the largest move in ten minutes is {ten_minutes}");
}

#[test]
fn what_is_too_short_or_silent_is_not_judged() {
    let smoke = Scenario::preset("smoke").unwrap();
    let short = observe(&smoke, Seed(1));
    assert_eq!(short, [None; STATISTICS.len()], "two minutes");
    let day = Scenario::preset("lively").unwrap();
    let silent = Observer::new(day.open, day.close).finish();
    assert_eq!(silent, [None; STATISTICS.len()], "nothing happened");
    let scores = scorecard(&[short, silent]);
    assert_eq!(gates(&scores), [false; GATES.len()]);
    assert!(scores.iter().all(|score| score.median.is_none() && score.episodes == 0));
    assert_eq!(gates(&scorecard(&[])), [false; GATES.len()], "no episodes");
}

#[test]
fn a_report_says_what_fails_and_draws_it() {
    // All within their limits, then the first one out of them, then without one.
    let mut middle = STATISTICS.map(|statistic| {
        Some(if statistic.most.is_finite() {
            f64::midpoint(statistic.least, statistic.most)
        } else {
            statistic.least + 1.0
        })
    });
    let text = |middle| report("x", 3, &scorecard(&[middle; 3]));
    let all = text(middle);
    assert!(all.starts_with("## x\n\nOver 3 seeds it passes all ten gates.\n"), "{all}");
    assert!(!all.contains("FAIL") && all.lines().count() == 6 + STATISTICS.len(), "{all}");
    assert!(all.contains("| [              o              ] |"), "the first median lies in the middle: {all}");
    middle[0] = Some(0.3);
    let one = text(middle);
    assert!(one.contains("it passes 9 of ten gates; not: no linear autocorrelation."), "{one}");
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
    assert_eq!((scores[0].episodes, scores[0].median), (1, None), "one of three");
    assert_eq!((scores[1].median, scores[1].passes()), (Some(1.0), true));
    assert!((1..=GATES.len()).all(|gate| STATISTICS.iter().any(|statistic| statistic.gate == gate)));
}
