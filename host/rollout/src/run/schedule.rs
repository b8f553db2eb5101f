//! Runs what is pending in a folder, a bounded number of episodes at once, and journals what finishes.
//!
//! Invariants: an episode is reported as finished after its line is durable; an episode that panics takes nobody with it; one with a
//! score gets no second line; when the call is over no episode is running, however it ended, but for one that computes for longer than [`HOLD_MAX`] without
//! a pause: it is undone at its next one.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::future::Future;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use assay_run::{Stop, panic_words};
use tokio::task::{Id, JoinError, JoinSet};

use super::back::Back;
use super::episode::{EpisodeRecord, EpisodeSpec, Trouble, TroubleKind};
use super::folder::RunFolder;
use super::recovery::{Pending, Work};
use super::sink::EpisodeFiles;
use super::spending::Spending;

/// How long an episode that is cut off may hold on to its thread. A patch or a log of megabytes takes seconds on a busy machine; whoever asked for a
/// stop does not wait for longer, and nothing is lost, since what an undone episode still writes is what the next start removes or takes as it is.
const HOLD_MAX: Duration = Duration::from_secs(10);

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

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// Nothing is pending.
    Complete,
    /// It was asked to stop. What was running is undone, and begins anew when the run goes on; what was being graded is graded then.
    Stopped,
    /// Nothing more could begin, for this reason. What was under way has ended by itself.
    Failed(Trouble),
    /// The folder can no longer be written; what was running is undone as well.
    Unwritable {
        /// What happened.
        why: String,
    },
}

/// What an attempt came to.
enum Ended {
    Finished(EpisodeRecord),
    Failed(EpisodeRecord, Trouble),
}

/// An episode and how often it was tried in this run.
#[derive(Clone)]
struct Item {
    pending: Pending,
    tries: u32,
}

impl Item {
    /// The same once more, after trouble that passes.
    fn again(&self, trouble: &Trouble, paid: Spending) -> Option<Self> {
        let Pending { spec, earlier, .. } = &self.pending;
        let pending = match trouble.kind {
            // What was paid for is kept, so nothing of it is lost.
            TroubleKind::Ungraded => Pending { work: Work::Grade, ..self.pending.clone() },
            TroubleKind::Passing if self.pending.work == Work::Grade => self.pending.clone(),
            TroubleKind::Passing => Pending { spec: spec.next_attempt(), work: Work::Run, earlier: earlier.plus(paid) },
            TroubleKind::Lasting | TroubleKind::Budget | TroubleKind::Fatal | TroubleKind::Bug => return None,
        };
        Some(Self { pending, tries: self.tries + 1 })
    }
}

type Running = HashMap<Id, Item>;

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
    E: Fn(EpisodeSpec, Work, EpisodeFiles) -> F,
    F: Future<Output = Result<(), Trouble>> + Send + 'static,
{
    // However often an episode is named, it runs once.
    let mut named = BTreeSet::new();
    let pending = folder.pending.drain(..).filter(|pending| named.insert(pending.spec.key()));
    let mut queue: VecDeque<Item> = pending.map(|pending| Item { pending, tries: 1 }).collect();
    let mut running = Running::new();
    let mut tasks = JoinSet::new();
    // Why nothing more begins that needs a model.
    let mut halted: Option<Trouble> = None;
    let end = loop {
        while running.len() < settings.concurrency.get()
            && !stop.is_asked()
            && let Some(item) = queue.pop_front()
        {
            let spec = &item.pending.spec;
            watch.began(spec);
            let files = folder.files(&spec.id());
            let work = episode(spec.clone(), item.pending.work, files.clone());
            let task = tasks.spawn(attempt(spec.clone(), files, work));
            running.insert(task.id(), item);
        }
        let joined = tokio::select! {
            joined = tasks.join_next_with_id() => joined,
            () = stop.asked() => break RunEnd::Stopped,
        };
        let Some(first) = joined else { break halted.map_or(RunEnd::Complete, RunEnd::Failed) };
        // Whatever else is ready shares the journal's sync.
        let mut all = vec![first];
        all.extend(std::iter::from_fn(|| tasks.try_join_next_with_id()));
        let ended: Vec<Attempted> = all.into_iter().filter_map(|joined| outcome(joined, &mut running)).collect();
        let sorted = sort(ended, settings.attempts, folder.disk.trouble().is_some());
        if let Err(why) = journal(folder, sorted.finished, watch).await {
            break RunEnd::Unwritable { why };
        }
        if let Some(why) = folder.disk.trouble() {
            break RunEnd::Unwritable { why };
        }
        for (item, again, trouble) in sorted.again {
            watch.will_retry(&item.pending.spec, &trouble);
            queue.push_back(again);
        }
        halted = halted.or(sorted.halt);
        if halted.is_some() {
            // What is paid for is graded all the same.
            queue.retain(|item| item.pending.work == Work::Grade);
        }
    };
    if !tasks.is_empty() {
        // Those that hold on longer are cut off all the same.
        let _ = tokio::time::timeout(HOLD_MAX, tasks.shutdown()).await;
    }
    end
}

