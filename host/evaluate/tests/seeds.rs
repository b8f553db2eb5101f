//! Which sets of seeds can be had.

use assay_evaluate::{SEEDS_MAX, Seeds, SeedsError};
use assay_model::Seed;

#[track_caller]
fn check(seeds: Result<Seeds, SeedsError>, expected: Result<&[u64], SeedsError>) {
    let numbers = seeds.map(|seeds| seeds.as_slice().iter().map(|seed| seed.0).collect::<Vec<_>>());
    assert_eq!(numbers, expected.map(<[u64]>::to_vec));
}

#[test]
fn seeds_are_some_and_not_too_many() {
    let most = SEEDS_MAX as u64;
    check(Seeds::count(3), Ok(&[1, 2, 3]));
    check(Seeds::range(5, 8), Ok(&[5, 6, 7, 8]));
    check(Seeds::range(u64::MAX, u64::MAX), Ok(&[u64::MAX]));
    check(Seeds::list(vec![7, 3]), Ok(&[3, 7]));
    check(Seeds::count(0), Err(SeedsError::None));
    check(Seeds::range(2, 1), Err(SeedsError::None));
    check(Seeds::list(vec![]), Err(SeedsError::None));
    check(Seeds::count(most + 1), Err(SeedsError::TooMany { asked: most + 1 }));
    check(Seeds::range(0, u64::MAX), Err(SeedsError::TooMany { asked: u64::MAX }));
    check(Seeds::list(vec![3, 7, 3]), Err(SeedsError::Duplicate { seed: Seed(3) }));
    assert_eq!(Seeds::count(most).map(|seeds| seeds.as_slice().len()), Ok(SEEDS_MAX));
}
