//! From markets to one score: veto, total, interval, and what the market changed by.

use super::market::{Sheet, by_path, number};
use super::ratio::{Student, difference, jackknife, ratio};
use super::scale::{POINTS_MAX, POINTS_MIN, Profile};
use super::total::{judge, total, tree};
use crate::record::RunRecord;
use crate::score_record::{ChangeRecord, Goal, MarketScoreRecord, PartRecord, PartRule, SCORE_VERSION, ScoreRecord};
use crate::statistics::Interval;

/// Groups of blocks that the jackknife leaves out in turn, at most.
pub(super) const GROUPS_MAX: usize = 64;
/// Groups below which there is no interval: two rows are left without one of three, and one row has no interval to count a gain by.
pub(super) const GROUPS_MIN: usize = 3;

/// Measures of the market that are told beside the baseline, and whether they are shares of time.
const CHANGES: [(&str, bool); 8] = [
    ("volatility_10s", false),
    ("return_sd_60s", false),
    ("spread", false),
    ("market_effective_spread", false),
    ("bid_size", false),
    ("ask_size", false),
    ("bid_empty_time", true),
    ("ask_empty_time", true),
];

/// One score for the runs of one strategy in several markets, each with the same seeds: the i-th seed of each market is one block, and the
/// interval is over blocks. The value is half the mean of the markets' totals and half the worst of them, so that a bad market shows however
/// many good ones stand beside it. A veto in one market is a veto.
#[must_use]
pub fn combined(goal: Goal, records: &[&RunRecord]) -> ScoreRecord {
    let student = Student::default();
    let profile = goal.profile();
    let sheets: Vec<_> = records.iter().map(|record| Sheet::new(record)).collect();
    let all = |_: usize, _: usize| true;
    let (value, reason) = decide(&sheets, || points(&sheets, profile, &all, &student));
    let decided = value.filter(|_| reason.is_none());
    let interval = decided.and_then(|value| interval(&sheets, profile, value, &student));
    let mut parts: Vec<_> = sheets.iter().map(|sheet| market_tree(sheet, profile, &student)).collect();
    let mut tree = match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            parts.extend(last);
            PartRecord { parts, ..PartRecord::leaf("score", PartRule::MeanAndWorst, value) }
        }
    };
    (tree.name, tree.interval) = ("score".to_owned(), interval);
    ScoreRecord {
        version: SCORE_VERSION.to_owned(),
        goal,
        baseline: records.first().map_or_else(String::new, |record| record.baseline_id()),
        value,
        interval,
        reason,
        tree,
        markets: sheets.iter().map(|sheet| market(sheet, &student)).collect(),
    }
}

/// What [`combined`] says of a score's value, and of each market's.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// [`ScoreRecord::value`].
    pub value: Option<f64>,
    /// [`ScoreRecord::reason`].
    pub reason: Option<String>,
    /// The value of each market's part, in the order of the records.
    pub by_market: Vec<Option<f64>>,
}

/// The value of [`combined`] alone: without intervals, parts and changes, which take most of the time.
#[must_use]
pub fn combined_value(goal: Goal, records: &[&RunRecord]) -> Value {
    let student = Student::default();
    let sheets: Vec<_> = records.iter().map(|record| Sheet::new(record)).collect();
    let of_market = |sheet: &Sheet<'_>| match &sheet.problem {
        Some(problem) => Err(problem.clone()),
        None => total(&judge(sheet, &|_| true, &student), goal.profile()),
    };
    let totals: Vec<_> = sheets.iter().map(of_market).collect();
    let by_market = sheets.iter().zip(&totals).map(|(sheet, total)| match sheet.veto() {
        Some(_) => Some(POINTS_MIN),
        None => total.as_ref().ok().copied(),
    });
    let by_market = by_market.collect();
    let (value, reason) =
        decide(&sheets, || totals.into_iter().collect::<Result<Vec<_>, _>>().map(|all| mean_and_worst(&all)));
    Value { value, reason, by_market }
}

/// The value of a score, and the reason for a veto or for none. `points` is asked only where nothing stands against it.
fn decide(sheets: &[Sheet<'_>], points: impl FnOnce() -> Result<f64, String>) -> (Option<f64>, Option<String>) {
    let named = |sheet: &Sheet<'_>, what: &str| match sheets {
        [_] => what.to_owned(),
        _ => format!("{}: {what}", sheet.record.scenario.name),
    };
    let vetoes: Vec<_> = sheets.iter().filter_map(|sheet| Some(named(sheet, &sheet.veto()?))).collect();
    let problem = sheets.iter().find_map(|sheet| Some(named(sheet, sheet.problem.as_deref()?)));
    if !vetoes.is_empty() {
        return (Some(POINTS_MIN), Some(vetoes.join("; ")));
    }
    let none = if sheets.is_empty() { Some("no market".to_owned()) } else { problem };
    match none.map_or_else(points, Err) {
        Ok(value) => (Some(value), None),
        Err(why) => (None, Some(why)),
    }
}

