//! Are our `rmsc04` and `rmsc03` the markets that ABIDES simulates? The example `parity` prints what is tested here; `docs/parity.md` shows it.

mod compare;
mod stats;

use assay_market::Scenario;
use compare::{MARKETS, compare, half_hour, kolmogorov_smirnov, table};

const PAGE: &str = include_str!("../../../../../docs/parity.md");

#[test]
fn the_reference_markets_are_those_of_abides() {
    for (market, recorded) in MARKETS {
        let comparisons = compare(&half_hour(market), recorded);
        let text = table(market, &comparisons);
        assert!(!comparisons.iter().any(compare::Comparison::objects), "{text}");
        assert!(PAGE.contains(&text), "docs/parity.md is not what it is today; run `make docs`\n{text}");
    }
}

/// The fundamental value of `rmsc03` stood nearly still once; and the two markets are not one another.
#[test]
fn another_market_is_told_apart() {
    let [(_, of_rmsc04), (_, of_rmsc03)] = MARKETS;
    let text = half_hour("rmsc03").to_toml().replace("root_second = 31.6227766", "root_second = 3.16227766e-4");
    let still = Scenario::parse(&text).unwrap();
    let all: &[&str] = &["orders", "cancels", "trades", "volume", "spread", "mid range", "1-min sd bp", "bid size"];
    let cases = [
        (still, of_rmsc03, &["spread", "mid range", "1-min sd bp", "tick vol %", "bid size"][..]),
        (half_hour("rmsc04"), of_rmsc03, all),
        (half_hour("rmsc03"), of_rmsc04, all),
    ];
    for (scenario, recorded, figures) in cases {
        let comparisons = compare(&scenario, recorded);
        for &figure in figures {
            let comparison = comparisons.iter().find(|comparison| comparison.figure == figure).unwrap();
            assert!(comparison.objects(), "{figure}\n{}", table(&scenario.name, &comparisons));
        }
    }
}

/// Against `scipy.stats.ks_2samp(…, method="exact")`.
#[test]
fn the_test_is_that_of_kolmogorov_and_smirnov() {
    let shifted = |by: f64| (0..30).map(|value| f64::from(value) + by).collect::<Vec<_>>();
    let cases: [(Vec<f64>, Vec<f64>, f64, f64); 5] = [
        (shifted(0.0), shifted(0.5), 0.03333333333333333, 1.0),
        (shifted(0.0), shifted(12.5), 0.43333333333333335, 0.006548396368058784),
        (shifted(0.0), shifted(40.0), 1.0, 1.6911233892144742e-17),
        (vec![1.0, 2.0, 3.0], vec![2.5, 3.5, 4.5, 5.5], 0.75, 0.22857142857142862),
        (shifted(0.0), vec![4.5, 9.5, 28.5], 0.3333333333333333, 0.8663856304985336),
    ];
    for (one, other, distance, chance) in cases {
        let (seen_distance, seen_chance) = kolmogorov_smirnov(&one, &other);
        assert!((seen_distance - distance).abs() < 1e-12, "{seen_distance} instead of {distance}");
        assert!((seen_chance - chance).abs() < 1e-9, "{seen_chance} instead of {chance}");
    }
}
