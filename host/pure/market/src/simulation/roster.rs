//! Who takes part.

use assay_model::{Nanos, Seed, Time};

use super::crowds::crowds;
use super::names::Names;
use super::network::Network;
use crate::AgentIndex;
use crate::scenario::Scenario;

/// What chance has given one participant of an episode before anything happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RosterEntry {
    /// Its name.
    pub name: String,
    /// Its least one-way latency to the exchange.
    pub latency: Nanos,
    /// Its first wake-up; none if that is after the close, and none for recorded participants and for strategies, which have ticks instead.
    pub first_wake: Option<Time>,
}

/// Everyone who takes part in the episode of `seed` with `strategies` strategies, in the order of their indices.
#[must_use]
pub fn roster(scenario: &Scenario, seed: Seed, seats: usize) -> Vec<RosterEntry> {
    let mut network = Network::new(scenario, Names::new(scenario, seed), seats);
    let (_, mut first_wakes) = crowds(scenario, &mut network.names);
    first_wakes.resize(scenario.trader().0 as usize + seats, None);
    let recorded = scenario.recorded();
    let entries = first_wakes.into_iter().zip(0..).map(|(first_wake, index)| {
        let agent = AgentIndex(index);
        // Recorded times are the exchange's.
        let latency = if recorded.contains(&index) { Nanos(0) } else { network.latency(agent) };
        RosterEntry { name: scenario.agent_name(agent), latency, first_wake }
    });
    entries.collect()
}
