//! What an episode, or an agent within it, begins with.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_grade::task::Public;
use assay_model::Seed;
use assay_trace::{Parent, TrajectoryId};
use assay_tree::Tree;

use crate::limits::Account;
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

/// What the agent is told at first.
pub(crate) struct Brief {
    pub(crate) system: String,
    pub(crate) report: String,
    pub(crate) parent: Option<Parent>,
}

/// What an agent's calls need: it is shared with the sub-agents that they send off.
pub(crate) struct Context {
    pub(crate) ports: Ports,
    pub(crate) settings: Settings,
    pub(crate) start: Start,
    pub(crate) account: Arc<Account>,
    /// How deep sub-agents may still go.
    pub(crate) depth_left: u32,
    /// Gradings of the whole episode so far in which a confirming run contradicted a success, before this agent began.
    pub(crate) contradicted_before: u32,
}
