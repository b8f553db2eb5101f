//! How much fuel calls took: counts by size, of which quantiles are read and which add up over episodes.
//!
//! Sizes are kept to five binary digits, as in an HDR histogram, so a quantile is at most a 32nd above the exact one. Room grows with the
//! dearest call and is bounded: 1,920 counts.

/// Digits kept below the leading one.
const DIGITS: u32 = 5;
const SUB_BUCKETS: u64 = 1 << DIGITS;

/// Counts of calls by the fuel they took.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FuelHistogram {
    counts: Vec<u64>,
    /// Fuel of the dearest call: no quantile is above it.
    max: u64,
}

impl FuelHistogram {
    /// One more call.
    #[inline]
    pub(crate) fn record(&mut self, fuel: u64) {
        let bucket = bucket(fuel);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.max = self.max.max(fuel);
    }

    /// The calls of another histogram besides its own.
    pub fn add(&mut self, other: &Self) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.max = self.max.max(other.max);
    }

    /// The fuel that `percent` of the calls stayed within, by nearest rank and rounded up to the bucket's end, at
    /// most to the dearest call; `None` without calls.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        let calls: u64 = self.counts.iter().sum();
        let rank = (calls.saturating_mul(percent)).div_ceil(100).max(1);
        let mut seen = 0;
        self.counts
            .iter()
            .position(|count| {
                seen += count;
                seen >= rank
            })
            .map(|bucket| largest(bucket).min(self.max))
    }
}

/// Below 32 each size has its own; above, each power of two has 32.
const fn bucket(fuel: u64) -> usize {
    if fuel < SUB_BUCKETS {
        return fuel as usize;
    }
    let shift = fuel.ilog2() - DIGITS;
    (shift as u64 * SUB_BUCKETS + (fuel >> shift)) as usize
}

/// The largest size in a bucket.
const fn largest(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < SUB_BUCKETS {
        return bucket;
    }
    let shift = bucket / SUB_BUCKETS - 1;
    let leading = bucket - shift * SUB_BUCKETS;
    // Grouped so that the last bucket does not overflow.
    (leading << shift) + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_a_32nd_above_the_exact_ones_at_most() {
        for sizes in
            [vec![7], vec![31, 32, 33], (0..1_000).map(|n| n * n * 37).collect::<Vec<u64>>(), vec![u64::MAX, 0]]
        {
            let mut histogram = FuelHistogram::default();
            sizes.iter().for_each(|&size| histogram.record(size));
            let mut sorted = sizes.clone();
            sorted.sort_unstable();
            for percent in [1, 50, 99, 100] {
                let exact = sorted[(sorted.len() as u64 * percent).div_ceil(100).max(1) as usize - 1];
                let found = histogram.percentile(percent).unwrap();
                assert!(found >= exact && found - exact <= exact / 32, "{percent} % of {sizes:?}: {found} for {exact}");
                assert!(Some(&found) <= sorted.last(), "{percent} % of {sizes:?}: {found}");
            }
        }
        assert_eq!(FuelHistogram::default().percentile(50), None);
    }

    #[test]
    fn adding_is_recording_all() {
        let (mut one, mut other, mut both) =
            (FuelHistogram::default(), FuelHistogram::default(), FuelHistogram::default());
        for size in [1, 40, 10_000, 7] {
            one.record(size);
            both.record(size);
        }
        for size in [123_456_789, 2] {
            other.record(size);
            both.record(size);
        }
        one.add(&other);
        assert_eq!(one, both);
    }
}
