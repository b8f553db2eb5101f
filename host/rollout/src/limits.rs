//! What an agent has used, and whether it may go on.
//!
//! Invariants: what an agent uses, all that sent it off use too, at once: a sub-agent's budget is carved from its sender's, and neither can overspend
//! together. The lock is held for a few additions and never across a wait.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_model::{Nanos, Time};
use assay_trace::{Limit, LimitReached, Usage};

use crate::exit::Exit;

/// What an episode used, its sub-agents included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// Tokens; where a provider did not say, by estimate.
    pub usage: Usage,
    /// Money in micro-dollars; none where some price is unknown.
    pub cost_microdollars: Option<u64>,
    /// Time on the wall.
    pub wall: Nanos,
    /// Time without waiting for others.
    pub working: Nanos,
}

/// What an agent may use in all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    pub(crate) tokens: Option<u64>,
    pub(crate) cost_microdollars: Option<u64>,
    pub(crate) wall: Option<Nanos>,
    pub(crate) working: Option<Nanos>,
}

/// An agent's use of its allowance.
#[derive(Debug)]
pub(crate) struct Account {
    allowance: Allowance,
    started: Time,
    used: Mutex<Used>,
    /// Of the agent that sent this one off.
    sender: Option<Arc<Account>>,
}

#[derive(Clone, Copy, Debug)]
struct Used {
    usage: Usage,
    cost_microdollars: Option<u64>,
    waited: Nanos,
}

impl Account {
    pub(crate) fn new(allowance: Allowance, started: Time, sender: Option<Arc<Self>>) -> Self {
        let used = Used { usage: Usage::default(), cost_microdollars: Some(0), waited: Nanos(0) };
        Self { allowance, started, used: Mutex::new(used), sender }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a request used.
    pub(crate) fn charge(&self, usage: Usage, cost_microdollars: Option<u64>) {
        {
            let mut used = self.used();
            used.usage = used.usage.plus(&usage);
            let sum = used.cost_microdollars.zip(cost_microdollars).map(|(sum, cost)| sum.saturating_add(cost));
            used.cost_microdollars = sum;
        }
        if let Some(sender) = &self.sender {
            sender.charge(usage, cost_microdollars);
        }
    }

    /// Notes time spent waiting for others. Whoever sent this agent off waits with it.
    pub(crate) fn waited(&self, length: Nanos) {
        {
            let mut used = self.used();
            used.waited = Nanos(used.waited.0.saturating_add(length.0));
        }
        if let Some(sender) = &self.sender {
            sender.waited(length);
        }
    }

    pub(crate) fn spent(&self, now: Time) -> Spent {
        let Used { usage, cost_microdollars, waited } = *self.used();
        let wall = now.since(self.started);
        Spent { usage, cost_microdollars, wall, working: Nanos(wall.0.saturating_sub(waited.0)) }
    }

    /// What has run out, here or with a sender.
    pub(crate) fn exceeded(&self, now: Time) -> Option<(Exit, Option<LimitReached>)> {
        let Spent { usage, cost_microdollars, wall, working } = self.spent(now);
        let Allowance { tokens, cost_microdollars: cost_max, wall: wall_max, working: working_max } = self.allowance;
        let limits = [
            (Exit::Tokens, Limit::Tokens, tokens, usage.total()),
            (Exit::Cost, Limit::CostMicrodollars, cost_max, cost_microdollars.unwrap_or(0)),
            (Exit::WallTime, Limit::WallNs, wall_max.map(|most| most.0), wall.0),
            (Exit::WorkingTime, Limit::WorkingNs, working_max.map(|most| most.0), working.0),
        ];
        let reached = limits.into_iter().find_map(|(exit, limit, allowed, used)| {
            allowed
                .filter(|allowed| used >= *allowed)
                .map(|allowed| (exit, Some(LimitReached { limit, allowed, used })))
        });
        let unpriced = || (cost_max.is_some() && cost_microdollars.is_none()).then_some((Exit::PriceUnknown, None));
        reached.or_else(unpriced).or_else(|| self.sender.as_ref()?.exceeded(now))
    }

    /// How long anything may still take.
    pub(crate) fn time_left(&self, now: Time) -> Option<Nanos> {
        let own = self.allowance.wall.map(|wall| Nanos(wall.0.saturating_sub(now.since(self.started).0)));
        let senders = self.sender.as_ref().and_then(|sender| sender.time_left(now));
        own.into_iter().chain(senders).min()
    }
}
