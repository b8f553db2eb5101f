//! The tools that every world can have without writing them.
//!
//! Invariants: a tool touches only what its [`Reach`] names; each checks first and changes then, and what fails changes nothing that is kept.

use std::collections::BTreeMap;

use assay_model::Nanos;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::database::Ambient;
use crate::limits::ANSWER_BYTES_MAX;
use crate::mail::{Letter, shown};
use crate::perform::{put, with_id, write};
use crate::state::{State, draw};
use crate::tool_spec::ToolSpec;
use crate::value;
use crate::work::Work;

/// Documents or letters that a list shows unless it is asked for fewer.
const SHOWN_MAX: usize = 50;
/// How much one statement may work, in steps of the database's machine.
const STATEMENT_FUEL: u64 = 5_000_000;

/// The built-in tools.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "`builtin.json` describes each")]
pub enum BuiltIn {
    DocumentsGet,
    DocumentsList,
    DocumentsUpdate,
    Search,
    MailSend,
    MailRead,
    CalendarAdd,
    CalendarList,
    PaymentsRefund,
    FilesRead,
    FilesWrite,
    FilesList,
    DatabaseQuery,
    Wait,
}

impl BuiltIn {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::DocumentsGet,
        Self::DocumentsList,
        Self::DocumentsUpdate,
        Self::Search,
        Self::MailSend,
        Self::MailRead,
        Self::CalendarAdd,
        Self::CalendarList,
        Self::PaymentsRefund,
        Self::FilesRead,
        Self::FilesWrite,
        Self::FilesList,
        Self::DatabaseQuery,
        Self::Wait,
    ];
}

/// What a built-in tool may touch.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Collections; none means all.
    pub collections: Vec<String>,
    /// The address that mail comes from.
    pub address: String,
    /// The database.
    pub database: String,
}

impl Reach {
    fn check(&self, collection: &str) -> Result<(), String> {
        if self.collections.is_empty() || self.collections.iter().any(|name| name == collection) {
            return Ok(());
        }
        Err(format!("there is no collection {collection:?}; there are {}", self.collections.join(", ")))
    }
}

/// What `builtin.json` says of a tool.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    description: String,
    needed: Map<String, Value>,
    #[serde(default)]
    optional: Map<String, Value>,
    is_write: bool,
    is_idempotent: bool,
}

/// The specifications of all tools.
const ROWS: &str = include_str!("builtin.json");

/// The specification of a built-in tool.
///
/// # Panics
/// Never: a test reads the specification of every tool.
#[must_use]
pub(crate) fn spec(kind: BuiltIn) -> ToolSpec {
    let mut rows: BTreeMap<BuiltIn, Row> = serde_json::from_str(ROWS).expect("a test reads it");
    let Row { description, needed, mut optional, is_write, is_idempotent } =
        rows.remove(&kind).expect("a test looks every tool up");
    let required: Vec<Value> = needed.keys().map(|name| Value::from(name.as_str())).collect();
    let mut properties = needed;
    properties.append(&mut optional);
    ToolSpec {
        name: value::plain(&json!(kind)),
        description,
        parameters: json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false
        }),
        is_write,
        is_idempotent,
        ..ToolSpec::default()
    }
}

