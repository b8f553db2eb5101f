//! The record of one episode, in memory.
//!
//! Invariants: records stand in the order in which they happened and are only ever appended; message ids differ. A *step* is an
//! assistant's message with all that follows it up to the next one; what comes before the first is step 0.

use crate::event::{Event, EventKind};
use crate::identifier::{CallId, MessageId};
use crate::message::{Message, Role};
use crate::metadata::Metadata;
use crate::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// One thing that happened.
#[derive(Clone, PartialEq, Debug)]
pub enum Record {
    /// Somebody said something.
    Message(Message),
    /// Something happened.
    Event(Event),
    /// Somebody scored it.
    Verdict(Verdict),
}

impl From<Message> for Record {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<Event> for Record {
    fn from(event: Event) -> Self {
        Self::Event(event)
    }
}

impl From<Verdict> for Record {
    fn from(verdict: Verdict) -> Self {
        Self::Verdict(verdict)
    }
}

/// Two messages of one trajectory share an id.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("two messages share the id {id}")]
pub struct DuplicateMessageId {
    /// The id.
    pub id: MessageId,
}

/// The record of one episode.
#[derive(Clone, PartialEq, Debug)]
pub struct Trajectory {
    metadata: Metadata,
    records: Vec<Record>,
    message_ids: BTreeSet<MessageId>,
}

/// A record with the step in which it happened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Placed<'a> {
    /// The step; 0 before the assistant's first message.
    pub step: usize,
    /// The record.
    pub record: &'a Record,
}

impl Trajectory {
    /// A trajectory in which nothing has happened yet.
    #[must_use]
    pub fn new(metadata: Metadata) -> Self {
        Self { metadata, records: Vec::new(), message_ids: BTreeSet::new() }
    }

    /// What it is a record of.
    #[must_use]
    pub const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Appends a record.
    ///
    /// # Errors
    /// It is a message with the id of an earlier one.
    pub fn push(&mut self, record: impl Into<Record>) -> Result<(), DuplicateMessageId> {
        let record = record.into();
        if let Record::Message(message) = &record
            && !self.message_ids.insert(message.id().clone())
        {
            return Err(DuplicateMessageId { id: message.id().clone() });
        }
        self.records.push(record);
        Ok(())
    }

    /// Everything that happened, in order.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Everything that happened, with the step of each.
    pub fn placed(&self) -> impl Iterator<Item = Placed<'_>> {
        self.records.iter().scan(0, |step, record| {
            if matches!(record, Record::Message(message) if message.role() == Role::Assistant) {
                *step += 1;
            }
            Some(Placed { step: *step, record })
        })
    }

    /// The messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.records.iter().filter_map(|record| match record {
            Record::Message(message) => Some(message),
            _ => None,
        })
    }

    /// The events, in order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.records.iter().filter_map(|record| match record {
            Record::Event(event) => Some(event),
            _ => None,
        })
    }

    /// The verdict that counts: the last one.
    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        self.records.iter().rev().find_map(|record| match record {
            Record::Verdict(verdict) => Some(verdict),
            _ => None,
        })
    }

    /// The names of the flags that were raised.
    #[must_use]
    pub fn flags(&self) -> BTreeSet<&str> {
        self.events()
            .filter_map(|event| match &event.kind {
                EventKind::Flag(flag) => Some(flag.name.as_str()),
                _ => None,
            })
            .collect()
    }

    /// How many steps there are: the assistant's messages.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.messages().filter(|message| message.role() == Role::Assistant).count()
    }

    /// The tool that each call names.
    #[must_use]
    pub fn tools_by_call(&self) -> BTreeMap<&CallId, &str> {
        self.messages().flat_map(Message::tool_calls).map(|call| (call.id(), call.tool())).collect()
    }
}
