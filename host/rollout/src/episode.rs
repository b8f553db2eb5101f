//! One episode from its start to its verdict.
//!
//! Invariants: an episode always ends with a verdict; what ended it through nobody's fault in it is unscored; files that nobody changed are worth
//! 0 without a test run; what was done is on disk before the tests run.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_grade::task::Public;
use assay_model::{Nanos, Seed, Time};
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{Base64, Digest, EventKind, Flag, Outcome, TrajectoryId, Usage, Verdict};
use assay_world::Tree;
use serde_json::{Value, json};

use crate::agent::{Agent, Brief};
use crate::aside::aside;
use crate::exit::{Exit, Worth};
use crate::host_calls::Context;
use crate::limits::{Account, Allowance};
use crate::ports::{Clock, Graded, Grader, Model, Observer, Phase, Sessions, Sinks, Supervisor};
use crate::prompt;
use crate::record::{PATCH, files_digest};
use crate::settings::{Limits, Settings};
use crate::step::{Stop, step};
use crate::submission::{self, NoPatch, Submission};
use crate::text::{cut_middle, printable};

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
    /// What differs from the start, as git would write it: empty where nothing does, none where it is too much or cannot be read.
    pub patch: Option<Arc<[u8]>>,
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

/// What scores episodes, as verdicts of the loop's own name it.
pub(crate) const SCORER: &str = concat!("assay-rollout ", env!("CARGO_PKG_VERSION"));
/// The longest patch that the record holds, in bytes; a longer one is in [`Ended::patch`] and in the record by its digest.
const PATCH_BYTES_MAX: usize = 16 << 20;
/// The longest sentence on an exit, in bytes: a summary is the model's, so it may be anything.
const DETAIL_BYTES_MAX: usize = 4 << 10;

/// Sub-agents never nest deeper: each level polls within the one above, on one stack.
const SUB_AGENT_DEPTH_MAX: u32 = 8;

/// Runs an episode. Whatever goes wrong is an [`Exit`] with its verdict; the record is on disk when the call is over. Dropping the call
/// cancels the episode and leaves a record without a verdict, which counts as unfinished.
pub async fn run(ports: &Ports, start: Start, settings: &Settings) -> Ended {
    let started_at = ports.clock.now();
    let Limits { tokens, cost_microdollars, wall, working, .. } = settings.limits;
    let account = Account::new(Allowance { tokens, cost_microdollars, wall, working }, started_at, None);
    let context = Arc::new(Context {
        ports: ports.clone(),
        settings: settings.clone(),
        start,
        account: Arc::new(account),
        depth_left: settings.calls.sub_agent_depth.min(SUB_AGENT_DEPTH_MAX),
    });
    let rules = prompt::Rules {
        help: ports.sessions.help(),
        folder: &context.start.folder,
        steps: settings.limits.steps,
        shown_bytes_per_cell: settings.limits.shown_bytes_per_cell,
        calls: &settings.calls,
        depth_left: context.depth_left,
    };
    let brief = Brief { system: prompt::system(&rules), report: prompt::report(&context.start.task), parent: None };
    let mut agent = Agent::new(Arc::clone(&context));
    let stop = drive(&mut agent, brief, started_at).await;
    end(agent, &context, stop).await
}

/// Takes steps until something ends them.
pub(crate) async fn drive(agent: &mut Agent, brief: Brief, started_at: Time) -> Stop {
    let mut taken = agent.begin(brief, started_at).await;
    while taken.is_ok() {
        taken = step(agent).await;
    }
    let Err(mut stop) = taken else { unreachable!("the loop ends with an error only") };
    stop.detail = printable(&cut_middle(&stop.detail, DETAIL_BYTES_MAX)).into_owned();
    stop
}