/// Calls a built-in tool with arguments that fit its schema.
///
/// # Errors
/// Why it refuses, in words for the caller; the state may have changed then and is to be thrown away.
pub(crate) fn call(
    kind: BuiltIn,
    reach: &Reach,
    arguments: &Value,
    state: &mut State,
    work: &mut Work,
) -> Result<Value, String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let limit = arguments.get("limit").and_then(Value::as_u64).map_or(SHOWN_MAX, |limit| limit as usize);
    match kind {
        BuiltIn::DocumentsGet => {
            reach.check(text("collection"))?;
            let found = state.documents.get(text("collection"), text("id"));
            work.copy(found.ok_or_else(|| format!("{} {} not found", text("collection"), text("id")))?)
        }
        BuiltIn::DocumentsList => {
            reach.check(text("collection"))?;
            let wanted = arguments.get("where").and_then(Value::as_object);
            let fits = |document: &Value| {
                wanted.is_none_or(|wanted| wanted.iter().all(|(path, value)| value::at(document, path) == Some(value)))
            };
            list(state, text("collection"), limit, work, fits)
        }
        BuiltIn::DocumentsUpdate => update(reach, arguments, state, work),
        BuiltIn::Search => search(reach, &text("text").to_lowercase(), limit, state, work),
        BuiltIn::MailSend => mail_send(reach, arguments, state),
        BuiltIn::MailRead => {
            let letters: Vec<&Letter> = state.mail.letters(&reach.address).collect();
            work.take(letters.len() as u64)?;
            for letter in letters.iter().rev().take(limit) {
                work.build((letter.subject.len() + letter.body.len()) as u64)?;
            }
            Ok(letters.iter().rev().take(limit).map(|letter| shown(letter)).collect())
        }
        BuiltIn::CalendarAdd => calendar_add(arguments, state, work),
        BuiltIn::CalendarList => {
            let of = |document: &Value| {
                let attends = document.get("attendees").and_then(Value::as_array);
                let attends = attends.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(text("attendee"))));
                let start = document.get("start").and_then(Value::as_str).unwrap_or_default();
                (text("attendee").is_empty() || attends) && start.starts_with(text("day"))
            };
            list(state, CALENDAR, SHOWN_MAX, work, of)
        }
        BuiltIn::PaymentsRefund => refund(arguments, state, work),
        BuiltIn::FilesRead => read(text("path"), state),
        BuiltIn::FilesWrite => {
            write(state, text("path"), text("text"))?;
            Ok(json!({ "written": text("path") }))
        }
        BuiltIn::FilesList => {
            let walk = state.files.walk(b"/").map_err(|error| error.to_string())?;
            let files = walk.filter(|(_, stat)| stat.kind.is_file());
            let mut paths = Vec::new();
            for (path, _) in files {
                work.build(path.len() as u64)?;
                paths.push(Value::from(String::from_utf8_lossy(&path).into_owned()));
            }
            Ok(Value::Array(paths))
        }
        BuiltIn::DatabaseQuery => query(reach, arguments, state),
        BuiltIn::Wait => {
            let seconds = arguments.get("seconds").and_then(Value::as_u64).unwrap_or(1);
            state.pass(Nanos(seconds.saturating_mul(1_000_000_000)));
            Ok(json!({ "waited_seconds": seconds }))
        }
    }
}

/// Where appointments are.
const CALENDAR: &str = "calendar";
/// Where payments are.
const PAYMENTS: &str = "payments";

fn list(
    state: &State,
    collection: &str,
    limit: usize,
    work: &mut Work,
    fits: impl Fn(&Value) -> bool,
) -> Result<Value, String> {
    let (mut found, mut more) = (Vec::new(), 0_usize);
    for (id, document) in state.documents.list(collection) {
        work.take(1)?;
        if fits(document) {
            if found.len() < limit {
                work.build(value::weight(document))?;
                found.push(with_id(id, document));
            } else {
                more += 1;
            }
        }
    }
    Ok(if more > 0 { json!({ "records": found, "more": more }) } else { json!({ "records": found }) })
}

fn mail_send(reach: &Reach, arguments: &Value, state: &mut State) -> Result<Value, String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (from, at) = (reach.address.clone(), state.now());
    let letter = Letter { from, to: text("to"), subject: text("subject"), body: text("body"), at };
    state.mail.send(letter).map_err(|error| error.to_string())?;
    Ok(json!({ "sent": true }))
}

fn read(path: &str, state: &State) -> Result<Value, String> {
    let content = state.files.read_all(path.as_bytes()).map_err(|error| error.to_string())?;
    if content.len() > ANSWER_BYTES_MAX {
        return Err(format!("the file has {} bytes, at most {ANSWER_BYTES_MAX} can be read", content.len()));
    }
    Ok(String::from_utf8_lossy(&content).into_owned().into())
}

fn update(reach: &Reach, arguments: &Value, state: &mut State, work: &mut Work) -> Result<Value, String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let (collection, id) = (text("collection"), text("id"));
    reach.check(collection)?;
    let found = state.documents.get(collection, id).ok_or_else(|| format!("{collection} {id} not found"))?;
    let mut document = work.copy(found)?;
    let (Value::Object(kept), Some(fields)) = (&mut document, arguments.get("fields").and_then(Value::as_object))
    else {
        return Err(format!("{collection} {id} has no fields"));
    };
    if let Some(unknown) = fields.keys().find(|key| !kept.contains_key(*key)) {
        return Err(format!("{collection} {id} has no field {unknown:?}"));
    }
    let expected = arguments.get("expected").and_then(Value::as_object);
    if let Some((key, _)) = expected.into_iter().flatten().find(|(key, value)| kept.get(*key) != Some(*value)) {
        let now = value::plain(kept.get(key).unwrap_or(&Value::Null));
        return Err(format!("409 Conflict: {key} of {collection} {id} is {now} now; nothing was done: read it again"));
    }
    kept.extend(fields.clone());
    put(state, collection, id, work.copy(&document)?)?;
    Ok(document)
}

