//! Language models: [providers](Provider) over HTTP, [scripts](Scripted), [cassettes](Cassette). Implements the port [`Model`](assay_rollout::ports::Model).
//!
//! ```text
//! ModelSpec ──open──► Hosted ──► speak ──► HTTP ──► the provider
//!               │        ▲                   │
//!               │        └── listen ◄─ wire ─┘         around it: retry · pace · budget
//!               ├───► Scripted
//!               └───► Cassette (replays, or records any of them)
//! ```
//!
//! Invariants: this is the only crate that talks HTTP to models; a type of the HTTP client never leaves it; a key never leaves
//! a request's header; an answer is whole or an error.
//! Absent on purpose: prompts, tools, the loop, and any printing.

mod aloud;
mod budget;
mod cassette;
mod hosted;
mod keys;
mod listen;
mod open;
mod pace;
mod price;
mod request;
mod retry;
mod scripted;
mod speak;
mod spec;
mod trouble;
mod wire;

pub use budget::{Amount, BYTES_PER_TOKEN, Budget, Ledger};
pub use cassette::{CASSETTE_BYTES_MAX, Cassette, CassetteError};
pub use hosted::Limits;
pub use keys::{KEY_VARIABLES, Keys, SCRUBBED, key_variable};
pub use open::{OpenError, Run, Settings, open};
pub use pace::SUCCESSES_PER_STEP;
pub use price::{Price, PriceError, PriceTable};
pub use request::request_digest;
pub use retry::Retry;
pub use scripted::{SCRIPT_BYTES_MAX, ScriptError, Scripted};
pub use speak::{BROKEN_ARGUMENTS, Reasoning};
pub use spec::{ModelSpec, NAME_BYTES_MAX, Provider, SpecError};
