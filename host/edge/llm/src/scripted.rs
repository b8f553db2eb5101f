//! A model that reads its answers from a file: for tests, demonstrations and shipped examples.
//!
//! The file is TOML (by its extension) with a list `answers`, or JSON Lines with one answer a line; a line that is a plain JSON string is
//! an answer of that text. An answer has these fields, all optional:
//!
//! | field | what it is |
//! |---|---|
//! | `text` | what the model says |
//! | `reasoning` | what it thought before |
//! | `tool_calls` | list of `id`, `tool`, `arguments_raw` |
//! | `about` | only for conversations whose first user message holds this text |
//! | `when` | given whenever the last message holds this text, outside the sequence |
//! | `epoch` | only for the sample of this number |
//! | `usage` | `input`, `output` and so on, as a provider would report it |
//! | `stop_reason` | `stop` unless said otherwise |
//! | `error` | fail instead: `unavailable`, `refused`, `context_too_long`, `budget_spent`, `no_answer` |
//! | `why` | the error's text |
//!
//! Which answer a conversation gets depends on the conversation alone: of the answers for it, the first whose `when` fits, else the
//! one of the sequence (those without `when`) at the position that is the number of replies so far, those that a full context left out
//! included. So a long episode does not hear an answer twice, and any number of episodes and sub-agents share one script.
//!
//! A script is free, unless the price table names it.
//!
//! Invariant: the model holds no state.

use crate::budget::{Ledger, amount, assumed};
use crate::price::Price;
use crate::request::request_bytes;
use assay_files::{Links, OpenError};
use assay_rollout::ports::{Model, ModelError, ModelReply, ModelRequest};
use assay_trace::{CallId, Part, Role, ToolCall, Usage};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The largest script read. Scripts are written by people.
pub const SCRIPT_BYTES_MAX: u64 = 16 << 20;

/// A model that reads its answers from a file.
#[derive(Debug)]
pub struct Scripted {
    name: String,
    answers: Vec<Answer>,
    ledger: Arc<Ledger>,
    price: Option<Price>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    text: Option<String>,
    reasoning: Option<String>,
    #[serde(default)]
    tool_calls: Vec<Call>,
    about: Option<String>,
    when: Option<String>,
    epoch: Option<u32>,
    usage: Option<PartialUsage>,
    stop_reason: Option<String>,
    error: Option<Failure>,
    why: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    id: CallId,
    tool: String,
    #[serde(default)]
    arguments_raw: String,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PartialUsage {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    reasoning: u64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Failure {
    Unavailable,
    Refused,
    ContextTooLong,
    BudgetSpent,
    NoAnswer,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlScript {
    answers: Vec<Answer>,
}

/// Why a file is not a script.
#[derive(Debug, Error)]
pub enum ScriptError {
    /// It cannot be read.
    #[error("failed to read the script {}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What happened.
        why: std::io::Error,
    },
    /// It is too large.
    #[error("failed to read the script {}: {bytes} bytes, at most {SCRIPT_BYTES_MAX}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// It is not in the form of a script.
    #[error("failed to read the script {}: {why}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        why: String,
    },
}

impl Scripted {
    /// Reads a script.
    ///
    /// # Errors
    /// The file cannot be read or is not a script.
    pub(crate) fn open(path: &Path, ledger: Arc<Ledger>, price: Option<Price>) -> Result<Self, ScriptError> {
        let named = || path.to_owned();
        let unreadable = |why| ScriptError::Read { path: named(), why };
        let text = assay_files::read_text(path, Links::Followed, SCRIPT_BYTES_MAX).map_err(|error| match error {
            OpenError::TooLarge { bytes, .. } => ScriptError::TooLarge { path: named(), bytes },
            other => unreadable(other.into()),
        })?;
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        let answers = if is_toml { from_toml(&text) } else { from_lines(&text) };
        let answers = answers.map_err(|why| ScriptError::Format { path: named(), why })?;
        Ok(Self { name: Self::name_of(path), answers, ledger, price })
    }

