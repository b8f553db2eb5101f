//! A run with episodes that do as they are told.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use assay_files::{Folder, Links};
use assay_model::{Nanos, Seed, Time};
use assay_rollout::ports::{SinkError, Sinks as _};
use assay_rollout::run::{
    self, EpisodeFiles, EpisodeRecord, EpisodeSpec, FolderError, Proven, RunEnd, RunFolder, RunRecord,
    ScheduleSettings, Stop, Trouble, TroubleKind, Watch, Work, read_proven_journal_in,
};
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{
    Event, EventKind, Message, MessageId, Metadata, ModelCall, OtherEvent, Outcome, Part, SubAgent, TrajectoryId,
    Usage, Verdict,
};
use serde_json::json;

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

/// What figures are computed from.
pub(crate) fn proven(path: &Path) -> Proven {
    read_proven_journal_in(&Folder::open(path, Links::Refused).expect("a folder")).expect("a journal")
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
    /// Solves its task, and panics once its score is written.
    PanicsAfter,
    /// Fails before its first record.
    FailsAtOnce,
    /// Begins and never ends.
    Hang,
    /// Ends without a word.
    NoScore,
    /// Ends with files that are worth grading, and then with this trouble, or never.
    Ends(Option<TroubleKind>),
    /// Solves its task with a sub-agent that costs five dollars.
    SendsOff,
}

pub(crate) fn trouble(kind: TroubleKind) -> Trouble {
    Trouble::new(kind, format!("{kind:?} trouble"))
}

pub(crate) fn metadata(spec: &EpisodeSpec) -> Metadata {
    let id = TrajectoryId::new(spec.id()).expect("an id");
    // No two attempts begin at the same time.
    static STARTED: AtomicU64 = AtomicU64::new(0);
    Metadata::new(id, spec.task.clone(), "none", spec.seed, Time(STARTED.fetch_add(1, Ordering::Relaxed)))
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

/// A request that cost so much, and as many tokens.
pub(crate) fn costs(microdollars: u64) -> assay_trace::Record {
    let call = ModelCall {
        model: "test".to_owned(),
        usage: Some(Usage { input: microdollars, ..Usage::default() }),
        cost_microdollars: Some(microdollars),
        latency: Nanos(1),
        retries: 0,
        stop_reason: None,
        error: None,
    };
    Event { at: Time(1), kind: EventKind::ModelCall(call) }.into()
}

/// How the loop records the end of its work.
pub(crate) fn ended() -> [assay_trace::Record; 2] {
    let other = |kind: &str, body: serde_json::Value| {
        Event { at: Time(2), kind: EventKind::Other(OtherEvent::new(kind, &body).expect("a kind")) }.into()
    };
    [
        other(
            "exit",
            json!({ "cost_microdollars": 7, "detail": "done", "exit": "finished", "tokens": 7, "wall_ns": 1 }),
        ),
        other("patch", json!({ "base": "a", "bytes": 1, "digest": "b", "files": "c", "patch": "x" })),
    ]
}

pub(crate) fn unscored() -> assay_trace::Record {
    Verdict::unscored(Time(3), "test", "no test engine").expect("a reason").into()
}

async fn act(act: Act, spec: EpisodeSpec, work: Work, files: EpisodeFiles) -> Result<(), Trouble> {
    // What the disk does is told to nobody: the runner finds it out by itself.
    let lost = |error: SinkError| Trouble::new(TroubleKind::Passing, error.why);
    let mut sink = match work {
        Work::Run => files.begin(metadata(&spec)).await.map_err(lost)?,
        Work::Grade => files.resume().await.map_err(lost)?.1,
    };
    if work == Work::Run && !matches!(act, Act::FailsAtOnce) {
        sink.append(vec![says("a step", 1), costs(7)]).await.map_err(lost)?;
    }
    match act {
        Act::Solve | Act::Fail => sink.append(vec![verdict(matches!(act, Act::Solve))]).await.map_err(lost),
        Act::Trouble(kind) => Err(trouble(kind)),
        Act::FailsAtOnce => Err(trouble(TroubleKind::Lasting)),
        Act::Panic => panic!("on purpose"),
        Act::PanicsAfter => {
            sink.append(vec![verdict(true)]).await.map_err(lost)?;
            panic!("on purpose")
        }
        Act::Hang => std::future::pending().await,
        Act::NoScore => Ok(()),
        Act::Ends(kind) => {
            let mut end = ended().to_vec();
            end.extend(kind.map(|_| unscored()));
            sink.append(end).await.map_err(lost)?;
            match kind {
                Some(kind) => Err(trouble(kind)),
                None => std::future::pending().await,
            }
        }
        Act::SendsOff => {
            let sub_agent = TrajectoryId::new(format!("{}.1", spec.id())).expect("an id");
            let sent = SubAgent { trajectory_id: sub_agent.clone(), call_id: None };
            let event = Event { at: Time(1), kind: EventKind::SubAgent(sent) };
            sink.append(vec![event.into()]).await.map_err(lost)?;
            let mut sub = files.begin(Metadata { id: sub_agent, ..metadata(&spec) }).await.map_err(lost)?;
            sub.append(vec![says("a sub-agent's step", 1), costs(5_000_000)]).await.map_err(lost)?;
            sink.append(vec![verdict(true)]).await.map_err(lost)
        }
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
    let episode = move |spec: EpisodeSpec, work, files| {
        let act_now = choose(&spec);
        act(act_now, spec, work, files)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let end = runtime.block_on(run::run(folder, settings, episode, &told, stop));
    (end, told.lines())
}

/// Every file below the folder, sorted, without the lock that an open folder holds and the costs of what was undone.
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
    found.retain(|name| name != "lock" && name != "discarded.jsonl");
    found.sort();
    found
}
