//! The record of an episode: what was said, what happened, what it was worth; as a file that proves its own integrity.
//!
//! ```text
//! Writer ──► file (JSON lines, hash chain) ──► read ──► Trajectory ──► stats · diff · show · export
//!                        ▲                                  │
//!                        └──────────── rescore ◄────────────┘
//! ```
//!
//! Invariants: records are checked when made and never change; what is derived from them is computed anew each time; a missing number
//! is missing, never zero. Everything is pure: bytes come in as [`BufRead`](std::io::BufRead) and go out as [`Durable`], times as arguments.
//! Absent on purpose: files, clocks, models, graders, and any printing.

mod align;
mod base64;
mod diff;
mod digest;
mod event;
pub mod export;
mod file;
mod filter;
mod identifier;
pub mod import;
mod message;
mod metadata;
pub mod score;
mod show;
mod stats;
mod terminal;
mod tool_call;
mod trajectory;
mod verdict;
mod weight;

pub use align::{ALIGN_CELLS_MAX, Row};
pub use base64::{Base64, Base64Error};
pub use diff::{Action, ActionDivergence, Diff, EpisodeResult, StateDivergence, diff};
pub use digest::{Digest, DigestError, StateHash};
pub use event::{
    CodeCell, Event, EventKind, Flag, KindTaken, Limit, LimitReached, ModelCall, OtherEvent, SubAgent, ToolRun, Usage,
    WorldEvent,
};
pub use file::{
    Damage, Durable, FILE_BYTES_MAX, FirstLineError, Head, LINE_BYTES_MAX, LineError, Loaded, Loss, ReadError,
    ReadLimits, SEAL_BYTES, Verified, WriteError, Writer, follow, read, read_with_limits, rescore, stated_hash,
    still_holds, verdict_at, verify, verify_with_limits,
};
pub use filter::Filter;
pub use identifier::{CallId, IDENTIFIER_BYTES_MAX, IdentifierError, MessageId, TrajectoryId};
pub use message::{ImageSource, MediaType, Message, MessageError, MessageRecord, Meta, Part, Role, Speaker};
pub use metadata::{FORMAT, FormatVersion, Metadata, MetadataError, Parent};
pub use show::{show, show_stats};
pub use stats::{Latency, Stats, StepStats, Tally, ToolStats, stats};
pub use tool_call::{ARGUMENTS_DEPTH_MAX, ToolCall, ToolCallError, ToolCallRecord};
pub use trajectory::{DuplicateMessageId, Placed, Record, Trajectory};
pub use verdict::{Outcome, Verdict, VerdictError};
pub use weight::{MEMORY_BYTES_MAX, weight};
