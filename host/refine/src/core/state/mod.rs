//! The state of a session: the fold of its events.
//!
//! Invariant: [`State::apply`] is the only way to change it, and refuses an event that cannot come next, so a log that folds is one that a session
//! could have written.

mod take;

use crate::core::event::{Behaviour, Body, End, Event, Judged, Planned, Pooled, Program};
use crate::core::node::Visit;
use crate::core::operator::Operator;
use crate::core::place::Place;
use crate::core::plan::{Cost, POOLED_SINCE, Plan, Rules};
use crate::core::purpose::Purpose;
use crate::core::wager::Wager;
use std::collections::{BTreeMap, BTreeSet};

/// Why an event cannot come next.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("event {seq} cannot come here: {why}")]
pub struct Misplaced {
    /// Its number.
    pub seq: u64,
    /// What is wrong.
    pub why: &'static str,
}

/// See the module documentation.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    plan: Plan,
    seed: u64,
    seq: u64,
    at_ms: u64,
    candidates: BTreeMap<Place, Candidate>,
    replies: BTreeMap<(Place, u32), Reply>,
    operators: BTreeMap<Place, Operator>,
    open: Vec<Visit>,
    left: BTreeSet<Visit>,
    champion: Place,
    generation: u32,
    trials: Vec<Trial>,
    since_gain: u32,
    hints: Vec<String>,
    planned: Option<Planned>,
    judged: BTreeMap<u32, Judged>,
    spent: Spent,
    may_unseal: bool,
    sealed: Option<Vec<(f64, f64)>>,
    sealed_pooled: Option<Pooled>,
    family: Vec<Vec<(f64, f64)>>,
    ended: Option<End>,
}

/// A slot that has been filled, or was left empty.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Candidate {
    /// What it was made from.
    pub parent: Option<Place>,
    /// What it was crossed with.
    pub other: Option<Place>,
    /// What it is; `None` for a slot of which nothing came.
    pub program: Option<Program>,
    /// What it tries, or why there is none; not trusted.
    pub idea: String,
    /// Equal for equal orders, once it has been probed.
    pub print: Option<String>,
    /// Why it is out of the race.
    pub out: Option<String>,
    /// How it trades, once it has been probed.
    pub behaviour: Option<Behaviour>,
    /// Points on the search blocks of its generation.
    pub points: Vec<f64>,
    /// The same in each market, where there are several.
    pub by_market: Vec<Vec<f64>>,
    /// Its mean points less those of the champion on the same blocks, and that champion.
    pub gain: Option<(f64, Place)>,
    /// The same in each market; its gain alone where there is one.
    pub gains: Vec<f64>,
    /// What it has over the champion that it met at least, by the 95% interval, on seeds of the search; not below 0.
    pub edge: f64,
    /// How often it was a parent.
    pub children: u32,
    /// Whether its writer changed the draft on looking it over; `None` if it did not look.
    pub revised: Option<bool>,
}

/// A request to a model, with its reply once there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// BLAKE3 of the reply, which names its file; `None` while there is no answer.
    pub hash: Option<String>,
    /// Why there is none, where nobody asks again.
    pub why: Option<String>,
    /// Which of the writing models was asked.
    pub model: u32,
    /// Tokens of input and output.
    pub tokens: u64,
    /// Micro-dollars.
    pub microdollars: u64,
}

/// A promotion trial.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// The challenger.
    pub candidate: Place,
    /// Who was champion then.
    pub champion: Place,
    /// Points of challenger and champion in each block.
    pub pairs: Vec<(f64, f64)>,
    /// The bets on their differences.
    pub wager: Wager,
    /// The veto of the score that the challenger met in a block.
    pub veto: Option<String>,
    /// What many seeds together say, once its blocks have won.
    pub pooled: Option<Pooled>,
    /// What became of it.
    pub promoted: Option<bool>,
}

impl Trial {
    /// Whether the challenger has won its blocks, if an e-value of `needed` is asked of it.
    pub(crate) fn has_blocks(&self, needed: f64) -> bool {
        let is_ahead = self.pairs.iter().map(|(challenger, champion)| challenger - champion).sum::<f64>() > 0.0;
        self.wager.wealth() >= needed && is_ahead && self.veto.is_none()
    }

