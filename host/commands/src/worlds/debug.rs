//! `assay worlds debug`: one episode, step by step, with what each step changed.

use super::actor::{self, ActorSettings};
use super::run::chosen;
use super::{MachineOf, load};
use crate::face;
use crate::rollout::runtime;
use crate::{Ending, Failure};
use assay_llm::Budget;
use assay_model::Seed;
use assay_rollout::ports::{Sink, SinkError, Sinks};
use assay_rollout::run::{EpisodeSpec, TroubleKind, episode_seed};
use assay_trace::score::ScoreNode;
use assay_trace::{EventKind, Metadata, Record, Role};
use assay_world::changes::Change;
use assay_worlds::{Start, Watcher};
use futures::future::BoxFuture;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// Characters of a text on one line.
const TEXT_MAX: usize = 400;

/// What to look at.
#[derive(Clone, Debug)]
pub struct DebugSettings {
    /// The world's folder.
    pub world: PathBuf,
    /// The task.
    pub task: String,
    /// Who acts, and where.
    pub actor: ActorSettings,
    /// Which sample of the task.
    pub sample: u32,
}

/// Runs one episode and shows every step with what it changed; nothing is written.
///
/// # Errors
/// The settings are wrong, the world or the agent cannot be used, or the machine fails.
pub fn debug(settings: &DebugSettings, machine: &MachineOf<'_>) -> Result<Ending, Failure> {
    let world = Arc::new(load(&settings.world, machine)?);
    let tasks = chosen(&world, std::slice::from_ref(&settings.task))?;
    let task = tasks.into_values().next().ok_or_else(|| Failure::usage("there is no such task"))?;
    let runtime = runtime()?;
    let agents = {
        let _within = runtime.enter();
        actor::agents(&settings.actor.who, NonZeroUsize::MIN, Budget::UNLIMITED)?
    };
    let sample = settings.sample.max(1);
    let seed = episode_seed(Seed(settings.actor.seed), &task.id, sample);
    let spec = EpisodeSpec { task: task.id.clone(), sample, attempt: 1, seed };
    let faults = settings.actor.faults;
    let mut agent = agents.agent(&task, sample);
    let start = Start { world, task, spec, faults, agent: agents.name().to_owned(), run: None };
    let judged = runtime.block_on(assay_worlds::run(&start, &mut *agent, &Nowhere, Some(&Screen)));
    let judged = judged.map_err(|trouble| {
        let failure = match trouble.kind {
            TroubleKind::Passing | TroubleKind::Bug => Failure::infrastructure(trouble.why),
            TroubleKind::Lasting | TroubleKind::Budget | TroubleKind::Fatal => Failure::usage(trouble.why),
        };
        match trouble.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })?;
    for why in &judged.why {
        face::out(&format!("  {}", face::visible(why)));
    }
    face::out(&tree(&judged.score, 0));
    face::out(&format!("outcome {}", judged.outcome.name()));
    Ok(Ending::Success)
}

/// A score, one part a line.
pub(super) fn tree(node: &ScoreNode, depth: usize) -> String {
    let here = format!("{}{}: {}", "  ".repeat(depth), face::visible(&node.name), node.value());
    let below = node.children().into_iter().map(|child| tree(child, depth + 1));
    [here].into_iter().chain(below).collect::<Vec<_>>().join("\n")
}

/// Keeps nothing: what is to be seen is shown.
struct Nowhere;

impl Sinks for Nowhere {
    fn begin(&self, _: Metadata) -> BoxFuture<'_, Result<Box<dyn Sink>, SinkError>> {
        Box::pin(async { Ok(Box::new(Self) as Box<dyn Sink>) })
    }
}

impl Sink for Nowhere {
    fn append(&mut self, _: Vec<Record>) -> BoxFuture<'_, Result<(), SinkError>> {
        Box::pin(async { Ok(()) })
    }
}

/// Shows what is recorded.
struct Screen;

impl Watcher for Screen {
    fn recorded(&self, records: &[Record], changes: &[Change]) {
        for record in records {
            if let Some(line) = line(record) {
                face::out(&line);
            }
        }
        for change in changes {
            face::out(&face::dim(&format!("      {}", face::visible(&clipped(&change.to_string())))));
        }
    }
}

fn line(record: &Record) -> Option<String> {
    match record {
        Record::Message(message) if message.role() != Role::System => {
            let calls = message.tool_calls().iter().map(|call| format!("{}({})", call.tool(), call.arguments_raw()));
            let said = Some(message.text()).filter(|text| !text.is_empty());
            let text = said.into_iter().chain(calls).collect::<Vec<_>>().join("\n");
            let text = if text.is_empty() { "(done)".to_owned() } else { text };
            Some(format!("{:>9}  {}", message.role().name(), face::visible(&clipped(&text))))
        }
        Record::Event(event) => match &event.kind {
            EventKind::World(world) => {
                let what = if world.fault { "fault" } else { "event" };
                let (source, name) = (face::visible(&world.source), face::visible(&world.name));
                Some(face::doubtful(&format!("{what:>9}  {source} {name}")))
            }
            EventKind::State(state) => Some(face::dim(&format!("    state  {}", &state.root().to_string()[..16]))),
            _ => None,
        },
        Record::Message(_) | Record::Verdict(_) => None,
    }
}

pub(super) fn clipped(text: &str) -> String {
    if text.chars().count() <= TEXT_MAX {
        text.to_owned()
    } else {
        text.chars().take(TEXT_MAX).collect::<String>() + "…"
    }
}
