//! Grading after the end: an episode whose files no test bench could look at gets its score from its record, and the model is not asked again.
//!
//! ```text
//! … exit, patch ──► (engine fails, or the process is killed) … graded_later, flags, artifacts, score
//! ```
//!
//! Invariants: what is graded is the patch that the record holds, laid over files with the digest that the record names; the verdict is the one
//! that the episode would have got at its end. Patches that are too long for a record are not here: such an episode is run again.

use std::sync::Arc;

use assay_model::{Nanos, Time};
use assay_trace::{Base64, Event, EventKind, OtherEvent, Record, Trajectory, Usage, Verdict};
use assay_tree::{Tree, patch};
use serde::de::DeserializeOwned;
use serde_json::json;
use thiserror::Error;

use crate::aside::aside;
use crate::episode::{Judged, worth};
use crate::exit::{Exit, Worth};
use crate::limits::Spent;
use crate::ports::{Clock, Grader, Sink, SinkError, SoFar};
use crate::record::{EXIT, GRADED_LATER, PATCH, RecordedExit, RecordedPatch, files_digest};
use crate::submission::{self, Submission};

/// An episode that ended and has no score yet, although its files are worth grading.
#[derive(Clone, Debug)]
pub struct Ungraded {
    exit: Exit,
    spent: Spent,
    steps: u32,
    contradicted: u32,
    base: String,
    patch: Arc<[u8]>,
    /// Why an earlier grading gave no score; none where the episode never got that far.
    earlier: Option<String>,
}

/// Why an episode cannot be graded from its record.
#[derive(Debug, Error)]
pub enum LaterError {
    /// The task's files are not those that the episode began with.
    #[error("the task's files have changed since the episode ran")]
    OtherFiles,
    /// The recorded patch does not give the recorded files.
    #[error("the recorded patch does not fit the task's files: {0}")]
    Patch(String),
    /// The record cannot be written.
    #[error(transparent)]
    Sink(#[from] SinkError),
}

impl Ungraded {
    /// What is left to grade of a recorded episode; none where it has a score, did not end, or ended in a way that is not graded.
    #[must_use]
    pub fn of(trajectory: &Trajectory) -> Option<Self> {
        let verdict = trajectory.verdict();
        if verdict.is_some_and(|verdict| verdict.outcome().is_some()) {
            return None;
        }
        let ended: RecordedExit = last(trajectory, EXIT)?;
        let recorded: RecordedPatch = last(trajectory, PATCH)?;
        let exit = *Exit::ALL.iter().find(|exit| exit.name() == ended.exit)?;
        let steps = u32::try_from(trajectory.steps()).ok()?;
        if exit.worth() == Worth::Unscored || exit == Exit::Budget && steps == 0 {
            return None;
        }
        let patch = match (recorded.patch, recorded.patch_base64) {
            (Some(text), _) => text.into_bytes(),
            (None, Some(text)) => Base64::new(text).ok()?.to_bytes(),
            (None, None) => return None,
        };
        let usage = Usage { input: ended.tokens?, ..Usage::default() };
        let (cost_microdollars, wall) = (ended.cost_microdollars, Nanos(ended.wall_ns));
        let spent = Spent { usage, cost_microdollars, wall, working: Nanos(0) };
        let earlier = verdict.map(|verdict| verdict.reason().to_owned());
        let contradicted = contradictions(trajectory);
        Some(Self { exit, spent, steps, contradicted, base: recorded.base, patch: patch.into(), earlier })
    }

    /// Grades it over the files that its task begins with, and appends what comes out to its record.
    ///
    /// # Errors
    /// The files are others than they were, or the record cannot be written. Trouble with the test bench is an unscored verdict.
    pub async fn grade(
        &self,
        base: &Tree,
        grader: &dyn Grader,
        clock: &dyn Clock,
        sink: &mut dyn Sink,
    ) -> Result<Verdict, LaterError> {
        let tree = aside(|| self.files(base)).await?;
        let submission = Submission { tree, patch: Some(Arc::clone(&self.patch)) };
        let so_far = SoFar { steps: self.steps, spent: self.spent, contradicted: self.contradicted };
        let Judged { events, verdict } =
            worth(self.exit, &submission, clock.now(), grader.grade(submission.clone(), so_far)).await;
        let body = json!({ "earlier": self.earlier });
        let mark = OtherEvent::new(GRADED_LATER, &body).ok().map(EventKind::Other);
        let at = clock.now();
        let events = mark.into_iter().chain(events).map(|kind| Record::from(Event { at, kind }));
        let records = events.chain([Record::from(verdict.clone())]).collect();
        sink.append(records).await?;
        Ok(verdict)
    }

    /// The files at the end of the episode.
    fn files(&self, base: &Tree) -> Result<Tree, LaterError> {
        if files_digest(base).to_string() != self.base {
            return Err(LaterError::OtherFiles);
        }
        if self.patch.is_empty() {
            return Ok(base.fork());
        }
        let failed = |why: String| LaterError::Patch(why);
        let tree = patch::apply(base, &self.patch, Time::default()).map_err(|error| failed(error.to_string()))?;
        // Empty folders are in no patch, so digests of trees may differ; a patch says all that is graded.
        let again = submission::patch(base, &tree).map_err(|error| failed(error.to_string()))?;
        if again == *self.patch { Ok(tree) } else { Err(failed("it gives other files".to_owned())) }
    }
}

/// The body of the last event of a kind.
fn last<T: DeserializeOwned>(trajectory: &Trajectory, kind: &str) -> Option<T> {
    match &events_of(trajectory, kind).last()?.kind {
        EventKind::Other(other) => serde_json::from_str(other.body()).ok(),
        _ => None,
    }
}

/// In how many gradings of a recorded episode a confirming run contradicted a success: each of them left its flag.
fn contradictions(trajectory: &Trajectory) -> u32 {
    let is_one = |event: &&Event| match &event.kind {
        EventKind::Flag(flag) => matches!(flag.name.as_str(), "control_passed" | "control_differs"),
        _ => false,
    };
    u32::try_from(trajectory.events().filter(is_one).count()).unwrap_or(u32::MAX)
}

/// Whether an episode was graded after its end.
pub(crate) fn was_graded_later(trajectory: &Trajectory) -> bool {
    events_of(trajectory, GRADED_LATER).next().is_some()
}

/// When the work on an episode ended that was graded later: no later grading makes it longer.
pub(crate) fn ended_at(trajectory: &Trajectory) -> Option<Time> {
    was_graded_later(trajectory).then(|| events_of(trajectory, EXIT).last().map(|event| event.at))?
}

fn events_of<'t>(trajectory: &'t Trajectory, kind: &'t str) -> impl Iterator<Item = &'t Event> {
    trajectory.events().filter(move |event| matches!(&event.kind, EventKind::Other(other) if other.kind() == kind))
}