    /// The name of the model of a script: without its folder, so that a record does not depend on where the script lies.
    pub(crate) fn name_of(path: &Path) -> String {
        format!("scripted:{}", path.file_name().unwrap_or_default().to_string_lossy())
    }

    fn answer_to(&self, request: &ModelRequest) -> Result<&Answer, ModelError> {
        let holds = |role: Option<Role>, needle: &str| {
            let mut of_role = request.messages.iter().filter(|message| role.is_none_or(|role| message.role() == role));
            let message = if role.is_some() { of_role.next() } else { of_role.next_back() };
            message.is_some_and(|message| message.text().contains(needle))
        };
        let position = request.replies as usize;
        let mut sequence = Vec::new();
        for answer in &self.answers {
            let is_for_it = answer.about.as_deref().is_none_or(|about| holds(Some(Role::User), about))
                && answer.epoch.is_none_or(|epoch| epoch == request.epoch);
            match answer.when.as_deref() {
                _ if !is_for_it => {}
                Some(when) if holds(None, when) => return Ok(answer),
                Some(_) => {}
                None => sequence.push(answer),
            }
        }
        sequence.get(position).copied().ok_or_else(|| ModelError::NoAnswer {
            why: format!(
                "{} has {} answers for this conversation, it asks for number {}",
                self.name,
                sequence.len(),
                position + 1
            ),
        })
    }
}

fn from_toml(text: &str) -> Result<Vec<Answer>, String> {
    toml::from_str::<TomlScript>(text).map(|script| script.answers).map_err(|error| error.to_string())
}

fn from_lines(text: &str) -> Result<Vec<Answer>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let answer = match line.trim_start().starts_with('"') {
                true => serde_json::from_str(line).map(|text| Answer { text: Some(text), ..Answer::default() }),
                false => serde_json::from_str(line),
            };
            answer.map_err(|error| format!("line {}: {error}", index + 1))
        })
        .collect()
}

impl Answer {
    fn reply(&self, price: Option<Price>) -> Result<ModelReply, ModelError> {
        let why = self.why.clone().unwrap_or_else(|| "the script says so".to_owned());
        match self.error {
            None => {}
            Some(Failure::Unavailable) => return Err(ModelError::Unavailable { why, retries: 0 }),
            Some(Failure::Refused) => return Err(ModelError::Refused { why, hint: None }),
            Some(Failure::ContextTooLong) => return Err(ModelError::ContextTooLong { why }),
            Some(Failure::BudgetSpent) => return Err(ModelError::BudgetSpent { what: why }),
            Some(Failure::NoAnswer) => return Err(ModelError::NoAnswer { why }),
        }
        let reasoning = self.reasoning.clone().map(|text| Part::Reasoning { text, signature: None });
        let calls = self.tool_calls.iter();
        let usage = self.usage.map(|PartialUsage { input, output, cache_read, cache_write, reasoning }| Usage {
            input,
            output,
            cache_read,
            cache_write,
            reasoning,
        });
        Ok(ModelReply {
            parts: reasoning.into_iter().chain(self.text.clone().map(Part::text)).collect(),
            tool_calls: calls
                .map(|call| ToolCall::new(call.id.clone(), call.tool.clone(), call.arguments_raw.clone()))
                .collect(),
            cost_microdollars: Some(usage.zip(price).map_or(0, |(usage, price)| price.of(&usage))),
            usage,
            retries: 0,
            stop_reason: Some(self.stop_reason.clone().unwrap_or_else(|| "stop".to_owned())),
        })
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        async move {
            let answer = self.answer_to(&request)?;
            let bytes_out = answer.text.as_ref().map_or(0, String::len);
            let guess = assumed(request_bytes(&request), bytes_out);
            let reservation = self.ledger.reserve(amount(&guess, self.price)).await?;
            let reply = answer.reply(self.price)?;
            reservation.settle(amount(&reply.usage.unwrap_or(guess), self.price));
            Ok(reply)
        }
        .boxed()
    }
}
