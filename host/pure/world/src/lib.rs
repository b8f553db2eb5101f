//! Worlds in which agents are tried: state that forks, an agenda, tools that can fail, users, tasks and what they are worth.
//!
//! ```text
//! Definition + Task + seed ──► Episode ──act──► World ──call──► fork of the State ──► committed, or thrown away
//!                                 │                 └── faults, agenda, log
//!                                 └──judge──► reference actions replayed on the same beginning ──► score tree
//! ```
//!
//! Invariants: nothing ambient; every part of a state is a value that shares what it can, so a fork of a world takes microseconds; what is drawn is keyed
//! by seed and place, never by order; a call changes everything that it is to change or nothing; scores are computed from what is left behind.
//!
//! Absent on purpose: files and folders of the disk, models, threads, and databases themselves, which come in through [`Database`].

mod agenda;
mod authors;
mod builtin;
mod by_authors;
mod called;
pub mod changes;
mod clauses;
mod condition;
mod database;
mod documents;
mod episode;
mod faults;
mod fold;
pub mod limits;
mod mail;
mod memory;
mod months;
mod named_dates;
mod native;
mod numbers;
mod numeric_dates;
mod perform;
mod reactions;
mod reward;
mod schema;
mod scope;
mod secret;
mod services;
mod spelling;
mod state;
mod step;
mod task;
mod telling;
mod tokens;
mod told;
mod tool;
mod tool_spec;
mod trail;
mod user;
pub mod value;
pub mod words;
mod work;
mod world;

pub use agenda::{Agenda, Event};
pub use authors::{Assertion, Attack, Authors, Basis, Compared};
pub use builtin::{BuiltIn, Reach};
pub use called::{CallError, Called, Happened};
pub use condition::{About, Condition, Test};
pub use database::{Ambient, Database};
pub use documents::{DocumentError, Documents};
pub use episode::{Action, Definition, Episode, Heard, TaskError, Turn};
pub use faults::{Fault, Profile, Single, fault_of};
pub use mail::{Letter, Mail, MailError};
pub use memory::Memories;
pub use native::{Native, NativeError};
pub use perform::write;
pub use reactions::{Reaction, Reactions};
pub use reward::{End, Judged, everything, potential};
pub use schema::{Schemas, misfit};
pub use scope::Scope;
pub use secret::can_be_kept;
pub use state::{State, draw};
pub use step::{How, Step, Target, unbound};
pub use task::{Deed, Difficulty, Fact, Injection, Named, Overlay, Planned, SaidTurn, TURNS, Task};
pub use telling::{TOLD_BYTES_MAX, VALUES_IN_ALL_MAX, VALUES_MAX, guesses};
pub use tool::{Body, KNOWN_NAMES, Tool, ToolError};
pub use tool_spec::{Caller, LATENCY, ToolSpec};
pub use user::{Gone, Slot, Tells, Twist, User, UserSpec};
pub use world::{Tools, World};
