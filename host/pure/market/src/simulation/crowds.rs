//! The background agents: each group in a row of its own, one beside the other.

use assay_model::{SymbolIndex, Time};

use super::agents::{
    Agent, Dealer, Execution, Hawkes, Hours, Informed, MarketMaker, Metaorder, Momentum, Noise, Spoofer, Value,
    ValueGroup,
};
use super::context::Context;
use super::message::Message;
use super::names::Names;
use crate::AgentIndex;
use crate::owner::Owner;
use crate::scenario::{AgentGroup, AgentKind, Prefix, Scenario, SizeRange};

/// The agents of one group.
pub(super) struct Crowd<'s> {
    /// What they trade.
    pub(super) symbol: SymbolIndex,
    pub(super) own_size: Option<SizeRange>,
    /// The others follow it.
    pub(super) first: AgentIndex,
    agents: Box<dyn Agents + 's>,
}

/// Agents of one kind, by number.
trait Agents {
    fn take(&mut self, number: usize, message: Message, context: &mut Context<'_, '_>);
    fn look(&self, number: usize);
    fn imbalance_thresholds(&self) -> Vec<Option<f64>>;
    fn hear_trades(&self) -> Vec<bool>;
}

impl<A: Agent> Agents for Vec<A> {
    fn take(&mut self, number: usize, message: Message, context: &mut Context<'_, '_>) {
        let agent = &mut self[number];
        match message {
            Message::Wake => agent.wake(context),
            Message::Update(update) => agent.update(context, &update),
            Message::Snapshot(snapshot) => agent.snapshot(context, &snapshot),
            Message::Imbalance => agent.imbalance(context),
            // Only the strategy is sent market data.
            Message::MarketData(_) => {}
        }
    }

    fn look(&self, number: usize) {
        self[number].look();
    }

    fn imbalance_thresholds(&self) -> Vec<Option<f64>> {
        self.iter().map(Agent::imbalance_threshold).collect()
    }

    fn hear_trades(&self) -> Vec<bool> {
        self.iter().map(Agent::hears_trades).collect()
    }
}

impl Crowd<'_> {
    /// Hands a message to the context's agent, which must be one of these.
    pub(super) fn take(&mut self, message: Message, context: &mut Context<'_, '_>) {
        self.agents.take((context.agent.0 - self.first.0) as usize, message, context);
    }

    /// Reads the state of one of these, so that it is near when the agent acts.
    pub(super) fn look(&self, agent: AgentIndex) {
        self.agents.look((agent.0 - self.first.0) as usize);
    }

    /// Those who watch for a one-sided book, each with the imbalance from which it wants to be told.
    pub(super) fn watchers(&self) -> impl Iterator<Item = (AgentIndex, f64)> {
        let thresholds = self.agents.imbalance_thresholds().into_iter().zip(self.first.0..);
        thresholds.filter_map(|(threshold, agent)| Some((AgentIndex(agent), threshold?)))
    }
}

impl Crowd<'_> {
    /// Those who are told of each trade.
    pub(super) fn listeners(&self) -> impl Iterator<Item = AgentIndex> {
        let hear = self.agents.hear_trades().into_iter().zip(self.first.0..);
        hear.filter_map(|(hears, agent)| hears.then_some(AgentIndex(agent)))
    }
}

/// Every background agent by group, and by agent the first wake-up; one that is not before the latest close does not happen. That is the close that they
/// know: when the market really closes changes none of their draws.
pub(super) fn crowds<'s>(scenario: &'s Scenario, names: &mut Names<'s>) -> (Vec<Crowd<'s>>, Vec<Option<Time>>) {
    let hours = Hours { open: scenario.open, close: scenario.close };
    let mut wakes = Vec::with_capacity(scenario.agent_count() as usize);
    let mut crowds = Vec::new();
    for (symbol, group) in scenario.groups() {
        // A scenario has fewer than 2^32 agents, so the cast is exact.
        let first = AgentIndex(wakes.len() as u32);
        let size = group.own_size;
        let (seed, level) = (names.seed, scenario.level(symbol, names.seed));
        let mut seating = Seating { symbol, group, close: hours.close, names, wakes: &mut wakes };
        let agents = match &group.kind {
            AgentKind::Noise(settings) => seating.all(|owner| Noise::new(settings, owner, hours)),
            AgentKind::Value(settings) => {
                let common = ValueGroup::new(settings, level, hours.close);
                seating.all(|owner| Value::new(&common, size, owner, hours))
            }
            AgentKind::Momentum(settings) => seating.all(|owner| Momentum::new(settings, size, owner, hours)),
            AgentKind::MarketMaker(settings) => seating.all(|owner| MarketMaker::new(settings, owner, hours)),
            AgentKind::Execution(settings) => {
                let name = format!("{}{}", Prefix(scenario.other(symbol)), group.name);
                let plan = settings.plan(seed, &name);
                seating.all(|_| Execution::new(settings, plan))
            }
            AgentKind::Metaorder(settings) => seating.all(|owner| Metaorder::new(settings, size, owner, hours)),
            AgentKind::Hawkes(settings) => seating.all(|owner| Hawkes::new(settings, size, owner, hours)),
            AgentKind::Informed(settings) => seating.all(|owner| Informed::new(settings, size, owner, hours)),
            AgentKind::Spoofer(settings) => seating.all(|owner| Spoofer::new(settings, size, owner, hours)),
            AgentKind::Dealer(settings) => seating.all(|owner| Dealer::new(settings, group.count, level, owner, hours)),
        };
        crowds.push(Crowd { symbol, own_size: size, first, agents });
    }
    (crowds, wakes)
}

/// A group whose agents are being made.
struct Seating<'a, 's> {
    symbol: SymbolIndex,
    group: &'s AgentGroup,
    close: Time,
    names: &'a mut Names<'s>,
    wakes: &'a mut Vec<Option<Time>>,
}

impl<'s> Seating<'_, 's> {
    fn all<A: Agent + 's>(&mut self, new: impl Fn(Owner<'_>) -> (A, Time)) -> Box<dyn Agents + 's> {
        let mut agents = Vec::with_capacity(self.group.count as usize);
        for number in 1..=self.group.count {
            let (agent, wake) = self.names.of(self.symbol, self.group, number, &new);
            agents.push(agent);
            self.wakes.push(Some(wake).filter(|wake| *wake < self.close));
        }
        Box::new(agents)
    }
}
