//! Steps at work on a state.
//!
//! Invariant: a step that fails says why and may have changed the state it was given; callers hand in a fork and throw it away then.

use assay_model::{Nanos, Time};
use serde_json::{Number, Value};

use crate::agenda::{AGENDA, Event};
use crate::limits::{DOCUMENT_BYTES_MAX, NAME_BYTES_MAX, SECONDS_MAX};
use crate::mail::Letter;
use crate::scope::Scope;
use crate::state::State;
use crate::step::{How, Step, Target};
use crate::value;
use crate::words::cut;
use crate::work::Work;

/// Does steps one after the other.
///
/// # Errors
/// The first that fails, in the world's words.
pub(crate) fn perform(steps: &[Step], scope: &mut Scope, state: &mut State, work: &mut Work) -> Result<(), String> {
    for step in steps {
        work.take(1)?;
        one(step, scope, state, work)?;
    }
    Ok(())
}

/// Does what happens by itself: nobody asked, so the error says which step failed.
///
/// # Errors
/// The first that fails, with its number from 1 and its name.
pub(crate) fn happen(steps: &[Step], scope: &mut Scope, state: &mut State, work: &mut Work) -> Result<(), String> {
    for (index, step) in steps.iter().enumerate() {
        let done = work.take(1).and_then(|()| one(step, scope, state, work));
        done.map_err(|why| format!("step {} ({}): {why}", index + 1, step.name()))?;
    }
    Ok(())
}

fn one(step: &Step, scope: &mut Scope, state: &mut State, work: &mut Work) -> Result<(), String> {
    match step {
        Step::Get { from, name, otherwise } => {
            let id = id(from, scope, work)?;
            let found = state.documents.get(&from.collection, &id);
            if let (None, Some(otherwise)) = (found, otherwise) {
                return Err(scope.text(otherwise, work)?);
            }
            let found = found.map(|found| work.copy(found)).transpose()?;
            scope.set(name, found.unwrap_or(Value::Null));
        }
        Step::List { collection, fields, name } => {
            let found = list(collection, fields, scope, state, work)?;
            scope.set(name, found);
        }
        Step::Require { value, test, otherwise } => {
            let found = scope.fill(value, work)?;
            if !test.filled(|wanted| scope.fill(wanted, work))?.holds(Some(&found)) {
                return Err(scope.text(otherwise, work)?);
            }
        }
        Step::Change { at, how, value } => {
            let value = scope.fill(value, work)?;
            change(at, *how, value, scope, state, work)?;
        }
        Step::Insert { at, value } => {
            let id = id(at, scope, work)?;
            if state.documents.get(&at.collection, &id).is_some() {
                return Err(format!("{} {} is there already", at.collection, cut(&id, NAME_BYTES_MAX)));
            }
            put(state, &at.collection, &id, scope.fill(value, work)?)?;
        }
        Step::Remove { at } => {
            let id = id(at, scope, work)?;
            if !state.documents.remove(&at.collection, &id) {
                return Err(format!("{} {} not found", at.collection, cut(&id, NAME_BYTES_MAX)));
            }
        }
        Step::NewId { prefix, of, name } => {
            let of = value::plain(&scope.fill(of, work)?);
            let new = state.new_id(prefix, cut(&of, DRAWN_FOR_MAX));
            scope.set(name, new.into());
        }
        Step::Mail { to, from, subject, body } => {
            let to = value::plain(&scope.fill(to, work)?);
            let (from, subject) = (scope.text(from, work)?, scope.text(subject, work)?);
            let (body, at) = (scope.text(body, work)?, state.now());
            state.mail.send(Letter { from, to, subject, body, at }).map_err(|error| error.to_string())?;
        }
        Step::Write { path, text } => write(state, &scope.text(path, work)?, &scope.text(text, work)?)?,
        Step::Later { seconds, steps, notify } => later(seconds, steps, notify.as_deref(), scope, state, work)?,
        Step::Fail { text } => return Err(scope.text(text, work)?),
    }
    Ok(())
}

/// Bytes of what an id is drawn for; the rest does not count.
const DRAWN_FOR_MAX: usize = 1_000;

