//! Under which name each participant's random streams are keyed.

use assay_model::{Seed, SymbolIndex};
use std::fmt::Write as _;

use crate::AgentIndex;
use crate::owner::Owner;
use crate::scenario::{AgentGroup, Prefix, Scenario};

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
