//! Moments and intervals against values worked out by hand and from tables.

use super::*;
use assay_market::metrics::{Measure, Missing, Sample as Counted};

fn values(values: &[f64]) -> Vec<Measure> {
    values.iter().map(|value| Measure::Value(*value)).collect()
}

/// A path for each of `seeds` seeds.
fn paths(count: usize) -> Vec<String> {
    (0..count).map(|seed| format!("path {seed}")).collect()
}

/// Measures as a record tells them.
fn difference_on(strategy: &[Measure], baseline: &[Measure], paths: &[&str]) -> Difference {
    let reasons: Vec<String> = strategy.iter().chain(baseline).map(reason).collect();
    let (ours, theirs) = reasons.split_at(strategy.len());
    difference(&told(strategy, ours), &told(baseline, theirs), paths)
}

fn reason(measure: &Measure) -> String {
    match measure {
        Measure::Missing(missing) => missing.to_string(),
        Measure::Value(_) => String::new(),
    }
}

fn told<'a>(measures: &[Measure], reasons: &'a [String]) -> Vec<Told<'a>> {
    let one = |(measure, reason): (&Measure, &'a String)| measure.value().ok_or(Some(reason.as_str()));
    measures.iter().zip(reasons).map(one).collect()
}

fn difference_over(strategy: &[Measure], baseline: &[Measure]) -> Difference {
    let paths = paths(strategy.len());
    difference_on(strategy, baseline, &paths.iter().map(String::as_str).collect::<Vec<_>>())
}

fn moments_over(measures: &[Measure]) -> Moments {
    let (reasons, paths): (Vec<String>, _) = (measures.iter().map(reason).collect(), paths(measures.len()));
    moments(&told(measures, &reasons), &paths.iter().map(String::as_str).collect::<Vec<_>>())
}

fn sample(values: &[f64]) -> Sample {
    Sample::of_distinct(values.to_vec())
}

const FEW: Measure = Measure::Missing(Missing::TooFew { sample: Counted::Returns, have: 3, need: 30 });

/// Mean, sd, (low, high, degenerate) and the reason for what is missing.
type Expected<'a> = (u64, Option<f64>, Option<f64>, Option<(f64, f64, bool)>, Option<&'a str>);

#[track_caller]
fn check(strategy: &[Measure], baseline: &[Measure], expected: Expected<'_>) {
    let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 5e-4,
        (a, b) => a == b,
    };
    let found = difference_over(strategy, baseline);
    let (n, mean, sd, interval, missing) = expected;
    assert_eq!(found.n, n);
    assert!(close(found.mean, mean) && close(found.sd, sd), "{found:?}");
    assert!(close(found.interval.map(|i| i.low), interval.map(|i| i.0)), "{found:?}");
    assert!(close(found.interval.map(|i| i.high), interval.map(|i| i.1)), "{found:?}");
    assert_eq!(found.interval.map(|i| i.degenerate), interval.map(|i| i.2));
    assert_eq!(found.missing.as_deref(), missing);
}

#[test]
fn intervals_are_students() {
    // t(0.975) is 12.706 with 1 degree of freedom, 4.303 with 2, 2.262 with 9 (any table).
    check(
        &values(&[3.0, 7.0]),
        &values(&[1.0, 1.0]),
        (2, Some(4.0), Some(2.8284), Some((-21.4125, 29.4125, false)), None),
    );
    check(
        &values(&[1.0, 2.0, 3.0]),
        &values(&[0.0; 3]),
        (3, Some(2.0), Some(1.0), Some((-0.4841, 4.4841, false)), None),
    );
    let ten: Vec<f64> = (1..=10).map(f64::from).collect();
    check(&values(&ten), &values(&[0.0; 10]), (10, Some(5.5), Some(3.0277), Some((3.3341, 7.6659, false)), None));
}

#[test]
fn equal_differences_have_a_degenerate_interval() {
    let tenths = [0.1; 7];
    check(&values(&tenths), &values(&[0.0; 7]), (7, Some(0.1), Some(0.0), Some((0.1, 0.1, true)), None));
    let found = difference_over(&values(&tenths), &values(&[0.0; 7]));
    assert!(!found.interval.unwrap().excludes_zero() && !found.is_told() && found.p.is_none());
}

#[test]
fn what_cannot_be_told_is_missing_with_a_reason() {
    check(&[], &[], (0, None, None, None, Some("no seed was scored")));
    let one = "1 seed with both values, an interval takes at least 2";
    check(&values(&[2.0]), &values(&[1.0]), (1, Some(1.0), None, None, Some(one)));
    let strategy = "strategy: 3 returns, at least 30 needed";
    check(&[FEW, FEW], &values(&[1.0, 2.0]), (0, None, None, None, Some(strategy)));
    let baseline = "baseline: 3 returns, at least 30 needed";
    check(&values(&[1.0, 2.0]), &[FEW, FEW], (0, None, None, None, Some(baseline)));
    // Only seeds with both values are compared.
    let (ours, theirs) = ([values(&[1.0, 2.0]), vec![FEW]].concat(), [vec![FEW], values(&[5.0, 6.0])].concat());
    check(&ours, &theirs, (1, Some(-3.0), None, None, Some(one)));
}

