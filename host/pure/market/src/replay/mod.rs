//! A recorded market as the background of an episode: which requests reached the exchange when, and from whom.
//!
//! A [`Recording`] is nothing but requests in time order, so whatever can be written as requests can be replayed: a LOBSTER file pair
//! ([`lobster`]), or the requests of an episode of our own. Its participants are real ones of the exchange. They send what they sent, and do not
//! react: what the strategy takes is gone when the recording asks for it.
//!
//! **When history diverges.** Nothing is made up at run time; the exchange decides, and [`ReplayCounts`](crate::ReplayCounts) says how much it was:
//! - A recorded change or cancel of an order that the strategy has taken is refused as one of an unknown order (*late*). Of one taken in part,
//!   what is left is changed or cancelled.
//! - A recorded taker is a marketable order of the recorded size at the recorded price, so it hits whoever is first: the strategy's order if that
//!   stands before the recorded maker, which then rests on, beyond its recorded end, until it is hit or cancelled.
//! - What a recorded taker no longer finds is cancelled, never waits, and counts as *unfilled*.
//!
//! Invariants: times never go back; each participant's ids count up; every count has a named limit. Absent on purpose: files.

pub mod lobster;

use crate::{AGENTS_MAX, AgentIndex, Event, EventKind, EventLog, EventSink as _};
use assay_model::{Price, Request, RequestId, RequestKind, Time};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Most requests of a recording: some 3 GB of memory.
pub const RECORDED_MAX: usize = 50_000_000;
/// The exchange keeps four bytes for each id of each participant, so all the highest ids together may be no more than this.
pub const RECORDED_IDS_MAX: u64 = 4 * RECORDED_MAX as u64;

/// One recorded request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// When it reached the exchange.
    pub at: Time,
    /// Whose it was; counts from 0 within the recording.
    pub agent: AgentIndex,
    /// What was asked.
    pub request: Request,
}

/// A trading halt of the recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordedHalt {
    /// Its beginning.
    pub from: Time,
    /// Its end; none if the recording ends first.
    pub until: Option<Time>,
}

/// What reading has found beside the requests. Shares, if nothing else is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// Rows of the session.
    pub messages: u64,
    /// Rows before or after the session.
    pub messages_outside: u64,
    /// Executed against visible orders, and replayed.
    pub executed: u64,
    /// Executed against hidden orders, and replayed as a hidden order and its taker.
    pub executed_hidden: u64,
    /// Executed against hidden orders in a way that cannot be replayed: between two ticks, or where visible orders stood in between.
    pub hidden_left_out: u64,
    /// Traded in crosses or during halts, which are not replayed.
    pub crosses_left_out: u64,
    /// Known only as part of a level that came into view, or was there from the beginning.
    pub revealed: u64,
    /// Executed although, by price and time, other orders stood before.
    pub out_of_order: u64,
}

/// A recorded order stream; see the module documentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording {
    requests: Vec<Recorded>,
    participants: u32,
    reference: Price,
    hash: blake3::Hash,
    halts: Vec<RecordedHalt>,
    findings: Option<Findings>,
}

/// Why requests are not a recording. The number counts requests from 1.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordingError {
    /// Nobody ever names a price.
    #[error("the recording has no order with a price in the session")]
    Empty,
    /// More than [`RECORDED_MAX`].
    #[error("the recording has more than {RECORDED_MAX} requests")]
    TooMany,
    /// An earlier time than that of the request before.
    #[error("request {number} is of {at} ns, before the one before it, which is of {before} ns")]
    TimeGoesBack {
        /// Which.
        number: usize,
        /// Its time, in nanoseconds since the epoch.
        at: u64,
        /// That of the one before.
        before: u64,
    },
    /// More than [`AGENTS_MAX`].
    #[error("request {number} is of participant {agent}, at most {AGENTS_MAX} are possible")]
    TooManyParticipants {
        /// Which.
        number: usize,
        /// Whose.
        agent: u32,
    },
    /// A participant's ids do not count up.
    #[error("request {number} of participant {agent} has the id {id}, which must be greater than {before}")]
    IdNotGreater {
        /// Which.
        number: usize,
        /// Whose.
        agent: u32,
        /// Its id.
        id: u64,
        /// The id before, 0 if it is the first.
        before: u64,
    },
    /// The ids together are more than [`RECORDED_IDS_MAX`].
    #[error(
        "request {number} has the id {id}: ids must be dense, all participants' highest ones at most {RECORDED_IDS_MAX} together"
    )]
    IdsTooSparse {
        /// Which.
        number: usize,
        /// Its id.
        id: u64,
    },
}

