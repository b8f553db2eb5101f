//! Runs what is pending in a folder, a bounded number of episodes at once, and journals what finishes.
//!
//! Invariants: an episode is reported as finished after its line is durable; an episode that panics takes nobody with it; when the call is over
//! no episode is running, however it ended.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::path::Path;

use assay_files::Links;
use tokio::sync::watch;
use tokio::task::{Id, JoinError, JoinSet};

use super::episode::{EpisodeRecord, EpisodeSpec, Trouble, TroubleKind};
use super::folder::RunFolder;
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

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// Nothing is pending.
    Complete,
    /// It was asked to stop. What was running is undone, and begins anew when the run goes on.
    Stopped,
    /// Nothing could have succeeded any more; what was running is undone as well.
    Failed(Trouble),
    /// The folder can no longer be written; what was running is undone as well.
    Unwritable {
        /// What happened.
        why: String,
    },
}

/// Asks a run to stop: from a signal handler, or from anywhere.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Not yet.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Now.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was asked for.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is asked for.
    pub async fn asked(&self) {
        // Fails only when the sender is gone, which `self` holds.
        let _ = self.0.subscribe().wait_for(|asked| *asked).await;
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}

/// What an episode came to.
enum Ended {
    Finished(EpisodeRecord),
    Failed(EpisodeRecord, Trouble),
}

/// Runs every pending episode of the folder. `episode` begins its trajectory, under the id of the spec, in the files that it is given, and returns
/// once the score is written; the record is then computed from the file. Dropping its future must undo it.
pub async fn run<E, F>(
    folder: &mut RunFolder,
    settings: ScheduleSettings,
    episode: E,
    watch: &dyn Watch,
    stop: &Stop,
) -> RunEnd
where
    E: Fn(EpisodeSpec, EpisodeFiles) -> F,
    F: Future<Output = Result<(), Trouble>> + Send + 'static,
{
    let mut queue: VecDeque<(EpisodeSpec, u32)> = folder.pending.drain(..).map(|spec| (spec, 1)).collect();
    let mut running: HashMap<Id, (EpisodeSpec, u32)> = HashMap::new();
    let mut tasks = JoinSet::new();
    let end = loop {
        while running.len() < settings.concurrency.get()
            && !stop.is_asked()
            && let Some((spec, tries)) = queue.pop_front()
        {
            watch.began(&spec);
            let files = folder.files(&spec.id());
            let task = tasks.spawn(attempt(spec.clone(), files.clone(), episode(spec.clone(), files)));
            running.insert(task.id(), (spec, tries));
        }
        let joined = tokio::select! {
            joined = tasks.join_next_with_id() => joined,
            () = stop.asked() => break RunEnd::Stopped,
        };
        let Some(first) = joined else { break RunEnd::Complete };
        // Whatever else is ready shares the journal's sync.
        let mut all = vec![first];
        all.extend(std::iter::from_fn(|| tasks.try_join_next_with_id()));
        let ended = all.into_iter().filter_map(|joined| outcome(joined, &mut running));
        let (finished, again, fatal) = sort(ended.collect(), settings.attempts, folder.disk.trouble().is_some());
        if let Err(why) = journal(folder, finished, watch).await {
            break RunEnd::Unwritable { why };
        }
        if let Some(why) = folder.disk.trouble() {
            break RunEnd::Unwritable { why };
        }
        if let Some(trouble) = fatal {
            break RunEnd::Failed(trouble);
        }
        for (spec, tries, trouble) in again {
            watch.will_retry(&spec, &trouble);
            queue.push_back((spec.next_attempt(), tries + 1));
        }
    };
    tasks.shutdown().await;
    end
}

/// One attempt, and what its trajectory says of it.
async fn attempt(spec: EpisodeSpec, files: EpisodeFiles, episode: impl Future<Output = Result<(), Trouble>>) -> Ended {
    let result = episode.await;
    let path = files.trajectory();
    let read = files.disk().work(move || read_back(&spec, &path, result)).await;
    read.unwrap_or_else(|error| std::panic::resume_unwind(Box::new(format!("reading back failed: {error}"))))
}

/// The record of an attempt, computed from its trajectory.
fn read_back(spec: &EpisodeSpec, path: &Path, result: Result<(), Trouble>) -> Ended {
    let loaded =
        assay_files::open(path, Links::Refused).ok().and_then(|file| assay_trace::read(BufReader::new(file)).ok());
    let scored = loaded
        .as_ref()
        .filter(|loaded| loaded.damage.is_none())
        .and_then(|loaded| EpisodeRecord::scored(spec, &loaded.trajectory, loaded.head.hash.to_string()));
    let trouble = match (result, scored) {
        (Ok(()), Some(record)) => return Ended::Finished(record),
        (Ok(()), None) => bug("the episode ended without a score that can be read back"),
        (Err(trouble), _) => trouble,
    };
    let mut record = EpisodeRecord::unscored(spec, trouble.why.clone());
    if let Some(loaded) = loaded {
        record.count(&loaded.trajectory, loaded.head.hash.to_string());
    }
    Ended::Failed(record, trouble)
}

fn bug(why: &str) -> Trouble {
    Trouble { kind: TroubleKind::Bug, why: format!("internal error: {why}"), hint: None }
}

type Attempted = (EpisodeSpec, u32, Ended);

/// What became of a task, a panic included.
fn outcome(joined: Result<(Id, Ended), JoinError>, running: &mut HashMap<Id, (EpisodeSpec, u32)>) -> Option<Attempted> {
    match joined {
        Ok((id, ended)) => running.remove(&id).map(|(spec, tries)| (spec, tries, ended)),
        Err(error) => {
            let (spec, tries) = running.remove(&error.id())?;
            let why = error.try_into_panic().map_or_else(|error| error.to_string(), |panic| panic_text(&*panic));
            let trouble = bug(&format!("the episode panicked: {why}"));
            let record = EpisodeRecord::unscored(&spec, trouble.why.clone());
            Some((spec, tries, Ended::Failed(record, trouble)))
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

type Again = (EpisodeSpec, u32, Trouble);

/// What is finished, what is tried again, and what ends the run.
fn sort(ended: Vec<Attempted>, attempts: u32, disk_failed: bool) -> (Vec<EpisodeRecord>, Vec<Again>, Option<Trouble>) {
    let (mut finished, mut again, mut fatal) = (Vec::new(), Vec::new(), None);
    for (spec, tries, ended) in ended {
        match ended {
            // An episode that could not write is not finished, whatever it says was the reason.
            Ended::Failed(..) if disk_failed => {}
            Ended::Failed(_, trouble) if trouble.kind == TroubleKind::Fatal => fatal = fatal.or(Some(trouble)),
            Ended::Failed(_, trouble) if trouble.kind == TroubleKind::Passing && tries < attempts => {
                again.push((spec, tries, trouble));
            }
            Ended::Finished(record) | Ended::Failed(record, _) => finished.push(record),
        }
    }
    (finished, again, fatal)
}

/// Makes finished episodes durable, then tells of them.
async fn journal(folder: &mut RunFolder, finished: Vec<EpisodeRecord>, watch: &dyn Watch) -> Result<(), String> {
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
        folder.finished.insert((record.task.clone(), record.sample), record);
    }
    Ok(())
}
