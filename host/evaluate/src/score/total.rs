//! From columns to points, and from points to the total of one market.

use super::market::{Column, Sheet};
use super::ratio::{Bounded, Student, difference, ratio};
use super::scale::{
    Axis, CEILING_PER_POINT, Comparison, GAUGES, Gauge, HARM_POINTS, NEUTRAL, POINTS_MAX, POINTS_MIN, Profile,
    TAIL_LOSS, TAIL_ONE_IN,
};
use crate::score_record::{PartRecord, PartRule};
use crate::statistics::Interval;

/// Points of one axis or measure.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Points {
    /// What counts: a gain at the lower end of its interval, a loss at its mean.
    pub(super) value: f64,
    pub(super) interval: Option<(f64, f64)>,
}

/// What an axis comes to.
pub(super) enum Found {
    Measured(Points),
    /// The strategy's doing: counts as the least.
    Withheld(String),
    /// Nobody's doing: counts for nobody.
    Unknown(String),
}

impl Found {
    /// What goes into the sum; `None` if nothing does.
    fn counted(&self) -> Option<f64> {
        match self {
            Self::Measured(points) => Some(points.value),
            Self::Withheld(_) => Some(POINTS_MIN),
            Self::Unknown(_) => None,
        }
    }
}

/// A gauge's own value and its points, or why there are none.
struct Reading {
    gauge: &'static Gauge,
    raw: Option<Bounded>,
    found: Found,
}

/// One axis with the measures behind it.
pub(super) struct Judged {
    axis: Axis,
    found: Found,
    readings: Vec<Reading>,
    tail: Option<f64>,
    /// There is a gain that does not count, because the baseline was chosen.
    is_beside_choice: bool,
}

/// What holds a total down.
struct Limits {
    /// By what is earned.
    earned: f64,
    /// By what others lose.
    harm: Option<(f64, Axis)>,
}

/// Judges the seeds that `keep` keeps.
pub(super) fn judge(sheet: &Sheet<'_>, keep: &dyn Fn(usize) -> bool, student: &Student) -> Vec<Judged> {
    Axis::ALL.iter().map(|axis| judge_axis(*axis, sheet, keep, student)).collect()
}

fn judge_axis(axis: Axis, sheet: &Sheet<'_>, keep: &dyn Fn(usize) -> bool, student: &Student) -> Judged {
    let gauges = GAUGES.iter().zip(&sheet.columns).filter(|(gauge, _)| gauge.axis == axis);
    let readings: Vec<_> = gauges.map(|(gauge, column)| reading(gauge, column, keep, student)).collect();
    let mut found = worst(&readings);
    let tail = (axis == Axis::Risk).then(|| tail_loss(&sheet.returns, keep));
    if let (Found::Measured(points), Some(tail)) = (&mut found, tail) {
        let less = |points: f64| (points - TAIL_LOSS.at(tail)).max(POINTS_MIN);
        points.value = less(points.value);
        points.interval = points.interval.map(|(low, high)| (less(low), less(high)));
    }
    let is_beside_choice = axis.is_effect() && sheet.record.baseline.is_some() && hold_at(axis.neutral(), &mut found);
    Judged { axis, found, readings, tail, is_beside_choice }
}

/// Holds points down; whether there were more. Whoever may choose what a market is compared with may choose one that harms it, beside which doing
/// nothing looks like a gain. A harm stays a harm.
fn hold_at(most: f64, found: &mut Found) -> bool {
    let Found::Measured(points) = found else { return false };
    let is_more = points.value > most;
    points.value = points.value.min(most);
    points.interval = points.interval.map(|(low, high)| (low.min(most), high.min(most)));
    is_more
}

fn reading(gauge: &'static Gauge, column: &Column, keep: &dyn Fn(usize) -> bool, student: &Student) -> Reading {
    let rows = match column {
        Column::Withheld(why) => return Reading { gauge, raw: None, found: Found::Withheld(why.clone()) },
        Column::Unknown(why) => return Reading { gauge, raw: None, found: Found::Unknown(why.clone()) },
        Column::Pairs(rows) => rows,
    };
    let kept: Vec<_> = rows.iter().enumerate().filter(|(row, _)| keep(*row)).filter_map(|(_, pair)| *pair).collect();
    let raw = match gauge.comparison {
        Comparison::Ratio => ratio(&kept, student),
        Comparison::Change => ratio(&kept, student).map(|found| Bounded {
            value: found.value - 1.0,
            interval: found.interval.map(|(low, high)| (low - 1.0, high - 1.0)),
        }),
        Comparison::Difference => difference(&kept),
    };
    match raw {
        Ok(raw) => Reading { gauge, raw: Some(raw), found: Found::Measured(points(gauge, &raw)) },
        Err(why) => Reading { gauge, raw: None, found: Found::Unknown(why.to_owned()) },
    }
}

