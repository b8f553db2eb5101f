//! Hidden seeds: derived from a secret or listed, and committed to.
//!
//! Invariants: neither a secret nor a hidden seed is ever part of a message or of `Debug`; who knows the commitment, the policy and all
//! verdicts, but not the secret, learns nothing about the seeds.

use super::{HiddenRule, POLICY_SEEDS_MAX, ScenarioRule};
use assay_evaluate::Seeds;
use assay_model::Seed;
use std::collections::BTreeSet;
use std::fmt;

/// Separates this use of the secret from every other; part of the format.
pub const HIDDEN_SEEDS_CONTEXT: &str = "assay.gate 1 hidden seeds";
const COMMITMENT_CONTEXT: &str = "assay.gate 1 commitment to hidden seeds";

/// A shorter secret could be found by trying.
pub const SECRET_CHARS_MIN: usize = 16;

/// What only the keeper of the policy knows.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// Space around it does not count. `None` if it is too short.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (text.chars().count() >= SECRET_CHARS_MIN).then(|| Self(text.as_bytes().to_vec()))
    }

    /// The first `count` different numbers, none of them taken, of the stream that belongs to the secret and `label`. `context` separates one use of
    /// the secret from every other.
    ///
    /// # Errors
    /// More than a run can have, or none.
    pub fn seeds(
        &self,
        context: &str,
        label: &str,
        count: u64,
        is_taken: &dyn Fn(Seed) -> bool,
    ) -> Result<Seeds, SeedsFault> {
        if count > POLICY_SEEDS_MAX {
            return Err(SeedsFault::TooMany);
        }
        let mut hasher = blake3::Hasher::new_derive_key(context);
        hasher.update(&(self.0.len() as u64).to_le_bytes()).update(&self.0).update(label.as_bytes());
        let mut stream = hasher.finalize_xof();
        let mut seeds = BTreeSet::new();
        while (seeds.len() as u64) < count {
            let mut bytes = [0; 8];
            stream.fill(&mut bytes);
            let seed = u64::from_le_bytes(bytes);
            if !is_taken(Seed(seed)) {
                seeds.insert(seed);
            }
        }
        if seeds.is_empty() {
            return Err(SeedsFault::None);
        }
        Seeds::list(seeds.into_iter().collect()).map_err(|_| SeedsFault::Duplicate)
    }

    /// What may be published of seeds: who knows the secret can check it, nobody else learns anything. `context` as in [`Secret::seeds`].
    #[must_use]
    pub fn commitment(&self, context: &str, seeds: &Seeds) -> String {
        self.commitment_to(context, seeds, b"")
    }

    /// The same of seeds and of the terms under which they are used, which say how many seeds there are: only who knows the secret can make one that fits
    /// other terms.
    #[must_use]
    pub fn commitment_to(&self, context: &str, seeds: &Seeds, terms: &[u8]) -> String {
        let key = blake3::derive_key(context, &self.0);
        let mut hasher = blake3::Hasher::new_keyed(&key);
        for seed in seeds.as_slice() {
            hasher.update(&seed.0.to_le_bytes());
        }
        hasher.update(terms);
        hasher.finalize().to_string()
    }
}

/// Seeds that authors may not know, and what may be published of them.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The seeds.
    pub seeds: Seeds,
    /// Keyed BLAKE3 of the seeds, ascending, as little-endian bytes.
    pub commitment: String,
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hidden").field("commitment", &self.commitment).finish_non_exhaustive()
    }
}

/// Why there are no seeds. Names none of them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SeedsFault {
    /// Neither a number nor a range.
    #[error("item {} is neither a seed nor a range of seeds", .index + 1)]
    NotASeed {
        /// Which item of the list, from 0.
        index: usize,
    },
    /// None at all.
    #[error("it contains no seeds")]
    None,
    /// Too many.
    #[error("it contains more than {POLICY_SEEDS_MAX} seeds")]
    TooMany,
    /// One is there twice.
    #[error("a seed is listed twice")]
    Duplicate,
    /// A hidden seed is public.
    #[error("a hidden seed is among the public ones")]
    Public,
}

/// Seeds separated by commas, spaces or line ends; `5..8` is 5, 6, 7 and 8; what follows a `#` on its line is a comment.
///
/// # Errors
/// The first thing that is wrong, without naming a seed.
pub fn listed_seeds(text: &str) -> Result<Seeds, SeedsFault> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let items = lines.flat_map(|line| line.split([',', ' ', '\t'])).filter(|item| !item.is_empty());
    let mut seeds = Vec::new();
    for (index, item) in items.enumerate() {
        let number = |text: &str| text.parse::<u64>().map_err(|_| SeedsFault::NotASeed { index });
        let (first, last) = match item.split_once("..") {
            Some((first, last)) => (number(first)?, number(last.trim_start_matches('='))?),
            None => (number(item)?, number(item)?),
        };
        let count = last.checked_sub(first).ok_or(SeedsFault::NotASeed { index })?;
        if count >= POLICY_SEEDS_MAX || seeds.len() as u64 + count >= POLICY_SEEDS_MAX {
            return Err(SeedsFault::TooMany);
        }
        seeds.extend(first..=last);
    }
    if seeds.is_empty() {
        return Err(SeedsFault::None);
    }
    Seeds::list(seeds).map_err(|_| SeedsFault::Duplicate)
}

impl ScenarioRule {
    /// The hidden seeds of this scenario, with the text of the list if they are listed; `None` if it has none.
    ///
    /// # Errors
    /// See [`SeedsFault`].
    pub fn hidden_seeds(&self, secret: &Secret, list: Option<&str>) -> Result<Option<Hidden>, SeedsFault> {
        let seeds = match &self.hidden {
            None => return Ok(None),
            Some(HiddenRule::Listed(_)) => listed_seeds(list.unwrap_or_default())?,
            Some(HiddenRule::Derived(count)) => self.derive(secret, *count)?,
        };
        if seeds.as_slice().iter().any(|seed| self.is_public(*seed)) {
            return Err(SeedsFault::Public);
        }
        let commitment = secret.commitment(COMMITMENT_CONTEXT, &seeds);
        Ok(Some(Hidden { seeds, commitment }))
    }

    fn is_public(&self, seed: Seed) -> bool {
        self.public.as_ref().is_some_and(|public| public.as_slice().contains(&seed))
    }

    /// The first `count` different numbers of the stream that belongs to secret and scenario.
    fn derive(&self, secret: &Secret, count: u64) -> Result<Seeds, SeedsFault> {
        secret.seeds(HIDDEN_SEEDS_CONTEXT, &self.scenario, count, &|seed| self.is_public(seed))
    }
}
