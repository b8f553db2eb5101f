//! Figures for programs: what the command line prints with `--json`, and the pages answer.

use crate::compare::Compared;
use assay_evaluate::Estimate;
use assay_store::Spread;
use serde_json::{Value, json};

/// A mean with its interval.
#[must_use]
pub fn spread_json(spread: &Spread) -> Value {
    let (low, high) = spread.interval.unzip();
    json!({"n": spread.n, "mean": spread.mean, "low": low, "high": high})
}

/// A difference with its interval.
#[must_use]
pub fn estimate_json(estimate: &Estimate) -> Value {
    let (low, high) = estimate.interval.map(|interval| (interval.low, interval.high)).unzip();
    json!({"n": estimate.n, "mean": estimate.mean, "low": low, "high": high, "told": estimate.is_told()})
}

/// A measure of two runs.
#[must_use]
pub fn compared_json(row: &Compared<'_>) -> Value {
    json!({
        "measure": row.a.measure,
        "scenario": row.scenario,
        "unit": row.a.unit,
        "a": spread_json(&row.a.spread),
        "b": spread_json(&row.b.spread),
        "difference": estimate_json(&row.estimate),
        "method": row.method.word().to_lowercase(),
        "p": row.estimate.p,
        "p_corrected": row.p_corrected,
        "told": row.is_told(),
        "answer": row.answer(),
    })
}