#[test]
fn moments_count_seeds_with_a_value() {
    let found = moments_over(&[Measure::Value(1.0), FEW, Measure::Value(3.0)]);
    assert_eq!(found, Moments { n: 2, mean: Some(2.0), sd: Some(2.0_f64.sqrt()), missing: None });
    assert_eq!(moments_over(&[FEW]).missing.as_deref(), Some("3 returns, at least 30 needed"));
    assert_eq!(moments_over(&values(&[1.0])).missing.as_deref(), Some("1 seed, a deviation takes at least 2"));
}

fn paired(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    sample(&a).minus(&sample(&b))?.estimate()
}

/// Values, mean, interval.
type ExpectedEstimate = (u64, f64, Option<(f64, f64)>);

#[track_caller]
fn check_estimate(found: Option<Estimate>, expected: Option<ExpectedEstimate>) {
    let close = |a: f64, b: f64| (a - b).abs() < 5e-4;
    match (found, expected) {
        (None, None) => {}
        (Some(found), Some((n, mean, interval))) => {
            assert_eq!(found.n, n);
            assert!(close(found.mean, mean), "{found:?}");
            assert_eq!(found.interval.is_some(), interval.is_some(), "{found:?}");
            if let (Some(found), Some((low, high))) = (found.interval, interval) {
                assert!(close(found.low, low) && close(found.high, high), "{found:?}");
            }
        }
        (found, expected) => panic!("{found:?}, expected {expected:?}"),
    }
}

#[test]
fn means_and_paired_differences() {
    check_estimate(sample(&[]).estimate(), None);
    check_estimate(sample(&[2.5]).estimate(), Some((1, 2.5, None)));
    check_estimate(sample(&[1.0, 2.0, 3.0]).estimate(), Some((3, 2.0, Some((-0.4841, 4.4841)))));
    check_estimate(paired(&[(3.0, 1.0), (7.0, 1.0)]), Some((2, 4.0, Some((-21.4125, 29.4125)))));
    // What the pairs share goes: the spread of 1 to 1000 leaves no trace.
    check_estimate(paired(&[(2.0, 1.0), (101.0, 100.0), (1001.0, 1000.0)]), Some((3, 1.0, Some((1.0, 1.0)))));
    assert!(!paired(&[(2.0, 1.0), (101.0, 100.0)]).unwrap().is_told(), "equal differences tell nothing");
    assert!(paired(&[(2.0, 1.0), (101.0, 100.0), (3.01, 2.0), (9.0, 8.01)]).unwrap().is_told());
    assert!(!sample(&[1.0, 2.0, 3.0]).estimate().unwrap().is_told());
    assert!(!sample(&[1.0]).estimate().unwrap().is_told());
}

#[test]
fn independent_differences_are_welchs() {
    // Worked out by hand: variances 2.5 and 10 of 5 values each, error sqrt(0.5 + 2), 2.5^2 / (0.5^2/4 + 2^2/4) = 5.88 degrees, t(0.975) = 2.459.
    let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 4.0, 6.0, 8.0, 10.0]);
    check_estimate(welch(&sample(&a), &sample(&b)), Some((5, -3.0, Some((-6.8877, 0.8877)))));
    check_estimate(welch(&sample(&b), &sample(&a)), Some((5, 3.0, Some((-0.8877, 6.8877)))));
    check_estimate(welch(&sample(&[1.0, 1.0]), &sample(&[3.0, 3.0])), Some((2, -2.0, Some((-2.0, -2.0)))));
    check_estimate(welch(&sample(&[1.0]), &sample(&[3.0, 4.0])), Some((1, -2.5, None)));
    check_estimate(welch(&sample(&[]), &sample(&[3.0, 4.0])), None);
}
#[test]
fn one_sided_bounds_are_students() {
    // t(0.95) is 6.314 with 1 degree of freedom, 2.920 with 2, 1.833 with 9; t(0.99) is 2.821 and t(0.9) 1.383 with 9 (any table).
    let ten: Vec<f64> = (1..=10).map(f64::from).collect();
    for (values, percent, lower) in [
        (&[3.0, 7.0][..], 95.0, 5.0 - 6.3138 * 2.8284 / 2.0_f64.sqrt()),
        (&[1.0, 2.0, 3.0], 95.0, 2.0 - 2.9200 / 3.0_f64.sqrt()),
        (&ten, 95.0, 5.5 - 1.8331 * 3.0277 / 10.0_f64.sqrt()),
        (&ten, 99.0, 5.5 - 2.8214 * 3.0277 / 10.0_f64.sqrt()),
        (&ten, 90.0, 5.5 - 1.3830 * 3.0277 / 10.0_f64.sqrt()),
    ] {
        let sample = sample(values);
        let confidence = Confidence::percent(percent).unwrap();
        let found = sample.bound(Tail::Lower, confidence).unwrap();
        assert!((found - lower).abs() < 1e-3, "{values:?} {percent}: {found}, not {lower}");
        let upper = sample.bound(Tail::Upper, confidence).unwrap();
        assert!((found + upper - 2.0 * sample.mean().unwrap()).abs() < 1e-9, "the bounds lie about the mean");
    }
    assert_eq!(sample(&[]).bound(Tail::Lower, Confidence::percent(95.0).unwrap()), None);
    assert_eq!(sample(&[4.0]).bound(Tail::Lower, Confidence::percent(95.0).unwrap()), None);
    assert_eq!(sample(&[4.0; 3]).bound(Tail::Lower, Confidence::percent(95.0).unwrap()), Some(4.0));
    for percent in [f64::NAN, -1.0, 0.95, 50.0, 99.999, 100.0] {
        assert_eq!(Confidence::percent(percent), None, "{percent}");
    }
}

