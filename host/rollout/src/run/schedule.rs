//! Runs what is pending in a folder, a bounded number of episodes at once, and journals what finishes: the units of [`run_tasks`] are episodes.
//!
//! Invariants: those of the spine; an episode is reported as finished after its line is durable; one with a score gets no second line. What an undone
//! episode still writes is what the next start removes or takes as it is.

use std::any::Any;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use assay_run::{Attempt, Stop, Tasks, Trouble, Unit, panic_words, run_tasks};
use assay_trace::ReadLimits;
use futures::future::{BoxFuture, FutureExt as _};

use super::back::Back;
use super::episode::{EpisodeRecord, EpisodeSpec};
use super::folder::RunFolder;
use super::recovery::{Pending, Work};
use super::sink::EpisodeFiles;

/// How a run is driven. Nothing of it changes a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduleSettings {
    /// Episodes at once.
    pub concurrency: NonZeroUsize,
    /// Attempts at an episode in this run, the first included, before it stays unscored.
    pub attempts: u32,
}

/// What is told of a run as it goes.
pub trait Watch: Sync {
    /// An episode begins.
    fn began(&self, spec: &EpisodeSpec);
    /// An episode failed for no fault of its own and will begin once more.
    fn will_retry(&self, spec: &EpisodeSpec, trouble: &Trouble);
    /// An episode is finished and journalled.
    fn finished(&self, record: &EpisodeRecord);
}

/// How a run ended. At a stop, what was running is undone, and begins anew when the run goes on; what was being graded is graded then. After trouble of the whole
/// run, what was under way has ended by itself. What is not kept is so because the folder can no longer be written, for this reason.
pub type RunEnd = assay_run::RunEnd<String>;

/// What a failed attempt has left: what the journal would say of it, and what the next one is to do.
struct Left {
    record: Box<EpisodeRecord>,
    next: Work,
}

/// The episodes of a run.
struct Episodes<'r, E> {
    folder: &'r mut RunFolder,
    /// By task and sample: what is next for it.
    pending: BTreeMap<(String, u32), Pending>,
    episode: E,
    watch: &'r dyn Watch,
}

impl<E, F> Tasks<EpisodeRecord, Left, String> for Episodes<'_, E>
where
    E: Fn(EpisodeSpec, Work, EpisodeFiles) -> F + Send,
    F: Future<Output = Result<(), Trouble>> + Send + 'static,
{
    fn begin(&mut self, unit: &Unit) -> BoxFuture<'static, Attempt<EpisodeRecord, Left>> {
        let Pending { spec, work, .. } = &self.pending[&unit.id()];
        self.watch.began(spec);
        let files = self.folder.files(&spec.id());
        let episode = (self.episode)(spec.clone(), *work, files.clone());
        let tried = AssertUnwindSafe(attempt(spec.clone(), files, episode)).catch_unwind();
        let fell = |panic: Box<dyn Any + Send>| format!("the episode panicked: {}", panic_words(&*panic));
        Box::pin(tried.map(move |tried| tried.unwrap_or_else(|panic| Err((Trouble::bug(fell(panic)), None)))))
    }

    fn begins_anyway(&self, unit: &Unit) -> bool {
        // What is paid for is graded all the same.
        self.pending.get(&unit.id()).is_some_and(|pending| pending.work == Work::Grade)
    }

    fn keep(
        &mut self,
        results: Vec<(Unit, Attempt<EpisodeRecord, Left>)>,
        again: Vec<(Unit, Trouble, Option<Left>)>,
    ) -> BoxFuture<'_, Result<(), String>> {
        let Self { folder, pending, watch, .. } = self;
        Box::pin(async move {
            let has_disk_failed = folder.disk.trouble().is_some();
            let mut finished = Vec::new();
            for (unit, tried) in results {
                let Some(Pending { spec, earlier, .. }) = pending.get(&unit.id()) else { continue };
                let record = match tried {
                    Ok(record) => record,
                    // An episode that could not write is not finished, whatever it says was the reason.
                    Err(_) if has_disk_failed => continue,
                    Err((_, Some(left))) => *left.record,
                    Err((trouble, None)) => EpisodeRecord::unscored(spec, trouble.why),
                };
                finished.push(EpisodeRecord { earlier: *earlier, ..record });
            }
            journal(folder, finished, *watch).await?;
            if let Some(why) = folder.disk.trouble() {
                return Err(why);
            }
            for (unit, trouble, left) in again {
                let (Some(pending), Some(left)) = (pending.get_mut(&unit.id()), left) else { continue };
                watch.will_retry(&pending.spec, &trouble);
                if left.next == Work::Grade {
                    // What was paid for is kept, so nothing of it is lost.
                    pending.work = Work::Grade;
                } else if pending.work == Work::Run {
                    pending.spec = pending.spec.next_attempt();
                    pending.earlier = pending.earlier.plus(left.record.spending());
                }
            }
            Ok(())
        })
    }
}

