//! The archive: who may be a parent, and who complements whom.
//!
//! It is read from the state, never kept. In it are the champion and those that met it: the best few, those that no other beats in every market (the
//! Pareto front), and the best of each cell of a small grid of behaviour, so that a way of trading is not lost because another earns a little more.

use super::place::Place;
use super::plan::Search;
use super::state::{Candidate, State};
use assay_model::{Seed, Stream};

/// The best, whatever they are like.
const BEST: usize = 4;
/// Members at most; the best stay.
const MEMBERS_MAX: usize = 10;

/// A candidate of the archive.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// Which.
    pub place: Place,
    /// Mean points over the champion, which has 0.
    pub gain: f64,
    /// The same in each market.
    pub gains: Vec<f64>,
    cell: Option<(u8, u8)>,
    children: u32,
}

/// Everybody in the archive, best first.
#[must_use]
pub fn members(state: &State) -> Vec<Member> {
    let champion = state.champion();
    let member = |place: Place, candidate: &Candidate, gain: f64, gains: Vec<f64>| Member {
        place,
        gain,
        gains,
        cell: candidate.behaviour.as_ref().map(super::event::Behaviour::cell),
        children: candidate.children,
    };
    let met = state.candidates().iter().filter_map(|(place, candidate)| {
        let (gain, met) = candidate.gain?;
        (met == champion && *place != champion).then(|| member(*place, candidate, gain, candidate.gains.clone()))
    });
    let mut all: Vec<Member> = met.collect();
    let markets = all.iter().map(|one| one.gains.len()).max().unwrap_or(1);
    all.extend(state.candidates().get(&champion).map(|own| member(champion, own, 0.0, vec![0.0; markets])));
    all.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.place.cmp(&b.place)));
    let stays = |(rank, one): (usize, &Member)| {
        let leads_cell = one.cell.is_some() && all[..rank].iter().all(|other| other.cell != one.cell);
        rank < BEST || leads_cell || !all.iter().any(|other| beats(other, one)) || one.place == champion
    };
    let mut kept: Vec<Member> =
        all.iter().enumerate().filter(|entry| stays(*entry)).map(|(_, one)| one.clone()).collect();
    kept.truncate(MEMBERS_MAX);
    kept
}

/// Whether `a` is at least as good in every market, and better in one.
fn beats(a: &Member, b: &Member) -> bool {
    let pairs = || a.gains.iter().zip(&b.gains);
    pairs().all(|(a, b)| a >= b) && pairs().any(|(a, b)| a > b)
}

/// A parent: one of the archive, by rank, and less often those that were parents already.
#[must_use]
pub fn parent(state: &State, stream: &mut Stream) -> Place {
    let members = members(state);
    // By rank, and halved by the first child, divided by three by the second, and so on.
    let weights: Vec<f64> = members
        .iter()
        .enumerate()
        .map(|(rank, one)| 1.0 / (rank as f64 + 1.0) / (f64::from(one.children) + 1.0))
        .collect();
    let mut left = stream.unit() * weights.iter().sum::<f64>();
    for (weight, member) in weights.iter().zip(&members) {
        left -= weight;
        if left < 0.0 {
            return member.place;
        }
    }
    state.champion()
}

/// What a model's candidate at a place is made from.
#[must_use]
pub fn source(state: &State, place: Place) -> Place {
    match state.plan().search {
        Search::BestOfN => Place::ORIGIN,
        Search::Chain => state.champion(),
        Search::Evolve => parent(state, &mut Stream::new(Seed(state.seed()), &format!("slot {place}"), "parent")),
    }
}

/// The member that is best where `place` is behind: the one that has most over it in any market or, if none has anything, the best that trades in another
/// way. Nobody if there is none.
#[must_use]
pub fn complement(state: &State, place: Place) -> Option<Place> {
    let members = members(state);
    let own = members.iter().find(|one| one.place == place)?;
    let ahead = |one: &Member| {
        let differences = one.gains.iter().zip(&own.gains).map(|(other, own)| other - own);
        differences.fold(f64::NEG_INFINITY, f64::max)
    };
    let others = || members.iter().filter(|one| one.place != place);
    let best = others()
        .filter(|one| ahead(one) > 0.0)
        .max_by(|a, b| ahead(a).total_cmp(&ahead(b)).then(b.place.cmp(&a.place)));
    best.or_else(|| others().find(|one| one.cell != own.cell)).map(|one| one.place)
}
