//! Seeds and random streams.
//!
//! Invariant: a stream depends only on (seed, owner, purpose), so adding an owner changes nobody else's draws. Everything derived
//! from a draw uses `libm`, never the platform's, so the same bits come out on every machine.

use rand_core::{Rng as _, SeedableRng as _};
use serde::{Deserialize, Serialize};

/// The seed of an episode.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

/// An independent random stream (PCG XSL 128/64 MCG, O'Neill 2014), keyed by BLAKE3 over (seed, owner, purpose).
#[derive(Clone, Debug)]
pub struct Stream(rand_pcg::Pcg64Mcg);

/// BLAKE3 of the parts one after the other. Each agent of a large market keys several streams before anything happens, so what fits a block or two, as
/// nearly all does, is hashed in one go: that takes half the time of a hasher that is fed.
fn hash(parts: [&[u8]; 4]) -> blake3::Hash {
    let mut buffer = [0; 128];
    let mut length = 0;
    for part in parts {
        let Some(room) = buffer.get_mut(length..length + part.len()) else {
            let mut hasher = blake3::Hasher::new();
            parts.iter().for_each(|part| _ = hasher.update(part));
            return hasher.finalize();
        };
        room.copy_from_slice(part);
        length += part.len();
    }
    blake3::hash(&buffer[..length])
}

impl Stream {
    /// The stream of `owner` for `purpose` in the episode of `seed`, for example `("momentum-3", "wake")`.
    #[must_use]
    pub fn new(seed: Seed, owner: &str, purpose: &str) -> Self {
        // Length first: ("a", "bc") and ("ab", "c") are different streams.
        let parts = [&seed.0.to_le_bytes(), &(owner.len() as u64).to_le_bytes(), owner.as_bytes(), purpose.as_bytes()];
        let mut key = [0; 16];
        key.copy_from_slice(&hash(parts).as_bytes()[..16]);
        Self(rand_pcg::Pcg64Mcg::from_seed(key))
    }

    /// 64 uniform bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `[0, 1)`, 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `0..n` (Lemire 2019, without the rejection step: the bias is below `n / 2^64`). 0 for `n` = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A fair coin.
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log1p(-self.unit())
    }

    /// Standard normal (Box–Muller; the second value is thrown away so that one draw costs the same always).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log1p(-self.unit()));
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }
}
