//! The figures of `guest-sdk/GUIDE.md` about a typical market are those of the default market. `ASSAY_BLESS=1` writes them anew.

#![expect(clippy::disallowed_methods, reason = "a test that reads a document")]

#[path = "parity/stats.rs"]
mod stats;

use assay_market::Scenario;
use assay_model::Seed;
use stats::{COLUMNS, Row, mean, measure};

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../guest-sdk/GUIDE.md");
const SEEDS: std::ops::RangeInclusive<u64> = 1..=40;
/// How the row of the table begins.
const ROW: &str = "| trading | ";

#[test]
fn the_guide_shows_the_default_market_as_it_is() {
    let scenario = Scenario::preset("calm").unwrap();
    let rows: Vec<Row> = SEEDS.map(|seed| measure(&scenario, Seed(seed))).collect();
    let figure = |name: &str| {
        let column = COLUMNS.iter().position(|column| *column == name).unwrap();
        mean(&rows.iter().map(|row| row[column]).collect::<Vec<_>>())
    };
    let row = format!(
        "{ROW}on average (seeds {} to {}) {:.0} trades, {:.0},000 shares; spread {:.1} cents; {:.0} shares at the best bid; one-minute returns with a standard deviation of {:.1} basis points; \
         the mid between its highest and lowest moves {:.0} cents |",
        SEEDS.start(),
        SEEDS.end(),
        figure("trades"),
        figure("volume") / 1_000.0,
        figure("spread"),
        figure("bid size"),
        figure("1-min sd bp"),
        figure("mid range"),
    );
    let guide = std::fs::read_to_string(GUIDE).unwrap();
    let found = guide.lines().find(|line| line.starts_with(ROW)).unwrap();
    if std::env::var_os("ASSAY_BLESS").is_some() {
        std::fs::write(GUIDE, guide.replace(found, &row)).unwrap();
    } else {
        assert_eq!(found, row, "run `make docs`");
    }
}
