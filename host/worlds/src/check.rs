//! Probes: which tasks are worth trying an agent on.
//!
//! A task is admitted if its reference actions run without an error and score 1, twice and with the same states, and if agents that do nothing, only talk,
//! say everything that the world contains, or guess at what is to be told get nothing. Done later, the same actions must be worth as much: otherwise what is
//! right would depend on how long an agent thinks.
//!
//! Invariant: a task that is refused says which probe it failed and what was seen.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use assay_model::Seed;
use assay_trace::{Digest, Outcome};
use assay_world::{Action, Deed, Episode, Judged, Profile, State, Task, TaskError, Tools};
use assay_world::{TOLD_BYTES_MAX, VALUES_IN_ALL_MAX, VALUES_MAX, everything, guesses};

use crate::agents::CLAIMS;
use crate::load::World;

/// The seed that probes use; a task that passes with one and not with another draws what decides it.
const SEEDS: [u64; 2] = [1, 2];

/// Whether a task may be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It may.
    Admitted,
    /// It may not.
    Refused(Refusal),
}

/// Why a task is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A reference action fails.
    GoldFails(String),
    /// The reference actions do not score 1: what is missing.
    GoldScores(Vec<String>),
    /// The reference actions leave other states the second time.
    GoldDiffers,
    /// The reference actions are worth less when they are done some seconds later: what differs.
    GoldTimes(Vec<String>),
    /// An action of the script can never be done.
    ScriptFails(String),
    /// What was said can only be judged by a model.
    NeedsJudge(usize),
    /// An agent that does not do the task gets something.
    Free {
        /// Which agent.
        agent: &'static str,
    },
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::GoldFails(why) | Self::ScriptFails(why) => f.write_str(why),
            Self::GoldScores(why) => write!(f, "the reference actions do not score 1: {}", why.join("; ")),
            Self::GoldDiffers => f.write_str("the reference actions leave other states the second time"),
            Self::GoldTimes(why) => write!(
                f,
                "the reference actions do not score 1 when they are done some seconds later: {}; leave the time out of what they write, or name its path in `allow`",
                why.join("; ")
            ),
            Self::NeedsJudge(count) => {
                write!(f, "its authors let a model judge what was said ({count} statements), which no probe can")
            }
            Self::Free { agent } => write!(f, "an agent that {agent} gets a score above 0"),
        }
    }
}

/// What the probes of a task found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probed {
    /// The task's id.
    pub task: String,
    /// What follows.
    pub standing: Standing,
}

/// Probes every task of a world.
#[must_use]
pub fn check(world: &World) -> Vec<Probed> {
    let all = world.tasks.iter().zip(probes(world, &world.tasks, &|| {}));
    let probed = all.map(|(task, found)| {
        let standing = found.map_or_else(Standing::Refused, |()| Standing::Admitted);
        Probed { task: task.id.clone(), standing }
    });
    probed.collect()
}

/// Threads that probe at once; what they find does not depend on it.
const THREADS_MAX: usize = 8;

/// Probes tasks: what was found, in their order. `done` hears of each task when it is probed.
#[must_use]
pub fn probes(world: &World, tasks: &[Arc<Task>], done: &(dyn Fn() + Sync)) -> Vec<Result<(), Refusal>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(THREADS_MAX);
    let some = |first: usize| {
        let some = tasks.iter().enumerate().skip(first).step_by(threads);
        let mut contents = Contents::default();
        let one = |(index, task)| {
            let found = probe_knowing(world, task, &mut contents);
            done();
            (index, found)
        };
        some.map(one).collect::<Vec<_>>()
    };
    let some = &some;
    let found = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|first| scope.spawn(move || some(first))).collect();
        let join = |handle: ScopedJoinHandle<'_, _>| handle.join().unwrap_or_else(|panic| resume_unwind(panic));
        handles.into_iter().flat_map(join).collect::<BTreeMap<usize, Result<(), Refusal>>>()
    });
    found.into_values().collect()
}

/// Probes one task.
///
/// # Errors
/// Why it is refused.
pub fn probe(world: &World, task: &Arc<Task>) -> Result<(), Refusal> {
    probe_knowing(world, task, &mut Contents::default())
}

/// What a state contains, as somebody would say it. The tasks of a world mostly begin alike, with any seed, and to read a large one takes seconds.
#[derive(Default)]
struct Contents {
    /// The digests of what was read last.
    parts: BTreeMap<String, Digest>,
    words: BTreeSet<String>,
}