/// A small generator, so that tests need no other: splitmix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Sum of twelve uniforms less six: near enough to a normal number.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

#[test]
fn one_path_copied_is_one_observation() {
    let copied = Sample::of_paths((0..20).map(|seed| ("recording", f64::from(seed))));
    assert_eq!((copied.n(), copied.seeds(), copied.mean()), (1, 20, Some(9.5)));
    assert!(copied.repeats() && copied.sd().is_none());
    assert!(copied.estimate().unwrap().interval.is_none() && !copied.estimate().unwrap().is_told());
    assert_eq!(copied.bound(Tail::Lower, Confidence::percent(95.0).unwrap()), None);
    let found = difference_on(&values(&[5.0, 6.0, 7.0]), &values(&[0.0; 3]), &["one"; 3]);
    assert_eq!((found.n, found.observations, found.mean, found.interval), (3, Some(1), Some(6.0), None));
    assert_eq!(
        found.missing.as_deref(),
        Some("3 seeds of one and the same market path are 1 observation, an interval takes at least 2")
    );
    // Copies among others weigh as one.
    let mixed = Sample::of_paths([("a", 1.0), ("b", 5.0), ("a", 3.0)]);
    assert_eq!(mixed.values(), [2.0, 5.0]);
}

#[test]
fn an_interval_reaches_at_least_as_far_as_students_and_agrees_with_its_p_value() {
    let mut random = Random(5);
    for n in [2, 3, 5, 20, 100] {
        for shift in [-2.0, 0.0, 0.3, 1.0, 2.0] {
            let skewed: Vec<f64> = (0..n).map(|_| shift - (1.0 - random.uniform()).ln() * 2.0).collect();
            let sample = sample(&skewed);
            let (low, high) = student_interval(&sample).unwrap();
            let found = sample.estimate().unwrap();
            let interval = found.interval.unwrap();
            assert!(interval.low <= low && interval.high >= high, "{n} {shift}");
            assert_eq!(interval.excludes_zero(), found.p.unwrap() < 0.05, "{n} {shift}: {found:?}");
            let mirrored = Sample::of_distinct(skewed.iter().map(|value| -value).collect()).estimate().unwrap();
            let of_mirror = mirrored.interval.unwrap();
            assert!((of_mirror.low + interval.high).abs() < 1e-9 && (of_mirror.high + interval.low).abs() < 1e-9);
        }
    }
}

#[test]
fn holm_steps_down() {
    // Worked out by hand.
    let close = |a: Vec<f64>, b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close(holm(&[0.01, 0.04, 0.03, 0.005], 4), &[0.03, 0.06, 0.06, 0.02]));
    assert!(close(holm(&[0.01, 0.5], 10), &[0.1, 1.0]));
    assert!(holm(&[], 5).is_empty());
}

#[test]
fn chance_marks_nothing_after_the_correction() {
    let mut random = Random(11);
    let (mut raw, mut told, runs) = (0, 0, 400);
    for _ in 0..runs {
        let mut rows: Vec<Difference> = (0..20)
            .map(|_| {
                let ours: Vec<Measure> = (0..20).map(|_| Measure::Value(random.normal())).collect();
                difference_over(&ours, &values(&[0.0; 20]))
            })
            .collect();
        let found = evidence(&mut rows.iter_mut().map(|row| ("market", row)).collect::<Vec<_>>(), 20, 20, None);
        assert!((found.expected_by_chance - 1.0).abs() < 1e-9);
        raw += found.families[0].raw;
        told += u64::from(found.families[0].told > 0);
    }
    // About one of 20 measures in each run by chance; after the correction a mark in 5% of the runs at most, with room for three deviations.
    assert!((250..450).contains(&raw), "{raw}");
    assert!(told <= 33, "{told} of {runs} runs have a mark");
}

