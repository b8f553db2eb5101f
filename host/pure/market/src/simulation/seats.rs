//! Where background agents sit in the kernel, and the inbox in which messages wait while an agent is busy.

use std::collections::VecDeque;

use assay_model::{SymbolIndex, Time};

use super::kernel::Letter;
use super::roster::Names;
use crate::agents::{
    Agent, Execution, Hawkes, Hours, Informed, MarketMaker, Metaorder, Momentum, Noise, Spoofer, Value,
};
use crate::scenario::{AgentKind, Scenario};

/// A background agent and what the kernel keeps for it.
pub(super) struct Seat<'s> {
    pub(super) agent: Box<dyn Agent + 's>,
    /// What it trades.
    pub(super) symbol: SymbolIndex,
    pub(super) inbox: Inbox,
    /// Requests it has made.
    pub(super) requests: u64,
}

/// Messages that wait for a busy agent. Each waits once: what arrives while others wait goes behind them.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    pub(super) busy_until: Time,
    /// Boxed, and there only once something has waited: a seat is one of very many.
    #[expect(clippy::box_collection, reason = "a box is a quarter of what a queue takes, and nearly all are empty")]
    waiting: Option<Box<VecDeque<Letter>>>,
}

/// What the kernel must do with a message that has arrived.
pub(super) enum Admission {
    /// The agent is free and takes it now.
    Now(Letter),
    /// It waits; the agent must be served when it is free.
    ServeAt(Time),
    /// It waits behind others, for which service is arranged already.
    Waits,
}

impl Inbox {
    pub(super) fn admit(&mut self, now: Time, letter: Letter) -> Admission {
        if self.is_waited_for() {
            self.wait(letter);
            Admission::Waits
        } else if self.busy_until > now {
            self.wait(letter);
            Admission::ServeAt(self.busy_until)
        } else {
            Admission::Now(letter)
        }
    }

    pub(super) fn next(&mut self) -> Option<Letter> {
        self.waiting.as_mut()?.pop_front()
    }

    /// When the agent must be served again, if anything waits.
    pub(super) fn serve_again(&self) -> Option<Time> {
        self.is_waited_for().then_some(self.busy_until)
    }

    fn is_waited_for(&self) -> bool {
        self.waiting.as_ref().is_some_and(|waiting| !waiting.is_empty())
    }

    fn wait(&mut self, letter: Letter) {
        self.waiting.get_or_insert_default().push_back(letter);
    }
}

/// Seats every background agent, each with its first wake-up if that is before the close.
pub(super) fn seats<'s>(scenario: &'s Scenario, names: &mut Names<'s>) -> Vec<(Seat<'s>, Option<Time>)> {
    let hours = Hours { open: scenario.open, close: scenario.close };
    let mut seats = Vec::with_capacity(scenario.agent_count() as usize);
    for (symbol, group) in scenario.groups() {
        let mean = scenario.fundamental_of(symbol).mean;
        for number in 1..=group.count {
            let (agent, first_wake) = names.of(symbol, group, number, |owner| match &group.kind {
                AgentKind::Noise(settings) => boxed(Noise::new(settings, group.own_size, owner, hours)),
                AgentKind::Value(settings) => boxed(Value::new(settings, group.own_size, mean, owner, hours)),
                AgentKind::Momentum(settings) => boxed(Momentum::new(settings, group.own_size, owner, hours)),
                AgentKind::MarketMaker(settings) => boxed(MarketMaker::new(settings, owner, hours)),
                AgentKind::Execution(settings) => boxed(Execution::new(settings)),
                AgentKind::Metaorder(settings) => boxed(Metaorder::new(settings, group.own_size, owner, hours)),
                AgentKind::Hawkes(settings) => boxed(Hawkes::new(settings, group.own_size, owner, hours)),
                AgentKind::Informed(settings) => boxed(Informed::new(settings, group.own_size, owner, hours)),
                AgentKind::Spoofer(settings) => boxed(Spoofer::new(settings, group.own_size, owner, hours)),
            });
            let seat = Seat { agent, symbol, inbox: Inbox::default(), requests: 0 };
            seats.push((seat, Some(first_wake).filter(|wake| *wake < hours.close)));
        }
    }
    seats
}

fn boxed<'s>((agent, first_wake): (impl Agent + 's, Time)) -> (Box<dyn Agent + 's>, Time) {
    (Box::new(agent), first_wake)
}
