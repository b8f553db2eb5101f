//! A fundamental value from a file: what it is when, what agents make of it, and what is said of a file that cannot be used.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{
    DataError, Draft, Fundamental, FundamentalSeries, Inert, Scenario, ScenarioData, Summary, simulate,
};
use assay_model::{Nanos, Seed};
use std::sync::Arc;

/// The smoke market with this `[fundamental]`: 09:30 to 09:32, that is second 34200 to 34320.
fn draft(fundamental: &str) -> Draft {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let (before, rest) = text.split_once("[fundamental]").unwrap();
    let (_, after) = rest.split_once("[[order_size]]").unwrap();
    Draft::parse(&format!("{before}[fundamental]\n{fundamental}\n\n[[order_size]]{after}")).unwrap()
}

fn read(file: &str) -> Result<FundamentalSeries, DataError> {
    let (midnight, open, close) = draft("series = \"f.csv\"").session();
    FundamentalSeries::read(file.as_bytes(), midnight, open, close)
}

fn with_series(file: &str) -> Scenario {
    let data = ScenarioData { recording: None, series: Some(Arc::new(read(file).unwrap())) };
    draft("series = \"f.csv\"").complete(data).unwrap()
}

fn run(scenario: &Scenario) -> Summary {
    simulate(scenario, Seed(3), &mut Inert::new(scenario.new_desk(Seed(3))), &mut ())
}

#[test]
fn a_value_holds_until_the_next() {
    let scenario = with_series("time,value\n34100,9990\n34230.5,10000.25\n34230.500000001,9800\n34320,9700\n");
    let mut value = Fundamental::of(&scenario, assay_model::SymbolIndex::FIRST, Seed(1));
    let cases = [(0, 9_990.0), (30_499_999_999, 9_990.0), (30_500_000_000, 10_000.25), (30_500_000_001, 9_800.0)];
    for (after_open, expected) in cases.into_iter().chain([(119_999_999_999, 9_800.0), (120_000_000_000, 9_700.0)]) {
        assert_eq!(value.value_at(scenario.open + Nanos(after_open)), expected, "{after_open} ns after the open");
    }
    assert_eq!(scenario.fundamental.mean, 9_990.0, "what agents believe in the long run is what holds at the open");
}

#[test]
fn agents_see_the_series_as_they_see_a_process() {
    let still = "mean = 10_000\nmean_reversion_per_second = 0\nvolatility_per_root_second = 0";
    let process = draft(still).complete(ScenarioData::default()).unwrap();
    let constant = with_series("34200,10000\r\n34320,10000");
    assert_eq!(run(&process).log_hash, run(&constant).log_hash, "the same value, wherever it comes from");
    let falling = with_series("34200,10000\n34230,9000\n34320,9000");
    assert_ne!(run(&falling).log_hash, run(&constant).log_hash);
    assert_eq!(run(&falling).log_hash, run(&falling).log_hash);
}

/// A file, and what is wrong with it.
const WRONG: &[(&str, &str)] = &[
    ("", "row 1: found the end of the file, expected a row at or after the close, 34320.000000000"),
    ("time,value\n", "row 2: found the end of the file, expected a row at or after the close, 34320.000000000"),
    ("34200,1\n34319,1\n", "row 3: found the end of the file, expected a row at or after the close, 34320.000000000"),
    (
        "34200.5,1\n34320,1\n",
        "row 1, column `time`: found 34200.500000000, expected a time at or before the open, 34200.000000000",
    ),
    (
        "34200,1\n34210,1\n34205,1\n34320,1\n",
        "row 3, column `time`: found 34205.000000000, expected a time after that of the row before, 34210.000000000",
    ),
    (
        "34200,1\n34200,1\n34320,1\n",
        "row 2, column `time`: found 34200.000000000, expected a time after that of the row before, 34200.000000000",
    ),
    (
        "09:30:00,1\n",
        "row 1, column `time`: found `09:30:00`, expected seconds after midnight, from 0 to 86399.999999999, with at most nine decimals",
    ),
    ("34200,-1\n", "row 1, column `value`: found `-1`, expected a number of cents from 0 to 100000000"),
    ("34200,NaN\n", "row 1, column `value`: found `NaN`, expected a number of cents from 0 to 100000000"),
    ("34200,inf\n", "row 1, column `value`: found `inf`, expected a number of cents from 0 to 100000000"),
    ("34200,\n", "row 1, column `value`: found nothing, expected a number of cents from 0 to 100000000"),
    ("34200,1,2\n", "row 1: found 3 columns, expected 2 columns (time, value)"),
    ("34200\n", "row 1: found 1 columns, expected 2 columns (time, value)"),
    ("34200,1\n\n34320,1\n", "row 2: found 1 columns, expected 2 columns (time, value)"),
];

#[test]
fn a_wrong_row_is_named_with_what_was_expected() {
    for (file, expected) in WRONG {
        assert_eq!(read(file).unwrap_err().to_string(), format!("fundamental series, {expected}"), "{file:?}");
    }
}

#[test]
fn a_scenario_needs_its_series() {
    let error = draft("series = \"f.csv\"").complete(ScenarioData::default()).unwrap_err();
    assert_eq!(
        (error.key.as_str(), error.what.to_string().as_str()),
        ("fundamental.series", "its data has not been loaded")
    );
}
