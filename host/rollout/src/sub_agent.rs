//! Sub-agents: a loop and a session of their own, over a fork of the sender's files.
//!
//! Invariants: a sub-agent uses its sender's budget, at once and never more than is left of it; it has a trajectory of its own that names its
//! sender; the sender gets back text only (the summary and a patch), never files. It runs within its sender's call, so it needs no permit of its own.

use std::sync::Arc;

use assay_model::{Seed, Stream};
use assay_trace::{EventKind, Parent, SubAgent, TrajectoryId, Verdict};
use assay_tree::Tree;

use crate::agent::Agent;
use crate::aside::aside;
use crate::exit::Exit;
use crate::host_calls::{Desk, is_trouble};
use crate::limits::{Account, Allowance};
use crate::ports::{HostAnswer, Phase, Unwatched};
use crate::prompt;
use crate::record::SCORER;
use crate::settings::Settings;
use crate::start::{Brief, Context, Ports, Start};
use crate::step::drive;
use crate::stop::Stop;
use crate::submission;
use crate::text::cut_middle;

/// The longest patch in a sub-agent's answer, in bytes; the whole one is in its trajectory.
const PATCH_SHOWN_BYTES_MAX: usize = 32 << 10;

/// Sends off a sub-agent and waits for it.
pub(crate) async fn send(desk: &Desk, task: String, tree: Tree) -> HostAnswer {
    let sender = &desk.context;
    let place = desk.state().sub_agents.len() + 1;
    let id = TrajectoryId::new(format!("{}.{place}", sender.start.id)).map_err(|error| error.to_string())?;
    let now = sender.ports.clock.now();
    let context = Arc::new(child_context(desk, id.clone(), tree, now));
    desk.state().sub_agents.push(id.clone());
    desk.record(EventKind::SubAgent(SubAgent { trajectory_id: id, call_id: None }));
    let rules = prompt::Rules {
        help: context.ports.sessions.help(),
        folder: &context.start.folder,
        steps: context.settings.limits.steps,
        shown_bytes_per_cell: context.settings.limits.shown_bytes_per_cell,
        calls: &context.settings.calls,
        depth_left: context.depth_left,
    };
    let brief = Brief {
        system: prompt::sub_agent_system(&rules),
        report: prompt::sub_agent_task(&task),
        parent: Some(Parent { trajectory_id: sender.start.id.clone(), call_id: None }),
    };
    let mut agent = Agent::new(Arc::clone(&context));
    let stop = drive(&mut agent, brief, now).await;
    let stop = close(&mut agent, stop).await;
    desk.count_calls_of(&agent.desk);
    desk.take_contradictions_of(&agent.desk);
    {
        let deeper = agent.desk.all_sub_agents();
        desk.state().descendants.extend(deeper);
    }
    if is_trouble(stop.exit) {
        desk.state().trouble.get_or_insert(Stop::new(stop.exit, format!("in a sub-agent: {}", stop.detail)));
        return Err(format!("the sub-agent failed: {}", stop.detail));
    }
    answer(agent.tree(), &context, &stop).await
}

fn child_context(desk: &Desk, id: TrajectoryId, tree: Tree, now: assay_model::Time) -> Context {
    let sender = &desk.context;
    let Settings { limits, calls, .. } = &sender.settings;
    let mut settings = sender.settings.clone();
    settings.early_stop = false;
    settings.limits.steps = calls.sub_agent_steps;
    settings.limits.tokens = Some(calls.sub_agent_tokens);
    settings.calls = desk.calls_left();
    let allowance =
        Allowance { tokens: settings.limits.tokens, cost_microdollars: None, wall: None, working: limits.working };
    let helper = sender.ports.helper_model.as_ref().unwrap_or(&sender.ports.model);
    let ports = Ports {
        model: Arc::clone(helper),
        supervisor: Arc::new(Unwatched),
        observer: Arc::new(Unwatched),
        ..sender.ports.clone()
    };
    let seed = Seed(Stream::new(sender.start.seed, id.as_str(), "sub-agent").bits());
    let start = Start { id, seed, base: tree, ..sender.start.clone() };
    let account = Arc::new(Account::new(allowance, now, Some(Arc::clone(&sender.account))));
    let contradicted_before = desk.contradicted();
    Context { ports, settings, start, account, depth_left: sender.depth_left - 1, contradicted_before }
}

/// Ends the record of a sub-agent, which is not graded by itself.
async fn close(agent: &mut Agent, stop: Stop) -> Stop {
    agent.note_end(&stop);
    let reason = format!("{}: a sub-agent is not graded by itself", stop.exit);
    if let Ok(verdict) = Verdict::unscored(agent.now(), SCORER, reason) {
        agent.pend(verdict);
    }
    agent.progress(Phase::Ended);
    match agent.commit().await {
        Ok(()) => stop,
        Err(failed) => failed,
    }
}

async fn answer(tree: Tree, context: &Context, stop: &Stop) -> HostAnswer {
    let patch = aside(|| submission::patch(&context.start.base, &tree)).await.map_err(|error| error.to_string())?;
    let patch = String::from_utf8_lossy(&patch);
    let summary = match stop.exit {
        Exit::Finished => stop.detail.clone(),
        exit => format!("[it did not finish: {exit}: {}]", stop.detail),
    };
    let patch =
        if patch.is_empty() { "It changed no files.\n".into() } else { cut_middle(&patch, PATCH_SHOWN_BYTES_MAX) };
    Ok(format!("{summary}\n\n{patch}"))
}
