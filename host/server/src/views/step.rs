//! A step of an episode: its trajectory, what the steps can be made again with, and the command that does so.
//!
//! Invariants: nothing is written but caches; a command that takes too long is ended, and what it says instead of an answer is told.

use super::records::broken_in;
use super::{Problem, folder, indexed};
use crate::id::ItemId;
use crate::index::Index;
use crate::library::{Library, What};
use crate::pages::step::{Kind, Step, Told};
use crate::starting::Work;
use assay_work::offers::{Kind as OfferKind, Offer};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

/// How long a command may take to repeat the steps of an episode.
const REPEAT_WAIT: Duration = Duration::from_secs(120);

/// A trajectory and one of its steps.
pub(super) struct At<'a> {
    id: &'a ItemId,
    pub file: File,
    pub index: Index,
    pub step: u64,
    /// The one that is wanted, where it is beyond the last.
    beyond: Option<u64>,
    /// The number of the last one, as far as the index has come.
    steps: u64,
    /// What the steps can be made again with.
    offers: Vec<Offer>,
}

impl<'a> At<'a> {
    /// Finds a trajectory in a folder of one of these kinds, and the step that is wanted, else the last. Its steps are made again with offers of a kind.
    pub(super) fn find(
        library: &Library,
        work: Option<&Work>,
        id: &'a ItemId,
        (what, with): (&[What], OfferKind),
        wanted: Option<u64>,
    ) -> Result<Self, Problem> {
        folder(library, id.folder, what)?;
        let (file, index) = indexed(library, id)?;
        let rows = index.read(index.rows().saturating_sub(1), 1).map_err(|error| Problem::of_index(&error))?;
        let steps = rows.first().map_or(0, |row| u64::from(row.step));
        let step = wanted.unwrap_or(steps).min(steps);
        let beyond = wanted.filter(|wanted| *wanted > steps);
        let offers = work
            .map_or_else(Vec::new, |work| work.offers.list().into_iter().filter(|offer| offer.kind == with).collect());
        Ok(Self { id, file, index, step, beyond, steps, offers })
    }

    /// The offer that is named, else the one that `usual` finds, else the only one.
    pub(super) fn chosen(&self, named: Option<&str>, usual: impl FnOnce(&[Offer]) -> Option<&Offer>) -> Option<&Offer> {
        match named.filter(|named| !named.is_empty()) {
            Some(named) => self.offers.iter().find(|offer| offer.id.to_string() == named),
            None => usual(&self.offers).or_else(|| self.offers.first().filter(|_| self.offers.len() == 1)),
        }
    }

    /// Has the steps made again by a command, whose words are made once it is known where the episode is. It answers with a line of JSON.
    pub(super) fn made_again<T: DeserializeOwned>(
        &self,
        library: &Library,
        work: &Work,
        what: &str,
        words: impl FnOnce(PathBuf) -> Vec<String>,
    ) -> Result<Told<T>, Problem> {
        let opened = library.trajectory(self.id).ok_or_else(Problem::nothing)?;
        let (_, episode) = opened.map_err(|error| Problem::of_file("the trajectory", &error))?;
        let asked = work.jobs.ask(&words(episode), REPEAT_WAIT).map_err(|error| Problem::unreadable(what, error))?;
        let line = asked.output.lines().find(|line| line.starts_with('{')).filter(|_| asked.code == Some(0));
        let refused = || asked.output.trim().trim_start_matches("error:").trim().to_owned();
        Ok(match line.and_then(|line| serde_json::from_str(line).ok()) {
            Some(view) => Told::View(Box::new(view)),
            None => Told::Refused(refused()),
        })
    }

    /// The step for its page.
    pub(super) fn shown(&self, kind: &'static Kind, chosen: Option<&Offer>) -> Result<Step<'_>, Problem> {
        let broken = broken_in(&self.file, &self.index).map_err(|error| Problem::of_index(&error))?;
        let chosen = chosen.map(|offer| offer.id.to_string());
        let Self { id, step, steps, beyond, .. } = *self;
        Ok(Step { kind, id, step, steps, beyond, offers: &self.offers, chosen, broken })
    }
}
