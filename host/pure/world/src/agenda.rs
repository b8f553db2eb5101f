//! What will happen: events ordered by time, and among those of one time in the order in which they were put down.
//!
//! Invariant: time comes from the world's clock, which calls, turns and waiting move; nothing here knows the real one.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_model::Time;
use assay_trace::Digest;
use serde_json::Value;

use crate::limits::{AGENDA_BYTES_MAX, AGENDA_MAX};
use crate::scope::Scope;
use crate::step::Step;

/// Something that the world does of its own accord.
#[derive(Clone, Debug)]
pub struct Event {
    /// What did it, for the record.
    pub source: String,
    /// What it does; nothing of it if one step fails.
    pub steps: Arc<[Step]>,
    /// What its steps know.
    pub scope: Scope,
    /// What the agent is told afterwards; the text may hold `{names}`.
    pub notify: Option<String>,
}

impl Event {
    /// About how many bytes of memory it takes, beside its steps, which it shares with its tool.
    fn weight(&self) -> u64 {
        self.scope.weight() + (self.source.len() + self.notify.as_ref().map_or(0, String::len)) as u64
    }
}

/// The agenda. Cloning is a fork.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    events: Arc<BTreeMap<(Time, u64), Arc<Event>>>,
    next: u64,
    bytes: u64,
}

impl Agenda {
    /// Puts an event down; false where the agenda is full.
    #[must_use]
    pub fn add(&mut self, at: Time, event: Event) -> bool {
        let bytes = self.bytes.saturating_add(event.weight());
        if self.events.len() >= AGENDA_MAX || bytes > AGENDA_BYTES_MAX {
            return false;
        }
        self.bytes = bytes;
        Arc::make_mut(&mut self.events).insert((at, self.next), Arc::new(event));
        self.next += 1;
        true
    }

    /// Takes the next event that is due at `now` or before, with its time.
    pub fn due(&mut self, now: Time) -> Option<(Time, Arc<Event>)> {
        let (&(at, _), _) = self.events.first_key_value().filter(|((at, _), _)| *at <= now)?;
        let taken = Arc::make_mut(&mut self.events).pop_first();
        taken.map(|(_, event)| {
            self.bytes = self.bytes.saturating_sub(event.weight());
            (at, event)
        })
    }

    /// When the last event that is put down now is due.
    #[must_use]
    pub fn last(&self) -> Option<Time> {
        self.events.last_key_value().map(|((at, _), _)| *at)
    }

    /// Whether nothing will happen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The digest of what will happen and when.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.events.iter().fold(Digest::ZERO, |sum, ((at, _), event)| {
            let scope =
                Value::Object(event.scope.values().map(|(name, value)| (name.clone(), value.clone())).collect());
            let line = format!("{} {} {}", at.0, event.source, crate::value::canonical(&scope));
            Digest::chained(sum, line.as_bytes())
        })
    }
}
