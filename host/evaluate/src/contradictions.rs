//! What cannot be so in a record that somebody may have changed: numbers outside their scale, seeds that do not add up, figures that its own episodes deny.
//!
//! Invariants: a record that [`evaluate`](crate::evaluate()) made, of any version that still reads, contradicts nothing; nothing here trusts a figure that can
//! be computed again, and what was not computed again is told. What has the meaning of an earlier major version is not computed again.

use crate::again::{self, Checked, quoted};
use crate::markets::MarketsRecord;
use crate::record::{MeasureDefinition, MeasureSummary, RunRecord, SCHEMA_VERSION};
use crate::score::{POINTS_MAX, POINTS_MIN};
use crate::score_record::{SCORE_VERSION, ScoreRecord};
use crate::statistics::{EvidenceRecord, Interval};
use std::collections::{BTreeMap, BTreeSet};

/// Seeds that one of them names.
const NAMED_MAX: usize = 5;
/// How far a value may be beyond the end of its interval, as a part of the larger one, or of 1: the two are rounded differently.
const BEYOND: f64 = 1e-6;

impl RunRecord {
    /// What in it cannot be so, and what nobody can tell.
    #[must_use]
    pub fn checked(&self) -> Checked {
        let mut found = of_seeds(self);
        found.extend(of_summary(self));
        found.extend(self.score.iter().flat_map(|score| of_score("score", score)));
        let mut checked = Checked::default();
        if is_of_this_version(self) {
            found.extend(of_rows("summary.measures", &self.measures, &self.summary.measures));
            found.extend(of_definitions(self));
            let other = again::other_definitions(self);
            if again::is_of_this_release(self) { found.extend(other) } else { checked.unchecked.extend(other) }
        } else {
            found.extend(of_later_fields(self));
            let version = quoted(&self.schema.version);
            checked.unchecked.push(format!(
                "its figures could not be computed again: it follows version {version} of the schema, and this release computes those of version {SCHEMA_VERSION}"
            ));
        }
        checked.contradictions = found;
        // Episodes that cannot be so deny nothing.
        if checked.contradictions.is_empty() && is_of_this_version(self) {
            again::compare(self, &mut checked);
        }
        checked.bounded()
    }
}

impl MarketsRecord {
    /// The same of a record over several markets, whose episodes lie elsewhere.
    #[must_use]
    pub fn checked(&self) -> Checked {
        let mut found = named_twice(&self.seeds);
        found.extend(of_score("score", &self.score));
        for market in &self.markets {
            found.extend(of_score(&format!("the score of {}", market.scenario), &market.score));
            let place = format!("measures of {}", market.scenario);
            let seeds = self.seeds.len() as u64;
            let mut wrong: Vec<String> =
                market.measures.iter().flat_map(|row| of_measure(&place, row, seeds)).collect();
            wrong.extend(of_rows(&place, &self.measures, &market.measures));
            // Which group a row belongs to is known only where each has its definition.
            if wrong.is_empty() {
                let groups = self.measures.iter().map(|definition| definition.group.as_str());
                wrong = again::corrected(&place, groups, &market.measures);
            }
            found.extend(wrong);
        }
        let mut unchecked = vec![
            "its figures could not be computed again here: the episodes are in the reports of the markets, which say what was computed again".to_owned(),
        ];
        if self.score.version != SCORE_VERSION {
            let version = quoted(&self.score.version);
            unchecked.push(format!(
                "its score follows version {version} of the rules, and this release has version {SCORE_VERSION}"
            ));
        }
        Checked { contradictions: found, unchecked }.bounded()
    }
}

/// Whether its figures mean what those of this release do.
fn is_of_this_version(record: &RunRecord) -> bool {
    record.schema.version.split('.').next() == SCHEMA_VERSION.split('.').next()
}

/// Fields that a record of an earlier major version cannot have: it would say that it is old in order not to be computed again.
fn of_later_fields(record: &RunRecord) -> Option<String> {
    let has_later_difference = record.summary.measures.iter().map(|row| &row.difference).any(|difference| {
        difference.observations.is_some() || difference.p.is_some() || difference.p_corrected.is_some()
    });
    let fields = [
        ("baseline", record.baseline.is_some()),
        ("score", record.score.is_some()),
        ("scenario.starting_cash", record.scenario.starting_cash.is_some()),
        ("observations, p or p_corrected of a difference", has_later_difference),
        ("summary.evidence", record.summary.evidence != EvidenceRecord::default()),
        ("baseline_failure of an episode", record.episodes.iter().any(|episode| episode.baseline_failure.is_some())),
    ];
    let found: Vec<&str> = fields.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect();
    let version = quoted(&record.schema.version);
    (!found.is_empty()).then(|| {
        format!("`schema.version` is {version}, but there is what came with version 2.0: {}", found.join(", "))
    })
}

