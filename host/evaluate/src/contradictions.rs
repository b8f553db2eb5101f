//! What cannot be so in a record that somebody may have changed: numbers outside their scale, seeds that do not add up, figures that its own episodes deny.
//!
//! Invariants: a record that [`evaluate`](crate::evaluate()) made, of any version that still reads, has none; nothing here trusts a figure that can be computed
//! again. What has the meaning of an earlier major version is not computed again.

use crate::markets::MarketsRecord;
use crate::record::{EpisodeRecord, MeasureMap, MeasureSummary, RunRecord, RunVerdict, SCHEMA_VERSION};
use crate::score::{POINTS_MAX, POINTS_MIN};
use crate::score_record::{PartRecord, SCORE_VERSION, ScoreRecord};
use crate::statistics::{Difference, Interval, Moments, Sample};
use std::collections::BTreeSet;

/// Contradictions that are told.
const TOLD_MAX: usize = 20;
/// Seeds that one of them names.
const NAMED_MAX: usize = 5;
/// How far two numbers may be apart and still be the same, as a part of the larger one, or of 1: other processors round otherwise.
const SAME: f64 = 1e-6;

impl RunRecord {
    /// What in it cannot be so, in words for a person; nothing in a record as Assay writes it.
    #[must_use]
    pub fn contradictions(&self) -> Vec<String> {
        let mut found = of_seeds(self);
        found.extend(of_summary(self));
        found.extend(self.score.iter().flat_map(|score| of_score("score", score)));
        // Episodes that cannot be so deny nothing.
        if found.is_empty() && is_of_this_version(self) {
            found.extend(of_verdict(self));
            found.extend(self.summary.measures.iter().filter_map(|row| other_measure(self, row)));
            found.extend(other_score(self));
        }
        bounded(found)
    }
}

impl MarketsRecord {
    /// The same of a record over several markets, whose episodes lie elsewhere.
    #[must_use]
    pub fn contradictions(&self) -> Vec<String> {
        let mut found = named_twice(&self.seeds);
        found.extend(of_score("score", &self.score));
        for market in &self.markets {
            found.extend(of_score(&format!("the score of {}", market.scenario), &market.score));
        }
        bounded(found)
    }
}

fn bounded(mut found: Vec<String>) -> Vec<String> {
    let more = found.len().saturating_sub(TOLD_MAX);
    found.truncate(TOLD_MAX);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    found
}

/// Whether its figures mean what those of this release do.
fn is_of_this_version(record: &RunRecord) -> bool {
    record.schema.version.split('.').next() == SCHEMA_VERSION.split('.').next()
}

fn named_twice(seeds: &[u64]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let twice: BTreeSet<u64> = seeds.iter().copied().filter(|seed| !seen.insert(*seed)).collect();
    told(&twice, "`seeds` names", "more than once").into_iter().collect()
}

/// A sentence about seeds, if there are any.
fn told(seeds: &BTreeSet<u64>, before: &str, after: &str) -> Option<String> {
    let named: Vec<String> = seeds.iter().take(NAMED_MAX).map(u64::to_string).collect();
    let what = if seeds.len() == 1 { "seed" } else { "seeds" };
    let more = if seeds.len() > named.len() { ", …" } else { "" };
    (!seeds.is_empty()).then(|| format!("{before} {what} {}{more} {after}", named.join(", ")))
}

/// Each seed that was asked for has one result, or was left out by an interruption.
fn of_seeds(record: &RunRecord) -> Vec<String> {
    let mut found = named_twice(&record.seeds);
    let asked: BTreeSet<u64> = record.seeds.iter().copied().collect();
    let scored = record.episodes.iter().map(|episode| episode.seed);
    let results = scored.chain(record.unscored.iter().map(|unscored| unscored.seed));
    let mut seen = BTreeSet::new();
    let all = results.chain(record.not_run.iter().copied());
    let twice: BTreeSet<u64> = all.filter(|seed| !seen.insert(*seed)).collect();
    let missing: BTreeSet<u64> = asked.difference(&seen).copied().collect();
    let others: BTreeSet<u64> = seen.difference(&asked).copied().collect();
    found.extend(told(&twice, "`episodes`, `unscored` and `not_run` name", "more than once"));
    found.extend(told(&missing, "nothing says what became of", "of `seeds`"));
    found.extend(told(&others, "there are results of", "which `seeds` does not name"));
    if record.complete && !record.not_run.is_empty() {
        found.push(format!("`complete` is true, but {} seeds were not run", record.not_run.len()));
    }
    if !record.complete && record.not_run.is_empty() {
        found.push("`complete` is false, but no seed was left out".to_owned());
    }
    found
}

