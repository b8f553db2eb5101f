//! The methods of the protocol: the handshake, the list of tools, calls.
//!
//! Invariants: a call is a turn, and its answer holds everything that the agent hears of it; what is wrong with a call of a tool is a result, what is wrong
//! with a message is an error; nothing here shows scores or what the user knows.

use std::time::Duration;

use assay_trace::Part;
use assay_world::limits::ARGUMENT_BYTES_MAX;
use assay_world::{Caller, Tool, ToolSpec};
use serde_json::{Map, Value, json};

use super::envelope::{
    INVALID_PARAMS, INVALID_REQUEST, Incoming, METHOD_NOT_FOUND, PARSE_ERROR, RpcError, UNAVAILABLE, read,
};
use super::live::{Live, Phase, Said, Told};
use super::revision::Revision;
use super::room::{CALLS_AT_ONCE_MAX, Room, Session};
use crate::agents::Move;

/// How long a call waits to hear that the episode has ended.
const SCORE_WAIT: Duration = Duration::from_secs(10);
/// Messages of one batch.
const BATCH_MAX: usize = 64;
/// Bytes of the name of a tool that is called.
const NAME_BYTES_MAX: usize = 200;

const SAY: &str = "message_user";
const DONE: &str = "finish_task";
const READ: &str = "read_conversation";
/// The tools by which an agent talks, which no world may have beside them.
pub const OWN_TOOLS: [&str; 3] = [SAY, DONE, READ];

/// What is answered.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// Nothing: it was a notification.
    Nothing,
    /// A message, or several at once.
    Message(Value),
    /// The message that begins a session.
    Begun {
        /// The session's name.
        session: String,
        /// The message.
        message: Value,
    },
    /// An error: what came is no message, or belongs to no session.
    Refused(Value),
}

/// Answers what a client sends. `session` is the one that it was sent in, `fork` the fork that it was sent to, empty for the run itself, and `fresh` the name
/// that a session gets that begins with it.
pub async fn receive(room: &Room, session: Option<&Session>, fork: &str, fresh: &str, bytes: &[u8]) -> Reply {
    let message = match serde_json::from_slice(bytes) {
        Ok(message) => message,
        Err(error) => {
            let error = RpcError::new(PARSE_ERROR, format!("the message is not JSON: {error}"));
            return Reply::Refused(error.message(&Value::Null));
        }
    };
    match (message, session) {
        (Value::Array(messages), Some(session)) if session.revision.has_batches() => {
            batch(room, session, messages).await
        }
        (Value::Array(_), _) => {
            let why = "several messages at once are not part of this revision, and not for beginning a session";
            Reply::Refused(RpcError::new(INVALID_REQUEST, why).message(&Value::Null))
        }
        (message, session) => one(room, session, fork, fresh, message).await,
    }
}

async fn batch(room: &Room, session: &Session, messages: Vec<Value>) -> Reply {
    if messages.is_empty() || messages.len() > BATCH_MAX {
        let why = format!("a batch has 1 to {BATCH_MAX} messages");
        return Reply::Refused(RpcError::new(INVALID_REQUEST, why).message(&Value::Null));
    }
    let mut answers = Vec::new();
    for message in messages {
        match read(message) {
            Ok(Incoming::Notification) => {}
            Ok(Incoming::Request { id, method, params }) => {
                answers.push(answered(&id, request(room, session, &method, &params).await));
            }
            Err((id, error)) => answers.push(error.message(&id)),
        }
    }
    if answers.is_empty() { Reply::Nothing } else { Reply::Message(Value::Array(answers)) }
}

