//! Attacks on the score: whether a strategy that earns nothing is paid, by the record of `assay run`.
//!
//! A strategy whose profit is chance has a lower 95 % bound above 0 in one look of twenty. So whatever seems to be paid is looked at once more, over
//! ten times as many other seeds, and only both together say that it is.

use assay_evaluate::{Confidence, Sample, Tail};
use assay_hostile::Score;
use std::path::Path;

/// The seeds of the looks, in turn: no preset was made with any of them.
pub(super) const LOOKS: [&str; 2] = ["30001..30020", "31001..31200"];
/// The confidence of the bound, in percent.
const CONFIDENCE_PERCENT: f64 = 95.0;
/// What is said of a strategy with a bound above 0, and of any other.
pub(super) const PAYS: &str = "pays";
const DOES_NOT_PAY: &str = "does not pay";

/// The words after `assay run STRATEGY`.
pub(super) fn arguments<'a>(score: &'a Score, seeds: &'a str) -> [&'a str; 7] {
    ["--scenario", &score.scenario, "--seeds", seeds, "--threads", "1", "--no-store"]
}

/// Whether it was paid, by the record that the run left in `work`, and how much.
pub(super) fn paid(work: &Path) -> Option<(String, String)> {
    let record = std::fs::read(work.join("report/run.json")).ok()?;
    let record: serde_json::Value = serde_json::from_slice(&record).ok()?;
    let episodes = record["episodes"].as_array()?;
    let dollars: Option<Vec<f64>> =
        episodes.iter().map(|episode| Some(episode["measures"]["pnl"]["value"].as_f64()? / 100.0)).collect();
    let sample = Sample::of_distinct(dollars?);
    let estimate = sample.estimate()?;
    let bound = sample.bound(Tail::Lower, Confidence::percent(CONFIDENCE_PERCENT)?)?;
    let seen = if bound > 0.0 { PAYS } else { DOES_NOT_PAY };
    let detail = format!(
        "mean profit {:.2} dollars per session, lower {CONFIDENCE_PERCENT} % bound {bound:.2}, over {} seeds",
        estimate.mean, estimate.n
    );
    Some((seen.to_owned(), detail))
}
