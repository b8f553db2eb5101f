//! Whether the places that conditions are about can be there: arguments of tools, fields of documents, tables of databases.
//!
//! Invariant: a place is refused only where nothing that the world has could ever put a value there.

use std::collections::BTreeSet;

use assay_world::limits::QUERY_FUEL;
use assay_world::words::nearest;
use assay_world::{Ambient, Body, BuiltIn, Definition, How, State, Step, Target, Task, Tool};
use serde_json::Value;

use crate::python::OBJECTS;
use crate::slip::{Slip, quoted};

/// The first words of statements that only read.
const ASKS: [&str; 5] = ["select", "with", "values", "explain", "pragma"];
/// The names of a database's tables, and of their columns.
const TABLES: &str = "SELECT group_concat(name) FROM sqlite_schema";
const COLUMNS: &str = "SELECT group_concat(DISTINCT c.name) FROM sqlite_schema s, pragma_table_info(s.name) c";

/// An argument that a tool does not have.
pub(crate) fn argument(tool: &Tool, path: &str) -> Option<Slip> {
    let mut schema = &tool.spec.parameters;
    for part in path.split('.') {
        // What is not described may be anything.
        let properties = schema.get("properties")?.as_object()?;
        let Some(inner) = properties.get(part) else {
            let name = &tool.spec.name;
            let slip = Slip::unknown(&format!("argument of {name}"), part, properties.keys().map(String::as_str));
            return Some(slip.with(vec![quoted(name), part.to_owned()]));
        };
        schema = inner;
    }
    None
}

/// A field that no document of a collection has and nothing gives one.
pub(crate) fn field(world: &Definition, task: &Task, collection: &str, path: &str) -> Option<Slip> {
    let first = path.split('.').find(|part| !part.is_empty())?;
    // Mostly the first document has it, and a world may have a hundred thousand.
    if world.state.documents.list(collection).any(|(_, document)| document.get(first).is_some()) {
        return None;
    }
    let known = fields(world, task, collection)?;
    let is_there = known.is_empty() || known.contains(first);
    (!is_there).then(|| Slip::unknown(&format!("field of {collection}"), first, known.iter().map(String::as_str)))
}

/// The fields that documents of a collection have or may get; none where that can be any.
fn fields(world: &Definition, task: &Task, collection: &str) -> Option<BTreeSet<String>> {
    let mut known = BTreeSet::new();
    let is_in = |document: &str| document.split_once('/').is_some_and(|(name, _)| name == collection);
    let overlaid = task.overlays.iter().filter(|overlay| is_in(&overlay.document));
    let documents = world.state.documents.list(collection).map(|(_, document)| document);
    for document in documents.chain(overlaid.filter_map(|overlay| overlay.value.as_ref())) {
        known.extend(document.as_object()?.keys().cloned());
    }
    for tool in world.tools.values() {
        match &tool.body {
            Body::Native(_) => return None,
            Body::Rules { steps, .. } => given(steps, collection, &mut known)?,
            Body::BuiltIn(BuiltIn::DocumentsUpdate, reach) => {
                let is_in_reach = |all: &[String]| all.is_empty() || all.iter().any(|name| name == collection);
                if is_in_reach(&reach.collections) {
                    return None;
                }
            }
            Body::BuiltIn(BuiltIn::PaymentsRefund, _) if collection == "payments" => {
                known.extend(["refunded_cents", "refund_keys"].map(str::to_owned));
            }
            Body::BuiltIn(BuiltIn::CalendarAdd, _) if collection == "calendar" => return None,
            Body::BuiltIn(..) => {}
        }
    }
    let others = task.events.iter().map(|event| &event.steps).chain(task.faults.iter().map(|single| &single.steps));
    for steps in others {
        given(steps, collection, &mut known)?;
    }
    (collection != OBJECTS).then_some(known)
}

/// Adds the fields that steps give to documents of a collection; none where they can give any.
fn given(steps: &[Step], collection: &str, known: &mut BTreeSet<String>) -> Option<()> {
    for step in steps {
        match step {
            Step::Insert { at, value } if at.collection == collection => {
                known.extend(value.as_object()?.keys().cloned());
            }
            Step::Change { at, how, value } if at.collection == collection => {
                known.extend(changed(at, *how, value)?);
            }
            Step::Later { steps, .. } => given(steps, collection, known)?,
            _ => {}
        }
    }
    Some(())
}

/// The fields that a step gives to a document; none where it can give any.
fn changed(at: &Target, how: How, value: &Value) -> Option<Vec<String>> {
    match at.path.split('.').find(|part| !part.is_empty()) {
        Some(first) => (!first.contains(['$', '{'])).then(|| vec![first.to_owned()]),
        None if how == How::Set => Some(value.as_object()?.keys().cloned().collect()),
        None => None,
    }
}

/// A query that fails, or does more than ask.
pub(crate) fn query(state: &State, database: &str, sql: &str) -> Option<Slip> {
    let first = sql.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_question = first.is_empty() || ASKS.iter().any(|word| first.eq_ignore_ascii_case(word));
    if !is_question || writes(state, database, sql) {
        let hint = "a condition asks and changes nothing: write a SELECT".to_owned();
        let slip = Slip::new(sql, format!("the query of a condition writes in the database {database:?}"));
        return Some(Slip { hint: Some(hint), ..slip });
    }
    let why = state.ask(database, sql).err()?;
    let hint = missing(state, database, &why);
    Some(Slip { hint, ..Slip::new(sql, format!("the query of a condition fails: {why}")) })
}

/// Whether a query changes its database.
fn writes(state: &State, database: &str, sql: &str) -> bool {
    let Some(mut asked) = state.databases.get(database).map(|database| database.fork()) else { return false };
    let before = asked.digest();
    let ambient = Ambient { now: state.now(), seed: 0, fuel: QUERY_FUEL };
    let answer = asked.run(sql, &[], ambient);
    let is_counted = answer.is_ok_and(|answer| answer.get("changed").and_then(Value::as_u64).unwrap_or(0) > 0);
    is_counted || asked.digest() != before
}

/// What a query may have meant by a table or a column that is not there.
fn missing(state: &State, database: &str, why: &str) -> Option<String> {
    let (names, word) = [(TABLES, "no such table: "), (COLUMNS, "no such column: ")]
        .into_iter()
        .find_map(|(names, begins)| why.split_once(begins).map(|(_, word)| (names, word)))?;
    let word = word.split(|c: char| c.is_whitespace()).next()?;
    let word = word.rsplit('.').next()?;
    let known = state.ask(database, names).ok()??;
    let near = nearest(word, known.as_str()?.split(','))?;
    Some(format!("did you mean `{near}`?"))
}
