//! A deterministic simulated exchange and the agents that trade on it.
//!
//! Same scenario, same seed, same trader: the same bytes in the event log, whatever the machine or the number of threads.

mod event;
mod trader;

pub use event::{AgentIndex, Event, EventKind, EventSink};
pub use trader::{Inert, Trader};
