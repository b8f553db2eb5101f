//! What becomes of a cell. All of it is the guest's doing; trouble of ours is a [`super::PythonError`].

use super::state::Room;
use super::stop::Stop;
use serde::{Deserialize, Serialize};
use wasmtime::Trap;

/// A cell that ran, well or badly.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CellOutcome {
    /// What it printed, and the value of its last expression; the first bytes, invalid UTF-8 replaced.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Bytes of both that were not kept.
    pub dropped_bytes: u64,
    /// What went wrong, if anything did.
    pub error: Option<CellError>,
    /// Tools whose names the cell had used for something else; they are tools again.
    pub restored: Vec<String>,
    /// Fuel used.
    pub fuel: u64,
    /// The summary, if the cell handed in its work.
    pub finished: Option<String>,
}

/// What went wrong in a cell. All but [`CellError::Exception`] end the interpreter: files survive, variables do not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CellError {
    /// An exception that the cell did not catch. The session goes on.
    #[error("{summary}")]
    Exception {
        /// Type and message.
        summary: String,
        /// The frames of the cell's own code.
        traceback: String,
    },
    /// The source is longer than cells may be; nothing ran. The session goes on.
    #[error("the cell has {bytes} bytes, at most {max} are allowed")]
    TooLong {
        /// Its length.
        bytes: u64,
        /// The limit.
        max: u64,
    },
    /// The cell's fuel, or the episode's, was used up.
    #[error("the cell ran too long: its computing budget is used up")]
    OutOfFuel,
    /// It computed for longer than its fuel lasts on any machine.
    #[error("the watchdog stopped the interpreter: the cell computed for too long")]
    Slow,
    /// The interpreter failed after it had been refused memory.
    #[error("the interpreter ran out of memory")]
    OutOfMemory,
    /// Recursion deeper than the interpreter's own stack.
    #[error("the interpreter's stack overflowed")]
    StackOverflow,
    /// The interpreter ended itself, as by `os._exit`.
    #[error("the interpreter exited with code {code}")]
    Exited {
        /// 0, or 1 for every other code: the interpreter's C library tells no more.
        code: u8,
    },
    /// A limit was passed in a way that has no gentler answer.
    #[error("the interpreter was ended: more than {max} {what}")]
    Limit {
        /// Of what.
        what: String,
        /// The limit.
        max: u64,
    },
    /// The interpreter crashed.
    #[error("the interpreter crashed: {message}")]
    Trap {
        /// The engine's words.
        message: String,
    },
}

impl CellError {
    /// Whether the session goes on after it.
    #[must_use]
    pub const fn is_survivable(&self) -> bool {
        matches!(self, Self::Exception { .. } | Self::TooLong { .. })
    }

    /// What a call into the guest ended with. `Err` is infrastructure.
    pub(super) fn classify(error: &wasmtime::Error, room: &Room) -> Result<Self, String> {
        if let Some(stop) = error.downcast_ref::<Stop>() {
            return match stop {
                Stop::OutOfFuel => Ok(Self::OutOfFuel),
                Stop::Exited(code) => Ok(Self::Exited { code: *code }),
                Stop::Limit { what, max } => Ok(Self::Limit { what: (*what).to_owned(), max: *max }),
                Stop::Watchdog => Ok(Self::Slow),
                Stop::Infrastructure(message) => Err(message.clone()),
                Stop::Memory { .. } => Ok(Self::OutOfMemory),
                Stop::Desk(_) | Stop::Breach(_) => Ok(Self::Trap { message: stop.to_string() }),
            };
        }
        Ok(match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => Self::OutOfFuel,
            Some(Trap::StackOverflow) => Self::StackOverflow,
            _ if room.refused => Self::OutOfMemory,
            Some(trap) => Self::Trap { message: trap.to_string() },
            // What the engine refuses of a guest's values: lists too large, handles that are none.
            None => Self::Trap { message: error.root_cause().to_string() },
        })
    }
}