impl Contents {
    /// Those of this state.
    fn of(&mut self, state: &State) -> &BTreeSet<String> {
        let mut parts = state.hash().parts().clone();
        // The others say nothing: they are about what happens, when, and what was drawn.
        parts
            .retain(|name, _| matches!(name.as_str(), "documents" | "files" | "mail") || name.starts_with("database "));
        if self.parts != parts {
            *self = Self { words: everything(state), parts };
        }
        &self.words
    }
}

/// The same, with what is known of the contents of states.
fn probe_knowing(world: &World, task: &Arc<Task>, contents: &mut Contents) -> Result<(), Refusal> {
    let unfit = |error: TaskError| Refusal::GoldFails(placed(world, task, &error));
    if let Some(authors) = task.authors.as_ref().filter(|authors| authors.needs_judge()) {
        return Err(Refusal::NeedsJudge(authors.judged.len()));
    }
    for seed in SEEDS {
        let (first, judged) = gold(world, task, Seed(seed), 0).map_err(unfit)?;
        if judged.outcome != Outcome::Success {
            return Err(Refusal::GoldScores(judged.why));
        }
        let (second, _) = gold(world, task, Seed(seed), 0).map_err(unfit)?;
        if first != second {
            return Err(Refusal::GoldDiffers);
        }
        let (_, later) = gold(world, task, Seed(seed), TURNS_BEFORE).map_err(unfit)?;
        if later.outcome != Outcome::Success {
            return Err(Refusal::GoldTimes(later.why));
        }
        Episode::begin(&world.definition, task, Seed(seed), Profile::None)
            .and_then(|episode| episode.rehearse())
            .map_err(|error| {
                let why = placed(world, task, &error);
                Refusal::GoldFails(format!("after the concurrent writers of the task, {why}"))
            })?;
        script(world, task, Seed(seed))?;
        let (everything, guesses) = known(world, task, seed, contents);
        for (agent, says) in [
            ("does nothing", Vec::new()),
            ("only talks", claims()),
            ("says everything", everything),
            ("guesses at what is to be told", guesses),
        ] {
            let judged = talk(world, task, Seed(seed), &says).map_err(unfit)?;
            if judged.score.value().number() != Some(0.0) {
                return Err(Refusal::Free { agent });
            }
        }
    }
    Ok(())
}

/// What is wrong, and where in the world's folder: a reference action has a line.
fn placed(world: &World, task: &Task, error: &TaskError) -> String {
    let TaskError::Gold { number, .. } = error else { return error.to_string() };
    match world.places.get(&task.id) {
        Some(place) => format!("{error} ({})", place.gold(*number)),
        None => error.to_string(),
    }
}

/// Turns that go by before the reference actions are done late.
const TURNS_BEFORE: u32 = 4;

/// The reference actions, one a turn, after some turns that do nothing or read: the digest of the state after each where there are no such turns, and
/// what they are worth.
fn gold(world: &World, task: &Arc<Task>, seed: Seed, before: u32) -> Result<(Vec<Digest>, Judged), TaskError> {
    let mut clean = without_faults(task);
    clean.turns += before;
    let clean = Arc::new(clean);
    let mut episode = Episode::begin(&world.definition, &clean, seed, Profile::None)?;
    let tools = &world.definition.tools;
    let reads = |deed: &&Deed| matches!(deed, Deed::Call { tool, .. } if tool != "wait" && tools.get(tool).is_some_and(|tool| !tool.spec.is_write));
    for _ in 0..before {
        let read = task.gold.iter().find(reads).map(action);
        episode.act(&read.unwrap_or_default());
    }
    let mut states = Vec::new();
    for (index, deed) in task.played().iter().enumerate() {
        let turn = episode.act(&action(deed));
        let failed =
            episode.calls(&turn).iter().find_map(|called| called.result.as_ref().err().map(|error| (called, error)));
        // What only the operator may do, the agent's hands cannot.
        if let Some((called, error)) = failed.filter(|(called, _)| is_agents(tools, &called.tool)) {
            return Err(TaskError::Gold { number: index + 1, tool: called.tool.clone(), why: error.message.clone() });
        }
        // Done later, they leave other states, which nobody compares.
        if before == 0 {
            states.push(episode.world().state().hash().root());
        }
    }
    episode.act(&Action { stop: true, ..Action::default() });
    let judged = episode.judge()?;
    Ok((states, judged))
}

