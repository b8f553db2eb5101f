//! A run of episodes as its pages get it, and links to its trajectories.

use super::layout::{Frame, Topic};
use crate::id::{ItemId, Name};
use crate::library::Found;
use crate::place::Place;
use assay_rollout::run::{DamagedLine, Doubt, EpisodeRecord, Figures, RunRecord, Stated};
use maud::Markup;
use std::collections::BTreeSet;

/// A rollout as its folder has it.
pub(crate) struct Rollout<'a> {
    pub found: &'a Found,
    pub record: &'a RunRecord,
    pub finished: &'a [EpisodeRecord],
    /// Results that are not believed, and not among the finished.
    pub doubts: &'a [Doubt],
    /// Lines of results that cannot be read.
    pub damaged: &'a [DamagedLine],
    /// Settings that are not those with which its episodes ran, and trajectories that prove none.
    pub stated: &'a Stated,
    pub figures: &'a Figures,
    /// Names of all trajectories: those of unfinished episodes too.
    pub trajectories: &'a [Name],
    /// Those that end before the record that their results name.
    pub shortened: &'a [Name],
    /// Episodes that have ended and of which no line of results tells; none while a process works on the run.
    pub unlisted: &'a [String],
    /// Whether a process works on the run.
    pub is_running: bool,
    /// Whether the grid has the reward of each episode.
    pub has_rewards: bool,
    pub topic: Topic,
}

impl Rollout<'_> {
    /// Whether some of them have no result.
    pub(super) fn is_unfinished(&self) -> bool {
        self.record.planned().is_some_and(|planned| (self.figures.episodes as u64) < planned)
    }
}

/// What is shown of an episode, as a link to its trajectory where that is there.
pub(super) fn linked(
    frame: Frame<'_>,
    rollout: &Rollout<'_>,
    id: &str,
    names: &BTreeSet<&str>,
    shown: &Markup,
) -> Markup {
    match id.parse::<Name>() {
        Ok(name) if names.contains(id) => frame.linked(&place(rollout.found, &name), shown),
        _ => shown.clone(),
    }
}

/// Where one of its trajectories is shown.
pub(super) fn place(found: &Found, name: &Name) -> Place {
    Place::Trajectory(ItemId { folder: found.id, name: name.clone() }, 0)
}
