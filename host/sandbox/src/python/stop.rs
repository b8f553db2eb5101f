//! Why the host ends a cell, or a callback of a Python strategy.

/// Why the host ended a cell; travels through the engine's error type and is taken out again by the session.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Stop {
    /// Files were read and written for as much as the cell's fuel would have paid.
    #[error("all fuel consumed by reading and writing files")]
    OutOfFuel,
    /// The interpreter ended itself.
    #[error("the interpreter exited with code {0}")]
    Exited(u8),
    /// A named limit, passed in a way that has no gentler answer.
    #[error("more than {max} {what}")]
    Limit { what: &'static str, max: u64 },
    /// It computed for longer than any fuel lasts; processor time, not the clock on the wall.
    #[error("the watchdog stopped the Python interpreter")]
    Watchdog,
    /// Not the guest's doing: unscored.
    #[error("{0}")]
    Infrastructure(String),
    /// A limit of a strategy's desk.
    #[error("the strategy ran into the limit on {0:?}")]
    Desk(crate::Limit),
    /// More memory than a strategy's budget.
    #[error("the strategy asked for {requested_bytes} bytes of memory")]
    Memory { requested_bytes: u64 },
    /// Bytes that the interface has no meaning for.
    #[error("{0}")]
    Breach(&'static str),
}
