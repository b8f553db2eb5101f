//! One episode from its start to its verdict.
//!
//! Invariants: an episode always ends with a verdict; what ended it through nobody's fault in it is unscored; files that nobody changed are worth
//! 0 without a test run; what was done is on disk before the tests run.

use std::future::Future;
use std::sync::Arc;

use assay_model::Time;
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{Base64, Digest, EventKind, Flag, Outcome, TrajectoryId, Verdict};
use assay_tree::Tree;

use crate::agent::Agent;
use crate::aside::aside;
use crate::exit::{Exit, Worth};
use crate::limits::{Account, Allowance};
use crate::ports::{Graded, Phase};
use crate::prompt;
use crate::record::{PATCH, RecordedPatch, SCORER, files_digest};
use crate::settings::{Limits, Settings};
use crate::start::{Brief, Context};
use crate::step::drive;
use crate::stop::Stop;
use crate::submission::{self, NoPatch, Submission};

pub use crate::limits::Spent;
pub use crate::start::{Ports, Start};

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

/// The longest patch that the record holds, in bytes; a longer one is in [`Ended::patch`] and in the record by its digest.
const PATCH_BYTES_MAX: usize = 16 << 20;
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
        contradicted_before: 0,
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

/// Grades the files and writes the end of the record.
async fn end(mut agent: Agent, context: &Context, mut stop: Stop) -> Ended {
    let tree = agent.tree();
    let base = &context.start.base;
    let patch = aside(|| submission::patch(base, &tree)).await;
    if let Err(error @ NoPatch::Blob(_)) = &patch {
        stop = Stop::new(Exit::SessionFailed, error.to_string());
    }
    agent.note_end(&stop);
    if let Ok(body) = serde_json::to_value(recorded_patch(base, &tree, patch.as_deref())) {
        agent.note(PATCH, &body);
    }
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
    if stop.exit.worth() == Worth::Unscored || stop.exit == Exit::Budget && agent.steps == 0 {
        return unscored(agent.now(), stop);
    }
    if stop.exit == Exit::Budget {
        let detail = format!("the budget of the run ended the episode: {}", stop.detail);
        agent.flag(Flag { name: "budget_spent".to_owned(), detail });
    }
    let asked_at = agent.now();
    let worth = worth(stop.exit, submission, asked_at, agent.desk.grade(submission.clone())).await;
    for event in worth.events {
        match event {
            EventKind::Flag(flag) => agent.flag(flag),
            other => agent.record(other),
        }
    }
    worth.verdict
}

/// What an exit and its files come to.
pub(crate) struct Judged {
    pub(crate) events: Vec<EventKind>,
    pub(crate) verdict: Verdict,
}

/// What files are worth after a graded exit; `grading` runs only where they differ from the first ones.
pub(crate) async fn worth(
    exit: Exit,
    submission: &Submission,
    at: Time,
    grading: impl Future<Output = Graded>,
) -> Judged {
    let after_limit = exit.worth() == Worth::GradedAfterLimit;
    let failed = if after_limit { Outcome::Timeout } else { Outcome::Failure };
    if submission.patch.as_ref().is_some_and(|patch| patch.is_empty()) {
        // Nothing runs: the tests of an untouched repository are known to fail.
        let score = ScoreNode::scored("modified files", Finite::new(0.0).expect("0 is finite"));
        let reason = format!("{exit}: no modified files");
        let verdict = Verdict::scored(at, SCORER, failed, reason, score).expect("a leaf with a number is a score");
        return Judged { events: Vec::new(), verdict };
    }
    let Graded { verdict, mut events, .. } = grading.await;
    let Some(outcome) = verdict.outcome() else { return Judged { events, verdict } };
    if after_limit && outcome == Outcome::Success {
        let detail = format!("the tests pass, but the episode hit a limit: {exit}");
        events.push(EventKind::Flag(Flag { name: "success_after_limit".to_owned(), detail }));
    }
    let outcome = if outcome == Outcome::Failure { failed } else { outcome };
    let reason = format!("{exit}: {}", verdict.reason());
    let verdict = Verdict::scored(verdict.at(), verdict.scorer(), outcome, reason, verdict.score().clone())
        .expect("its score had a number before");
    Judged { events, verdict }
}

fn unscored(at: Time, stop: &Stop) -> Verdict {
    Verdict::unscored(at, SCORER, format!("{}: {}", stop.exit, stop.detail)).expect("the reason is not empty")
}

fn recorded_patch(base: &Tree, tree: &Tree, patch: Result<&[u8], &NoPatch>) -> RecordedPatch {
    let mut recorded = RecordedPatch {
        base: files_digest(base).to_string(),
        bytes: None,
        digest: None,
        files: files_digest(tree).to_string(),
        none: None,
        patch: None,
        patch_base64: None,
    };
    let patch = match patch {
        Ok(patch) => patch,
        Err(why) => return RecordedPatch { none: Some(why.to_string()), ..recorded },
    };
    recorded.bytes = Some(patch.len());
    recorded.digest = Some(Digest::of(patch).to_string());
    if patch.len() <= PATCH_BYTES_MAX {
        match std::str::from_utf8(patch) {
            Ok(text) => recorded.patch = Some(text.to_owned()),
            Err(_) => recorded.patch_base64 = Some(Base64::of(patch).as_str().to_owned()),
        }
    }
    recorded
}
