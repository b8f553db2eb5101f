//! Order sizes: draws from the scenario's mixture, or one size of an agent's own.

use assay_model::{QUANTITY_MAX, Stream};

use crate::scenario::{OrderSize, SizeRange, SizeShape};

/// The sizes that one agent orders.
pub(super) struct Sizes {
    /// The one size that it always orders; none for draws from the mixture.
    own: Option<u32>,
    stream: Stream,
}

impl Sizes {
    /// Sizes from the agent's `stream`.
    pub(super) fn new(range: Option<SizeRange>, mut stream: Stream) -> Self {
        let own = range.map(|SizeRange { least, most }| least + stream.below(u64::from(most - least) + 1) as u32);
        Self { own, stream }
    }

    /// The size of the next order in shares; of 0 there is no order.
    pub(super) fn draw(&mut self, mixture: &[OrderSize]) -> u32 {
        self.own.unwrap_or_else(|| sample(mixture, &mut self.stream))
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
