//! The moving averages against adding up afresh.

use assay_model::Nanos;
use proptest::prelude::*;

use super::Averages;
use crate::MomentumSettings;

proptest! {
    #[test]
    fn running_sums_are_sums(mids in prop::collection::vec(1u32..2_000, 0..60), short in 1u32..10, more in 1u32..10) {
        let (short, long) = (short as usize, (short + more) as usize);
        let settings = MomentumSettings { wake_interval: Nanos::SECOND, short_window: short as u32, long_window: long as u32 };
        let mut averages = Averages::default();
        for seen in 1..=mids.len() {
            let newest = |count: usize| f64::from(mids[seen - count..seen].iter().sum::<u32>()) / count as f64;
            let expected = (seen > long).then(|| newest(short) >= newest(long) - 1e-9);
            prop_assert_eq!(averages.observe(mids[seen - 1], &settings), expected);
        }
    }
}