impl Recording {
    /// A recording of these requests, each with its time and the participant whose it was.
    ///
    /// # Errors
    /// The first request that cannot follow those before it.
    pub fn new(requests: impl IntoIterator<Item = (Time, AgentIndex, Request)>) -> Result<Self, RecordingError> {
        let mut log = EventLog::hash_only();
        let (mut kept, mut last_ids) = (Vec::new(), Vec::<RequestId>::new());
        let (mut reference, mut before, mut ids) = (None, Time(0), 0);
        for ((at, agent, request), number) in requests.into_iter().zip(1..) {
            if number > RECORDED_MAX {
                return Err(RecordingError::TooMany);
            }
            if at < before {
                return Err(RecordingError::TimeGoesBack { number, at: at.0, before: before.0 });
            }
            if u64::from(agent.0) >= AGENTS_MAX {
                return Err(RecordingError::TooManyParticipants { number, agent: agent.0 });
            }
            if last_ids.len() <= agent.0 as usize {
                last_ids.resize(agent.0 as usize + 1, RequestId(0));
            }
            let last = &mut last_ids[agent.0 as usize];
            let id = request.id.0;
            if id <= last.0 {
                return Err(RecordingError::IdNotGreater { number, agent: agent.0, id, before: last.0 });
            }
            ids += id - last.0;
            if id > RECORDED_IDS_MAX || ids > RECORDED_IDS_MAX {
                return Err(RecordingError::IdsTooSparse { number, id });
            }
            (*last, before) = (request.id, at);
            reference = reference.or_else(|| price(&request.kind));
            log.event(&Event {
                at,
                symbol: assay_model::SymbolIndex::FIRST,
                kind: EventKind::Request { agent, request },
            });
            kept.push(Recorded { at, agent, request });
        }
        Ok(Self {
            // At most AGENTS_MAX, so the cast is exact.
            participants: last_ids.len() as u32,
            requests: kept,
            reference: reference.ok_or(RecordingError::Empty)?,
            hash: log.summary().hash,
            halts: Vec::new(),
            findings: None,
        })
    }

    /// The same, with what its reader knows besides.
    fn with(self, halts: Vec<RecordedHalt>, findings: Findings) -> Self {
        Self { halts, findings: Some(findings), ..self }
    }

    /// The requests, in time order.
    #[must_use]
    pub fn requests(&self) -> &[Recorded] {
        &self.requests
    }

    /// How many participants it has.
    #[must_use]
    pub fn participants(&self) -> u32 {
        self.participants
    }

    /// The first price that anybody names.
    #[must_use]
    pub fn reference(&self) -> Price {
        self.reference
    }

    /// BLAKE3 of the event log that holds just these requests: equal for equal recordings, however they were stored.
    #[must_use]
    pub fn hash(&self) -> blake3::Hash {
        self.hash
    }

    /// Its trading halts, by time.
    #[must_use]
    pub fn halts(&self) -> &[RecordedHalt] {
        &self.halts
    }

    /// What reading has found, if it was read from a format that can hold more than requests.
    #[must_use]
    pub fn findings(&self) -> Option<&Findings> {
        self.findings.as_ref()
    }
}

/// The price that a request names, if it is a valid one.
fn price(kind: &RequestKind) -> Option<Price> {
    match kind {
        RequestKind::Limit { price, .. } => Price::new(*price),
        RequestKind::Order(terms) => Price::new(i64::from(terms.price)),
        _ => None,
    }
}
