//! One more episode to see where the fuel goes. Nothing of it is scored.

use crate::contender::{Contender, Infrastructure};
use crate::record::{FunctionRecord, ProfileRecord};
use assay_market::{Scenario, Until, simulate};
use assay_model::Seed;
use assay_sandbox::{Outcome, Profile};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Functions that a record keeps, those with the most fuel of their own first.
pub const PROFILED_FUNCTIONS_MAX: usize = 50;

/// Runs `contender`, which must be of a profiled program, once on `seed`. `None` after an interruption.
///
/// # Errors
/// [`Infrastructure`] when the host could not run it; says nothing about the strategy.
pub fn profile<C: Contender>(
    scenario: &Scenario,
    contender: &C,
    seed: Seed,
    cancel: &AtomicBool,
) -> Result<Option<Profile>, Infrastructure> {
    let mut trader = Until::new(contender.start(scenario.new_desk(seed))?, || cancel.load(Ordering::Relaxed));
    simulate(scenario, seed, &mut trader, &mut ());
    let Some(trader) = trader.into_finished() else { return Ok(None) };
    let verdict = contender.finish(trader);
    match verdict.outcome {
        Outcome::Infrastructure { what } => Err(Infrastructure { what }),
        _ => Ok(verdict.profile),
    }
}

impl ProfileRecord {
    /// The profile of `seed` by function.
    #[must_use]
    pub fn new(seed: Seed, profile: &Profile) -> Self {
        let mut functions: BTreeMap<&str, FunctionRecord> = BTreeMap::new();
        for (frame, total) in profile.frames.iter().zip(profile.totals()) {
            let callers = || std::iter::successors(frame.parent, |&parent| profile.frames[parent].parent);
            let function = functions.entry(&frame.name).or_insert_with(|| FunctionRecord {
                name: frame.name.clone(),
                calls: 0,
                fuel_self: 0,
                fuel_total: 0,
            });
            function.calls += frame.calls;
            function.fuel_self += frame.fuel;
            // A function that is called by itself counts once.
            if !callers().any(|caller| profile.frames[caller].name == frame.name) {
                function.fuel_total += total;
            }
        }
        let mut functions: Vec<_> =
            functions.into_values().filter(|function| function.calls + function.fuel_self > 0).collect();
        functions.sort_by(|a, b| (b.fuel_self, &a.name).cmp(&(a.fuel_self, &b.name)));
        let functions_omitted = functions.len().saturating_sub(PROFILED_FUNCTIONS_MAX) as u64;
        functions.truncate(PROFILED_FUNCTIONS_MAX);
        let fuel = profile.frames.iter().map(|frame| frame.fuel).sum();
        Self { seed: seed.0, fuel, functions, functions_omitted }
    }
}