/// A gain counts as far as it is certain; a loss counts as it is.
fn points(gauge: &Gauge, raw: &Bounded) -> Points {
    let neutral = gauge.axis.neutral();
    let at_mean = gauge.scale.at(raw.value);
    let interval = raw.interval.map(|(low, high)| {
        let (a, b) = (gauge.scale.at(low), gauge.scale.at(high));
        (a.min(b), a.max(b))
    });
    let value = if at_mean <= neutral { at_mean } else { interval.map_or(neutral, |(low, _)| low.max(neutral)) };
    Points { value, interval }
}

/// The measure with the least points stands for its axis; one that can only take away stands aside unless it does.
fn worst(readings: &[Reading]) -> Found {
    if let Some(why) = readings.iter().find_map(|reading| match &reading.found {
        Found::Withheld(why) => Some(why.clone()),
        Found::Measured(_) | Found::Unknown(_) => None,
    }) {
        return Found::Withheld(why);
    }
    let speaks = |reading: &&Reading| match &reading.found {
        Found::Measured(points) => !reading.gauge.harm_only || points.value < reading.gauge.axis.neutral(),
        Found::Withheld(_) | Found::Unknown(_) => false,
    };
    let measured = readings.iter().filter(speaks).filter_map(|reading| match &reading.found {
        Found::Measured(points) => Some(points),
        Found::Withheld(_) | Found::Unknown(_) => None,
    });
    let least = measured.reduce(|least, other| if other.value < least.value { other } else { least });
    match (least, readings.first().map(|reading| &reading.found)) {
        (Some(points), _) => Found::Measured(points.clone()),
        (None, Some(Found::Unknown(why))) => Found::Unknown(why.clone()),
        (None, _) => Found::Unknown("nothing to measure it by".to_owned()),
    }
}

/// Mean loss of the worst seeds as a share of the starting cash, 0 if they earned (expected shortfall: C. Acerbi and D. Tasche, Journal of
/// Banking and Finance 26, 2002).
fn tail_loss(returns: &[f64], keep: &dyn Fn(usize) -> bool) -> f64 {
    let kept = returns.iter().enumerate().filter(|(row, _)| keep(*row));
    let mut kept: Vec<f64> = kept.map(|(_, value)| *value).collect();
    kept.sort_by(f64::total_cmp);
    let worst = kept.len().div_ceil(TAIL_ONE_IN);
    let sum: f64 = kept.iter().take(worst).sum();
    (-sum / worst.max(1) as f64).max(0.0)
}

/// What is worth how much in the sum: axes that nobody can measure give their weight to the others.
fn weights(judged: &[Judged], profile: &Profile) -> Vec<f64> {
    let known = |(judged, weight): (&Judged, &f64)| judged.found.counted().map_or(0.0, |_| *weight);
    let weights: Vec<f64> = judged.iter().zip(&profile.weights).map(known).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| if sum > 0.0 { weight / sum } else { 0.0 }).collect()
}

/// Points of each axis as they go into the sum: while money is lost, no improvement of the market makes up for it.
fn counted(judged: &[Judged]) -> Vec<f64> {
    let is_losing = profit(judged).is_some_and(|points| points < NEUTRAL);
    let points = |judged: &Judged| {
        let points = judged.found.counted().unwrap_or_default();
        if is_losing && judged.axis.is_effect() { points.min(judged.axis.neutral()) } else { points }
    };
    judged.iter().map(points).collect()
}

fn profit(judged: &[Judged]) -> Option<f64> {
    judged.first().and_then(|profit| profit.found.counted())
}

fn limits(judged: &[Judged], counted: &[f64], weights: &[f64], profile: &Profile) -> Limits {
    let idle: f64 = judged.iter().zip(weights).map(|(judged, weight)| weight * judged.axis.idle()).sum();
    let lead = |(judged, points): (&Judged, &f64)| {
        if profile.leads.contains(&judged.axis) { points - judged.axis.neutral() } else { 0.0 }
    };
    // Without a profit to look at, nothing else leads: it may be a loss.
    let is_hidden = matches!(judged.first().map(|profit| &profit.found), Some(Found::Withheld(_)));
    let lead = if is_hidden { 0.0 } else { judged.iter().zip(counted).map(lead).fold(0.0, f64::max) };
    let lost = (NEUTRAL - counted[0]).max(0.0) * weights[0];
    let is_ruined = |judged: &&Judged| {
        judged.axis.is_effect()
            && matches!(&judged.found, Found::Measured(Points { interval: Some((_, high)), .. }) if *high <= HARM_POINTS)
    };
    let harm = judged.iter().find(is_ruined).map(|judged| (idle, judged.axis));
    Limits { earned: idle + CEILING_PER_POINT * lead - lost, harm }
}