/// Numbers of the summary that are outside of their scale.
fn of_summary(record: &RunRecord) -> Vec<String> {
    let summary = &record.summary;
    let mut found = Vec::new();
    let is_probability = summary.confidence > 0.0 && summary.confidence < 1.0;
    if !is_probability {
        found.push(format!("`summary.confidence` is {}, but a probability is between 0 and 1", summary.confidence));
    }
    let scored = record.episodes.len() as u64;
    let counted = summary.outcomes.iter().fold(0_u64, |sum, outcome| sum.saturating_add(outcome.seeds));
    if counted != scored {
        found.push(format!("`summary.outcomes` counts {counted} seeds, but {scored} have an episode"));
    }
    if let Some(tail) = &summary.evidence.tail {
        let shares = [("largest_share", Some(tail.largest_share)), ("unseen_loss_rate", tail.unseen_loss_rate)];
        for (name, share) in shares {
            found.extend(no_probability(&format!("summary.evidence.tail.{name}"), share));
        }
    }
    for row in &summary.measures {
        found.extend(of_measure(row, scored));
    }
    found
}

fn no_probability(place: &str, value: Option<f64>) -> Option<String> {
    let value = value.filter(|value| !(0.0..=1.0).contains(value))?;
    Some(format!("`{place}` is {value}, but a probability is from 0 to 1"))
}

fn of_measure(row: &MeasureSummary, scored: u64) -> Vec<String> {
    let MeasureSummary { key, strategy, baseline, difference } = row;
    let mut found = Vec::new();
    let sides = [
        ("strategy", strategy.n, strategy.sd),
        ("baseline", baseline.n, baseline.sd),
        ("difference", difference.n, difference.sd),
    ];
    for (side, n, sd) in sides {
        let place = format!("summary.measures.{key}.{side}");
        if n > scored {
            found.push(format!("`{place}` rests on {n} seeds, but {scored} have an episode"));
        }
        if let Some(sd) = sd.filter(|sd| sd.is_nan() || *sd < 0.0) {
            found.push(format!("`{place}.sd` is {sd}, but a deviation is never below 0"));
        }
    }
    let place = format!("summary.measures.{key}.difference");
    found.extend(no_probability(&format!("{place}.p"), difference.p));
    found.extend(no_probability(&format!("{place}.p_corrected"), difference.p_corrected));
    found.extend(no_interval(&format!("{place}.interval"), difference.interval, difference.mean));
    found
}

/// An interval whose ends are out of order, or that leaves out the value that it is for.
fn no_interval(place: &str, interval: Option<Interval>, value: Option<f64>) -> Option<String> {
    let Interval { low, high, .. } = interval?;
    if low.is_nan() || high.is_nan() || low > high {
        return Some(format!("`{place}` begins at {low} and ends at {high}, which is before that"));
    }
    let is_in = |value: f64| (low..=high).contains(&value) || is_near(value, low) || is_near(value, high);
    let value = value.filter(|value| !is_in(*value))?;
    Some(format!("`{place}` is from {low} to {high}, but the value is {value}"))
}

fn of_score(place: &str, score: &ScoreRecord) -> Vec<String> {
    let scale = POINTS_MIN..=POINTS_MAX;
    let mut found = Vec::new();
    if let Some(value) = score.value.filter(|value| !scale.contains(value)) {
        found.push(format!("`{place}.value` is {value}, but a score is from {POINTS_MIN} to {POINTS_MAX}"));
    }
    if let Some(Interval { low, high, .. }) = score.interval
        && !(scale.contains(&low) && scale.contains(&high))
    {
        found.push(format!(
            "`{place}.interval` is from {low} to {high}, but a score is from {POINTS_MIN} to {POINTS_MAX}"
        ));
    }
    found.extend(no_interval(&format!("{place}.interval"), score.interval, score.value));
    for (_, part) in score.tree.walk() {
        found.extend(no_interval(&format!("{place}.tree, part {}", part.name), part.interval, None));
    }
    found
}

fn of_verdict(record: &RunRecord) -> Option<String> {
    let word = |verdict: RunVerdict| match verdict {
        RunVerdict::Finished => "finished",
        RunVerdict::Failed => "failed",
        RunVerdict::Unscored => "unscored",
    };
    let verdict = RunVerdict::of(&record.episodes);
    let differs = verdict != record.verdict;
    differs.then(|| format!("`verdict` is {}, but the episodes give {}", word(record.verdict), word(verdict)))
}

