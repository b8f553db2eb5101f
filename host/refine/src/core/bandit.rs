//! Which model writes next and what it is asked for, by what candidates of each have paid for what they cost.
//!
//! Each model, and each thing to ask for, is a one-armed bandit (W. R. Thompson, Biometrika 25, 1933): a draw from what is believed of its pay-off, a Beta
//! distribution, divided by its relative cost; the highest draw has the slot. Draws are keyed by the slot, and only generations that are
//! over are looked at, so the choice is a function of the log. The tuner's operators cost nothing and go in turn: what spreading finds is not paid to looking
//! near, and the other way round.
//!
//! Invariants: what pays is the lower end of the interval of what a candidate has over the champion. Fresh seeds of a trial count before those of the
//! search; a veto, a failure, a duplicate or an unusable answer pay nothing; a candidate that differs in nothing that matters pays nothing; one that is only
//! noisy pays next to nothing; none gains more than the root of two by being cheap, and one that has paid nothing gains nothing by it; and
//! each has a share of the slots that nothing takes away.

use super::archive::{complement, source};
use super::operator::Operator;
use super::place::Place;
use super::plan::{Search, WriterPlan};
use super::purpose::Purpose;
use super::state::{Candidate, State};
use super::wager::certain;
use assay_model::{Seed, Stream};

/// The cheapest and the dearest that one can be beside the others.
const PRICES: (f64, f64) = (0.5, 2.0);
/// What is believed of both parameters of an arm's distribution before it was tried (H. Jeffreys, Proceedings of the Royal Society A 186, 1946).
const PRIOR: f64 = 0.5;
/// The part of the slots that each has, whatever it paid.
const SHARE_MIN: f64 = 0.04;
/// Tries of a draw that succeeds in more than nine of ten.
const TRIES_MAX: usize = 100;

/// What a candidate is of.
#[must_use]
pub fn operator_of(state: &State, place: Place, candidate: &Candidate) -> Operator {
    let crosses = candidate.other.is_some();
    match &state.plan().writer {
        WriterPlan::Model(_) => {
            let asked = state.operator(place).unwrap_or_else(|| Operator::of_slot(place.slot));
            // Where there was nothing to cross with, the slot was asked to improve; of one that stayed empty nobody knows.
            let improves = asked == Operator::Cross && !crosses && candidate.program.is_some();
            if improves { Operator::Improve } else { asked }
        }
        WriterPlan::Tuner { .. } if crosses => Operator::Cross,
        WriterPlan::Tuner { .. } if candidate.parent.is_none() || state.plan().search == Search::BestOfN => {
            Operator::Spread
        }
        WriterPlan::Tuner { .. } => Operator::Near,
    }
}

/// What candidates of one kind paid and cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    /// The model or the operator.
    pub name: String,
    /// Candidates that were asked for, those of which nothing came included.
    pub candidates: u32,
    /// How many of them became champion.
    pub champions: u32,
    /// What they paid in all, in points; 1 at most for each.
    pub payoff: f64,
    /// The most that one of them paid.
    pub most: f64,
    /// Tokens for writing and reviewing them.
    pub tokens: u64,
    /// The same in micro-dollars.
    pub microdollars: u64,
}

impl Arm {
    const fn new(name: String) -> Self {
        Self { name, candidates: 0, champions: 0, payoff: 0.0, most: 0.0, tokens: 0, microdollars: 0 }
    }

    fn add(&mut self, state: &State, place: Place, candidate: &Candidate) {
        self.candidates += 1;
        let paid = payoff(state, place, candidate);
        (self.payoff, self.most) = (self.payoff + paid, self.most.max(paid));
        let won = state.trials().iter().any(|trial| trial.candidate == place && trial.promoted == Some(true));
        self.champions += u32::from(won);
        for (attempt, reply) in state.requests(place) {
            if matches!(Purpose::of(attempt), Purpose::Writing | Purpose::Reviewing) {
                self.tokens += reply.tokens;
                self.microdollars += reply.microdollars;
            }
        }
    }

    /// What a candidate paid on average; 0 of none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.payoff / f64::from(self.candidates.max(1))
    }
}

/// What a candidate paid: what it has over the champion for certain, on fresh seeds if it met the champion there.
#[must_use]
pub fn payoff(state: &State, place: Place, candidate: &Candidate) -> f64 {
    if candidate.out.is_some() {
        return 0.0;
    }
    match state.trials().iter().find(|trial| trial.candidate == place) {
        Some(trial) if trial.any_veto().is_some() => 0.0,
        Some(trial) => {
            let in_blocks = certain(trial.pairs.iter().map(|pair| pair.0 - pair.1));
            let pooled = trial.pooled.as_ref().map_or(in_blocks, |pooled| pooled.at_least.max(0.0));
            in_blocks.min(pooled)
        }
        None => candidate.edge,
    }
}

/// The model that a slot was asked of, if it was.
fn model_of(state: &State, place: Place) -> Option<u32> {
    let mut asked = state.requests(place).filter(|(attempt, _)| Purpose::of(*attempt) == Purpose::Writing);
    asked.next().map(|(_, reply)| reply.model)
}

/// What the candidates before a generation paid, by the model that was asked for them.
#[must_use]
pub fn by_model(state: &State, before: u32) -> Vec<Arm> {
    let Some(models) = state.plan().writer.models() else { return Vec::new() };
    let mut arms: Vec<Arm> = models.writers().map(|name| Arm::new(name.to_owned())).collect();
    for (place, candidate) in tried(state, before) {
        if let Some(arm) = model_of(state, *place).and_then(|model| arms.get_mut(model as usize)) {
            arm.add(state, *place, candidate);
        }
    }
    arms
}