/// The total of a market, or why there is none.
pub(super) fn total(judged: &[Judged], profile: &Profile) -> Result<f64, String> {
    if let Some(Found::Unknown(why)) = judged.first().map(|profit| &profit.found) {
        return Err(format!("no profit to speak of: {why}"));
    }
    let (weights, counted) = (weights(judged, profile), counted(judged));
    let sum: f64 = weights.iter().zip(&counted).map(|(weight, points)| weight * points).sum();
    let Limits { earned, harm } = limits(judged, &counted, &weights, profile);
    let held = harm.map_or(sum, |(limit, _)| sum.min(limit)).min(earned);
    Ok(held.clamp(POINTS_MIN, POINTS_MAX))
}

/// The tree below a market's veto.
pub(super) fn tree(judged: &[Judged], profile: &Profile) -> PartRecord {
    let (weights, counted) = (weights(judged, profile), counted(judged));
    let sum: f64 = weights.iter().zip(&counted).map(|(weight, points)| weight * points).sum();
    let limits = limits(judged, &counted, &weights, profile);
    let axes = judged.iter().zip(weights.iter().zip(&counted));
    let sum = PartRecord {
        parts: axes.map(|(judged, (weight, points))| axis(judged, *weight, *points)).collect(),
        ..PartRecord::leaf("axes", PartRule::WeightedSum, Some(sum))
    };
    let mut earned = PartRecord::leaf("by what is earned", PartRule::Limit, Some(limits.earned));
    let leads: Vec<_> = profile.leads.iter().map(|axis| axis.name()).collect();
    earned.note = Some(format!("needs a certain gain in {}", leads.join(" or ")));
    let mut parts = vec![earned];
    if let Some((limit, axis)) = limits.harm {
        let mut harm = PartRecord::leaf("by harm to the market", PartRule::Limit, Some(limit));
        harm.note = Some(format!("{} is certainly at its worst compared with the baseline", axis.name()));
        parts.push(harm);
    }
    parts.push(sum);
    PartRecord { parts, ..PartRecord::leaf("ceiling", PartRule::Ceiling, total(judged, profile).ok()) }
}

fn axis(judged: &Judged, weight: f64, counted: f64) -> PartRecord {
    let (value, interval, note) = match &judged.found {
        Found::Measured(points) => {
            let note = if judged.is_beside_choice {
                Some("a gain beside a chosen baseline is no gain for the market; it counts as no change".to_owned())
            } else {
                (counted < points.value).then(|| "no gain counts here while money is lost".to_owned())
            };
            (Some(points.value), points.interval.map(interval), note)
        }
        Found::Withheld(why) => (None, None, Some(format!("{why}; counts as {POINTS_MIN}"))),
        Found::Unknown(why) => (None, None, Some(format!("{why}; left out"))),
    };
    let mut parts: Vec<_> = judged.readings.iter().map(measure).collect();
    if let Some(tail) = judged.tail.filter(|tail| *tail > 0.0) {
        let mut part = PartRecord::leaf("tail_loss", PartRule::Measure, Some(tail));
        part.note =
            Some(format!("mean loss of the worst seeds ÷ starting cash: {:.1} points less", TAIL_LOSS.at(tail)));
        parts.push(part);
    }
    PartRecord {
        interval,
        weight: Some(weight),
        note,
        parts,
        ..PartRecord::leaf(judged.axis.name(), PartRule::Axis, value)
    }
}

fn measure(reading: &Reading) -> PartRecord {
    let mut part = PartRecord::leaf(reading.gauge.key, PartRule::Measure, reading.raw.as_ref().map(|raw| raw.value));
    part.interval = reading.raw.as_ref().and_then(|raw| raw.interval).map(interval);
    part.note = Some(match &reading.found {
        Found::Measured(_) => reading.gauge.what.to_owned(),
        Found::Withheld(why) | Found::Unknown(why) => why.clone(),
    });
    part
}

fn interval((low, high): (f64, f64)) -> Interval {
    Interval { low, high, degenerate: low == high }
}
