//! The belief against its closed form, above all where ABIDES goes wrong.

use assay_model::{Nanos, Time};

use super::{Belief, Model};
use crate::ValueSettings;

fn model(long_run_mean: f64, mean_reversion_per_second: f64, shock_variance_per_nanosecond: f64) -> Model {
    let settings = ValueSettings {
        wake_interval: Nanos::SECOND,
        mean_reversion_per_second,
        observation_variance: 1_000.0,
        shock_variance_per_nanosecond,
        aggressive_share: 0.1,
        depth_spreads: 2,
    };
    Model::new(&settings, long_run_mean)
}

#[test]
fn without_shocks_observations_average() {
    // No reversion, no shocks, and a first belief that is certain: it never moves.
    let model = model(100.0, 0.0, 0.0);
    let mut belief = Belief::new(&model, Time(0));
    belief.observe(Time(10), 500.0, &model);
    assert_eq!((belief.mean, belief.variance), (100.0, 0.0));
    // With as much variance as an observation has, it moves half the way and halves its variance.
    belief.variance = 1_000.0;
    belief.observe(Time(20), 500.0, &model);
    assert_eq!((belief.mean, belief.variance), (300.0, 500.0));
    // The precisions add: 1/500 + 1/1000.
    belief.observe(Time(30), 600.0, &model);
    assert!((belief.mean - 400.0).abs() < 1e-9 && (belief.variance - 1_000.0 / 3.0).abs() < 1e-9, "{belief:?}");
}

#[test]
fn the_posterior_variance_follows_from_the_widened_one() {
    let model = model(100.0, 0.0, 100.0);
    let mut belief = Belief::new(&model, Time(0));
    belief.observe(Time(10), 200.0, &model);
    // 10 ns of shocks widen it to 1,000, as much as the observation has. From the unwidened variance, 0, would follow 0: certainty.
    assert!((belief.variance - 500.0).abs() < 1e-9 && (belief.mean - 150.0).abs() < 1e-9, "{belief:?}");
}

#[test]
fn tiny_reversion_over_long_times_keeps_its_digits() {
    // κ = 1.67e-15 for each nanosecond of six and a half hours, against the exponential it is to fifteen digits.
    let model = model(100_000.0, 1.67e-6, 100_000.0);
    let mut belief = Belief::new(&model, Time(0));
    belief.mean = 101_000.0;
    let elapsed = Nanos::from_secs(23_400);
    let expected = 100_000.0 + 1_000.0 * libm::exp(-1.67e-6 * 23_400.0);
    assert!((belief.mean_after(elapsed, &model) - expected).abs() < 1e-9, "{}", belief.mean_after(elapsed, &model));
    let widened = belief.variance_after(elapsed, &model);
    let closed_form = 1e5 * (1.0 - libm::exp(-2.0 * 1.67e-6 * 23_400.0)) / (2.0 * 1.67e-15);
    assert!((widened / closed_form - 1.0).abs() < 1e-9, "{widened} against {closed_form}");
}
