//! Prints what the market of a preset or of a scenario file looks like, seed by seed: the figures by which it is compared with ABIDES.
//!
//! `cargo run --release -p assay-market --example market_stats -- rmsc04 10`

#[path = "../tests/parity/stats.rs"]
mod stats;

use assay_market::Scenario;
use assay_model::Seed;
use stats::{COLUMNS, Row, deviation, mean, measure};

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example is a program")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let preset = arguments.next().unwrap_or_else(|| "rmsc04".to_owned());
    let seeds: u64 = arguments.next().and_then(|seeds| seeds.parse().ok()).unwrap_or(10);
    let scenario = Scenario::preset(&preset).unwrap_or_else(|| {
        let text = std::fs::read_to_string(&preset).expect("the first argument is a preset or a file");
        Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"))
    });
    println!("{:>6}{}", "seed", COLUMNS.map(|name| format!("{name:>12}")).concat());
    let line = |name: &str, row: Row| {
        let decimals = |value: f64| if value < 1000.0 { 2 } else { 0 };
        println!("{name:>6}{}", row.map(|value| format!("{value:>12.*}", decimals(value))).concat());
    };
    let rows: Vec<Row> = (1..=seeds)
        .map(|seed| {
            let row = measure(&scenario, Seed(seed));
            line(&seed.to_string(), row);
            row
        })
        .collect();
    line("mean", columns(&rows, mean));
    line("sd", columns(&rows, deviation));
    line("min", columns(&rows, |column| column.iter().copied().reduce(f64::min).unwrap_or(f64::NAN)));
    line("max", columns(&rows, |column| column.iter().copied().reduce(f64::max).unwrap_or(f64::NAN)));
}

/// Applies `statistic` to each column.
fn columns(rows: &[Row], statistic: impl Fn(&[f64]) -> f64) -> Row {
    std::array::from_fn(|column| statistic(&rows.iter().map(|row| row[column]).collect::<Vec<_>>()))
}