#[test]
fn tails_name_the_seed_and_doubt_the_mean() {
    let of = |values: &[f64]| {
        let paths = paths(values.len());
        let rows: Vec<(u64, &str, f64)> =
            values.iter().zip(&paths).enumerate().map(|(i, (v, path))| (i as u64 + 1, path.as_str(), *v)).collect();
        TailRecord::of(&rows)
    };
    assert_eq!(of(&[]), None);
    let mut penny = vec![100.0; 20];
    penny[6] = -5_000.0;
    let tail = of(&penny).unwrap();
    assert_eq!((tail.worst, tail.worst_seed, tail.expected_shortfall, tail.largest_seed), (-5_000.0, 7, -5_000.0, 7));
    assert!(tail.largest_share > 0.7 && tail.skewness.unwrap() < -4.0 && tail.unseen_loss_rate.is_none());
    let mut rows: Vec<Difference> = Vec::new();
    let found = evidence(&mut rows.iter_mut().map(|row| ("", row)).collect::<Vec<_>>(), 20, 20, Some(tail));
    assert!(found.cautions[0].starts_with("Seed 7 makes up 72% of all PnL won and lost"), "{:?}", found.cautions);
    assert!(found.cautions[1].contains("few large losses"), "{:?}", found.cautions);
    // Without the loss, that it may be missing is all there is to say.
    let tail = of(&[100.0, 101.0, 102.0].repeat(10)).unwrap();
    assert!((tail.unseen_loss_rate.unwrap() - 0.095).abs() < 1e-3);
    assert!(
        (of(&(0..50).map(f64::from).collect::<Vec<_>>()).unwrap().expected_shortfall - (0.0 + 1.0 + 0.5 * 2.0) / 2.5)
            .abs()
            < 1e-12
    );
}

#[test]
fn luck_is_deflated() {
    let mut random = Random(3);
    let rows: Vec<Sample> = (0..50).map(|_| sample(&(0..100).map(|_| random.normal()).collect::<Vec<_>>())).collect();
    let all: Vec<&Sample> = rows.iter().collect();
    let best = all.iter().copied().max_by(|a, b| a.mean().unwrap().total_cmp(&b.mean().unwrap())).unwrap();
    let luck = deflated_sharpe(best, 50).unwrap();
    assert!(luck.deflated < 0.9, "the best of 50 without skill: {luck:?}");
    assert!(deflated_sharpe(best, 1).unwrap().deflated > 0.95, "as the only one it would look like skill");
    let skilled = sample(&(0..100).map(|_| 1.0 + random.normal()).collect::<Vec<_>>());
    assert!(deflated_sharpe(&skilled, 50).unwrap().deflated > 0.999);
    assert_eq!(deflated_sharpe(&sample(&[1.0; 5]), 1), None);
    let without_skill = |_| {
        let rows: Vec<Sample> =
            (0..10).map(|_| sample(&(0..50).map(|_| random.normal()).collect::<Vec<_>>())).collect();
        overfitting_probability(&rows.iter().collect::<Vec<_>>()).unwrap()
    };
    let pbo = (0..100).map(without_skill).sum::<f64>() / 100.0;
    assert!((0.4..=0.65).contains(&pbo), "without skill the choice is worth nothing: {pbo}");
    let with_skill: Vec<&Sample> = all.iter().copied().chain([&skilled]).collect();
    assert_eq!(overfitting_probability(&with_skill), Some(0.0));
    assert_eq!(overfitting_probability(&all[..1]), None);
}

#[test]
fn ranks_need_more_the_more_was_tried() {
    let mut random = Random(17);
    let mut row = |shift: f64| sample(&(0..100).map(|_| shift + random.normal()).collect::<Vec<_>>());
    let (good, fair, same) = (row(2.0), row(0.0), row(0.0));
    let found: Vec<usize> = ranks(&[&fair, &good, &same], 3, true).iter().map(|standing| standing.rank).collect();
    assert_eq!(found, [2, 1, 2]);
    let found: Vec<usize> = ranks(&[&fair, &good, &same], 3, false).iter().map(|standing| standing.rank).collect();
    assert_eq!(found, [1, 3, 1]);
    let slight = sample(
        &fair.values().iter().enumerate().map(|(i, v)| v + 0.4 + (i % 7) as f64 / 3.0 - 1.0).collect::<Vec<_>>(),
    );
    let rank = |tries| ranks(&[&slight, &fair], tries, true)[1].rank;
    assert_eq!((rank(2), rank(1_000_000)), (2, 1), "the same difference, after many tries");
}
