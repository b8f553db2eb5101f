//! A summary and a score computed again from the episodes of a record, and where the record says something else.
//!
//! Invariants: what is compared was computed by the functions that the record was made with; whole parts are compared, so a field that comes later is
//! compared as well.

use crate::convert::measure_definitions;
use crate::record::{MeasureMap, MeasureSummary, RunRecord, RunVerdict};
use crate::score_record::SCORE_VERSION;
use crate::statistics::{CONFIDENCE, evidence};
use crate::summary::{evidence_of, rows};
use assay_market::metrics::Kpi;
use serde::Serialize;
use serde_json::{Map, Number, Value};
use std::collections::BTreeSet;

/// Contradictions that are told.
const TOLD_MAX: usize = 20;
/// Characters of a foreign text in one of them.
const TEXT_CHARS_MAX: usize = 40;

/// What reading a record with doubt has found, in words for a person.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Checked {
    /// What cannot be so; nothing in a record as Assay writes it.
    pub contradictions: Vec<String>,
    /// What could not be computed again, and why. It is no contradiction, but nothing proves these figures.
    pub unchecked: Vec<String>,
}

impl Checked {
    pub(crate) fn bounded(mut self) -> Self {
        for found in [&mut self.contradictions, &mut self.unchecked] {
            let more = found.len().saturating_sub(TOLD_MAX);
            found.truncate(TOLD_MAX);
            if more > 0 {
                found.push(format!("and {more} more"));
            }
        }
        self
    }
}

/// A text of somebody else in a sentence.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let mut cut: String = text.chars().take(TEXT_CHARS_MAX).collect();
    if cut.len() < text.len() {
        cut.push('\u{2026}');
    }
    if !cut.is_empty() && cut.chars().all(is_plain) { cut } else { format!("{cut:?}") }
}

/// Seeds up to which a score is computed again: it takes each of them dozens of times, and a page waits for it.
const SCORED_AGAIN_MAX: usize = 2_000;
/// How far two numbers may be apart and still be the same, as a part of the larger one, or of 1: the functions of other processors round otherwise.
const SAME: f64 = 1e-9;
/// Numbers that are sums and roots, which every processor rounds alike.
const EXACT: [&str; 2] = ["mean", "sd"];
/// What is worded for a person, in other words in another release.
const WORDS: [&str; 5] = ["cautions", "missing", "note", "reason", "title"];

/// What the episodes of a record of this major version say otherwise than its summary and its score.
pub(crate) fn compare(record: &RunRecord, checked: &mut Checked) {
    let same = Same { words: is_of_this_release(record) };
    let found = &mut checked.contradictions;
    found.extend(same.parted("verdict", &record.verdict, &RunVerdict::of(&record.episodes)));
    found.extend(same.parted("summary.confidence", &record.summary.confidence, &CONFIDENCE));
    let lost = lost(record);
    if !lost.is_empty() {
        let named: Vec<&str> = lost.iter().copied().collect();
        checked.unchecked.push(format!(
            "its figures of {} could not be computed again: an episode has neither a value nor a reason for none",
            named.join(", ")
        ));
    }
    summary(record, &lost, &same, &mut checked.contradictions);
    score(record, !lost.is_empty(), &same, checked);
}

/// Whether this release made it. A record that only says so is compared more strictly for it.
pub(crate) fn is_of_this_release(record: &RunRecord) -> bool {
    record.tool.assay == env!("CARGO_PKG_VERSION")
}

/// Measures of which a value is no number: that is written as none, without a reason, and nobody can tell which it was.
fn lost(record: &RunRecord) -> BTreeSet<&str> {
    fn of(measures: &MeasureMap) -> impl Iterator<Item = &str> {
        let is_lost = measures.iter().filter(|(_, measure)| measure.value.is_none() && measure.missing.is_none());
        is_lost.map(|(key, _)| key.as_str())
    }
    record.episodes.iter().flat_map(|episode| of(&episode.measures).chain(of(&episode.baseline_measures))).collect()
}

/// The rows of `lost` measures are believed but for their correction.
fn summary(record: &RunRecord, lost: &BTreeSet<&str>, same: &Same, found: &mut Vec<String>) {
    let episodes: Vec<_> = record.episodes.iter().collect();
    let mut again = rows(record.measures.iter().map(|definition| definition.key.as_str()), &episodes);
    for (row, stored) in again.iter_mut().zip(&record.summary.measures) {
        if lost.contains(stored.key.as_str()) {
            row.clone_from(stored);
            row.difference.p_corrected = None;
        }
    }
    let groups = record.measures.iter().map(|definition| definition.group.as_str());
    let mut evidence = evidence_of(groups, &episodes, &mut again);
    if lost.contains(Kpi::Pnl.info().key) {
        evidence.tail.clone_from(&record.summary.evidence.tail);
        evidence.cautions.clone_from(&record.summary.evidence.cautions);
    }
    let pairs = record.summary.measures.iter().zip(&again);
    found.extend(
        pairs.filter_map(|(stored, row)| same.parted(&format!("summary.measures.{}", stored.key), stored, row)),
    );
    found.extend(same.parted("summary.evidence", &record.summary.evidence, &evidence));
}

fn score(record: &RunRecord, is_lost: bool, same: &Same, checked: &mut Checked) {
    let Some(stored) = &record.score else { return };
    let seeds = record.episodes.len();
    let why = if stored.version != SCORE_VERSION {
        let version = quoted(&stored.version);
        format!("it follows version {version} of the rules, and this release has version {SCORE_VERSION}")
    } else if is_lost {
        "not all figures of the episodes are known".to_owned()
    } else if seeds > SCORED_AGAIN_MAX {
        format!("it rests on {seeds} seeds, and that is done for up to {SCORED_AGAIN_MAX}")
    } else {
        checked.contradictions.extend(same.parted("score", stored, &record.score(stored.goal)));
        return;
    };
    checked.unchecked.push(format!("its score could not be computed again: {why}"));
}

