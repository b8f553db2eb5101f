//! What will happen: events ordered by time, and among those of one time in the order in which they were put down.
//!
//! Invariants: time comes from the world's clock, which calls, turns and waiting move; nothing here knows the real one; to take an event copies nothing,
//! whoever else has the agenda.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use assay_model::Time;
use assay_trace::Digest;
use serde_json::Value;

use crate::limits::{AGENDA_BYTES_MAX, AGENDA_MAX};
use crate::scope::Scope;
use crate::step::Step;

/// The source of what a step has put down for later.
pub(crate) const AGENDA: &str = "agenda";

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
    /// The place of the event that was taken last: those up to it are in the map until the next one is put down.
    taken: Option<(Time, u64)>,
    /// Events that wait.
    count: usize,
    next: u64,
    bytes: u64,
}

impl Agenda {
    /// Puts an event down; false where the agenda is full.
    #[must_use]
    pub fn add(&mut self, at: Time, event: Event) -> bool {
        let bytes = self.bytes.saturating_add(event.weight());
        if self.count >= AGENDA_MAX || bytes > AGENDA_BYTES_MAX {
            return false;
        }
        self.bytes = bytes;
        let events = Arc::make_mut(&mut self.events);
        if let Some(taken) = self.taken.take() {
            events.retain(|place, _| *place > taken);
        }
        events.insert((at, self.next), Arc::new(event));
        self.count += 1;
        self.next += 1;
        true
    }

    /// Takes the next event that is due at `now` or before, with its time.
    pub fn due(&mut self, now: Time) -> Option<(Time, Arc<Event>)> {
        let (place, event) = self.waiting().next().filter(|((at, _), _)| *at <= now)?;
        let (place, event) = (*place, Arc::clone(event));
        self.bytes = self.bytes.saturating_sub(event.weight());
        self.count = self.count.saturating_sub(1);
        self.taken = Some(place);
        if self.count == 0 {
            (self.events, self.taken) = (Arc::default(), None);
        }
        Some((place.0, event))
    }

    /// The events that wait, in their order.
    fn waiting(&self) -> impl DoubleEndedIterator<Item = (&(Time, u64), &Arc<Event>)> {
        let behind = self.taken.map_or(Bound::Unbounded, Bound::Excluded);
        self.events.range((behind, Bound::Unbounded))
    }

    /// When the last event that is put down now is due.
    #[must_use]
    pub fn last(&self) -> Option<Time> {
        self.waiting().next_back().map(|((at, _), _)| *at)
    }

    /// Whether nothing will happen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The digest of what will happen and when.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.waiting().fold(Digest::ZERO, |sum, ((at, _), event)| {
            let scope =
                Value::Object(event.scope.values().map(|(name, value)| (name.clone(), value.clone())).collect());
            let line = format!("{} {} {}", at.0, event.source, crate::value::canonical(&scope));
            Digest::chained(sum, line.as_bytes())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_takes_an_event_leaves_the_others_theirs() {
        let event = |source: &str| {
            let (steps, scope) = (Arc::from([]), Scope::default());
            Event { source: source.to_owned(), steps, scope, notify: None }
        };
        let taken = |agenda: &mut Agenda, now: u64| -> Vec<String> {
            let events = std::iter::from_fn(|| agenda.due(Time(now)));
            events.map(|(_, event)| event.source.clone()).collect()
        };
        let mut agenda = Agenda::default();
        for (at, source) in [(3, "c"), (1, "a"), (1, "b")] {
            assert!(agenda.add(Time(at), event(source)));
        }
        let mut fork = agenda.clone();
        assert_eq!(taken(&mut fork, 2), ["a", "b"]);
        assert_eq!((fork.last(), fork.is_empty()), (Some(Time(3)), false));
        // What is put down now may be due before what was taken.
        assert!(fork.add(Time(1), event("late")));
        assert_eq!(taken(&mut fork, 9), ["late", "c"]);
        assert!(fork.is_empty() && fork.last().is_none());
        assert_eq!(fork.digest(), Agenda::default().digest());
        assert_eq!(taken(&mut agenda, 9), ["a", "b", "c"]);
    }
}