/// The script's calls, one a turn: each names a tool that the agent has, with arguments that fit. Whether a call is refused is the script's business.
fn script(world: &World, task: &Arc<Task>, seed: Seed) -> Result<(), Refusal> {
    let Some(script) = &task.script else { return Ok(()) };
    let unfit = |error: TaskError| Refusal::GoldFails(placed(world, task, &error));
    let clean = Arc::new(without_faults(task));
    let mut episode = Episode::begin(&world.definition, &clean, seed, Profile::None).map_err(unfit)?;
    for (index, deed) in script.iter().enumerate() {
        let turn = episode.act(&action(deed));
        let wrong = episode.calls(&turn).iter().find_map(|called| {
            let error = called.result.as_ref().err()?;
            matches!(error.kind, "unknown_tool" | "arguments").then(|| (called.tool.clone(), error.message.clone()))
        });
        if let Some((tool, why)) = wrong {
            let number = index + 1;
            let place = world.places.get(&task.id).map(|place| format!(" ({})", place.script(number)));
            let place = place.unwrap_or_default();
            return Err(Refusal::ScriptFails(format!(
                "the action {number} of the script ({tool}) fails: {why}{place}"
            )));
        }
    }
    Ok(())
}

fn is_agents(tools: &Tools, name: &str) -> bool {
    tools.get(name).is_none_or(|tool| tool.spec.callers.contains(&assay_world::Caller::Agent))
}

/// A task whose tools do not fail: the reference actions say what is right, not how to get there.
fn without_faults(task: &Arc<Task>) -> Task {
    Task { faults: Vec::new(), ..(**task).clone() }
}

/// A deed as an agent's turn.
fn action(deed: &Deed) -> Action {
    match deed {
        Deed::Say(text) => Action { say: Some(text.clone()), ..Action::default() },
        Deed::Call { tool, arguments } => {
            let arguments = serde_json::Value::Object(arguments.clone()).to_string();
            Action { calls: vec![(tool.clone(), arguments)], ..Action::default() }
        }
    }
}

fn claims() -> Vec<String> {
    CLAIMS.map(str::to_owned).to_vec()
}

/// All that a world contains, in messages that are short enough to count; and what could be guessed, where it is little enough to be said.
fn known(world: &World, task: &Arc<Task>, seed: u64, contents: &mut Contents) -> (Vec<String>, Vec<String>) {
    let Ok(episode) = Episode::begin(&world.definition, task, Seed(seed), Profile::None) else {
        return (Vec::new(), Vec::new());
    };
    if let Some(authors) = &task.authors {
        // Their rules look for texts anywhere in a message: the best guess is what they look for.
        return (vec![authors.communicate.join(" ")], Vec::new());
    }
    let words = contents.of(episode.world().state());
    let guesses = task.tell.iter().map(|fact| guesses(fact, words)).filter(|all| all.len() <= VALUES_IN_ALL_MAX);
    let guesses = guesses.flat_map(|all| {
        let all: Vec<String> = all.into_iter().collect();
        all.chunks(VALUES_MAX).map(|some| some.join(" ")).collect::<Vec<_>>()
    });
    let guesses = guesses.collect();
    let mut messages = vec![String::new()];
    for word in words {
        if word.len() >= TOLD_BYTES_MAX {
            continue;
        }
        if messages.last().is_some_and(|message| message.len() + word.len() + 2 > TOLD_BYTES_MAX) {
            // What would be said after the last turn nobody hears.
            if messages.len() >= task.turns as usize {
                break;
            }
            messages.push(String::new());
        }
        if let Some(message) = messages.last_mut() {
            message.push_str(word);
            message.push_str("; ");
        }
    }
    (messages, guesses)
}

/// An agent that only says these things.
fn talk(world: &World, task: &Arc<Task>, seed: Seed, says: &[String]) -> Result<Judged, TaskError> {
    let mut episode = Episode::begin(&world.definition, task, seed, Profile::None)?;
    for text in says {
        episode.act(&Action { say: Some(text.clone()), ..Action::default() });
    }
    episode.act(&Action { stop: true, ..Action::default() });
    episode.judge()
}
