//! Which model writes next, by what candidates of each have paid for what they cost, and what each way of asking has paid.
//!
//! Each model is a one-armed bandit (W. R. Thompson, Biometrika 25, 1933): a draw from what is believed of its pay-off, a Beta distribution, divided by the
//! square root of its relative cost; the highest draw writes. Draws are keyed by the slot, and only generations that are over are looked at, so the choice
//! is a function of the log.
//!
//! Invariants: what pays is the lower end of the interval of what a candidate has over the champion. Fresh seeds of a trial count before those of the
//! search; a veto, a failure, a duplicate or an unusable answer pay nothing; a candidate that differs in nothing that matters pays nothing; one that is only
//! noisy pays next to nothing; and no model gains more than a factor of two over another by being cheap.

use super::place::Place;
use super::plan::{Search, WriterPlan};
use super::purpose::Purpose;
use super::state::{Candidate, State};
use super::wager::certain;
use assay_model::{Seed, Stream};

/// The cheapest and the dearest that a model can be beside the mean of all: whoever is nearly free is drawn by twice the belief of a dear one, no more.
const PRICES: (f64, f64) = (0.5, 2.0);
/// Tries of a draw that succeeds in more than nine of ten.
const TRIES_MAX: usize = 100;

/// What a slot of a generation is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// A model improves the program.
    Improve,
    /// A model tries another idea than those before.
    Explore,
    /// A model makes it simpler.
    Simplify,
    /// A model mends its greatest weakness.
    Mend,
    /// A model or the tuner crosses two programs.
    Cross,
    /// The tuner draws from the whole ranges.
    Spread,
    /// The tuner looks near a good program.
    Near,
}

impl Operator {
    /// Those of models, in the order in which slots have them.
    pub const OF_MODELS: [Self; 5] = [Self::Improve, Self::Explore, Self::Simplify, Self::Mend, Self::Cross];

    /// What a model is asked for in a slot.
    #[must_use]
    pub const fn of_slot(slot: u32) -> Self {
        Self::OF_MODELS[slot as usize % Self::OF_MODELS.len()]
    }

    /// What a candidate is of.
    #[must_use]
    pub fn of(state: &State, place: Place, candidate: &Candidate) -> Self {
        let crosses = candidate.other.is_some();
        match &state.plan().writer {
            WriterPlan::Model(_) => {
                // Where there was nothing to cross with, the slot was asked to improve; of one that stayed empty nobody knows.
                let asked = Self::of_slot(place.slot);
                if asked == Self::Cross && !crosses && candidate.program.is_some() { Self::Improve } else { asked }
            }
            WriterPlan::Tuner { .. } if crosses => Self::Cross,
            WriterPlan::Tuner { .. } if candidate.parent.is_none() || state.plan().search == Search::BestOfN => {
                Self::Spread
            }
            WriterPlan::Tuner { .. } => Self::Near,
        }
    }

    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Improve => "improve",
            Self::Explore => "another idea",
            Self::Simplify => "simplify",
            Self::Mend => "mend",
            Self::Cross => "cross",
            Self::Spread => "spread",
            Self::Near => "look near",
        }
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
        Some(trial) if trial.veto.is_some() => 0.0,
        Some(trial) => certain(trial.pairs.iter().map(|pair| pair.0 - pair.1)),
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
        let name = Operator::of(state, *place, candidate).word();
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
    // Gains are as large as the strategy leaves room for: what the best one paid counts as 1.
    let most = arms.iter().map(|arm| arm.most).fold(f64::MIN_POSITIVE, f64::max);
    let mut best = (0, f64::NEG_INFINITY);
    for (index, (arm, price)) in (0..).zip(arms.iter().zip(prices(&arms))) {
        let paid = arm.payoff / most;
        let belief = beta(1.0 + paid, 1.0 + f64::from(arm.candidates) - paid, &mut stream);
        let worth = belief / price.sqrt();
        if worth > best.1 {
            best = (index, worth);
        }
    }
    best.0
}

/// What a candidate of each model costs beside the mean of all: in money if every model has a price, else in tokens.
fn prices(arms: &[Arm]) -> Vec<f64> {
    let tried = || arms.iter().filter(|arm| arm.candidates > 0);
    let by_money = tried().all(|arm| arm.microdollars > 0);
    let cost = |arm: &Arm| {
        let all = if by_money { arm.microdollars } else { arm.tokens };
        all as f64 / f64::from(arm.candidates.max(1))
    };
    let mean = tried().map(cost).sum::<f64>() / tried().count().max(1) as f64;
    let price = |arm: &Arm| {
        let is_known = arm.candidates > 0 && mean > 0.0;
        if is_known { (cost(arm) / mean).clamp(PRICES.0, PRICES.1) } else { 1.0 }
    };
    arms.iter().map(price).collect()
}

/// A draw from a Beta distribution with parameters of at least 1.
fn beta(a: f64, b: f64, stream: &mut Stream) -> f64 {
    let (a, b) = (gamma(a, stream), gamma(b, stream));
    a / (a + b)
}

/// A draw from a Gamma distribution of a shape of at least 1 (Marsaglia and Tsang, ACM Transactions on Mathematical Software 26, 2000).
fn gamma(shape: f64, stream: &mut Stream) -> f64 {
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
