//! Order sizes: draws from the scenario's mixture, or one size of an agent's own.

use assay_model::{QUANTITY_MAX, Stream};
use std::num::NonZeroU32;

use crate::scenario::{OrderSize, SizeRange, SizeShape};

/// The sizes that one agent orders.
pub(super) struct Sizes {
    own: OwnSize,
    stream: Stream,
}

impl Sizes {
    /// Sizes from the agent's `stream`.
    pub(super) fn new(range: Option<SizeRange>, mut stream: Stream) -> Self {
        Self { own: OwnSize::new(range, &mut stream), stream }
    }

    /// The size of the next order in shares; of 0 there is no order.
    pub(super) fn draw(&mut self, mixture: &[OrderSize]) -> u32 {
        self.own.draw(mixture, &mut self.stream)
    }
}

/// The one size that an agent always orders; none for draws from the mixture. Apart from its stream it takes four bytes.
pub(super) struct OwnSize(Option<NonZeroU32>);

impl OwnSize {
    /// Drawn from `range` with the agent's stream for sizes.
    pub(super) fn new(range: Option<SizeRange>, stream: &mut Stream) -> Self {
        let draw = |SizeRange { least, most }| least + stream.below(u64::from(most - least) + 1) as u32;
        Self(range.map(draw).and_then(NonZeroU32::new))
    }

    /// As [`Sizes::draw`], with the same stream.
    pub(super) fn draw(&self, mixture: &[OrderSize], stream: &mut Stream) -> u32 {
        self.0.map_or_else(|| sample(mixture, stream), NonZeroU32::get)
    }
}

/// A draw in shares, which may be 0: then there is no order. One draw takes the same number of bits always.
fn sample(sizes: &[OrderSize], stream: &mut Stream) -> u32 {
    let mut left = stream.unit();
    let normal = stream.normal();
    let chosen = sizes.iter().find(|size| {
        left -= size.weight;
        left < 0.0
    });
    // The weights add to one but for rounding; what rounding leaves goes to the last.
    let Some(size) = chosen.or(sizes.last()) else { return 0 };
    let shares = match size.shape {
        SizeShape::LogNormal { mu, sigma } => libm::exp(mu + sigma * normal),
        SizeShape::Normal { mean, deviation } => mean + deviation * normal,
    };
    // The cast saturates: a negative draw is 0.
    shares.round_ties_even().min(QUANTITY_MAX as f64) as u32
}
