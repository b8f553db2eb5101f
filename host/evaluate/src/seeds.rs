//! Which seeds a strategy is put on trial with.

use assay_model::Seed;

/// Seeds of one run: far more than an interval needs, and a bound on memory and on the size of the record.
pub const SEEDS_MAX: usize = 10_000;

/// Between one and [`SEEDS_MAX`] different seeds, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seeds(Vec<Seed>);

/// Why seeds cannot be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SeedsError {
    /// None were asked for.
    #[error("no seeds: a strategy is measured over at least one seed")]
    None,
    /// More than [`SEEDS_MAX`].
    #[error("{asked} seeds are too many: the maximum is {SEEDS_MAX}")]
    TooMany {
        /// How many were asked for.
        asked: u64,
    },
    /// One was named twice, which would count it twice.
    #[error("seed {} is named twice", seed.0)]
    Duplicate {
        /// Which.
        seed: Seed,
    },
}

impl Seeds {
    /// The seeds `1..=count`.
    ///
    /// # Errors
    /// [`SeedsError`] for none or too many.
    pub fn count(count: u64) -> Result<Self, SeedsError> {
        Self::range(1, count)
    }

    /// The seeds `first..=last`.
    ///
    /// # Errors
    /// [`SeedsError`] for none or too many.
    pub fn range(first: u64, last: u64) -> Result<Self, SeedsError> {
        let asked = last.checked_sub(first).ok_or(SeedsError::None)?.saturating_add(1);
        if asked > SEEDS_MAX as u64 {
            return Err(SeedsError::TooMany { asked });
        }
        Ok(Self((first..=last).map(Seed).collect()))
    }

    /// Just these.
    ///
    /// # Errors
    /// [`SeedsError`] for none, too many or one twice.
    pub fn list(mut seeds: Vec<u64>) -> Result<Self, SeedsError> {
        seeds.sort_unstable();
        if seeds.is_empty() {
            return Err(SeedsError::None);
        }
        if seeds.len() > SEEDS_MAX {
            return Err(SeedsError::TooMany { asked: seeds.len() as u64 });
        }
        if let Some(pair) = seeds.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(SeedsError::Duplicate { seed: Seed(pair[0]) });
        }
        Ok(Self(seeds.into_iter().map(Seed).collect()))
    }

    /// Each, ascending.
    #[must_use]
    pub fn as_slice(&self) -> &[Seed] {
        &self.0
    }
}
