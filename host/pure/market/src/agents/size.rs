//! Order sizes: draws from the scenario's mixture.

use assay_model::{QUANTITY_MAX, Stream};

use crate::scenario::{OrderSize, SizeShape};

/// A draw in shares, which may be 0: then there is no order. One draw takes the same number of bits always.
pub(super) fn sample(sizes: &[OrderSize], stream: &mut Stream) -> u32 {
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
