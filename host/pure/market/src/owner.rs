//! Whose random streams there are: agents by their names, and those whose names no agent may have.

use assay_model::{Seed, Stream};

/// Owner of the exchange's random streams.
pub(crate) const EXCHANGE: &str = "exchange";
/// Owner of the fundamental value's random streams.
pub(crate) const FUNDAMENTAL: &str = "fundamental";
/// What recorded participants are called.
pub(crate) const REPLAY: &str = "replay";
/// Owner of the first strategy's random streams; those of the others have a number behind it, from 2.
pub(crate) const STRATEGY: &str = "strategy";

/// The owner of random streams.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) seed: Seed,
    pub(crate) name: &'a str,
}

impl Owner<'_> {
    /// The owner's stream for `purpose`.
    pub(crate) fn stream(self, purpose: &str) -> Stream {
        Stream::new(self.seed, self.name, purpose)
    }
}