async fn one(room: &Room, session: Option<&Session>, fork: &str, fresh: &str, message: Value) -> Reply {
    match (read(message), session) {
        (Err((id, error)), _) => Reply::Refused(error.message(&id)),
        (Ok(Incoming::Notification), _) => Reply::Nothing,
        (Ok(Incoming::Request { id, method, params }), _) if method == "initialize" => {
            match initialize(room, fork, fresh, &params).await {
                Ok(result) => Reply::Begun { session: fresh.to_owned(), message: answered(&id, Ok(result)) },
                Err(error) => Reply::Message(error.message(&id)),
            }
        }
        (Ok(Incoming::Request { id, method, params }), Some(session)) => {
            Reply::Message(answered(&id, request(room, session, &method, &params).await))
        }
        (Ok(Incoming::Request { id, .. }), None) => {
            Reply::Refused(RpcError::new(INVALID_REQUEST, "send `initialize` first").message(&id))
        }
    }
}

fn answered(id: &Value, result: Result<Value, RpcError>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => error.message(id),
    }
}

/// Begins a session, with the revision that the client names if it is known, and otherwise with the latest.
async fn initialize(room: &Room, fork: &str, fresh: &str, params: &Map<String, Value>) -> Result<Value, RpcError> {
    let Some(Value::String(wanted)) = params.get("protocolVersion") else {
        return Err(RpcError::new(INVALID_PARAMS, "`protocolVersion` is not a text"));
    };
    let revision = Revision::named(wanted).unwrap_or(Revision::Latest);
    let session = room.begin(fresh, revision, fork).await;
    let session = session.map_err(|error| RpcError::new(UNAVAILABLE, error.to_string()))?;
    Ok(json!({
        "protocolVersion": revision.name(),
        "capabilities": { "tools": { "listChanged": false } },
        "serverInfo": { "name": room.plan.world.definition.name, "version": env!("CARGO_PKG_VERSION") },
        "instructions": session.live().conversation().join("\n\n"),
    }))
}

async fn request(room: &Room, session: &Session, method: &str, params: &Map<String, Value>) -> Result<Value, RpcError> {
    match method {
        "ping" => Ok(json!({})),
        "tools/list" => match params.get("cursor") {
            None | Some(Value::Null) => Ok(json!({ "tools": tools(room, session) })),
            Some(_) => Err(RpcError::new(INVALID_PARAMS, "the list of tools has one page, so there is no such cursor")),
        },
        "tools/call" => call(session, params).await,
        _ => {
            let method: String = method.chars().take(100).collect();
            Err(RpcError::new(METHOD_NOT_FOUND, format!("there is no method {method:?}")))
        }
    }
}

/// The agent's tools, as the session's revision describes them.
fn tools(room: &Room, session: &Session) -> Vec<Value> {
    let rendered = |spec: &ToolSpec| {
        let mut tool = json!({ "name": spec.name, "description": spec.description, "inputSchema": spec.parameters });
        if session.revision.has_annotations() {
            tool["annotations"] = json!({
                "readOnlyHint": !spec.is_write, "destructiveHint": spec.is_write, "idempotentHint": spec.is_idempotent,
                "openWorldHint": false,
            });
        }
        tool
    };
    let live = session.live();
    let is_agents = |tool: &&Tool| tool.spec.callers.contains(&Caller::Agent) && live.offers(&tool.spec.name);
    let worlds = room.plan.world.definition.tools.values().filter(is_agents);
    worlds.map(|tool| rendered(&tool.spec)).chain(own_tools(&live).iter().map(rendered)).collect()
}

/// The tools by which an agent talks.
fn own_tools(live: &Live) -> Vec<ToolSpec> {
    let text = |name: &str, required: bool| {
        let required = if required { vec![name] } else { Vec::new() };
        json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": required, "additionalProperties": false })
    };
    let tool = |name: &str, description: &str, parameters: Value, is_write: bool| ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters,
        is_write,
        is_idempotent: !is_write,
        ..ToolSpec::default()
    };
    let read = "Read your instructions and everything that you were told so far again.";
    let done = "Say that you are done. `message` is your last word: the answer, where one was asked for.";
    let mut tools =
        vec![tool(READ, read, ToolSpec::default().parameters, false), tool(DONE, done, text("message", false), true)];
    if live.task.has_listener() {
        tools.push(tool(SAY, "Say something to the user. The result is what they answer.", text("text", true), true));
    }
    tools
}

