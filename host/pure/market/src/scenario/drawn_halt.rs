//! A halt as a scenario has it: with a beginning that the seed decides.

use assay_model::{Nanos, Time};

/// A halt whose beginning the seed decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawnHalt {
    /// It begins now, or later.
    pub earliest: Time,
    /// But not after this.
    pub latest: Time,
    /// How long it lasts.
    pub lasts: Nanos,
}
