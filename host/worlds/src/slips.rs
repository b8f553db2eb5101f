//! Slips of a task's author that would switch something off without a word: conditions about what does not exist, empty lists, patterns that mean more than
//! they seem to.
//!
//! Invariant: whatever is refused here could never hold, or could never be noticed.

use std::collections::BTreeSet;

use assay_world::limits::{STEPS_MAX, WRONG_ANSWERS_MAX};
use assay_world::{About, Body, BuiltIn, Caller, Condition, Definition, Fault, Single, Step, Task, Tells, Tool};

use crate::places::{argument, field, query};
use crate::python::OBJECTS;
use crate::slip::{Slip, quoted};
use crate::{deeds, never};

/// What begins a path of a change.
const ROOTS: [&str; 4] = ["documents", "mail", "files", "databases"];

/// The first slip of a task.
pub(crate) fn slip(world: &Definition, task: &Task) -> Option<Slip> {
    let patterns = task.allow.iter().find_map(|pattern| allow(pattern));
    let secrets = task.keep_secret.iter().find(|secret| !assay_world::can_be_kept(secret));
    let secrets = secrets.map(|secret| Slip::new(secret, format!("the secret {secret:?} has no letter and no digit")));
    let told = || {
        tools(world, task)
            .or_else(|| faults(world, task))
            .or_else(|| empty(task))
            .or_else(|| waits(task))
            .or_else(|| reveals(task))
            .or_else(|| wrong_answers(task))
    };
    patterns.or(secrets).or_else(told).or_else(|| {
        let collections = collections(world, task);
        let placed = |one: &Condition| about(world, task, &collections, one).or_else(|| never::holds(world, task, one));
        let conditions = conditions(task).find_map(placed).or_else(|| lists(task).find_map(never::together));
        conditions.or_else(|| deeds::slip(world, task, &collections))
    })
}

/// Facts that wait for something that the user never tells.
fn waits(task: &Task) -> Option<Slip> {
    task.tell.iter().filter_map(|fact| fact.after.as_ref()).find_map(|name| never_told(task, name))
}

/// A slot that the user never tells.
fn never_told(task: &Task, name: &str) -> Option<Slip> {
    let slots = || task.user.iter().flat_map(|user| &user.slots).filter(|slot| slot.tells != Tells::Never);
    let is_told = slots().any(|slot| slot.name == name);
    (!is_told).then(|| Slip::unknown("slot of the user", name, slots().map(|slot| slot.name.as_str())))
}

/// Twists that reveal what the user does not know.
fn reveals(task: &Task) -> Option<Slip> {
    let slots = || task.user.iter().flat_map(|user| &user.slots).map(|slot| slot.name.as_str());
    let mut revealed = task.user.iter().flat_map(|user| &user.twists).flat_map(|twist| &twist.reveals);
    let unknown = revealed.find(|name| !slots().any(|slot| slot == name.as_str()))?;
    let slip = Slip::unknown("slot of the user", unknown, slots());
    Some(slip.with(vec![quoted(unknown), "reveals".to_owned()]))
}

/// `**` that is not the last segment would match nothing.
fn allow(pattern: &str) -> Option<Slip> {
    let mut segments = pattern.split('/');
    let first = segments.next().unwrap_or_default();
    if !ROOTS.contains(&first) {
        let what = format!("the pattern {pattern:?} of `allow` begins with none of {}", ROOTS.join(", "));
        return Some(Slip::new(pattern, what));
    }
    let rest: Vec<&str> = segments.collect();
    let (last, before) = rest.split_last()?;
    let is_wild = |segment: &&str| segment.contains("**");
    (before.iter().any(is_wild) || is_wild(last) && *last != "**").then(|| Slip {
        words: vec![quoted(pattern)],
        what: format!("the pattern {pattern:?} of `allow` has `**` before its end"),
        hint: Some("`*` matches one segment; `**`, only at the end, matches everything below".to_owned()),
    })
}

/// Tools that a task names and that are not there.
fn tools(world: &Definition, task: &Task) -> Option<Slip> {
    let later = task.said.iter().flat_map(|turn| &turn.tools);
    let asked = || task.authors.iter().flat_map(|authors| authors.asked()).map(|assertion| &assertion.call);
    let mut named = task.tools.iter().flatten().chain(later).chain(asked());
    if let Some(unknown) = named.find(|name| !world.tools.contains_key(*name)) {
        return Some(Slip::unknown("tool", unknown, world.tools.keys().map(String::as_str)));
    }
    let is_operators =
        |name: &&String| world.tools.get(*name).is_some_and(|tool| tool.spec.callers.contains(&Caller::Operator));
    let other = asked().find(|name| !is_operators(name))?;
    Some(Slip::new(other, format!("{other} cannot be asked in the end: its `callers` lack \"operator\"")))
}

fn faults(world: &Definition, task: &Task) -> Option<Slip> {
    task.faults.iter().enumerate().find_map(|(index, single)| {
        let is_same = |other: &Single| other.tool == single.tool && other.call == single.call;
        if task.faults[..index].iter().any(is_same) {
            let what =
                format!("the call {} of {} has two faults, and only the first would come", single.call, single.tool);
            let hint = Some("give one of them another `call`, or leave it out".to_owned());
            let words = vec![quoted(&single.tool), "tool".to_owned()];
            return Some(Slip { words, what, hint });
        }
        let Some(tool) = world.tools.get(&single.tool) else {
            return Some(Slip::unknown("tool", &single.tool, world.tools.keys().map(String::as_str)));
        };
        if single.call == 0 {
            return Some(Slip::new(&single.tool, "`call` of a fault counts from 1".to_owned()));
        }
        odd(single, tool).map(|what| Slip::new(&single.tool, what))
    })
}

