//! From tries to ranks: what is published.

use super::ladder::Ladder;
use super::tries::{BoardDefinition, BoardTry, SealedRow, TryOutcome};
use crate::statistics::{Sample, deflated_sharpe, overfitting_probability, ranks};
use serde::{Deserialize, Serialize};

/// Entries over which the probability of overfitting is computed at most: the earliest. Its cost grows with their number.
const OVERFITTING_ENTRIES_MAX: usize = 200;

/// A board as everybody may read it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standings {
    /// The board.
    pub board: BoardDefinition,
    /// No more submissions are taken.
    pub closed: bool,
    /// Submissions of all authors.
    pub tries: u64,
    /// Different contents that were run: chances to be lucky, for all of which ranks are corrected.
    pub chances: u64,
    /// Authors, with their tries.
    pub authors: Vec<(String, u64)>,
    /// Distinct market paths among the sealed seeds; `None` without an entry.
    pub observations: Option<u64>,
    /// Entries by rank, then in the order of arrival.
    pub rows: Vec<StandingsRow>,
    /// How far the first may be luck; `None` without deviation.
    pub luck: Option<BoardLuck>,
    /// End of the chain of tries that this is about.
    pub head: String,
}

/// One entry.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandingsRow {
    /// One more than the entries that are told to be better, over the sealed seeds. Over a single path, 1 for the holder of the Ladder and `None` for others.
    pub rank: Option<u64>,
    /// Another entry has the same rank.
    pub tied: bool,
    /// Its try.
    pub number: u64,
    /// Who submitted it first.
    pub author: String,
    /// What the file was called.
    pub file: String,
    /// Hash of it.
    pub content: String,
    /// Mean over the public seeds.
    pub public_mean: f64,
    /// Its 95% interval.
    pub public_interval: Option<(f64, f64)>,
    /// Mean over the sealed seeds, rounded, if it beat the best shown when it came; see [`Ladder`].
    pub sealed_shown: Option<f64>,
    /// Later submissions that are this one: of the same content, or with the same results.
    pub repeats: u64,
}

/// How far the first may be luck.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardLuck {
    /// Probability that the first is no better than the best of as many tries without skill: one less the deflated Sharpe ratio, in whole percent.
    pub luck_percent: u8,
    /// Probability of backtest overfitting in whole percent; `None` below two entries or twenty paths.
    pub overfitting_percent: Option<u8>,
}

/// Why there are no standings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StandingsError {
    /// An entry without sealed results, or with too few.
    #[error("the sealed results of try {number} are missing or incomplete")]
    Sealed {
        /// Which.
        number: u64,
    },
    /// An entry over other seeds than the board's.
    #[error("try {number} is not over the board's public seeds")]
    Public {
        /// Which.
        number: u64,
    },
}

/// The standings after `tries`, whose chain ends at `head`.
///
/// # Errors
/// What is stored is not what a board writes.
pub fn standings(
    board: &BoardDefinition,
    tries: &[BoardTry],
    sealed: &[SealedRow],
    closed: bool,
    head: &str,
) -> Result<Standings, StandingsError> {
    let entries: Vec<&BoardTry> = tries.iter().filter(|known| known.outcome == TryOutcome::Entry).collect();
    let samples: Vec<Sample> = entries.iter().map(|entry| checked(board, entry, sealed)).collect::<Result<_, _>>()?;
    let chances = tries.iter().filter(|known| known.outcome.was_run()).count();
    let all: Vec<&Sample> = samples.iter().collect();
    let placed = ranks(&all, chances, true);
    let is_one_path = samples.first().is_some_and(|sample| sample.n() < 2);
    let mut ladder = Ladder::default();
    let shown: Vec<Option<f64>> = samples.iter().map(|sample| ladder.climb(sample, board.step)).collect();
    let holder = shown.iter().rposition(Option::is_some);
    let rank = |index: usize| match is_one_path {
        true => (holder == Some(index)).then_some(1),
        false => Some(placed[index].rank as u64),
    };
    let mut rows: Vec<StandingsRow> =
        entries.iter().enumerate().map(|(index, entry)| row(entry, rank(index), shown[index], tries)).collect();
    let all_ranks: Vec<Option<u64>> = rows.iter().map(|row| row.rank).collect();
    for row in &mut rows {
        row.tied = row.rank.is_some() && all_ranks.iter().filter(|rank| **rank == row.rank).count() > 1;
    }
    // By number within a rank: an order by sealed means would tell them.
    rows.sort_by_key(|row| (row.rank.unwrap_or(u64::MAX), row.number));
    Ok(Standings {
        board: board.clone(),
        closed,
        tries: tries.len() as u64,
        chances: chances as u64,
        authors: authors(tries),
        observations: samples.first().map(|sample| sample.n() as u64),
        rows,
        luck: luck(&all, chances),
        head: head.to_owned(),
    })
}

/// The sealed sample of an entry that is over the board's own seeds.
fn checked(board: &BoardDefinition, entry: &BoardTry, sealed: &[SealedRow]) -> Result<Sample, StandingsError> {
    let number = entry.number;
    if !entry.public.iter().map(|(seed, ..)| *seed).eq(board.public.iter().copied()) {
        return Err(StandingsError::Public { number });
    }
    let row = sealed.iter().find(|row| row.number == number && row.values.len() as u64 == board.sealed.count);
    row.map(SealedRow::sample).ok_or(StandingsError::Sealed { number })
}

fn row(entry: &BoardTry, rank: Option<u64>, sealed_shown: Option<f64>, tries: &[BoardTry]) -> StandingsRow {
    let public = Sample::of_paths(entry.public.iter().map(|(_, path, value)| (path.as_str(), *value)));
    let estimate = public.estimate();
    let is_repeat = |known: &&BoardTry| match known.outcome {
        TryOutcome::Again { of } | TryOutcome::Copy { of } | TryOutcome::SameResults { of } => of == entry.number,
        TryOutcome::Entry | TryOutcome::Failed { .. } | TryOutcome::Refused { .. } => false,
    };
    StandingsRow {
        rank,
        tied: false,
        number: entry.number,
        author: entry.author.clone(),
        file: entry.file.clone(),
        content: entry.content.clone().unwrap_or_default(),
        public_mean: estimate.map_or(0.0, |estimate| estimate.mean),
        public_interval: estimate.and_then(|estimate| estimate.interval).map(|interval| (interval.low, interval.high)),
        sealed_shown,
        repeats: tries.iter().filter(is_repeat).count() as u64,
    }
}

fn authors(tries: &[BoardTry]) -> Vec<(String, u64)> {
    let mut authors: Vec<(String, u64)> = Vec::new();
    for known in tries {
        match authors.iter_mut().find(|(name, _)| *name == known.author) {
            Some((_, count)) => *count += 1,
            None => authors.push((known.author.clone(), 1)),
        }
    }
    authors
}

fn luck(all: &[&Sample], chances: usize) -> Option<BoardLuck> {
    let mean = |sample: &Sample| sample.mean().unwrap_or(f64::NEG_INFINITY);
    let winner = all.iter().copied().reduce(|best, next| if mean(next) > mean(best) { next } else { best })?;
    let found = deflated_sharpe(winner, chances)?;
    let percent = |share: f64| (share.clamp(0.0, 1.0) * 100.0).round() as u8;
    let overfitting = overfitting_probability(&all[..all.len().min(OVERFITTING_ENTRIES_MAX)]);
    Some(BoardLuck { luck_percent: percent(1.0 - found.deflated), overfitting_percent: overfitting.map(percent) })
}