fn search(reach: &Reach, wanted: &str, limit: usize, state: &State, work: &mut Work) -> Result<Value, String> {
    let mut found = Vec::new();
    for collection in state.documents.collections().filter(|name| reach.check(name).is_ok()) {
        for (id, document) in state.documents.list(collection) {
            work.take(1)?;
            let mut holds = |text: &str| text.to_lowercase().contains(wanted);
            if found.len() < limit && (holds(id) || value::any_text(document, &mut holds)) {
                work.build(value::weight(document))?;
                found.push(json!({ "collection": collection, "record": with_id(id, document) }));
            }
        }
    }
    Ok(Value::Array(found))
}

fn calendar_add(arguments: &Value, state: &mut State, work: &mut Work) -> Result<Value, String> {
    let text = |document: &Value, name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (start, end) = (text(arguments, "start"), text(arguments, "end"));
    let is_time = |text: &str| text.len() == 16 && text.as_bytes()[10] == b'T' && text.is_ascii();
    if !is_time(&start) || !is_time(&end) || start >= end {
        return Err("start and end are times like 2026-11-23T14:00, start before end".to_owned());
    }
    let attendees = |document: &Value| document.get("attendees").and_then(Value::as_array).cloned().unwrap_or_default();
    let ours = attendees(arguments);
    for (_, other) in state.documents.list(CALENDAR) {
        work.take(1)?;
        let meets = attendees(other).into_iter().find(|one| ours.contains(one));
        if let Some(who) = meets.filter(|_| text(other, "start") < end && start < text(other, "end")) {
            return Err(format!("{} is busy then: {}", value::plain(&who), text(other, "title")));
        }
    }
    let id = state.new_id("E-", &format!("{start} {}", text(arguments, "title")));
    put(state, CALENDAR, &id, arguments.clone())?;
    Ok(json!({ "id": id }))
}

fn refund(arguments: &Value, state: &mut State, work: &mut Work) -> Result<Value, String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let (id, key) = (text("payment_id"), text("key"));
    let found = state.documents.get(PAYMENTS, id).ok_or_else(|| format!("payment {id} not found"))?;
    let mut payment = work.copy(found)?;
    let cents = |name: &str| payment.get(name).and_then(Value::as_i64).unwrap_or(0);
    let (paid, refunded) = (cents("amount_cents"), cents("refunded_cents"));
    let wanted = arguments.get("amount_cents").and_then(Value::as_i64).unwrap_or(0);
    let keys = payment.get("refund_keys").and_then(Value::as_array).cloned().unwrap_or_default();
    if keys.iter().any(|known| known.as_str() == Some(key)) {
        return Ok(json!({ "payment_id": id, "refunded_cents": refunded, "repeated": true }));
    }
    let damaged = || format!("payment {id} is damaged");
    let left = paid.checked_sub(refunded).filter(|left| *left >= 0).ok_or_else(damaged)?;
    if wanted > left {
        return Err(format!("payment {id} has {left} cents left to refund"));
    }
    let after = refunded.checked_add(wanted).ok_or_else(damaged)?;
    let Value::Object(fields) = &mut payment else { return Err(damaged()) };
    fields.insert("refunded_cents".to_owned(), after.into());
    fields.insert("refund_keys".to_owned(), keys.into_iter().chain([Value::from(key)]).collect());
    put(state, PAYMENTS, id, payment)?;
    Ok(json!({ "payment_id": id, "refunded_cents": after }))
}

fn query(reach: &Reach, arguments: &Value, state: &mut State) -> Result<Value, String> {
    let name = &reach.database;
    let sql = arguments.get("sql").and_then(Value::as_str).unwrap_or_default();
    let parameters = arguments.get("parameters").and_then(Value::as_array).cloned().unwrap_or_default();
    let now = state.now();
    // Two statements of one moment draw differently.
    let count = state.count(&format!("database {name} {}", now.0));
    let seed = draw(state.seed(), &format!("database {name} {}", now.0), count).bits();
    let database = state.databases.get_mut(name).ok_or_else(|| format!("there is no database {name:?}"))?;
    database.run(sql, &parameters, Ambient { now, seed, fuel: STATEMENT_FUEL })
}
