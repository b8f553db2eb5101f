//! Why the host ends a callback.

use crate::outcome::Limit;

/// Why the host ended a callback; travels through the engine's error type and is taken out again by the instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Stop {
    /// A limit of the interface.
    #[error("the strategy ran into the limit on {0:?}")]
    Limit(Limit),
    /// Growth beyond the memory budget.
    #[error("the strategy asked for {requested_bytes} bytes of memory")]
    Memory { requested_bytes: u64 },
    /// The guest passed something that the interface has no meaning for.
    #[error("{0}")]
    Breach(&'static str),
    /// The machine could not provide memory that the budget allows.
    #[error("the machine could not provide memory that the budget allows")]
    Machine,
}