/// Why a fault cannot befall a tool.
fn odd(single: &Single, tool: &Tool) -> Option<String> {
    let name = &single.tool;
    let is_write = tool.spec.is_write;
    if !single.steps.is_empty() {
        if single.fault != Fault::ConcurrentWriter {
            return Some(format!("`steps` are what a concurrent_writer does; a {} has none", single.fault.name()));
        }
        let count: usize = single.steps.iter().map(Step::count).sum();
        if count > STEPS_MAX {
            return Some(format!("the concurrent writer of {name} takes {count} steps, at most {STEPS_MAX}"));
        }
        if let Some(unbound) = assay_world::unbound(&single.steps, &mut vec!["now".to_owned()]) {
            return Some(format!("the concurrent writer of {name} uses `{unbound}`, which has no value"));
        }
    }
    match single.fault {
        Fault::StaleRead if is_write => Some(format!("{name} writes, so its answer cannot be a stale read")),
        Fault::ConcurrentWriter if !is_write => {
            Some(format!("{name} only reads, so nobody can write at the same time"))
        }
        Fault::PartialWrite if tool.parts() < 2 => {
            Some(format!("{name} does not have two steps that write, so it cannot be done in part"))
        }
        _ => None,
    }
}

/// Lists of conditions of which all hold, and none is there.
fn empty(task: &Task) -> Option<Slip> {
    let named = task.require.iter().chain(&task.forbid).chain(&task.milestones);
    let named = named.map(|named| (&named.name, named.when.is_empty(), "when"));
    let injected = task.injections.iter().map(|one| (&one.name, one.succeeded.is_empty(), "succeeded"));
    let found = named.chain(injected).find(|(_, is_empty, _)| *is_empty);
    found.map(|(name, _, key)| Slip::new(name, format!("`{key}` of {name:?} is empty, so it never holds")))
}

/// More wrong answers than anybody needs.
fn wrong_answers(task: &Task) -> Option<Slip> {
    let counted = conditions(task).map(|condition| &condition.not).chain(task.tell.iter().map(|fact| &fact.not));
    let count: usize = counted.map(Vec::len).sum();
    let what = || format!("the task has {count} wrong answers (`not`) in all, at most {WRONG_ANSWERS_MAX}");
    (count > WRONG_ANSWERS_MAX).then(|| Slip { words: vec!["not".to_owned()], what: what(), hint: None })
}

fn conditions(task: &Task) -> impl Iterator<Item = &Condition> {
    lists(task).flatten()
}

/// The lists of conditions of which all hold at once.
fn lists(task: &Task) -> impl Iterator<Item = &[Condition]> {
    let named = task.require.iter().chain(&task.forbid).chain(&task.milestones).map(|named| named.when.as_slice());
    let injected = task.injections.iter().map(|injection| injection.succeeded.as_slice());
    named.chain(injected).chain(task.user.iter().map(|user| user.content.as_slice()))
}

fn about(world: &Definition, task: &Task, collections: &BTreeSet<&str>, condition: &Condition) -> Option<Slip> {
    match &condition.about {
        About::Called { tool, arguments } => match world.tools.get(tool) {
            None => Some(Slip::unknown("tool", tool, world.tools.keys().map(String::as_str))),
            Some(known) => arguments.keys().find_map(|path| argument(known, path)),
        },
        About::Document { collection, id, .. } if !collections.contains(collection.as_str()) => {
            let slip = Slip::unknown("collection", collection, collections.iter().copied());
            Some(slip.with(vec![quoted(&format!("{collection}/{id}"))]))
        }
        About::Document { collection, id, path } => field(world, task, collection, path)
            .map(|slip| slip.with(vec![quoted(&format!("{collection}/{id}")), quoted(path)])),
        About::Query { database, .. } if !world.state.databases.contains_key(database) => {
            Some(Slip::unknown("database", database, world.state.databases.keys().map(String::as_str)))
        }
        About::Query { database, sql } => query(&world.state, database, sql),
        About::Told(slot) => never_told(task, slot).map(|slip| slip.with(vec![quoted(slot), "told".to_owned()])),
        About::Mail(_) | About::File(_) => None,
    }
}

/// The collections that there are or that a tool or an event can make.
pub(crate) fn collections<'a>(world: &'a Definition, task: &'a Task) -> BTreeSet<&'a str> {
    let mut known: BTreeSet<&str> = world.state.documents.collections().collect();
    known.extend(world.tools.values().any(|tool| matches!(tool.body, Body::Native(_))).then_some(OBJECTS));
    known.extend(task.overlays.iter().filter_map(|overlay| overlay.document.split_once('/')).map(|(name, _)| name));
    for tool in world.tools.values() {
        match &tool.body {
            Body::Rules { steps, .. } => inserted(steps, &mut known),
            Body::BuiltIn(BuiltIn::CalendarAdd | BuiltIn::CalendarList, _) => {
                known.insert("calendar");
            }
            Body::BuiltIn(..) | Body::Native(_) => {}
        }
    }
    task.events.iter().for_each(|event| inserted(&event.steps, &mut known));
    task.faults.iter().for_each(|single| inserted(&single.steps, &mut known));
    known
}

fn inserted<'a>(steps: &'a [Step], known: &mut BTreeSet<&'a str>) {
    for step in steps {
        match step {
            Step::Insert { at, .. } => {
                known.insert(&at.collection);
            }
            Step::Later { steps, .. } => inserted(steps, known),
            _ => {}
        }
    }
}
