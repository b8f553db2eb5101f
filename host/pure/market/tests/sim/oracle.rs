//! The fundamental value against the closed form of the Ornstein–Uhlenbeck process.

use assay_market::{Fundamental, FundamentalSettings};
use assay_model::{Nanos, Seed, Time};

const OPEN: Time = Time(1_612_517_400_000_000_000);
const PATHS: u64 = 4_000;

fn settings() -> FundamentalSettings {
    FundamentalSettings {
        mean: 100_000.0,
        mean_most: 100_000.0,
        mean_reversion_per_second: 0.0,
        volatility_per_root_second: 5.0,
        step: Nanos::SECOND,
        shock_interval: Nanos(0),
        shock_mean: 0.0,
        shock_variance: 0.0,
        aftershock_interval: Nanos(0),
    }
}

/// Mean and variance over many paths of the value after `elapsed`.
fn moments(settings: &FundamentalSettings, elapsed: Nanos) -> (f64, f64) {
    let values: Vec<f64> =
        (0..PATHS).map(|seed| Fundamental::new(settings, Seed(seed), OPEN).value_at(OPEN + elapsed)).collect();
    let mean = values.iter().sum::<f64>() / PATHS as f64;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (PATHS as f64 - 1.0);
    (mean, variance)
}

#[test]
fn moments_follow_the_closed_form() {
    // Mean reversion per second, step, seconds.
    let cases = [
        (0.0, 1.0, 60.0),
        (1.67e-7, 1.0, 60.0),
        (0.01, 1.0, 60.0),
        (0.01, 0.25, 30.0),
        (2.0, 1.0, 60.0),
        (0.5, 20.0, 60.0),
    ];
    for (reversion, step, seconds) in cases {
        let nanos = |seconds: f64| Nanos((seconds * 1e9) as u64);
        let settings = FundamentalSettings { mean_reversion_per_second: reversion, step: nanos(step), ..settings() };
        let (mean, variance) = moments(&settings, nanos(seconds));
        // The naive form, in which nothing cancels for these parameters.
        let factor =
            if reversion < 1e-6 { seconds } else { (1.0 - libm::exp(-2.0 * reversion * seconds)) / (2.0 * reversion) };
        let expected = 25.0 * factor;
        let (mean_error, variance_error) = ((expected / PATHS as f64).sqrt(), expected * (2.0 / PATHS as f64).sqrt());
        assert!((mean - 100_000.0).abs() < 4.0 * mean_error, "κ {reversion}: mean {mean}");
        assert!(
            (variance - expected).abs() < 4.0 * variance_error,
            "κ {reversion}: variance {variance}, not {expected}"
        );
    }
}

#[test]
fn shocks_come_as_often_and_as_large_as_said() {
    let settings = FundamentalSettings {
        volatility_per_root_second: 0.0,
        shock_interval: Nanos::from_secs(10),
        shock_mean: 1_000.0,
        shock_variance: 50_000.0,
        ..settings()
    };
    let mut value = Fundamental::new(&settings, Seed(1), OPEN);
    let mut last = settings.mean;
    let mut shocks = Vec::new();
    for millisecond in 0..10_000_000 {
        let now = value.value_at(OPEN + Nanos(millisecond * 1_000_000));
        // Reverting by nothing may round in the last digit.
        if (now - last).abs() > 1e-6 {
            shocks.push(now - last);
            last = now;
        }
    }
    // 1,000 are expected; both directions; sizes of about 1,000 ± 224. A floor at zero does not come into play.
    assert!((900..=1_100).contains(&shocks.len()), "{} shocks", shocks.len());
    let up = shocks.iter().filter(|shock| **shock > 0.0).count();
    assert!((430..=570).contains(&(up * 1_000 / shocks.len())), "{up} of {} go up", shocks.len());
    let size = shocks.iter().map(|shock| shock.abs()).sum::<f64>() / shocks.len() as f64;
    assert!((970.0..=1_030.0).contains(&size), "mean size {size}");
}

#[test]
fn each_aftershock_has_the_size_of_its_shock_and_either_sign() {
    let settings = FundamentalSettings {
        volatility_per_root_second: 0.0,
        shock_interval: Nanos::from_secs(1_000),
        shock_mean: 1_000.0,
        shock_variance: 50_000.0,
        aftershock_interval: Nanos::from_secs(10),
        ..settings()
    };
    let mut value = Fundamental::new(&settings, Seed(1), OPEN);
    let (mut at, mut last, mut shocks) = (OPEN, 0.0, Vec::new());
    while shocks.len() < 2_000 {
        at = value.next_news(at);
        let news = value.news_at(at);
        shocks.push((at, news - last));
        last = news;
    }
    let pairs: Vec<_> = shocks.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    assert!(pairs.iter().all(|((_, first), (_, second))| (first.abs() - second.abs()).abs() < 1e-6));
    let reverted = pairs.iter().filter(|((_, first), (_, second))| first.signum() != second.signum()).count();
    assert!((430..=570).contains(&reverted), "{reverted} of 1000 are made good");
    let waited = pairs.iter().map(|((first, _), (second, _))| second.since(*first).0 as f64 * 1e-9).sum::<f64>();
    assert!((9_000.0..=11_000.0).contains(&waited), "{waited} s in 1000 waits");
}

#[test]
fn a_shock_fades_as_the_process_reverts() {
    // One shock of 1,000 for certain in any path; what is left of it after 10 s at κ = 0.1 is at most 1,000 and at least 1,000/e.
    let settings = FundamentalSettings {
        volatility_per_root_second: 0.0,
        mean_reversion_per_second: 0.1,
        shock_interval: Nanos::from_secs(1_000_000),
        shock_mean: 1_000.0,
        ..settings()
    };
    let mut value = Fundamental::new(&settings, Seed(3), OPEN);
    let mut second = 0;
    let shocked = loop {
        second += 1;
        let now = value.value_at(OPEN + Nanos::from_secs(second)) - settings.mean;
        if now.abs() > 1e-6 {
            break now;
        }
        assert!(second < 100_000_000, "no shock in three years");
    };
    // Within the second in which it came it has faded by less than a tenth.
    assert!((900.0..=1_000.0).contains(&shocked.abs()), "{shocked}");
    let later = value.value_at(OPEN + Nanos::from_secs(second + 10)) - settings.mean;
    assert!((later / shocked - libm::exp(-1.0)).abs() < 1e-9, "{later} of {shocked}");
}

#[test]
fn the_value_is_never_negative() {
    let settings = FundamentalSettings { mean: 1.0, mean_most: 1.0, volatility_per_root_second: 100.0, ..settings() };
    let mut value = Fundamental::new(&settings, Seed(1), OPEN);
    let lowest =
        (0..10_000).map(|second| value.value_at(OPEN + Nanos::from_secs(second))).fold(f64::INFINITY, f64::min);
    assert_eq!(lowest, 0.0);
}
