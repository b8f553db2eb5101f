//! Which episodes keep their full log, where keeping all would fill a disk.
//!
//! Invariant: whether an episode is in the sample is known before it starts, from its id alone, so that no outcome and no other episode has a say in it. What
//! one wants to look into, a failure or a flag, is kept whether sampled or not: see
//! [`EpisodeRecord::keeps_full_log`](crate::run::EpisodeRecord::keeps_full_log).

use std::fmt;

use assay_trace::Digest;
use serde::{Deserialize, Serialize};

/// How many of a thousand episodes keep their full log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SampleRate(u16);

impl SampleRate {
    /// Every episode.
    pub const ALL: Self = Self(1_000);

    /// So many of a thousand; more than that are all.
    #[must_use]
    pub fn per_mille(episodes: u16) -> Self {
        Self(episodes.min(1_000))
    }

    /// Whether the episode is in the sample: the first eight bytes, little end first, of the BLAKE3 digest of its id, modulo 1,000, are below the rate.
    #[must_use]
    pub fn takes(self, id: &str) -> bool {
        let digest = Digest::of(id.as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&digest.as_bytes()[..8]);
        u64::from_le_bytes(first) % 1_000 < u64::from(self.0)
    }
}

impl fmt::Display for SampleRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of 1000", self.0)
    }
}

impl Default for SampleRate {
    fn default() -> Self {
        Self::ALL
    }
}
