//! Each formula on samples for which the answer is known.

use assay_model::{Seed, Stream};

use super::{
    autocorrelation, coefficient_of_variation, correlation, decay, excess_kurtosis, hill, quantile, variance_ratio,
};

fn draws(count: usize, mut draw: impl FnMut(&mut Stream) -> f64) -> Vec<f64> {
    let mut stream = Stream::new(Seed(1), "test", "draws");
    (0..count).map(|_| draw(&mut stream)).collect()
}

/// Running sums, from 0.
fn walk(steps: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let sums = steps.iter().map(|step| {
        sum += step;
        sum
    });
    std::iter::once(0.0).chain(sums).collect()
}

#[track_caller]
fn close(found: Option<f64>, expected: f64, tolerance: f64) {
    assert!(found.is_some_and(|found| (found - expected).abs() < tolerance), "{found:?}, not {expected}");
}

#[test]
fn small_samples_by_hand() {
    close(excess_kurtosis(&[-1.0, 1.0, -1.0, 1.0]), -2.0, 1e-12);
    close(autocorrelation(&[1.0, -1.0, 1.0, -1.0], 1), -0.75, 1e-12);
    close(correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]), 1.0, 1e-12);
    close(coefficient_of_variation(&[1.0, 3.0]), 0.5, 1e-12);
    // Steady steps: a path that goes one way has n times the variance over n steps.
    close(variance_ratio(&[0.0, 1.0, 2.0, 3.0, 4.0], 4), 4.0, 1e-12);
    // The largest tenth: 40 and 20 above 10 give 2 / (ln 4 + ln 2).
    let sizes: Vec<f64> = [40.0, -20.0, 10.0].into_iter().chain([1.0; 17]).collect();
    close(hill(&sizes, 0.1), 2.0 / libm::log(8.0), 1e-12);
    assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
}

#[test]
fn what_a_sample_does_not_support_is_none() {
    let still = [5.0; 30];
    assert_eq!(excess_kurtosis(&still), None);
    assert_eq!(autocorrelation(&still, 1), None);
    assert_eq!(autocorrelation(&[1.0, 2.0], 3), None);
    assert_eq!(correlation(&still, &still), None);
    assert_eq!(variance_ratio(&still, 3), None);
    assert_eq!(hill(&[0.0; 30], 0.05), None);
    assert_eq!((excess_kurtosis(&[]), hill(&[], 0.05), decay(&[], 1)), (None, None, None));
    assert!(quantile(&[], 0.5).is_nan());
    // It alternates: the fitted scale is negative.
    assert_eq!(
        decay(
            &draws(1_000, |stream| stream.unit())
                .iter()
                .zip(0..)
                .map(|(unit, n)| if n % 2 == 0 { 9.0 + unit } else { -9.0 - unit })
                .collect::<Vec<_>>(),
            1
        ),
        None
    );
}

#[test]
fn large_samples_of_known_laws() {
    let normal = draws(100_000, Stream::normal);
    close(excess_kurtosis(&normal), 0.0, 0.05);
    close(autocorrelation(&normal, 1), 0.0, 0.01);
    close(variance_ratio(&walk(&normal), 50), 1.0, 0.05);
    close(coefficient_of_variation(&draws(100_000, |stream| stream.exponential(3.0))), 1.0, 0.02);
    close(hill(&draws(100_000, |stream| libm::pow(1.0 - stream.unit(), -1.0 / 3.0)), 0.05), 3.0, 0.15);
    // Signs that hold for a power-law time with exponent 1.5 have an autocorrelation that falls as lag^−0.5.
    let mut signs = Vec::new();
    for pair in draws(40_000, Stream::unit).chunks(2) {
        let length = libm::pow(1.0 - pair[0], -1.0 / 1.5) as usize;
        signs.extend(std::iter::repeat_n(if pair[1] < 0.5 { 1.0 } else { -1.0 }, length.min(1_000)));
    }
    close(decay(&signs, 144), 0.5, 0.15);
}