/// What the candidates before a generation paid, by what was asked for.
#[must_use]
pub fn by_operator(state: &State, before: u32) -> Vec<Arm> {
    let mut arms: Vec<Arm> = Vec::new();
    for (place, candidate) in tried(state, before) {
        let name = operator_of(state, *place, candidate).word();
        let known = arms.iter().position(|arm| arm.name == name);
        let index = known.unwrap_or_else(|| {
            arms.push(Arm::new(name.to_owned()));
            arms.len() - 1
        });
        arms[index].add(state, *place, candidate);
    }
    arms
}

fn tried(state: &State, before: u32) -> impl Iterator<Item = (&Place, &Candidate)> {
    state.candidates().iter().filter(move |(place, _)| (1..before).contains(&place.generation))
}

/// The model that fills a slot: its number among those that may write.
#[must_use]
pub fn choose(state: &State, place: Place) -> u32 {
    // In a fork, a slot may have been asked for already.
    if let Some(model) = model_of(state, place) {
        return model;
    }
    let arms = by_model(state, place.generation);
    if arms.len() < 2 {
        return 0;
    }
    let mut stream = Stream::new(Seed(state.seed()), &format!("slot {place}"), "model");
    drawn(&arms, &mut stream) as u32
}

/// What a slot is asked for; nothing where no model writes. The first generation has them in turn; later ones draw, as they draw models.
#[must_use]
pub fn choose_operator(state: &State, place: Place) -> Option<Operator> {
    // A slot that was begun keeps what it was asked for, in a fork too.
    if let Some(known) = state.operator(place) {
        return Some(known);
    }
    state.plan().writer.models().filter(|_| place != Place::ORIGIN)?;
    let crosses = state.plan().search == Search::Evolve && complement(state, source(state, place)).is_some();
    let offered: Vec<Operator> =
        Operator::OF_MODELS.into_iter().filter(|operator| crosses || *operator != Operator::Cross).collect();
    if place.generation < 2 {
        let asked = Operator::of_slot(place.slot);
        return Some(if offered.contains(&asked) { asked } else { Operator::Improve });
    }
    let known = by_operator(state, place.generation);
    let arm = |operator: &Operator| {
        let found = known.iter().find(|arm| arm.name == operator.word());
        found.cloned().unwrap_or_else(|| Arm::new(operator.word().to_owned()))
    };
    let arms: Vec<Arm> = offered.iter().map(arm).collect();
    let mut stream = Stream::new(Seed(state.seed()), &format!("slot {place}"), "operator");
    offered.get(drawn(&arms, &mut stream)).copied()
}

/// The arm that is drawn: its place among them.
fn drawn(arms: &[Arm], stream: &mut Stream) -> usize {
    if arms.is_empty() {
        return 0;
    }
    if stream.unit() < SHARE_MIN * arms.len() as f64 {
        return stream.below(arms.len() as u64) as usize;
    }
    // Gains are as large as the strategy leaves room for: what the best one paid counts as 1.
    let most = arms.iter().map(|arm| arm.most).fold(f64::MIN_POSITIVE, f64::max);
    let mut best = (0, f64::NEG_INFINITY);
    for (index, (arm, price)) in arms.iter().zip(prices(arms)).enumerate() {
        let paid = arm.payoff / most;
        let belief = beta(PRIOR + paid, PRIOR + f64::from(arm.candidates) - paid, stream);
        // Being dear counts at once; being cheap counts half, and only as far as something was paid.
        let weight = if price < 1.0 { paid / (1.0 + paid) / 2.0 } else { 1.0 };
        let worth = belief / libm::pow(price, weight);
        if worth > best.1 {
            best = (index, worth);
        }
    }
    best.0
}

/// What a candidate of each costs beside those that paid, each counted by what it paid: in money if all of those have a price, else in tokens. As long as
/// nobody has paid, nobody is dear or cheap.
fn prices(arms: &[Arm]) -> Vec<f64> {
    let paying = || arms.iter().filter(|arm| arm.payoff > 0.0);
    let by_money = paying().all(|arm| arm.microdollars > 0);
    let cost = |arm: &Arm| {
        let all = if by_money { arm.microdollars } else { arm.tokens };
        all as f64 / f64::from(arm.candidates.max(1))
    };
    let usual = paying().map(|arm| arm.payoff * cost(arm)).sum::<f64>() / paying().map(|arm| arm.payoff).sum::<f64>();
    let price = |arm: &Arm| {
        let is_known = arm.candidates > 0 && usual > 0.0;
        if is_known { (cost(arm) / usual).clamp(PRICES.0, PRICES.1) } else { 1.0 }
    };
    arms.iter().map(price).collect()
}

/// A draw from a Beta distribution.
fn beta(a: f64, b: f64, stream: &mut Stream) -> f64 {
    let (a, b) = (gamma(a, stream), gamma(b, stream));
    a / (a + b)
}

/// A draw from a Gamma distribution (Marsaglia and Tsang, ACM Transactions on Mathematical Software 26, 2000).
fn gamma(shape: f64, stream: &mut Stream) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, stream) * libm::pow(stream.unit(), 1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    for _ in 0..TRIES_MAX {
        let (x, unit) = (stream.normal(), stream.unit());
        let v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
        if v > 0.0 && libm::log(unit) < 0.5 * x * x + d * (1.0 - v + libm::log(v)) {
            return d * v;
        }
    }
    d
}
