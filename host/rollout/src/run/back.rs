//! An episode read back from its files: the one way from a trajectory to a line of the journal.
//!
//! Invariant: of a damaged trajectory nothing is believed but what comes before the damage, and no score at all.

use std::path::Path;

use assay_trace::{Damage, Loaded, ReadError, ReadLimits};

use super::discarded::Discarded;
use super::episode::{EpisodeRecord, EpisodeSpec};
use super::spending::{Spending, Unread, load};
use crate::later::{Ungraded, was_graded_later};

/// See the module documentation.
pub(super) struct Back {
    loaded: Loaded,
    spending: Spending,
}

impl Back {
    /// What the episode has left among the trajectories of its run; none where that is nothing.
    ///
    /// # Errors
    /// [`ReadError::NeedsMemory`]: it needs more than the limits allow.
    pub(super) fn read(episodes: &Path, id: &str, limits: ReadLimits) -> Result<Option<Self>, ReadError> {
        let file = |id: &str| episodes.join(format!("{id}.jsonl"));
        let loaded = match load(&file(id), limits) {
            Ok(loaded) => loaded,
            Err(error @ ReadError::NeedsMemory { .. }) => return Err(error),
            Err(_) => return Ok(None),
        };
        let spending = Spending::of(&loaded.trajectory, |id| {
            let why = |_| if file(id).exists() { Unread::Unreadable } else { Unread::Missing };
            load(&file(id), limits).map_err(why)
        });
        Ok(Some(Self { loaded, spending }))
    }

    /// Whether the file says that it is this very attempt: one that was put in its place says nothing of it.
    pub(super) fn is_of(&self, spec: &EpisodeSpec) -> bool {
        let metadata = self.loaded.trajectory.metadata();
        metadata.id.as_str() == spec.id() && metadata.seed == spec.seed
    }

    /// What it has paid for, where nothing else is left of it.
    pub(super) fn discarded(&self, id: &str) -> Discarded {
        Discarded { id: id.to_owned(), hash: self.loaded.head.hash.to_string(), spent: self.spending }
    }

    /// The record of a scored episode.
    pub(super) fn scored(&self, spec: &EpisodeSpec) -> Option<EpisodeRecord> {
        if self.loaded.damage.is_some() {
            return None;
        }
        let mut record = EpisodeRecord::scored(spec, &self.loaded.trajectory)?;
        self.count(&mut record);
        Some(record)
    }

    /// The record of one without a score.
    pub(super) fn unscored(&self, spec: &EpisodeSpec, reason: String) -> EpisodeRecord {
        let mut record = EpisodeRecord::unscored(spec, reason);
        self.count(&mut record);
        record
    }

    fn count(&self, record: &mut EpisodeRecord) {
        record.count(&self.loaded.trajectory, self.loaded.head.hash.to_string(), self.spending);
    }

    /// Whether only the score is missing, so that it can be graded without asking the model again.
    pub(super) fn lacks_only_a_score(&self) -> bool {
        let is_readable = self.loaded.damage.as_ref().is_none_or(Damage::is_cut);
        is_readable && Ungraded::of(&self.loaded.trajectory).is_some()
    }

    /// Whether it was graded after its end.
    pub(super) fn was_graded_later(&self) -> bool {
        was_graded_later(&self.loaded.trajectory)
    }
}
