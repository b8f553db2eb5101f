//! Is our `rmsc04` the market that ABIDES simulates?
//!
//! Each mean over seeds 1 to 10 must lie where ABIDES's ten seeds lay (jpmorganchase/abides-jpmc-public f9cbe51, `rmsc04` from 09:30 to 10:00):
//! between its least and greatest where those were recorded, else within two standard deviations of its mean.

mod stats;

use assay_market::Scenario;
use assay_model::Seed;
use stats::{COLUMNS, columns, mean, measure};

/// Name, least, greatest.
const ABIDES: [(&str, f64, f64); 7] = [
    ("orders", 2_326.0 - 2.0 * 433.0, 2_326.0 + 2.0 * 433.0),
    ("trades", 975.0 - 2.0 * 53.0, 975.0 + 2.0 * 53.0),
    ("volume", 52_283.0 - 2.0 * 1_918.0, 52_283.0 + 2.0 * 1_918.0),
    ("spread", 1.37, 2.27),
    ("mid range", 43.0, 220.0),
    ("1-min sd bp", 0.80 - 2.0 * 0.20, 0.80 + 2.0 * 0.20),
    ("bid size", 212.0 - 2.0 * 32.0, 212.0 + 2.0 * 32.0),
];

#[test]
fn rmsc04_is_the_market_of_abides() {
    let scenario = Scenario::preset("rmsc04").unwrap();
    let rows: Vec<_> = (1..=10).map(|seed| measure(&scenario, Seed(seed))).collect();
    let means = columns(&rows, mean);
    for (name, least, greatest) in ABIDES {
        let column = COLUMNS.iter().position(|column| *column == name).unwrap();
        let mean = means[column];
        assert!((least..=greatest).contains(&mean), "{name}: {mean} is not within {least} to {greatest}");
    }
}
