//! A deterministic simulated exchange and the agents that trade on it.
//!
//! Same scenario, same seed, same trader: the same bytes in the event log, whatever the machine or the number of threads.

mod book;
mod event;
mod exchange;
mod log;
pub mod metrics;
mod trader;

pub use book::{Book, Fill, Handle, Resting, Taken};
pub use event::{AgentIndex, Event, EventKind, EventSink};
pub use exchange::{Exchange, OPEN_ORDERS_MAX};
pub use log::{DecodeError, EventLog, Events, Expected, LogSummary, LogVersion, decode_log};
pub use trader::{Inert, Trader};
