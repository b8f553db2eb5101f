//! Moments and intervals against values worked out by hand and from tables.

use super::*;
use assay_market::metrics::{Missing, Sample};

fn values(values: &[f64]) -> Vec<Measure> {
    values.iter().map(|value| Measure::Value(*value)).collect()
}

const FEW: Measure = Measure::Missing(Missing::TooFew { sample: Sample::Returns, have: 3, need: 30 });

/// Mean, sd, (low, high, degenerate) and the reason for what is missing.
type Expected<'a> = (u64, Option<f64>, Option<f64>, Option<(f64, f64, bool)>, Option<&'a str>);

#[track_caller]
fn check(strategy: &[Measure], baseline: &[Measure], expected: Expected<'_>) {
    let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 5e-4,
        (a, b) => a == b,
    };
    let found = difference(strategy, baseline);
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
    assert!(difference(&values(&tenths), &values(&[0.0; 7])).interval.unwrap().excludes_zero());
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
    let found = moments(&[Measure::Value(1.0), FEW, Measure::Value(3.0)]);
    assert_eq!(found, Moments { n: 2, mean: Some(2.0), sd: Some(2.0_f64.sqrt()), missing: None });
    assert_eq!(moments(&[FEW]).missing.as_deref(), Some("3 returns, at least 30 needed"));
    assert_eq!(moments(&values(&[1.0])).missing.as_deref(), Some("1 seed, a deviation takes at least 2"));
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
    check_estimate(mean_of(&[]), None);
    check_estimate(mean_of(&[2.5]), Some((1, 2.5, None)));
    check_estimate(mean_of(&[1.0, 2.0, 3.0]), Some((3, 2.0, Some((-0.4841, 4.4841)))));
    check_estimate(paired(&[(3.0, 1.0), (7.0, 1.0)]), Some((2, 4.0, Some((-21.4125, 29.4125)))));
    // What the pairs share goes: the spread of 1 to 1000 leaves no trace.
    check_estimate(paired(&[(2.0, 1.0), (101.0, 100.0), (1001.0, 1000.0)]), Some((3, 1.0, Some((1.0, 1.0)))));
    assert!(paired(&[(2.0, 1.0), (101.0, 100.0)]).unwrap().is_told());
    assert!(!mean_of(&[1.0, 2.0, 3.0]).unwrap().is_told());
    assert!(!mean_of(&[1.0]).unwrap().is_told());
}

#[test]
fn independent_differences_are_welchs() {
    // Worked out by hand: variances 2.5 and 10 of 5 values each, error sqrt(0.5 + 2), 2.5^2 / (0.5^2/4 + 2^2/4) = 5.88 degrees, t(0.975) = 2.459.
    let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 4.0, 6.0, 8.0, 10.0]);
    check_estimate(welch(&a, &b), Some((5, -3.0, Some((-6.8877, 0.8877)))));
    check_estimate(welch(&b, &a), Some((5, 3.0, Some((-0.8877, 6.8877)))));
    check_estimate(welch(&[1.0, 1.0], &[3.0, 3.0]), Some((2, -2.0, Some((-2.0, -2.0)))));
    check_estimate(welch(&[1.0], &[3.0, 4.0]), Some((1, -2.5, None)));
    check_estimate(welch(&[], &[3.0, 4.0]), None);
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
        let sample = SeedSample::of(values).unwrap();
        let confidence = Confidence::percent(percent).unwrap();
        let found = sample.bound(Tail::Lower, confidence).unwrap();
        assert!((found - lower).abs() < 1e-3, "{values:?} {percent}: {found}, not {lower}");
        let upper = sample.bound(Tail::Upper, confidence).unwrap();
        assert!((found + upper - 2.0 * sample.mean).abs() < 1e-9, "the bounds lie about the mean");
    }
    assert_eq!(SeedSample::of(&[]), None);
    assert_eq!(SeedSample::of(&[4.0]).unwrap().bound(Tail::Lower, Confidence::percent(95.0).unwrap()), None);
    assert_eq!(SeedSample::of(&[4.0; 3]).unwrap().bound(Tail::Lower, Confidence::percent(95.0).unwrap()), Some(4.0));
    for percent in [f64::NAN, -1.0, 0.95, 50.0, 99.999, 100.0] {
        assert_eq!(Confidence::percent(percent), None, "{percent}");
    }
}