/// Half the mean and half the worst.
fn mean_and_worst(totals: &[f64]) -> f64 {
    let mean = totals.iter().sum::<f64>() / totals.len() as f64;
    f64::midpoint(mean, totals.iter().copied().fold(POINTS_MAX, f64::min))
}

/// The combined points of the rows that `keep` keeps, by market and row.
pub(super) fn points(
    sheets: &[Sheet<'_>],
    profile: &Profile,
    keep: &dyn Fn(usize, usize) -> bool,
    student: &Student,
) -> Result<f64, String> {
    let totals =
        sheets.iter().enumerate().map(|(index, sheet)| total(&judge(sheet, &|row| keep(index, row), student), profile));
    Ok(mean_and_worst(&totals.collect::<Result<Vec<_>, _>>()?))
}

/// Over blocks; `None` if the markets have different numbers of seeds.
fn interval(sheets: &[Sheet<'_>], profile: &Profile, value: f64, student: &Student) -> Option<Interval> {
    let blocks = sheets.first()?.len();
    if sheets.iter().any(|sheet| sheet.len() != blocks) {
        return None;
    }
    let groups = blocks.min(GROUPS_MAX);
    if groups < GROUPS_MIN {
        return None;
    }
    let without = (0..groups).map(|group| points(sheets, profile, &|_, row| row % groups != group, student));
    let without = without.collect::<Result<Vec<_>, _>>().ok()?;
    let Interval { low, high, degenerate } = jackknife(value, &without, student)?;
    Some(Interval { low: low.max(POINTS_MIN), high: high.min(POINTS_MAX), degenerate })
}

fn market_tree(sheet: &Sheet<'_>, profile: &Profile, student: &Student) -> PartRecord {
    let veto = sheet.veto();
    let mut parts: Vec<_> = sheet
        .vetoes
        .iter()
        .map(|(name, struck)| {
            let mut part = PartRecord::leaf(*name, PartRule::Struck, Some(f64::from(u8::from(struck.is_some()))));
            part.note.clone_from(struck);
            part
        })
        .collect();
    let mut value = None;
    if sheet.problem.is_none() {
        let judged = judge(sheet, &|_| true, student);
        let below = tree(&judged, profile);
        value = below.value;
        parts.push(below);
    }
    let value = if veto.is_some() { Some(POINTS_MIN) } else { value };
    let mut part = PartRecord { parts, ..PartRecord::leaf(sheet.record.scenario.name.clone(), PartRule::Veto, value) };
    part.note = veto.or_else(|| sheet.problem.clone());
    part
}

fn market(sheet: &Sheet<'_>, student: &Student) -> MarketScoreRecord {
    MarketScoreRecord {
        scenario: sheet.record.scenario.name.clone(),
        hash: sheet.record.scenario.hash.clone(),
        seeds: sheet.len() as u64,
        changes: CHANGES.iter().filter_map(|(key, is_time)| change(sheet.record, key, *is_time, student)).collect(),
        worst_seed: sheet.worst_seed(),
    }
}

/// `None` for a measure that the record does not know.
fn change(record: &RunRecord, key: &str, is_difference: bool, student: &Student) -> Option<ChangeRecord> {
    let definition = record.measures.iter().find(|definition| definition.key == key)?;
    let pair = |episode: &crate::record::EpisodeRecord| {
        Some((number(&episode.measures, key)?, number(&episode.baseline_measures, key)?))
    };
    let pairs: Vec<_> = by_path(record, record.episodes.iter().map(pair)).into_iter().flatten().collect();
    let found = if is_difference { difference(&pairs) } else { ratio(&pairs, student) };
    let shift = if is_difference { 0.0 } else { 1.0 };
    let interval = found.ok().and_then(|found| found.interval).map(|(low, high)| Interval {
        low: low - shift,
        high: high - shift,
        degenerate: low == high,
    });
    Some(ChangeRecord {
        key: key.to_owned(),
        title: definition.title.clone(),
        is_difference,
        n: pairs.len() as u64,
        change: found.ok().map(|found| found.value - shift),
        interval,
        missing: found.err().map(str::to_owned),
    })
}