    /// Whether it has won its blocks, and many seeds together have still to agree.
    pub(crate) fn awaits_seeds(&self, needed: f64, rules: &Rules) -> bool {
        rules.pooled_blocks > 0 && self.pooled.is_none() && self.has_blocks(needed)
    }

    /// Whether it has won altogether. Blocks have ends to their points, so a large loss costs a block little: many seeds together must agree.
    pub(crate) fn is_won(&self, needed: f64, rules: &Rules) -> bool {
        let agrees = rules.pooled_blocks == 0 || self.pooled.as_ref().is_some_and(Pooled::is_ahead);
        self.has_blocks(needed) && agrees
    }

    /// The veto that the challenger met anywhere.
    #[must_use]
    pub fn any_veto(&self) -> Option<&str> {
        self.veto.as_deref().or_else(|| self.pooled.as_ref()?.veto.as_deref())
    }
}

/// What was spent on models.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Spent {
    /// Replies.
    pub replies: u64,
    /// Tokens of input and output.
    pub tokens: u64,
    /// Micro-dollars.
    pub microdollars: u64,
    /// Requests that were in flight when their process ended: they may have been paid.
    pub lost: u64,
}

impl Spent {
    /// Tokens and money.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        Cost { tokens: self.tokens, microdollars: self.microdollars }
    }
}

impl State {
    /// What the first event makes.
    ///
    /// # Errors
    /// [`Misplaced`] if it is not the first event of a session.
    pub fn begin(event: &Event) -> Result<Self, Misplaced> {
        let Body::Began { plan } = &event.body else {
            return Err(Misplaced { seq: event.seq, why: "a session begins with its plan" });
        };
        if event.seq != 1 {
            return Err(Misplaced { seq: event.seq, why: "the first event has number 1" });
        }
        let (rules, ours) = (&plan.rules, Rules::default());
        let is_weaker = rules.pooled_blocks < ours.pooled_blocks || rules.alpha > ours.alpha;
        if plan.rules_version >= POOLED_SINCE && is_weaker {
            return Err(Misplaced { seq: event.seq, why: "rules of this version promote on more evidence" });
        }
        Ok(Self {
            seed: plan.seed,
            plan: (**plan).clone(),
            seq: 1,
            at_ms: event.at_ms,
            candidates: BTreeMap::new(),
            replies: BTreeMap::new(),
            operators: BTreeMap::new(),
            open: Vec::new(),
            left: BTreeSet::new(),
            champion: Place::ORIGIN,
            generation: 0,
            trials: Vec::new(),
            since_gain: 0,
            hints: Vec::new(),
            planned: None,
            judged: BTreeMap::new(),
            spent: Spent::default(),
            may_unseal: true,
            sealed: None,
            sealed_pooled: None,
            family: Vec::new(),
            ended: None,
        })
    }

    /// Folds a whole log.
    ///
    /// # Errors
    /// [`Misplaced`] for the first event that cannot come where it is. `None` of an empty log.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Option<Self>, Misplaced> {
        let mut state = None;
        for event in events {
            match &mut state {
                None => state = Some(Self::begin(event)?),
                Some(state) => state.apply(event)?,
            }
        }
        Ok(state)
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// [`Misplaced`]; the state is then not to be used any more.
    pub fn apply(&mut self, event: &Event) -> Result<(), Misplaced> {
        let misplaced = |why| Misplaced { seq: event.seq, why };
        if event.seq != self.seq + 1 {
            return Err(misplaced("its number is not the next"));
        }
        if self.ended.is_some() && !matches!(event.body, Body::Forked { .. }) {
            return Err(misplaced("the session is over"));
        }
        self.take(&event.body).map_err(misplaced)?;
        self.seq = event.seq;
        self.at_ms = self.at_ms.max(event.at_ms);
        Ok(())
    }
}

