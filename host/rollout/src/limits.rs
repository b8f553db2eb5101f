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
    /// Time on the wall, without that spent in the bench's queue or waiting for a person.
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
    /// Time that is not charged: that of queues and of people.
    free: Nanos,
    /// Since when no time is charged.
    free_since: Option<Time>,
    /// Requests to models that have no end, here or with those that were sent off.
    open_requests: u32,
}

impl Account {
    pub(crate) fn new(allowance: Allowance, started: Time, sender: Option<Arc<Self>>) -> Self {
        let used = Used {
            usage: Usage::default(),
            cost_microdollars: Some(0),
            waited: Nanos(0),
            free: Nanos(0),
            free_since: None,
            open_requests: 0,
        };
        Self { allowance, started, used: Mutex::new(used), sender }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something here and with every sender.
    fn each(&self, change: impl Fn(&mut Used)) {
        let mut account = Some(self);
        while let Some(one) = account {
            change(&mut one.used());
            account = one.sender.as_deref();
        }
    }

    /// Notes that a model is asked.
    pub(crate) fn asks(&self) {
        self.each(|used| used.open_requests += 1);
    }

    /// Notes that this number of requests have ended on record.
    pub(crate) fn has_asked(&self, requests: u32) {
        self.each(|used| used.open_requests = used.open_requests.saturating_sub(requests));
    }

    /// Requests of this agent and of those that it sent off that are not known to have ended. Where a cell is broken off, and with it whoever asked,
    /// nobody else can say that they were made.
    pub(crate) fn open_requests(&self) -> u32 {
        self.used().open_requests
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

    /// From now on no time is charged, here or with a sender: what is waited for has a queue of its own, or is a person.
    pub(crate) fn pause(&self, now: Time) {
        self.used().free_since.get_or_insert(now);
        if let Some(sender) = &self.sender {
            sender.pause(now);
        }
    }

    /// Time is charged again. Of the time since [`Self::pause`], `charged` is charged after all, as time spent waiting for others.
    pub(crate) fn resume(&self, now: Time, charged: Nanos) {
        {
            let mut used = self.used();
            if let Some(since) = used.free_since.take() {
                let passed = now.since(since);
                let charged = charged.min(passed);
                used.free = Nanos(used.free.0.saturating_add(passed.0 - charged.0));
                used.waited = Nanos(used.waited.0.saturating_add(charged.0));
            }
        }
        if let Some(sender) = &self.sender {
            sender.resume(now, charged);
        }
    }

    /// Whether no time is charged at the moment.
    pub(crate) fn is_paused(&self) -> bool {
        self.used().free_since.is_some()
    }

    /// Time that was charged so far.
    fn charged(&self, now: Time) -> Nanos {
        let Used { free, free_since, .. } = *self.used();
        let until = free_since.unwrap_or(now);
        Nanos(until.since(self.started).0.saturating_sub(free.0))
    }

    pub(crate) fn spent(&self, now: Time) -> Spent {
        let Used { usage, cost_microdollars, waited, .. } = *self.used();
        let wall = self.charged(now);
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
        let own = self.allowance.wall.map(|wall| Nanos(wall.0.saturating_sub(self.charged(now).0)));
        let senders = self.sender.as_ref().and_then(|sender| sender.time_left(now));
        own.into_iter().chain(senders).min()
    }
}