/// That a row of the summary is not what the episodes give.
fn other_measure(record: &RunRecord, row: &MeasureSummary) -> Option<String> {
    let key = row.key.as_str();
    let value = |measures: &MeasureMap| measures.get(key).and_then(|measure| measure.value);
    // What is no number is written as none, without a reason: the row has counted it.
    let is_lost = |measures: &MeasureMap| {
        measures.get(key).is_some_and(|measure| measure.value.is_none() && measure.missing.is_none())
    };
    if record.episodes.iter().any(|episode| is_lost(&episode.measures) || is_lost(&episode.baseline_measures)) {
        return None;
    }
    let sample = |of: &dyn Fn(&EpisodeRecord) -> Option<f64>| {
        Sample::of_paths(record.episodes.iter().filter_map(|episode| Some((episode.path(), of(episode)?))))
    };
    let strategy = sample(&|episode| value(&episode.measures));
    let baseline = sample(&|episode| value(&episode.baseline_measures));
    let paired = sample(&|episode| Some(value(&episode.measures)? - value(&episode.baseline_measures)?));
    let place = format!("summary.measures.{key}");
    other_moments(&format!("{place}.strategy"), &row.strategy, &strategy)
        .or_else(|| other_moments(&format!("{place}.baseline"), &row.baseline, &baseline))
        .or_else(|| other_difference(&format!("{place}.difference"), &row.difference, &paired))
}

fn other_moments(place: &str, stored: &Moments, sample: &Sample) -> Option<String> {
    if stored.n != sample.seeds() as u64 {
        return Some(format!("`{place}` rests on {} seeds, but {} have a value", stored.n, sample.seeds()));
    }
    other_number(&format!("{place}.mean"), stored.mean, sample.mean())
        .or_else(|| other_number(&format!("{place}.sd"), stored.sd, sample.sd()))
}

fn other_difference(place: &str, stored: &Difference, sample: &Sample) -> Option<String> {
    if stored.n != sample.seeds() as u64 {
        return Some(format!("`{place}` rests on {} seeds, but {} have both values", stored.n, sample.seeds()));
    }
    let interval = sample.estimate().and_then(|estimate| estimate.interval);
    other_number(&format!("{place}.mean"), stored.mean, sample.mean())
        .or_else(|| other_number(&format!("{place}.sd"), stored.sd, sample.sd()))
        .or_else(|| other_interval(&format!("{place}.interval"), stored.interval, interval))
}

/// That the score is not the one that the episodes give. One of other rules is not computed again.
fn other_score(record: &RunRecord) -> Option<String> {
    let stored = record.score.as_ref().filter(|score| score.version == SCORE_VERSION)?;
    let again = record.score(stored.goal);
    if stored.baseline != again.baseline {
        return Some("`score.baseline` is not the baseline of the run".to_owned());
    }
    other_number("score.value", stored.value, again.value)
        .or_else(|| other_interval("score.interval", stored.interval, again.interval))
        .or_else(|| other_tree(&stored.tree, &again.tree))
}

fn other_tree(stored: &PartRecord, again: &PartRecord) -> Option<String> {
    let (stored, again) = (stored.walk(), again.walk());
    let is_shaped = |((depth, a), (other_depth, b)): (&(usize, &PartRecord), &(usize, &PartRecord))| {
        depth == other_depth && a.name == b.name && a.rule == b.rule
    };
    if stored.len() != again.len() || !stored.iter().zip(&again).all(is_shaped) {
        return Some("`score.tree` has other parts than the episodes give".to_owned());
    }
    stored.iter().zip(&again).find_map(|((_, a), (_, b))| {
        let place = format!("score.tree, part {}", a.name);
        other_number(&place, a.value, b.value)
            .or_else(|| other_number(&format!("{place}, weight"), a.weight, b.weight))
            .or_else(|| other_interval(&format!("{place}, interval"), a.interval, b.interval))
    })
}

fn other_interval(place: &str, stored: Option<Interval>, again: Option<Interval>) -> Option<String> {
    let ends = |interval: Option<Interval>| (interval.map(|ends| ends.low), interval.map(|ends| ends.high));
    let ((low, high), (low_again, high_again)) = (ends(stored), ends(again));
    other_number(&format!("{place}.low"), low, low_again)
        .or_else(|| other_number(&format!("{place}.high"), high, high_again))
}

/// That a number is not the one that was computed again. What is too large for a number is written as none.
fn other_number(place: &str, stored: Option<f64>, again: Option<f64>) -> Option<String> {
    let again = again.filter(|value| value.is_finite());
    let is_same = match (stored, again) {
        (None, None) => true,
        (Some(stored), Some(again)) => is_near(stored, again),
        _ => false,
    };
    let shown = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| value.to_string());
    (!is_same).then(|| format!("`{place}` is {}, but the episodes give {}", shown(stored), shown(again)))
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs()).max(1.0)
}
