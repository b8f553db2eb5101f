//! A run with episodes that do as they are told.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex};

use assay_model::{Seed, Time};
use assay_rollout::ports::{SinkError, Sinks as _};
use assay_rollout::run::{
    self, EpisodeFiles, EpisodeRecord, EpisodeSpec, FolderError, RunEnd, RunFolder, RunRecord, ScheduleSettings, Stop,
    Trouble, TroubleKind, Watch,
};
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{Message, MessageId, Metadata, Outcome, Part, TrajectoryId, Verdict};

pub(crate) const SEED: Seed = Seed(7);

pub(crate) fn names(tasks: usize) -> Vec<String> {
    (1..=tasks).map(|number| format!("t{number}")).collect()
}

pub(crate) fn record(tasks: &[String], model: &str) -> RunRecord {
    let digests = tasks.iter().map(|task| (task.clone(), "digest".to_owned())).collect();
    RunRecord::new(BTreeMap::from([("model".to_owned(), model.into())]), digests)
}

pub(crate) fn open(path: &Path, tasks: usize, samples: u32, retry: bool) -> Result<RunFolder, FolderError> {
    let tasks = names(tasks);
    let plan = run::plan(&tasks, samples, SEED).expect("a small plan");
    RunFolder::open(path, &record(&tasks, "scripted"), &plan, retry)
}

/// What happened, in words.
#[derive(Default)]
pub(crate) struct Told(pub(crate) Mutex<Vec<String>>);

impl Told {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().expect("nobody panicked").clone()
    }
    fn tell(&self, line: String) {
        self.0.lock().expect("nobody panicked").push(line);
    }
}

impl Watch for Told {
    fn began(&self, spec: &EpisodeSpec) {
        self.tell(format!("began {}", spec.id()));
    }
    fn will_retry(&self, spec: &EpisodeSpec, trouble: &Trouble) {
        self.tell(format!("again {}: {trouble}", spec.id()));
    }
    fn finished(&self, record: &EpisodeRecord) {
        self.tell(format!("finished {}", record.id));
    }
}

/// What an episode is told to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    Solve,
    Fail,
    Trouble(TroubleKind),
    Panic,
    /// Begins and never ends.
    Hang,
    /// Ends without a word.
    NoScore,
}

pub(crate) fn trouble(kind: TroubleKind) -> Trouble {
    Trouble { kind, why: format!("{kind:?} trouble"), hint: None }
}

pub(crate) fn metadata(spec: &EpisodeSpec) -> Metadata {
    let id = TrajectoryId::new(spec.id()).expect("an id");
    Metadata::new(id, spec.task.clone(), "none", spec.seed, Time(0))
}

pub(crate) fn says(text: &str, number: usize) -> assay_trace::Record {
    let id = MessageId::new(format!("a{number}")).expect("an id");
    Message::assistant(id, vec![Part::text(text)], vec![]).expect("a message").into()
}

pub(crate) fn verdict(solved: bool) -> assay_trace::Record {
    let (number, outcome) = if solved { (1.0, Outcome::Success) } else { (0.0, Outcome::Failure) };
    let score = ScoreNode::scored("score", Finite::new(number).expect("finite"));
    Verdict::scored(Time(1), "test", outcome, "finished", score).expect("a verdict").into()
}

async fn act(act: Act, spec: EpisodeSpec, files: EpisodeFiles) -> Result<(), Trouble> {
    // What the disk does is told to nobody: the runner finds it out by itself.
    let lost = |error: SinkError| Trouble { kind: TroubleKind::Passing, why: error.why, hint: None };
    let mut sink = files.begin(metadata(&spec)).await.map_err(lost)?;
    sink.append(vec![says("a step", 1)]).await.map_err(lost)?;
    match act {
        Act::Solve | Act::Fail => sink.append(vec![verdict(matches!(act, Act::Solve))]).await.map_err(lost),
        Act::Trouble(kind) => Err(trouble(kind)),
        Act::Panic => panic!("on purpose"),
        Act::Hang => std::future::pending().await,
        Act::NoScore => Ok(()),
    }
}

/// Drives the folder to the end, each episode as `choose` says.
pub(crate) fn drive(
    folder: &mut RunFolder,
    attempts: u32,
    stop: &Stop,
    choose: impl Fn(&EpisodeSpec) -> Act + Send + Sync + 'static,
) -> (RunEnd, Vec<String>) {
    let told = Told::default();
    let settings = ScheduleSettings { concurrency: NonZeroUsize::new(8).expect("not zero"), attempts };
    let choose = Arc::new(choose);
    let episode = move |spec: EpisodeSpec, files| {
        let act_now = choose(&spec);
        act(act_now, spec, files)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let end = runtime.block_on(run::run(folder, settings, episode, &told, stop));
    (end, told.lines())
}

/// Every file below the folder, sorted, without the lock that an open folder holds.
pub(crate) fn files(path: &Path) -> Vec<String> {
    fn walk(root: &Path, path: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(path).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                found.push(path.strip_prefix(root).expect("below").display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    walk(path, path, &mut found);
    found.retain(|name| name != "lock");
    found.sort();
    found
}
