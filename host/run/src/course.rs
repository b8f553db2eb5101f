//! The course of a run, the same for threads and for tasks: which unit is next, what follows from an attempt, how it all ended.

use crate::stop::Stop;
use crate::trouble::{Trouble, TroubleKind};
use crate::unit::{Source, Unit};
use std::collections::BTreeSet;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd<F> {
    /// Every unit of the source has a result that was kept.
    Complete,
    /// It was asked to stop.
    Stopped,
    /// A unit had trouble of the whole run.
    Failed(Trouble),
    /// The sink failed.
    Unkept(F),
}

impl<F> RunEnd<F> {
    /// The end of a run of which nothing is under way any more; `early` is what ended it before its time.
    pub(crate) fn of(early: Option<Self>, stop: &Stop) -> Self {
        early.unwrap_or(if stop.is_asked() { Self::Stopped } else { Self::Complete })
    }
}

/// The source, and what was taken from it.
pub(crate) struct Intake<S> {
    source: S,
    taken: BTreeSet<(String, u32)>,
}

impl<S: Source> Intake<S> {
    pub(crate) const fn new(source: S) -> Self {
        Self { source, taken: BTreeSet::new() }
    }

    /// The next unit that the run has not had yet. A stop may come while the source is waited for.
    pub(crate) fn take(&mut self, stop: &Stop) -> Option<Unit> {
        while !stop.is_asked() {
            let unit = self.source.deliver().filter(|_| !stop.is_asked())?;
            if self.taken.insert(unit.id()) {
                return Some(unit);
            }
        }
        None
    }
}

/// What follows from an attempt: its result is the unit's; the unit is tried once more; it is undone and runs next time; or the same, and the run ends.
pub(crate) enum Next {
    Kept,
    Again,
    Undone,
    Ended,
}

impl Next {
    /// After this trouble of a unit, if any; units are tried so often.
    pub(crate) fn after(unit: &Unit, trouble: Option<&Trouble>, attempts: u32, stop: &Stop) -> Self {
        match trouble.map(|trouble| trouble.kind) {
            Some(TroubleKind::Passing) if stop.is_asked() => Self::Undone,
            Some(TroubleKind::Passing) if unit.retry.saturating_add(1) < attempts => Self::Again,
            Some(TroubleKind::Budget | TroubleKind::Fatal) => Self::Ended,
            None | Some(TroubleKind::Passing | TroubleKind::Lasting | TroubleKind::Bug) => Self::Kept,
        }
    }
}
