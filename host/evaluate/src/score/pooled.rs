//! Two strategies on the same seeds, all of them taken together: the score of each, and what lies between them at least.
//!
//! A score of eight seeds is not a small score of a thousand: its scales have ends, so a large loss in one block costs no more than a small one, and the mean
//! over blocks flatters whoever loses much and rarely. Taken together, the loss counts as a loss. The bound is the jackknife's over groups of seeds (J. W.
//! Tukey's pseudo-values, Annals of Mathematical Statistics 29, 1958), as a mean whose interval allows for skewness.

use super::combine::{GROUPS_MAX, GROUPS_MIN, points};
use super::market::Sheet;
use super::ratio::Student;
use super::scale::{POINTS_MAX, POINTS_MIN, Profile};
use crate::record::RunRecord;
use crate::score_record::Goal;
use crate::statistics::{Confidence, Sample, Tail};

/// See the module documentation.
#[derive(Clone, PartialEq, Debug)]
pub struct Pooled {
    /// The score of ours, from 1 to 10.
    pub ours: f64,
    /// The score of theirs.
    pub theirs: f64,
    /// What ours has over theirs at least, at the confidence that was asked for: from -9 to 9 points.
    pub at_least: f64,
    /// The veto that ours met.
    pub veto: Option<String>,
}

/// Compares the runs of two strategies in the same markets, each with the same seeds in the same order.
///
/// # Errors
/// Why one of them has no score, or why they cannot be compared.
pub fn pooled(
    goal: Goal,
    ours: &[&RunRecord],
    theirs: &[&RunRecord],
    confidence: Confidence,
) -> Result<Pooled, String> {
    let (ours, theirs) = (Side::new(goal, ours), Side::new(goal, theirs));
    let rows = ours.sheets.first().map_or(0, Sheet::len);
    if ours.sheets.len() != theirs.sheets.len()
        || !ours.sheets.iter().chain(&theirs.sheets).all(|sheet| sheet.len() == rows)
    {
        return Err("the two runs are not of the same markets and seeds".to_owned());
    }
    let all = |_: usize, _: usize| true;
    let (our_points, their_points) = (ours.points(&all)?, theirs.points(&all)?);
    let groups = rows.min(GROUPS_MAX);
    let without = |group: usize| -> Result<f64, String> {
        let keep = |_: usize, row: usize| row % groups != group;
        Ok(ours.points(&keep)? - theirs.points(&keep)?)
    };
    let (difference, n) = (our_points - their_points, groups as f64);
    let pseudo = |group| Ok(n * difference - (n - 1.0) * without(group)?);
    let least = POINTS_MIN - POINTS_MAX;
    // A score that some of the seeds carry alone says nothing without them.
    let values =
        if groups < GROUPS_MIN { None } else { (0..groups).map(pseudo).collect::<Result<Vec<f64>, String>>().ok() };
    let bound = values.and_then(|values| Sample::of_distinct(values).bound(Tail::Lower, confidence));
    let at_least = bound.filter(|bound| bound.is_finite()).unwrap_or(least).clamp(least, -least);
    Ok(Pooled { ours: our_points, theirs: their_points, at_least, veto: ours.veto })
}

/// One of the two.
struct Side<'a> {
    sheets: Vec<Sheet<'a>>,
    profile: &'static Profile,
    student: Student,
    veto: Option<String>,
}

impl<'a> Side<'a> {
    fn new(goal: Goal, records: &[&'a RunRecord]) -> Self {
        let sheets: Vec<Sheet<'a>> = records.iter().map(|record| Sheet::new(record)).collect();
        let veto = sheets.iter().find_map(Sheet::veto);
        Self { sheets, profile: goal.profile(), student: Student::default(), veto }
    }

    /// Of the rows that `keep` keeps, by market and row. A veto is one whichever rows are kept.
    fn points(&self, keep: &dyn Fn(usize, usize) -> bool) -> Result<f64, String> {
        if self.veto.is_some() {
            return Ok(POINTS_MIN);
        }
        if let Some(problem) = self.sheets.iter().find_map(|sheet| sheet.problem.clone()) {
            return Err(problem);
        }
        if self.sheets.is_empty() {
            return Err("no market".to_owned());
        }
        points(&self.sheets, self.profile, keep, &self.student)
    }
}