/// A text of the arguments of one of our tools, of which it is the only one.
fn text_of(arguments: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    if let Some(other) = arguments.keys().find(|key| *key != name) {
        let other: String = other.chars().take(100).collect();
        return Err(format!("there is no argument {other:?}"));
    }
    match arguments.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` is not a text")),
    }
}

async fn call(session: &Session, params: &Map<String, Value>) -> Result<Value, RpcError> {
    let Some(Value::String(name)) = params.get("name") else {
        return Err(RpcError::new(INVALID_PARAMS, "`name` is not a text"));
    };
    let none = Map::new();
    let arguments = match params.get("arguments") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err(RpcError::new(INVALID_PARAMS, "`arguments` is not a JSON object")),
    };
    let Ok(_place) = session.calls.try_acquire() else {
        let why = format!("more than {CALLS_AT_ONCE_MAX} calls at once; this one was not made");
        return Err(RpcError::new(UNAVAILABLE, why));
    };
    let live = session.live();
    let has_user = live.task.has_listener();
    let act = match name.as_str() {
        READ => return Ok(result(vec![live.conversation().join("\n\n")], false)),
        SAY if has_user => text_of(arguments, "text").and_then(|text| {
            let text = text.filter(|text| !text.trim().is_empty()).ok_or("`text` is empty")?;
            Ok(Move { parts: vec![Part::text(text)], ..Move::default() })
        }),
        DONE => text_of(arguments, "message").map(|text| Move {
            parts: text.into_iter().map(Part::text).collect(),
            stop: true,
            ..Move::default()
        }),
        _ => {
            let arguments = Value::Object(arguments.clone()).to_string();
            // An episode keeps every call, those that nothing comes of too.
            if arguments.len() > ARGUMENT_BYTES_MAX || name.len() > NAME_BYTES_MAX {
                let why = format!(
                    "the arguments have more than {ARGUMENT_BYTES_MAX} bytes, or the name more than {NAME_BYTES_MAX}"
                );
                return Ok(failure("arguments", &why));
            }
            Ok(Move { calls: live.call(name, &arguments).into_iter().collect(), ..Move::default() })
        }
    };
    match act {
        Err(why) => Ok(failure("arguments", &why)),
        Ok(act) => match live.act(act).await {
            Some(told) => told_result(told),
            None => Ok(not_made(&live).await),
        },
    }
}

/// The answer to a call for which the episode makes no more moves.
async fn not_made(live: &Live) -> Value {
    // Moves are refused a moment before the score is there.
    let _ = tokio::time::timeout(SCORE_WAIT, live.reaches(Phase::Over)).await;
    if live.has_score() {
        failure("episode_ended", "the episode has ended; this call was not made")
    } else {
        failure("interrupted", "the episode was broken off, and may begin anew; this call was not made")
    }
}

/// Everything that an agent hears of a move.
fn told_result(told: Told) -> Result<Value, RpcError> {
    let (mut texts, mut is_error) = (Vec::new(), false);
    for said in told.said {
        match said {
            Said::Answer { text, error } => {
                if let Some(unknown) = error.as_deref().and_then(|error| error.strip_prefix("unknown_tool: ")) {
                    return Err(RpcError::new(INVALID_PARAMS, format!("unknown tool: {unknown}")));
                }
                is_error |= error.is_some();
                texts.push(text);
            }
            Said::Message(text) => texts.push(text),
        }
    }
    if told.is_last {
        texts.push("[notification] this was the last call: the episode has ended".to_owned());
    }
    Ok(result(texts, is_error))
}

/// A failure in the words of a world's tools.
fn failure(kind: &str, message: &str) -> Value {
    result(vec![json!({ "error": { "type": kind, "message": message } }).to_string()], true)
}

fn result(texts: Vec<String>, is_error: bool) -> Value {
    let content: Vec<Value> = texts.into_iter().map(|text| json!({ "type": "text", "text": text })).collect();
    json!({ "content": content, "isError": is_error })
}
