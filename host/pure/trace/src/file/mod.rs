//! The file: append-only JSON lines in a hash chain. `docs/trajectories.md` describes it for readers in other languages.
//!
//! A line is `{"_type":"…",` + the record's fields + `,"_hash":"…"}` + line feed. The hash is BLAKE3 over the previous line's hash, as 32
//! bytes (zeros before the first line), followed by the line's bytes before `,"_hash"`. So every line vouches for all before it, and
//! anybody can check that byte for byte without parsing.
//!
//! Invariant: only a line with its line feed counts; a writer never goes on after a failed write.

mod head;
mod line;
mod reader;
mod writer;

pub use head::Head;
pub use line::{FILE_BYTES_MAX, FirstLineError, LINE_BYTES_MAX, LineError, SEAL_BYTES, follow, stated_hash};
pub use reader::{
    Damage, Loaded, Loss, ReadError, ReadLimits, Verified, read, read_with_limits, still_holds, verdict_at, verify,
    verify_with_limits,
};
pub use writer::{Durable, WriteError, Writer, rescore};
