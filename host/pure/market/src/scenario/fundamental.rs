//! The `[fundamental]` table of a scenario, checked.

use assay_model::{Nanos, PRICE_MAX_CENTS};

use super::clock::DAY;
use super::error::{ScenarioError, ScenarioFault};
use super::limits::{CENTS, REVERSION, VARIANCE, WAKE_INTERVAL_MIN};
use super::read::{Section, path};
use super::settings::FundamentalSettings;

/// The process; or, of a series, its path and line, and a value that will be replaced.
pub(super) fn fundamental(
    root: &Section<'_, '_>,
) -> Result<(FundamentalSettings, Option<(String, usize)>), ScenarioError> {
    let section = root.section("fundamental", &FUNDAMENTAL_KEYS)?;
    if section.has("series") {
        if let Some(other) = FUNDAMENTAL_KEYS.into_iter().find(|key| *key != "series" && section.has(key)) {
            let hint = "the value comes from the file: take this key out, or `series`";
            return Err(section.fault(other, ScenarioFault::NotWith { other: "series" }, Some(hint.to_owned())));
        }
        return Ok((FundamentalSettings::constant(1.0), Some((path(&section, "series")?, section.line("series")))));
    }
    Ok((process(root)?, None))
}

const FUNDAMENTAL_KEYS: [&str; 9] = [
    "mean",
    "mean_reversion_per_second",
    "volatility_per_root_second",
    "step",
    "shock_interval",
    "shock_mean",
    "shock_variance",
    "aftershock_interval",
    "series",
];

pub(super) fn process(root: &Section<'_, '_>) -> Result<FundamentalSettings, ScenarioError> {
    const CENTURY: Nanos = Nanos(DAY.0 * 36_525);
    let section = root.section("fundamental", &FUNDAMENTAL_KEYS[..8])?;
    // Zero means none; anything else has a floor.
    let interval = |key| match section.duration(key, Nanos(0)..=CENTURY, Some(Nanos(0)))? {
        Nanos(0) => Ok(Nanos(0)),
        _ => section.duration(key, WAKE_INTERVAL_MIN..=CENTURY, None),
    };
    let (mean, mean_most) = section.numbers("mean", 1.0..=PRICE_MAX_CENTS as f64)?;
    Ok(FundamentalSettings {
        mean,
        mean_most,
        mean_reversion_per_second: section.number("mean_reversion_per_second", REVERSION, None)?,
        volatility_per_root_second: section.number("volatility_per_root_second", CENTS, None)?,
        step: section.duration("step", WAKE_INTERVAL_MIN..=DAY, Some(Nanos::SECOND))?,
        shock_interval: interval("shock_interval")?,
        shock_mean: section.number("shock_mean", CENTS, Some(0.0))?,
        shock_variance: section.number("shock_variance", VARIANCE, Some(0.0))?,
        aftershock_interval: interval("aftershock_interval")?,
    })
}