/// One attempt, and what its trajectory says of it.
async fn attempt(spec: EpisodeSpec, files: EpisodeFiles, episode: impl Future<Output = Result<(), Trouble>>) -> Ended {
    let result = episode.await;
    let folder = files.folder().to_owned();
    let read = files.disk().work(move || read_back(&spec, &folder, result)).await;
    read.unwrap_or_else(|error| std::panic::resume_unwind(Box::new(format!("reading back failed: {error}"))))
}

/// The record of an attempt, computed from its trajectory.
fn read_back(spec: &EpisodeSpec, episodes: &Path, result: Result<(), Trouble>) -> Ended {
    let back = Back::read(episodes, &spec.id());
    let trouble = match (result, back.as_ref().and_then(|back| back.scored(spec))) {
        (Ok(()), Some(record)) => return Ended::Finished(record),
        (Ok(()), None) => bug("the episode ended without a score that can be read back"),
        (Err(trouble), _) => trouble,
    };
    let record = match back {
        Some(back) => back.unscored(spec, trouble.why.clone()),
        None => EpisodeRecord::unscored(spec, trouble.why.clone()),
    };
    Ended::Failed(record, trouble)
}

fn bug(why: &str) -> Trouble {
    Trouble { kind: TroubleKind::Bug, why: format!("internal error: {why}"), hint: None }
}

type Attempted = (Item, Ended);

/// What became of a task, a panic included.
fn outcome(joined: Result<(Id, Ended), JoinError>, running: &mut Running) -> Option<Attempted> {
    match joined {
        Ok((id, ended)) => running.remove(&id).map(|item| (item, ended)),
        Err(error) => {
            let item = running.remove(&error.id())?;
            let why = error.try_into_panic().map_or_else(|error| error.to_string(), |panic| panic_words(&*panic));
            let trouble = bug(&format!("the episode panicked: {why}"));
            let record = EpisodeRecord::unscored(&item.pending.spec, trouble.why.clone());
            Some((item, Ended::Failed(record, trouble)))
        }
    }
}

/// What is finished, what is tried again and why, and what ends the run.
#[derive(Default)]
struct Sorted {
    finished: Vec<EpisodeRecord>,
    again: Vec<(Item, Item, Trouble)>,
    halt: Option<Trouble>,
}

fn sort(ended: Vec<Attempted>, attempts: u32, disk_failed: bool) -> Sorted {
    let mut sorted = Sorted::default();
    for (item, ended) in ended {
        let earlier = item.pending.earlier;
        match ended {
            // An episode that could not write is not finished, whatever it says was the reason.
            Ended::Failed(..) if disk_failed => {}
            Ended::Failed(_, trouble) if matches!(trouble.kind, TroubleKind::Fatal | TroubleKind::Budget) => {
                sorted.halt = sorted.halt.or(Some(trouble));
            }
            Ended::Failed(record, trouble) => match item.again(&trouble, record.spending()) {
                Some(again) if item.tries < attempts => sorted.again.push((item, again, trouble)),
                _ => sorted.finished.push(EpisodeRecord { earlier, ..record }),
            },
            Ended::Finished(record) => sorted.finished.push(EpisodeRecord { earlier, ..record }),
        }
    }
    sorted
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