/// What the state says.
impl State {
    /// What the session set out to do.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }
    /// What draws are keyed by: the plan's seed, or a fork's own.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }
    /// Number of the last event.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }
    /// Milliseconds of work so far.
    #[must_use]
    pub const fn at_ms(&self) -> u64 {
        self.at_ms
    }
    /// Every slot that has been dealt with.
    #[must_use]
    pub const fn candidates(&self) -> &BTreeMap<Place, Candidate> {
        &self.candidates
    }
    /// The best one that is proven, or the origin.
    #[must_use]
    pub const fn champion(&self) -> Place {
        self.champion
    }
    /// The open generation.
    #[must_use]
    pub const fn generation(&self) -> u32 {
        self.generation
    }
    /// Every promotion trial.
    #[must_use]
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }
    /// Generations since the last promotion.
    #[must_use]
    pub const fn since_gain(&self) -> u32 {
        self.since_gain
    }
    /// What people hinted at.
    #[must_use]
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
    /// What came of asking for markets, if somebody was asked.
    #[must_use]
    pub const fn planned(&self) -> Option<&Planned> {
        self.planned.as_ref()
    }
    /// What a model thought of the challenger of a trial, counted from 1.
    #[must_use]
    pub fn judged(&self, trial: u32) -> Option<&Judged> {
        self.judged.get(&trial)
    }
    /// How many verdicts there are, and how many of them recommended what was decided.
    #[must_use]
    pub fn agreement(&self) -> (usize, usize) {
        let said = self.judged.values().filter_map(|judged| judged.agreed);
        said.fold((0, 0), |(all, agreed), one| (all + 1, agreed + usize::from(one)))
    }
    /// What was spent on models.
    #[must_use]
    pub const fn spent(&self) -> Spent {
        self.spent
    }
    /// Whether the sealed seeds are still there to be used.
    #[must_use]
    pub const fn may_unseal(&self) -> bool {
        self.may_unseal && self.sealed.is_none()
    }
    /// Points of champion and origin in each sealed block.
    #[must_use]
    pub fn sealed(&self) -> Option<&[(f64, f64)]> {
        self.sealed.as_deref()
    }
    /// Champion and origin over all sealed seeds together.
    #[must_use]
    pub const fn sealed_pooled(&self) -> Option<&Pooled> {
        self.sealed_pooled.as_ref()
    }
    /// Points of champion and origin in each block of each market of the family.
    #[must_use]
    pub fn family(&self) -> &[Vec<(f64, f64)>] {
        &self.family
    }
    /// Why it is over, if it is.
    #[must_use]
    pub const fn ended(&self) -> Option<End> {
        self.ended
    }
    /// The nodes that have begun and not ended, the innermost one last.
    #[must_use]
    pub fn open(&self) -> &[Visit] {
        &self.open
    }
    /// Whether a visit has begun, be it over or not: it is not begun again. Of those that other events end, only the ones that are not over are known.
    #[must_use]
    pub fn has_begun(&self, visit: Visit) -> bool {
        self.open.contains(&visit) || self.left.contains(&visit)
    }
    /// What a slot was asked for, if it was begun and the log says so.
    #[must_use]
    pub fn operator(&self, place: Place) -> Option<Operator> {
        self.operators.get(&place).copied()
    }
    /// Every request for a candidate by its number, in order.
    pub fn requests(&self, candidate: Place) -> impl Iterator<Item = (u32, &Reply)> {
        let all = self.replies.range((candidate, 0)..=(candidate, u32::MAX));
        all.map(|((_, attempt), reply)| (*attempt, reply))
    }
    /// What a request for this purpose to one of the writing models, or to the helper, has taken so far, on average; nothing before its first reply.
    #[must_use]
    pub fn usual_cost(&self, purpose: Purpose, model: u32) -> Cost {
        let answered = self.replies.iter().filter(|((_, attempt), reply)| {
            Purpose::of(*attempt) == purpose && reply.model == model && reply.hash.is_some()
        });
        let (mut count, mut total) = (0, Cost::default());
        for (_, reply) in answered {
            count += 1;
            total.tokens = total.tokens.saturating_add(reply.tokens);
            total.microdollars = total.microdollars.saturating_add(reply.microdollars);
        }
        Cost {
            tokens: total.tokens.checked_div(count).unwrap_or(0),
            microdollars: total.microdollars.checked_div(count).unwrap_or(0),
        }
    }
    /// Whether a request for a candidate has no answer yet, and which: the newest of this purpose.
    #[must_use]
    pub fn open_request(&self, candidate: Place, purpose: Purpose) -> Option<(u32, &Reply)> {
        self.requests(candidate)
            .filter(|(attempt, reply)| Purpose::of(*attempt) == purpose && reply.hash.is_none())
            .last()
    }
    /// What came of a request, if that is known.
    #[must_use]
    pub fn answered(&self, candidate: Place, attempt: u32) -> Option<&Reply> {
        self.replies.get(&(candidate, attempt)).filter(|reply| reply.hash.is_some())
    }
}

/// The mean; 0 of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}
