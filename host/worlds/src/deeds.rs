//! Steps of events and of concurrent writers that can never be done: collections and documents that are not there, values that a schema excludes.
//!
//! Invariant: whatever is refused here would fail whenever it happened, and nobody would hear of it but the record.

use std::collections::BTreeSet;

use assay_world::{Definition, How, Step, Target, Task, misfit, value};
use serde_json::Value;

use crate::never::{can_be, is_plain, near, within};
use crate::slip::{Slip, quoted};

/// The first step of a task that can never be done.
pub(crate) fn slip(world: &Definition, task: &Task, collections: &BTreeSet<&str>) -> Option<Slip> {
    let events = task.events.iter().map(|event| &event.steps);
    let mut all = events.chain(task.faults.iter().map(|fault| &fault.steps));
    all.find_map(|steps| first(world, task, collections, steps))
}

fn first(world: &Definition, task: &Task, collections: &BTreeSet<&str>, steps: &[Step]) -> Option<Slip> {
    let unknown = |name: &str| {
        let is_known = collections.contains(name) || world.state.documents.schemas().get(name).is_some();
        (!is_known).then(|| Slip::unknown("collection", name, collections.iter().copied()))
    };
    steps.iter().find_map(|step| match step {
        Step::Get { from, .. } => unknown(&from.collection),
        Step::List { collection, .. } => unknown(collection),
        Step::Remove { at } => unknown(&at.collection).or_else(|| missing(world, task, at)),
        Step::Change { at, how, value } => {
            let there = unknown(&at.collection).or_else(|| missing(world, task, at));
            there.or_else(|| changed(world, at, *how, value))
        }
        Step::Insert { at, value } => unfit(world, at, "", value),
        Step::Later { steps, .. } => first(world, task, collections, steps),
        _ => None,
    })
}

/// A document that is not there and that nothing could make.
fn missing(world: &Definition, task: &Task, at: &Target) -> Option<Slip> {
    let (collection, id) = (&at.collection, value::plain(&at.id));
    if !is_plain(&at.id) || can_be(world, task, collection, &id) {
        return None;
    }
    let known = world.state.documents.list(collection).map(|(id, _)| id);
    let slip = Slip::unknown(&format!("document of {collection}"), &id, known);
    Some(slip.with(vec![quoted(collection), at.id.to_string()]))
}

/// A change that no document of the collection can take.
fn changed(world: &Definition, at: &Target, how: How, value: &Value) -> Option<Slip> {
    match how {
        How::Set => unfit(world, at, &at.path, value),
        How::Add if is_plain(value) && !value.is_number() => {
            let words = vec![quoted(&at.collection), value.to_string()];
            let what = format!("`add` adds a number, and {value} is none");
            Some(Slip { words, what, hint: Some("to write a value, use `set`".to_owned()) })
        }
        _ => None,
    }
}

/// A value that the schema of its place excludes.
fn unfit(world: &Definition, at: &Target, path: &str, value: &Value) -> Option<Slip> {
    let collection = &at.collection;
    let schema = world.state.documents.schemas().get(collection)?;
    if path.contains(['$', '{']) {
        return None;
    }
    let words = vec![quoted(collection), at.id.to_string(), value.to_string()];
    let schema = match within(schema, path) {
        Ok(found) => found?,
        Err(whole) => {
            let what = format!("{whole} of {collection} has no parts, so nothing can be written to {path:?}");
            return Some(Slip { words, what, hint: None });
        }
    };
    let why = if is_plain(value) { misfit(schema, &value::normal(value.clone()))? } else { return None };
    let place =
        if path.is_empty() { format!("a document of {collection}") } else { format!("{path:?} of {collection}") };
    let what = format!("{place} cannot be what a step writes: its schema says that {why}");
    Some(Slip { words, what, hint: near(schema, value) })
}