/// Grades the files and writes the end of the record.
async fn end(mut agent: Agent, context: &Context, mut stop: Stop) -> Ended {
    let tree = agent.tree();
    let base = &context.start.base;
    let patch = aside(|| submission::patch(base, &tree)).await;
    if let Err(error @ NoPatch::Blob(_)) = &patch {
        stop = Stop::new(Exit::SessionFailed, error.to_string());
    }
    agent.note_end(&stop);
    agent.note(PATCH, &patch_body(base, &tree, patch.as_deref()));
    let submission = Submission { tree, patch: patch.ok().map(Arc::from) };
    // What was done is on disk before the tests run: they may take long, and a verdict can be had later.
    if let Err(failed) = agent.commit().await {
        stop = failed;
    }
    agent.progress(Phase::Grading);
    let verdict = judge(&mut agent, &stop, &submission).await;
    agent.pend(verdict.clone());
    let (verdict, stop) = match agent.commit().await {
        Ok(()) => (verdict, stop),
        Err(failed) => (unscored(agent.now(), &failed), failed),
    };
    agent.progress(Phase::Ended);
    Ended {
        exit: stop.exit,
        detail: stop.detail,
        verdict,
        flags: std::mem::take(&mut agent.flags),
        tree: submission.tree,
        patch: submission.patch,
        steps: agent.steps,
        spent: context.account.spent(agent.now()),
        sub_agents: agent.desk.all_sub_agents(),
    }
}

/// What the episode is worth: see [`Worth`].
async fn judge(agent: &mut Agent, stop: &Stop, submission: &Submission) -> Verdict {
    let after_limit = match stop.exit.worth() {
        Worth::Unscored => return unscored(agent.now(), stop),
        Worth::Graded => false,
        Worth::GradedAfterLimit => true,
    };
    let failed = if after_limit { Outcome::Timeout } else { Outcome::Failure };
    if submission.patch.as_ref().is_some_and(|patch| patch.is_empty()) {
        // Nothing runs: the tests of an untouched repository are known to fail.
        let score = ScoreNode::scored("modified files", Finite::new(0.0).expect("0 is finite"));
        let reason = format!("{}: no modified files", stop.exit);
        return Verdict::scored(agent.now(), SCORER, failed, reason, score).expect("a leaf with a number is a score");
    }
    let Graded { verdict, events, .. } = agent.desk.grade(submission.clone()).await;
    for event in events {
        match event {
            EventKind::Flag(flag) => agent.flag(flag),
            other => agent.record(other),
        }
    }
    let Some(outcome) = verdict.outcome() else { return verdict };
    if after_limit && outcome == Outcome::Success {
        let detail = format!("the tests pass, but the episode ended by a limit: {}", stop.exit);
        agent.flag(Flag { name: "success_after_limit".to_owned(), detail });
    }
    let outcome = if outcome == Outcome::Failure { failed } else { outcome };
    let reason = format!("{}: {}", stop.exit, verdict.reason());
    Verdict::scored(verdict.at(), verdict.scorer(), outcome, reason, verdict.score().clone())
        .expect("its score had a number before")
}

fn unscored(at: Time, stop: &Stop) -> Verdict {
    Verdict::unscored(at, SCORER, format!("{}: {}", stop.exit, stop.detail)).expect("the reason is not empty")
}

fn patch_body(base: &Tree, tree: &Tree, patch: Result<&[u8], &NoPatch>) -> Value {
    let mut body = json!({ "base": files_digest(base).to_string(), "files": files_digest(tree).to_string() });
    let patch = match patch {
        Ok(patch) => patch,
        Err(why) => {
            body["none"] = why.to_string().into();
            return body;
        }
    };
    body["bytes"] = patch.len().into();
    body["digest"] = Digest::of(patch).to_string().into();
    if patch.len() <= PATCH_BYTES_MAX {
        match std::str::from_utf8(patch) {
            Ok(text) => body["patch"] = text.into(),
            Err(_) => body["patch_base64"] = Base64::of(patch).as_str().into(),
        }
    }
    body
}
