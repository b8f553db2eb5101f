//! `assay worlds debug --interactive`: a person at the keyboard, or whatever is piped in, is the agent.
//!
//! Invariant: every turn is kept as a fork of the episode, so each can be taken back; nothing is written.

use super::debug::{DebugSettings, clipped, tree};
use super::run::chosen;
use super::{MachineOf, load};
use crate::face;
use crate::{Ending, Failure};
use assay_model::Seed;
use assay_rollout::run::episode_seed;
use assay_world::{Action, Caller, Episode, Heard, TaskError};
use serde_json::Value;

/// The longest line that is read.
const LINE_BYTES_MAX: usize = 64 << 10;
/// Turns that can be taken back.
const KEPT_MAX: usize = 1_000;
/// Changes that are shown at once.
const CHANGES_MAX: usize = 40;
const HELP: &str = "\
TOOL {JSON}   call a tool, for example: get_order {\"order_id\": \"O-1\"}
say TEXT      say something to the user
state         what has changed since the beginning
undo          take the last turn back
stop          end the episode and score it
help          this list and the tools";

/// What a line asks for.
enum Wish {
    Act(Action),
    State,
    Undo,
    Stop,
    Help,
    Unclear(String),
}

/// Lets a person act until they stop, nothing more comes, or the episode ends. Lines are read from standard input; the agent of the settings is not asked.
///
/// # Errors
/// The settings are wrong, the world cannot be used, or a line cannot be read.
pub fn debug_by_hand(settings: &DebugSettings, machine: &MachineOf<'_>) -> Result<Ending, Failure> {
    let world = load(&settings.world, machine)?;
    let tasks = chosen(&world, std::slice::from_ref(&settings.task))?;
    let task = tasks.into_values().next().ok_or_else(|| Failure::usage("there is no such task"))?;
    let seed = episode_seed(Seed(settings.actor.seed), &task.id, settings.sample.max(1));
    let begun = Episode::begin(&world.definition, &task, seed, settings.actor.faults);
    let begun = begun.map_err(|error| unfit(&error))?;
    face::note("you are the agent; `help` lists what you can do");
    said("user", &begun.opening());
    let mut turns = vec![begun];
    while let Some(now) = turns.last().filter(|episode| episode.end().is_none()) {
        match wish(now)? {
            Wish::Act(action) => {
                let mut next = now.clone();
                act(&mut next, &action)?;
                if turns.len() >= KEPT_MAX {
                    turns.remove(1);
                }
                turns.push(next);
            }
            Wish::State => state(&turns[0], now)?,
            Wish::Undo if turns.len() > 1 => {
                turns.pop();
                face::note(&format!("turn {} was taken back", turns.len()));
            }
            Wish::Undo => face::note("there is no turn to take back"),
            Wish::Help => help(now),
            Wish::Unclear(why) => face::note(&why),
            Wish::Stop => break,
        }
    }
    let Some(mut last) = turns.pop() else { return Ok(Ending::Success) };
    last.act(&Action { stop: true, ..Action::default() });
    let judged = last.judge().map_err(|error| unfit(&error))?;
    for why in &judged.why {
        face::out(&format!("  {}", face::visible(why)));
    }
    face::out(&tree(&judged.score, 0));
    face::out(&format!("outcome {}", judged.outcome.name()));
    Ok(Ending::Success)
}

fn unfit(error: &TaskError) -> Failure {
    Failure::usage(error).hint("`assay worlds check` says which tasks can be used")
}

/// Reads a line. The end of the input is the end of the episode.
fn wish(episode: &Episode) -> Result<Wish, Failure> {
    let line = crate::input::line(&mut std::io::stdin().lock(), LINE_BYTES_MAX)
        .map_err(|error| Failure::usage(format!("failed to read your line: {error}")))?;
    let Some(line) = line else { return Ok(Wish::Stop) };
    let line = String::from_utf8_lossy(&line).trim().to_owned();
    let (word, rest) =
        line.split_once(char::is_whitespace).map_or((line.as_str(), ""), |(word, rest)| (word, rest.trim()));
    let names = || episode.world().tools_of(Caller::Agent).map(|tool| tool.spec.name.as_str());
    Ok(match (word, rest) {
        ("" | "help", "") => Wish::Help,
        ("state", "") => Wish::State,
        ("undo", "") => Wish::Undo,
        ("stop", "") => Wish::Stop,
        ("say", "") => Wish::Unclear("say something: say TEXT".to_owned()),
        ("say", text) => Wish::Act(Action { say: Some(text.to_owned()), ..Action::default() }),
        _ if line.starts_with('{') => match call(&line) {
            Some(call) => Wish::Act(Action { calls: vec![call], ..Action::default() }),
            None => Wish::Unclear("a call as JSON is {\"tool\": NAME, \"arguments\": {…}}".to_owned()),
        },
        (tool, arguments) if arguments.starts_with('{') || names().any(|name| name == tool) => {
            Wish::Act(Action { calls: vec![(tool.to_owned(), arguments.to_owned())], ..Action::default() })
        }
        _ => {
            let near = assay_world::words::nearest(word, names()).map(|near| format!("; did you mean `{near}`?"));
            let near = near.unwrap_or_default();
            Wish::Unclear(format!("{word:?} is neither a command nor a tool{near}; to talk to the user: say TEXT"))
        }
    })
}

/// The call of a line like `{"tool": …, "arguments": {…}}`.
fn call(line: &str) -> Option<(String, String)> {
    let line: Value = serde_json::from_str(line).ok()?;
    let arguments = line.get("arguments").map_or_else(|| "{}".to_owned(), Value::to_string);
    Some((line.get("tool")?.as_str()?.to_owned(), arguments))
}

/// Takes a turn and shows what came of it.
fn act(episode: &mut Episode, action: &Action) -> Result<(), Failure> {
    let before = episode.world().state().fork();
    let turn = episode.act(action);
    for called in episode.calls(&turn) {
        if let Some(fault) = called.fault {
            face::out(&face::doubtful(&format!("{:>9}  {} {}", "fault", face::visible(&called.tool), fault.name())));
        }
        said("tool", &called.text);
    }
    changes(&before, episode)?;
    for heard in &turn.heard {
        match heard {
            Heard::User(text) => said("user", text),
            Heard::Notice(text) => said("notice", text),
        }
    }
    Ok(())
}

fn said(who: &str, text: &str) {
    face::out(&format!("{who:>9}  {}", face::visible(&clipped(text))));
}

fn state(first: &Episode, now: &Episode) -> Result<(), Failure> {
    let root = now.world().state().hash().root().to_string();
    face::out(&face::dim(&format!("    state  {}", &root[..16])));
    changes(first.world().state(), now)
}

/// What differs from an earlier state.
fn changes(before: &assay_world::State, now: &Episode) -> Result<(), Failure> {
    let changes = now.world().changes_since(before, now.world().log()).map_err(|why| Failure::usage(&why))?;
    for change in changes.iter().take(CHANGES_MAX) {
        face::out(&face::dim(&format!("      {}", face::visible(&clipped(&change.to_string())))));
    }
    if let Some(more @ 1..) = changes.len().checked_sub(CHANGES_MAX) {
        face::out(&face::dim(&format!("      and {more} more")));
    }
    Ok(())
}

fn help(episode: &Episode) {
    face::note(HELP);
    for tool in episode.world().tools_of(Caller::Agent) {
        let names = tool.spec.parameters.get("properties").and_then(Value::as_object);
        let names: Vec<&str> = names.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let text = format!("{} ({}): {}", tool.spec.name, names.join(", "), tool.spec.description);
        face::note(&face::visible(&text));
    }
}
