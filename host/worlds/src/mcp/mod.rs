//! Worlds over the Model Context Protocol: the same tools, for whatever agent speaks it.
//!
//! ```text
//! message ──envelope──► methods ──► Room ──► Session ──► Live ◄──moves── episode::run ──► trajectory, score
//!                                    │ offers: episodes that wait for a client
//!                                    └ control: status, reset, end, fork
//! ```
//!
//! A session of the protocol is an episode, a call is a turn. Episodes are those of a run: a [`Room`] is filled by [`host`], which runs what is pending in a
//! run's folder; each episode waits until a client begins a session, and goes on as the client calls.
//!
//! Invariants: what a client can ask for by messages is what an agent can see and do; status, scores and what belongs to the user come only by the methods
//! of [`Room`], which no message reaches; whatever a client sends is answered, with an error of JSON-RPC or a result that says what is wrong; sessions, calls
//! at once, forks and the bytes of a message have limits.
//!
//! Absent on purpose: HTTP, tokens, clocks of the wall but for the end of a silent client's episode.

mod control;
mod envelope;
mod live;
mod methods;
mod revision;
mod room;
mod stdio;

pub use control::{ControlError, Order};
pub use methods::{OWN_TOOLS, Reply, receive};
pub use revision::Revision;
pub use room::{EPISODES_MAX, Room, RoomError, RoomPlan, Session, host};
pub use stdio::serve_lines;

/// Bytes of one message or batch: the arguments of a call and a message to the user, as JSON at its longest.
pub const MESSAGE_BYTES_MAX: usize = 512 << 10;
