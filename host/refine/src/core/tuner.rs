//! The writer that is no model: it draws values for declared parameters.
//!
//! The first generation spreads over the whole ranges (a Latin hypercube, Technometrics 21, 1979); later ones look near good parents, in steps that shrink,
//! cross two parents in one slot of four, and go on spreading with every other slot. Ranges are walked in equal differences or equal factors, as declared.

use super::archive::{complement, parent};
use super::event::Program;
use super::place::Place;
use super::plan::{Search, Tunable};
use super::state::State;
use assay_model::{Seed, Stream};

/// The first step, as a part of the range, and what each generation leaves of it.
const STEP: f64 = 0.2;
const STEP_KEPT: f64 = 0.75;
/// The least step.
const STEP_MIN: f64 = 0.02;
/// How likely a parameter is changed.
const CHANGED: f64 = 0.6;
/// One slot in this number crosses two parents.
const CROSSED_ONE_IN: u32 = 4;

/// What the tuner puts into a slot.
#[derive(Clone, PartialEq, Debug)]
pub struct Proposal {
    /// The values.
    pub values: Vec<f64>,
    /// What they come from, if from anything.
    pub parent: Option<Place>,
    /// What that was crossed with.
    pub other: Option<Place>,
    /// In words.
    pub idea: String,
}

/// See the module documentation.
#[must_use]
pub fn propose(state: &State, place: Place, tunables: &[Tunable]) -> Proposal {
    let mut stream = Stream::new(Seed(state.seed()), &format!("slot {place}"), "tuner");
    let search = state.plan().search;
    let spreads = match search {
        Search::BestOfN => true,
        Search::Chain => false,
        Search::Evolve => place.generation == 1 || place.slot % 2 == 1,
    };
    let (values, parent, other) = if spreads {
        let values = tunables.iter().enumerate().map(|(index, tunable)| {
            let unit = if place.generation == 1 { cell(state, place, index, &mut stream) } else { stream.unit() };
            tunable.at(unit)
        });
        (values.collect(), None, None)
    } else {
        let parent = match search {
            Search::Evolve => parent(state, &mut stream),
            Search::Chain | Search::BestOfN => state.champion(),
        };
        let own = settings(state, parent, tunables);
        let crosses = search == Search::Evolve && place.slot % CROSSED_ONE_IN == 2;
        let other = if crosses { complement(state, parent) } else { None };
        let values = other.and_then(|other| crossed(&own, &settings(state, other, tunables), &mut stream));
        match values {
            Some(values) => (values, Some(parent), other),
            None => (near(&own, place, tunables, &mut stream), Some(parent), None),
        }
    };
    let named: Vec<String> =
        tunables.iter().zip(&values).map(|(tunable, value)| format!("{} = {value}", tunable.name)).collect();
    Proposal { values, parent, other, idea: named.join(", ") }
}

/// What a candidate's parameters are set to.
#[must_use]
pub fn settings(state: &State, place: Place, tunables: &[Tunable]) -> Vec<f64> {
    match state.candidates().get(&place).and_then(|candidate| candidate.program.as_ref()) {
        Some(Program::Settings(values)) if values.len() == tunables.len() => values.clone(),
        _ => tunables.iter().map(|tunable| tunable.default).collect(),
    }
}

/// A place in this slot's cell of the hypercube: each parameter's range is cut into as many cells as there are slots, and no two slots share one.
fn cell(state: &State, place: Place, parameter: usize, stream: &mut Stream) -> f64 {
    let width = state.plan().rules.width.max(1);
    let mut cells: Vec<u32> = (0..width).collect();
    let mut order = Stream::new(Seed(state.seed()), &format!("parameter {parameter}"), "hypercube");
    for last in (1..cells.len()).rev() {
        cells.swap(last, order.below(last as u64 + 1) as usize);
    }
    let cell = cells.get(place.slot as usize).copied().unwrap_or(0);
    (f64::from(cell) + stream.unit()) / f64::from(width)
}

/// Each value from one of two parents, and at least one from each if they differ in two. `None` if nothing new comes of it.
fn crossed(a: &[f64], b: &[f64], stream: &mut Stream) -> Option<Vec<f64>> {
    let differ: Vec<usize> = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b).map(|(index, _)| index).collect();
    if differ.len() < 2 {
        return None;
    }
    let mut taken: Vec<bool> = differ.iter().map(|_| stream.unit() < 0.5).collect();
    if taken.iter().all(|one| *one == taken[0]) {
        let changed = stream.below(taken.len() as u64) as usize;
        taken[changed] = !taken[changed];
    }
    let mut values = a.to_vec();
    for (index, _) in differ.iter().zip(&taken).filter(|(_, taken)| **taken) {
        values[*index] = b[*index];
    }
    Some(values)
}

/// Values near a parent's. At least one differs.
fn near(parent: &[f64], place: Place, tunables: &[Tunable], stream: &mut Stream) -> Vec<f64> {
    let shrunk = libm::pow(STEP_KEPT, f64::from(place.generation.saturating_sub(1)));
    let step = (STEP * shrunk).max(STEP_MIN);
    let certain = stream.below(tunables.len() as u64) as usize;
    let values = parent.iter().zip(tunables).enumerate().map(|(index, (value, tunable))| {
        let (draw, shift) = (stream.unit(), stream.normal());
        if index != certain && draw >= CHANGED {
            return *value;
        }
        let moved = tunable.at((tunable.unit(*value) + step * shift).clamp(0.0, 1.0));
        if moved == *value && tunable.is_integer {
            // A step too small for whole numbers is one.
            return (value + if shift < 0.0 { -1.0 } else { 1.0 }).clamp(tunable.low, tunable.high);
        }
        moved
    });
    values.collect()
}

impl Tunable {
    /// The value at a part of the range, from 0 to 1, with four significant digits, so that it can be read in a source.
    #[must_use]
    pub fn at(&self, unit: f64) -> f64 {
        let value = if self.is_logarithmic {
            let (low, high) = (libm::log(self.low), libm::log(self.high));
            libm::exp(low + unit * (high - low))
        } else {
            self.low + unit * (self.high - self.low)
        };
        let value = if self.is_integer { libm::round(value) } else { significant(value) };
        value.clamp(self.low, self.high)
    }

    /// Where in the range a value lies.
    #[must_use]
    pub fn unit(&self, value: f64) -> f64 {
        if self.is_logarithmic {
            let (low, high) = (libm::log(self.low), libm::log(self.high));
            (libm::log(value) - low) / (high - low)
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}

/// Rounded to four significant digits.
fn significant(value: f64) -> f64 {
    // Writing and reading is the rounding that gives the number somebody would write.
    format!("{value:.3e}").parse().unwrap_or(value)
}
