//! Who takes part, and under which name their random streams are keyed.

use assay_model::{Nanos, Seed, Stream, SymbolIndex, Time};
use std::fmt::Write as _;

use super::crowds::crowds;
use super::network::Network;
use crate::AgentIndex;
use crate::scenario::{AgentGroup, Prefix, Scenario};

/// The owner of random streams.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) seed: Seed,
    pub(crate) name: &'a str,
}

impl Owner<'_> {
    /// The owner's stream for `purpose`.
    pub(crate) fn stream(self, purpose: &str) -> Stream {
        Stream::new(self.seed, self.name, purpose)
    }
}

/// Makes names when they are needed, in one buffer: a name is needed only to key a stream.
pub(super) struct Names<'s> {
    pub(super) seed: Seed,
    scenario: &'s Scenario,
    buffer: String,
}

impl<'s> Names<'s> {
    pub(super) fn new(scenario: &'s Scenario, seed: Seed) -> Self {
        Self { seed, scenario, buffer: String::new() }
    }

    /// Calls `with` with agent `number` of `group` as an owner of streams.
    pub(super) fn of<R>(
        &mut self,
        symbol: SymbolIndex,
        group: &AgentGroup,
        number: u32,
        with: impl FnOnce(Owner<'_>) -> R,
    ) -> R {
        self.buffer.clear();
        // Writing to a string cannot fail.
        let _ = write!(self.buffer, "{}{}-{number}", Prefix(self.scenario.other(symbol)), group.name);
        with(Owner { seed: self.seed, name: &self.buffer })
    }

    /// Calls `with` with the agent as an owner of streams.
    pub(super) fn with<R>(&mut self, agent: AgentIndex, with: impl FnOnce(Owner<'_>) -> R) -> R {
        match self.scenario.group_of(agent) {
            Some((symbol, group, number)) => self.of(symbol, group, number, with),
            None => with(Owner { seed: self.seed, name: &self.scenario.agent_name(agent) }),
        }
    }
}

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
