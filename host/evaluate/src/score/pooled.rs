//! Two strategies on the same seeds, all of them taken together: the score of each, and what lies between them at least.
//!
//! A score of eight seeds is not a small score of a thousand: its scales have ends, so a large loss in one block costs no more than a small one, and the mean
//! over blocks flatters whoever loses much and rarely. Taken together, the loss counts as a loss. A veto of ours counts in full; one of theirs as often as
//! it strikes, for otherwise one bad seed of theirs would let anybody win.
//!
//! The lower end of the difference is the lower of two. One is the jackknife's over groups of seeds (J. W. Tukey's pseudo-values, Annals of Mathematical
//! Statistics 29, 1958), as a mean whose interval allows for skewness. It looks no further than one group away, and the score is flat where a gain is not
//! certain: a lucky loser would seem certain, too. So the other is a quantile over balanced halves of the seeds (P. J. `McCarthy`, Review of the International
//! Statistical Institute 37, 1969), which lie as far from the whole as the whole from the truth.

use super::combine::{GROUPS_MAX, GROUPS_MIN, points};
use super::market::Sheet;
use super::ratio::Student;
use super::scale::{Axis, POINTS_MAX, POINTS_MIN, Profile};
use crate::record::RunRecord;
use crate::score_record::Goal;
use crate::statistics::{Confidence, Sample, Tail};

/// The one-sided confidence, in percent, at which more money is lost.
const CERTAIN_PERCENT: f64 = 97.5;

/// See the module documentation.
#[derive(Clone, PartialEq, Debug)]
pub struct Pooled {
    /// The score of ours, from 1 to 10.
    pub ours: f64,
    /// The score of theirs.
    pub theirs: f64,
    /// What ours has over theirs at least, at the confidence that was asked for: from -9 to 9 points.
    pub at_least: f64,
    /// The veto that ours met, or that it loses money, and certainly more of it than theirs.
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
    let (mut ours, theirs) = (Side::new(goal, ours), Side::new(goal, theirs));
    let mut veto = ours.sheets.iter().find_map(Sheet::veto);
    if veto.is_some() {
        ours.struck_share = 1.0;
    }
    let rows = ours.sheets.first().map_or(0, Sheet::len);
    if ours.sheets.len() != theirs.sheets.len()
        || !ours.sheets.iter().chain(&theirs.sheets).all(|sheet| sheet.len() == rows)
    {
        return Err("the two runs are not of the same markets and seeds".to_owned());
    }
    let all = |_: usize, _: usize| true;
    let (our_points, their_points) = (ours.points(&all)?, theirs.points(&all)?);
    let groups = rows.min(GROUPS_MAX);
    let lead = |keep: &dyn Fn(usize) -> bool| -> Result<f64, String> {
        let keep = |_: usize, row: usize| keep(row % groups);
        Ok(ours.points(&keep)? - theirs.points(&keep)?)
    };
    let least = POINTS_MIN - POINTS_MAX;
    // Where some of the seeds carry the score alone, it says nothing without them.
    let bound =
        if groups < GROUPS_MIN { None } else { bound(our_points - their_points, groups, &lead, confidence).ok() };
    let at_least = bound.flatten().filter(|bound| bound.is_finite()).unwrap_or(least);
    let at_least = at_least.min(our_points - their_points).max(least);
    // Whoever asks for cheap trading asks for no profit.
    if !ours.profile.leads.contains(&Axis::Execution) {
        let mut markets = ours.sheets.iter().zip(&theirs.sheets);
        veto = veto.or_else(|| markets.find_map(|(ours, theirs)| loses_more(ours, theirs)));
    }
    Ok(Pooled { ours: our_points, theirs: their_points, at_least, veto })
}

/// Where ours loses money, and certainly more of it than theirs. The scale of profit has an end, below which any other axis would decide.
fn loses_more(ours: &Sheet<'_>, theirs: &Sheet<'_>) -> Option<String> {
    let returns = Sample::of_distinct(ours.returns.clone());
    let more = returns.minus(&Sample::of_distinct(theirs.returns.clone()))?;
    let (mean, confidence) = (returns.mean()?, Confidence::percent(CERTAIN_PERCENT)?);
    let is_so = mean < 0.0 && more.bound(Tail::Upper, confidence)? < 0.0;
    let name = &ours.record.scenario.name;
    is_so.then(|| {
        let (lost, more) = (-100.0 * mean, -100.0 * more.mean().unwrap_or_default());
        format!("it loses {lost:.3}% of the cash a session in {name}, and certainly more than the other: by {more:.3}% of the cash")
    })
}

/// What ours has over theirs in the groups that the argument keeps.
type Lead<'a> = dyn Fn(&dyn Fn(usize) -> bool) -> Result<f64, String> + 'a;

/// The lower end of a lead that is `whole` over all groups of seeds: the lower of two.
fn bound(whole: f64, groups: usize, lead: &Lead<'_>, confidence: Confidence) -> Result<Option<f64>, String> {
    let n = groups as f64;
    let pseudo = |left_out: usize| Ok(n * whole - (n - 1.0) * lead(&|group| group != left_out)?);
    let values = (0..groups).map(pseudo).collect::<Result<Vec<f64>, String>>()?;
    let jackknife = Sample::of_distinct(values).bound(Tail::Lower, confidence);
    // Walsh's functions: each keeps one half of the groups, and any two differ in half of theirs.
    let mut halves = Vec::new();
    for pattern in 1..groups.next_power_of_two() {
        for parity in [0, 1] {
            let keep = |group: usize| (group & pattern).count_ones() % 2 == parity;
            if (0..groups).filter(|group| keep(*group)).count() >= 2 {
                halves.push(lead(&keep)?);
            }
        }
    }
    halves.sort_by(f64::total_cmp);
    let rank = (halves.len() as f64 * (1.0 - confidence.share())) as usize;
    Ok(jackknife.zip(halves.get(rank)).map(|(jackknife, half)| jackknife.min(*half)))
}

/// One of the two.
struct Side<'a> {
    sheets: Vec<Sheet<'a>>,
    profile: &'static Profile,
    student: Student,
    /// How often a veto strikes, in the market where it does so most.
    struck_share: f64,
}

impl<'a> Side<'a> {
    fn new(goal: Goal, records: &[&'a RunRecord]) -> Self {
        let sheets: Vec<Sheet<'a>> = records.iter().map(|record| Sheet::new(record)).collect();
        let struck_share = sheets.iter().map(Sheet::struck_share).fold(0.0, f64::max);
        Self { sheets, profile: goal.profile(), student: Student::default(), struck_share }
    }

    /// Of the rows that `keep` keeps, by market and row. A veto strikes as often whichever rows are kept.
    fn points(&self, keep: &dyn Fn(usize, usize) -> bool) -> Result<f64, String> {
        if self.struck_share >= 1.0 {
            return Ok(POINTS_MIN);
        }
        if let Some(problem) = self.sheets.iter().find_map(|sheet| sheet.problem.clone()) {
            return Err(problem);
        }
        if self.sheets.is_empty() {
            return Err("no market".to_owned());
        }
        let points = points(&self.sheets, self.profile, keep, &self.student)?;
        Ok(POINTS_MIN + (1.0 - self.struck_share) * (points - POINTS_MIN))
    }
}