/// Rows whose p-values are not those that Holm's correction gives the others in their group. They are in the order of `groups`.
pub(crate) fn corrected<'g>(
    place: &str,
    groups: impl Iterator<Item = &'g str>,
    stored: &[MeasureSummary],
) -> Vec<String> {
    let mut again: Vec<_> = stored.iter().map(|row| row.difference.clone()).collect();
    again.iter_mut().for_each(|row| row.p_corrected = None);
    // Only the correction is of interest.
    evidence(&mut groups.zip(again.iter_mut()).collect::<Vec<_>>(), 0, 0, None);
    let same = Same { words: true };
    let differs = stored.iter().zip(&again).filter_map(|(row, again)| {
        let place = format!("{place}.{}.difference.p_corrected", row.key);
        same.parted(&place, &row.difference.p_corrected, &again.p_corrected)
    });
    differs.collect()
}

/// Definitions that this release has, too, with another group, unit or direction: they decide which differences are corrected together, and which are good.
pub(crate) fn other_definitions(record: &RunRecord) -> Vec<String> {
    let known = measure_definitions();
    let differs = record.measures.iter().filter_map(|stored| {
        let known = known.iter().find(|known| known.key == stored.key)?;
        let fields = [
            ("group", &stored.group, &known.group),
            ("unit", &stored.unit, &known.unit),
            ("better", &stored.better, &known.better),
        ];
        let (field, stored_as, is) = fields.into_iter().find(|(_, stored, known)| stored != known)?;
        Some(format!("`measures.{}.{field}` is {}, but it is {is}", stored.key, quoted(stored_as)))
    });
    differs.collect()
}

/// What counts as the same.
struct Same {
    /// Whether what is worded for a person is compared, too.
    words: bool,
}

impl Same {
    /// Where two values that one function computed part first, in words.
    fn parted<T: Serialize>(&self, place: &str, stored: &T, again: &T) -> Option<String> {
        // Nothing here has a form that JSON lacks; a number that is none becomes null, as in the record.
        let value = |of: &T| serde_json::to_value(of).unwrap_or_default();
        self.values(place, (&value(stored), &value(again)), 1.0)
    }

    /// `scale` is the least size at which numbers are compared.
    fn values(&self, place: &str, (stored, again): (&Value, &Value), scale: f64) -> Option<String> {
        let is_same = match (stored, again) {
            (Value::Object(stored), Value::Object(again)) => return self.objects(place, stored, again),
            (Value::Array(stored), Value::Array(again)) => return self.arrays(place, stored, again),
            (Value::Number(stored), Value::Number(again)) => {
                let is_exact = place.rsplit('.').next().is_some_and(|key| EXACT.contains(&key));
                stored == again || (!is_exact && is_near(stored, again, scale))
            }
            (stored, again) => stored == again,
        };
        (!is_same).then(|| format!("`{place}` {}, but computed from the episodes it {}", said(stored), said(again)))
    }

    fn objects(&self, place: &str, stored: &Map<String, Value>, again: &Map<String, Value>) -> Option<String> {
        let is_compared = |key: &&String| self.words || !WORDS.contains(&key.as_str());
        if !stored.keys().filter(is_compared).eq(again.keys().filter(is_compared)) {
            return Some(other_parts(place));
        }
        // An end of an interval may be next to zero, and is as exact as the other one.
        let ends = ["low", "high"].map(|end| again.get(end).and_then(Value::as_f64).unwrap_or_default().abs());
        let scale = ends.into_iter().fold(1.0, f64::max);
        let mut compared = again.iter().filter(|(key, _)| is_compared(key));
        compared.find_map(|(key, again)| self.values(&format!("{place}.{key}"), (stored.get(key)?, again), scale))
    }

    fn arrays(&self, place: &str, stored: &[Value], again: &[Value]) -> Option<String> {
        if stored.len() != again.len() {
            return Some(other_parts(place));
        }
        stored.iter().zip(again).enumerate().find_map(|(index, (stored, again))| {
            let place = format!("{place}.{}", label(again).map_or_else(|| index.to_string(), str::to_owned));
            self.values(&place, (stored, again), 1.0)
        })
    }
}

fn other_parts(place: &str) -> String {
    format!("`{place}` has other parts than when it is computed from the episodes")
}

/// What an entry of a list is called.
fn label(entry: &Value) -> Option<&str> {
    ["key", "name", "group", "scenario"].into_iter().find_map(|key| entry.get(key)?.as_str())
}

/// Counts are the same or not.
fn is_near(a: &Number, b: &Number, scale: f64) -> bool {
    let (true, Some((a, b))) = (a.is_f64() && b.is_f64(), a.as_f64().zip(b.as_f64())) else { return false };
    (a - b).abs() <= SAME * a.abs().max(b.abs()).max(scale)
}

/// What a sentence says of a value after its name.
fn said(value: &Value) -> String {
    match value {
        Value::Null => "has no value".to_owned(),
        Value::Bool(value) => format!("is {value}"),
        Value::Number(number) => match number.as_f64() {
            Some(value) if number.is_f64() => format!("is {value}"),
            _ => format!("is {number}"),
        },
        Value::String(text) => format!("is {}", quoted(text)),
        Value::Array(_) | Value::Object(_) => "has a value".to_owned(),
    }
}
