//! One episode from its start to its verdict.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_grade::task::Public;
use assay_model::{Nanos, Seed};
use assay_trace::{Flag, TrajectoryId, Usage, Verdict};
use assay_world::Tree;

use crate::exit::Exit;
use crate::ports::{Clock, Grader, Model, Observer, Sessions, Sinks, Supervisor};
use crate::settings::Settings;

/// What an episode needs from outside. The grader is made for the episode's task; the others are usually shared by many episodes.
#[derive(Clone)]
pub struct Ports {
    /// What acts.
    pub model: Arc<dyn Model>,
    /// What answers `llm_query` and drives sub-agents; `model` where there is none.
    pub helper_model: Option<Arc<dyn Model>>,
    /// Where code runs.
    pub sessions: Arc<dyn Sessions>,
    /// What decides.
    pub grader: Arc<dyn Grader>,
    /// Where records go.
    pub sinks: Arc<dyn Sinks>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who may step in.
    pub supervisor: Arc<dyn Supervisor>,
    /// Who is told how far it is.
    pub observer: Arc<dyn Observer>,
}

/// Which episode.
#[derive(Clone)]
pub struct Start {
    /// The trajectory's name.
    pub id: TrajectoryId,
    /// The run that it belongs to.
    pub run: Option<String>,
    /// Which attempt at the task this is, from 1.
    pub attempt: u32,
    /// Of the session's randomness and the requests.
    pub seed: Seed,
    /// What the model may know of the task.
    pub task: Public,
    /// Where the files appear in the session, for example `/testbed`.
    pub folder: String,
    /// The files as they are at first.
    pub base: Tree,
    /// Versions for the record, by name.
    pub versions: BTreeMap<String, String>,
    /// Digests of what went in, for the record, by name: the task, the image.
    pub hashes: BTreeMap<String, String>,
    /// Words to find the record by.
    pub tags: Vec<String>,
}

/// How an episode ended.
#[derive(Clone)]
pub struct Ended {
    /// Why.
    pub exit: Exit,
    /// More about it, in a sentence; the model's summary where it finished.
    pub detail: String,
    /// What it is worth, as the record's last line says. After [`Exit::SinkFailed`] the record may lack it.
    pub verdict: Verdict,
    /// What a person should look at.
    pub flags: Vec<Flag>,
    /// The files at the end.
    pub tree: Tree,
    /// What differs from the start, as git would write it. Empty where nothing differs.
    pub patch: Vec<u8>,
    /// Replies of the model.
    pub steps: u32,
    /// What was used.
    pub spent: Spent,
    /// The trajectories of its sub-agents, and theirs.
    pub sub_agents: Vec<TrajectoryId>,
}

/// What an episode used, its sub-agents included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// Tokens; where a provider did not say, by estimate.
    pub usage: Usage,
    /// Money in micro-dollars; none where some price is unknown.
    pub cost_microdollars: Option<u64>,
    /// Time on the wall.
    pub wall: Nanos,
    /// Time without waiting for others.
    pub working: Nanos,
}

/// Runs an episode. Whatever goes wrong is an [`Exit`] with its verdict; the record is on disk when the call is over. Dropping the call
/// cancels the episode and leaves a record without a verdict, which counts as unfinished.
pub async fn run(_ports: &Ports, _start: Start, _settings: &Settings) -> Ended {
    std::future::pending().await
}