/// That there is one row for each definition, in their order.
fn of_rows(place: &str, definitions: &[MeasureDefinition], stored: &[MeasureSummary]) -> Vec<String> {
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    for row in stored {
        *rows.entry(&row.key).or_default() += 1;
    }
    let mut found = Vec::new();
    for definition in definitions {
        let key = quoted(&definition.key);
        match rows.remove(definition.key.as_str()) {
            Some(1) => {}
            Some(count) => found.push(format!("`{place}` has {count} rows of {key}, but one belongs there")),
            None => found.push(format!("`{place}` has no row of {key}, or `measures` defines it twice")),
        }
    }
    let others = rows.into_keys().map(quoted);
    found.extend(others.map(|key| format!("`{place}` has a row of {key}, which `measures` does not define")));
    let keys = definitions.iter().map(|definition| &definition.key);
    if found.is_empty() && !keys.eq(stored.iter().map(|row| &row.key)) {
        found.push(format!("the rows of `{place}` are not in the order of `measures`"));
    }
    found
}

/// That each episode has the measures that are defined, and no other.
fn of_definitions(record: &RunRecord) -> Option<String> {
    let defined: BTreeSet<&str> = record.measures.iter().map(|definition| definition.key.as_str()).collect();
    let others: BTreeSet<u64> = record
        .episodes
        .iter()
        .filter(|episode| {
            let mut sides = [&episode.measures, &episode.baseline_measures].into_iter();
            sides.any(|measures| !measures.keys().map(String::as_str).eq(defined.iter().copied()))
        })
        .map(|episode| episode.seed)
        .collect();
    told(&others, "the measures of", "are not those that `measures` defines")
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
    let more = match seeds.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!seeds.is_empty()).then(|| format!("{before} {what} {}{more} {after}", named.join(", ")))
}

/// A number of seeds in words.
fn counted(seeds: u64) -> String {
    if seeds == 1 { "1 seed".to_owned() } else { format!("{seeds} seeds") }
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
        found.push(format!("`complete` is true, but `not_run` names {}", counted(record.not_run.len() as u64)));
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
    let sum = summary.outcomes.iter().fold(0_u64, |sum, outcome| sum.saturating_add(outcome.seeds));
    if sum != scored {
        let (counted, scored) = (counted(sum), counted(scored));
        found.push(format!("`summary.outcomes` counts {counted}, but there are episodes of {scored}"));
    }
    if let Some(tail) = &summary.evidence.tail {
        let shares = [("largest_share", Some(tail.largest_share)), ("unseen_loss_rate", tail.unseen_loss_rate)];
        for (name, share) in shares {
            found.extend(no_probability(&format!("summary.evidence.tail.{name}"), share));
        }
    }
    for row in &summary.measures {
        found.extend(of_measure("summary.measures", row, scored));
    }
    found
}

fn no_probability(place: &str, value: Option<f64>) -> Option<String> {
    let value = value.filter(|value| !(0.0..=1.0).contains(value))?;
    Some(format!("`{place}` is {value}, but a probability is from 0 to 1"))
}

fn of_measure(place: &str, row: &MeasureSummary, scored: u64) -> Vec<String> {
    let MeasureSummary { key, strategy, baseline, difference } = row;
    let (mut found, key) = (Vec::new(), quoted(key));
    let sides = [
        ("strategy", strategy.n, strategy.sd),
        ("baseline", baseline.n, baseline.sd),
        ("difference", difference.n, difference.sd),
    ];
    for (side, n, sd) in sides {
        let place = format!("{place}.{key}.{side}");
        if n > scored {
            let (n, scored) = (counted(n), counted(scored));
            found.push(format!("`{place}` rests on {n}, but there are episodes of {scored}"));
        }
        if let Some(sd) = sd.filter(|sd| sd.is_nan() || *sd < 0.0) {
            found.push(format!("`{place}.sd` is {sd}, but a deviation is never below 0"));
        }
    }
    let place = format!("{place}.{key}.difference");
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

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= BEYOND * a.abs().max(b.abs()).max(1.0)
}