/// Runs every pending episode of the folder. `episode` does the [`Work`] that it is given. To run an episode, it begins its trajectory, under the id of
/// the spec, in the files that it is given; to grade one, it continues the existing trajectory. It returns once the score is written; the
/// record is then computed from the file. Dropping its future must undo it, but for what can still be graded.
pub async fn run<E, F>(
    folder: &mut RunFolder,
    settings: ScheduleSettings,
    episode: E,
    watch: &dyn Watch,
    stop: &Stop,
) -> RunEnd
where
    E: Fn(EpisodeSpec, Work, EpisodeFiles) -> F + Send,
    F: Future<Output = Result<(), Trouble>> + Send + 'static,
{
    let (mut units, mut pending) = (Vec::new(), BTreeMap::new());
    for one in folder.pending.drain(..) {
        let EpisodeSpec { task, sample, seed, .. } = &one.spec;
        // Attempts of earlier starts do not count among those of this one.
        units.push(Unit { seed: seed.0, sample: *sample, ..Unit::new(task) });
        // However often an episode is named, it runs once.
        pending.entry(one.spec.key()).or_insert(one);
    }
    let mut episodes = Episodes { folder, pending, episode, watch };
    let ScheduleSettings { concurrency, attempts } = settings;
    run_tasks::<EpisodeRecord, Left, String>(units.into_iter(), &mut episodes, concurrency, attempts, stop).await
}

/// One attempt, and what its trajectory says of it.
async fn attempt(
    spec: EpisodeSpec,
    files: EpisodeFiles,
    episode: impl Future<Output = Result<(), Trouble>>,
) -> Attempt<EpisodeRecord, Left> {
    let result = episode.await;
    let folder = files.folder().to_owned();
    let read = files.disk().work(move || read_back(&spec, &folder, result)).await;
    read.unwrap_or_else(|error| std::panic::resume_unwind(Box::new(format!("reading back failed: {error}"))))
}

/// The record of an attempt, computed from its trajectory.
fn read_back(spec: &EpisodeSpec, episodes: &Path, result: Result<(), Trouble>) -> Attempt<EpisodeRecord, Left> {
    // This process has written it, and held what is in it.
    let back = Back::read(episodes, &spec.id(), ReadLimits::STANDARD).ok().flatten();
    let trouble = match (result, back.as_ref().and_then(|back| back.scored(spec))) {
        (Ok(()), Some(record)) => return Ok(record),
        (Ok(()), None) => Trouble::bug("the episode ended without a score that can be read back"),
        (Err(trouble), _) => trouble,
    };
    let next = if back.as_ref().is_some_and(Back::lacks_only_a_score) { Work::Grade } else { Work::Run };
    let record = match back {
        Some(back) => back.unscored(spec, trouble.why.clone()),
        None => EpisodeRecord::unscored(spec, trouble.why.clone()),
    };
    Err((trouble, Some(Left { record: Box::new(record), next })))
}

/// Makes finished episodes durable, then tells of them. A score stands: whatever comes after it is passed over.
async fn journal(folder: &mut RunFolder, mut finished: Vec<EpisodeRecord>, watch: &dyn Watch) -> Result<(), String> {
    let key = |record: &EpisodeRecord| (record.task.clone(), record.sample);
    finished.retain(|record| folder.finished.get(&key(record)).is_none_or(|earlier| earlier.reward().is_none()));
    if finished.is_empty() {
        return Ok(());
    }
    let (journal, lines) = (folder.journal.clone(), finished.clone());
    let written = folder.disk.work(move || journal.append(&lines).map_err(|error| error.to_string())).await;
    written.unwrap_or_else(|error| Err(error.to_string()))?;
    let forget = folder.forget(&finished);
    // What it could not remove, the next start does.
    let _ = folder.disk.work(forget).await;
    for record in finished {
        watch.finished(&record);
        folder.finished.insert(key(&record), record);
    }
    Ok(())
}
