//! Random streams: independent by owner and purpose, repeatable, and with the moments that they claim.

use assay_model::{Seed, Stream};

fn first(seed: u64, owner: &str, purpose: &str) -> u64 {
    Stream::new(Seed(seed), owner, purpose).bits()
}

#[test]
fn a_stream_is_named_by_seed_owner_and_purpose() {
    let base = first(1, "momentum-1", "wake");
    assert_eq!(base, first(1, "momentum-1", "wake"));
    // The number is part of the format: a change of generator or key would silently change every published result.
    assert_eq!(base, 16_613_709_428_332_591_106, "golden value of the first draw");
    for (seed, owner, purpose) in
        [(2, "momentum-1", "wake"), (1, "momentum-2", "wake"), (1, "momentum-1", "size"), (1, "momentum-1w", "ake")]
    {
        assert_ne!(base, first(seed, owner, purpose), "{seed} {owner} {purpose}");
    }
}

#[test]
fn moments_are_right() {
    const N: u32 = 100_000;
    let mut stream = Stream::new(Seed(7), "test", "moments");
    let mut mean =
        |draw: &mut dyn FnMut(&mut Stream) -> f64| (0..N).map(|_| draw(&mut stream)).sum::<f64>() / f64::from(N);
    // Each bound is five standard errors of the mean.
    for (what, expected, bound, got) in [
        ("unit", 0.5, 0.005, mean(&mut Stream::unit)),
        ("exponential", 3.0, 0.05, mean(&mut |s| s.exponential(3.0))),
        ("normal", 0.0, 0.016, mean(&mut Stream::normal)),
        ("normal squared", 1.0, 0.023, mean(&mut |s| s.normal().powi(2))),
        ("below", 4.5, 0.046, mean(&mut |s| s.below(10) as f64)),
        ("coin", 0.5, 0.008, mean(&mut |s| f64::from(u8::from(s.coin())))),
    ] {
        assert!((got - expected).abs() < bound, "{what}: {got}, expected {expected} ± {bound}");
    }
}