fn later(
    seconds: &Value,
    steps: &[Step],
    notify: Option<&str>,
    scope: &Scope,
    state: &mut State,
    work: &mut Work,
) -> Result<(), String> {
    let seconds = scope.fill(seconds, work)?.as_u64().filter(|seconds| *seconds <= SECONDS_MAX);
    let seconds = seconds.ok_or_else(|| format!("`later` is not a number of seconds up to {SECONDS_MAX}"))?;
    let notify = notify.map(|text| scope.text(text, work)).transpose()?;
    work.build(scope.weight())?;
    let event = Event { source: AGENDA.to_owned(), steps: steps.into(), scope: scope.clone(), notify };
    let at = state.now() + Nanos(seconds.saturating_mul(1_000_000_000));
    if state.agenda.add(at, event) { Ok(()) } else { Err("the agenda is full".to_owned()) }
}

fn id(target: &Target, scope: &Scope, work: &mut Work) -> Result<String, String> {
    Ok(value::plain(&scope.fill(&target.id, work)?))
}

/// The documents whose fields are as wanted, each with its id under `id`.
fn list(
    collection: &str,
    fields: &serde_json::Map<String, Value>,
    scope: &Scope,
    state: &State,
    work: &mut Work,
) -> Result<Value, String> {
    let mut wanted: Vec<(&String, Value)> = Vec::new();
    for (path, value) in fields {
        wanted.push((path, value::normal(scope.fill(value, work)?)));
    }
    let mut found = Vec::new();
    for (id, document) in state.documents.list(collection) {
        work.take(1)?;
        if wanted.iter().all(|(path, wanted)| value::at(document, path).unwrap_or(&Value::Null) == wanted) {
            work.build(value::weight(document))?;
            found.push(with_id(id, document));
        }
    }
    Ok(Value::Array(found))
}

/// A document as lists show it.
#[must_use]
pub(crate) fn with_id(id: &str, document: &Value) -> Value {
    match document {
        Value::Object(fields) if !fields.contains_key("id") => {
            let mut with = serde_json::Map::new();
            with.insert("id".to_owned(), id.into());
            with.extend(fields.clone());
            Value::Object(with)
        }
        other => other.clone(),
    }
}

/// Writes at a path within a document.
fn change(
    at: &Target,
    how: How,
    value: Value,
    scope: &Scope,
    state: &mut State,
    work: &mut Work,
) -> Result<(), String> {
    let (collection, id) = (&at.collection, id(at, scope, work)?);
    let found = state.documents.get(collection, &id);
    let found = found.ok_or_else(|| format!("{collection} {} not found", cut(&id, NAME_BYTES_MAX)))?;
    let mut document = work.copy(found)?;
    let path = scope.text(&at.path, work)?;
    let place = value::place(&mut document, &path).ok_or_else(|| format!("{collection} {id} has no {path}"))?;
    match how {
        How::Set => *place = value,
        How::Add => *place = sum(place, &value).ok_or_else(|| format!("{path} is no number"))?,
        How::Append => match place {
            Value::Null => *place = Value::Array(vec![value]),
            Value::Array(items) if items.len() < DOCUMENT_BYTES_MAX => items.push(value),
            _ => return Err(format!("{path} is no list")),
        },
    }
    put(state, collection, &id, document)
}

/// The sum of two numbers; nothing counts as 0.
fn sum(one: &Value, other: &Value) -> Option<Value> {
    let zero = Value::from(0);
    let one = if one.is_null() { &zero } else { one };
    if let (Some(one), Some(other)) = (one.as_i64(), other.as_i64()) {
        return one.checked_add(other).map(Value::from);
    }
    Number::from_f64(one.as_f64()? + other.as_f64()?).map(Value::Number)
}

/// Keeps a document.
///
/// # Errors
/// It cannot be kept.
pub(crate) fn put(state: &mut State, collection: &str, id: &str, value: Value) -> Result<(), String> {
    state.documents.put(collection, id, value).map_err(|error| error.to_string())
}

/// Writes a file, with the folders on the way.
///
/// # Errors
/// The path is none, or there is no room.
pub fn write(state: &mut State, path: &str, text: &str) -> Result<(), String> {
    let failed = |error: assay_tree::TreeError| format!("{path}: {error}");
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    // Times of files are no part of a world: they would tell careful agents from quick ones.
    let now = Time::default();
    if !folder.is_empty() {
        state.files.mkdir_all(folder.as_bytes(), now).map_err(failed)?;
    }
    state.files.put(path.as_bytes(), text.as_bytes().to_vec().into(), now).map_err(failed)
}
