//! Recorded answers: a file that a model fills while it is asked, and that answers in its place later.
//!
//! The file is JSON Lines, only ever appended to. The first line names the model; each further one holds the digest of a request
//! ([`crate::request_digest`]) and the answer to it. A replayed answer reports what the recorded one used and cost; neither counts
//! against the budget again.
//!
//! Invariants: an answer is on disk before it is given; an error is never recorded; one request has one answer, the first that was
//! recorded, however many ask at once; a last line that was cut is not an answer and is removed before the next is written.

use crate::request::request_digest;
use assay_files::Links;
use assay_rollout::ports::{Hear, Model, ModelError, ModelReply, ModelRequest};
use assay_trace::{CallId, Digest, Part, ToolCall, Usage};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// The largest cassette read, because its answers are kept in memory.
pub const CASSETTE_BYTES_MAX: u64 = 1 << 30;
/// Which part of a cassette is kept free for the answers under way: 8 MiB.
const ANSWER_SHARE: u64 = 128;

const VERSION: &str = "1.0";

/// Recorded answers, and perhaps a model that adds to them.
pub struct Cassette {
    name: String,
    path: PathBuf,
    tape: Arc<Mutex<Tape>>,
    recorded: Option<Arc<dyn Model>>,
}

struct Tape {
    answers: BTreeMap<Digest, ModelReply>,
    /// Where answers are added; none in a cassette that is only replayed.
    file: Option<File>,
    /// How large the file is.
    bytes: u64,
    /// How large it may become: a larger one could not be read.
    bytes_max: u64,
    /// A line could not be written: what follows it would be unreadable.
    is_broken: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    #[serde(rename = "_type")]
    kind: String,
    version: String,
    model: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    request: Digest,
    parts: Vec<Part>,
    #[serde(default)]
    tool_calls: Vec<Call>,
    usage: Option<Usage>,
    cost_microdollars: Option<u64>,
    stop_reason: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    id: CallId,
    tool: String,
    arguments_raw: String,
}

/// Why a file is not a cassette.
#[derive(Debug, Error)]
pub enum CassetteError {
    /// It cannot be read or written.
    #[error("failed to open the cassette: {0}")]
    File(#[from] std::io::Error),
    /// It is too large.
    #[error("failed to open the cassette: {bytes} bytes, at most {CASSETTE_BYTES_MAX}")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// A line is not in the form of one.
    #[error("failed to read line {line} of the cassette: {why}")]
    Format {
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// It holds the answers of another model.
    #[error("the cassette contains the answers of `{recorded}`, not of `{asked}`")]
    OtherModel {
        /// Whose answers it holds.
        recorded: String,
        /// Whose should be added.
        asked: String,
    },
    /// Another process records into it.
    #[error("another process is recording to the cassette")]
    InUse,
}

impl Cassette {
    /// A cassette to be replayed.
    pub(crate) fn replay(path: &Path) -> Result<Self, CassetteError> {
        let mut file = assay_files::open(path, Links::Followed).map_err(std::io::Error::from)?;
        let (name, answers, _) = load(&mut file)?;
        let name = name.ok_or_else(|| CassetteError::Format { line: 1, why: "the file is empty".to_owned() })?;
        let tape = Tape { answers, file: None, bytes: 0, bytes_max: CASSETTE_BYTES_MAX, is_broken: false };
        Ok(Self { name, path: path.to_owned(), tape: Arc::new(Mutex::new(tape)), recorded: None })
    }

    /// A cassette that answers what it knows, and asks `model` and records the answer to what it does not know.
    pub(crate) fn record(path: &Path, model: Arc<dyn Model>) -> Result<Self, CassetteError> {
        Self::record_up_to(path, model, CASSETTE_BYTES_MAX)
    }

    fn record_up_to(path: &Path, model: Arc<dyn Model>, bytes_max: u64) -> Result<Self, CassetteError> {
        let (folder, name) = assay_files::beside(path)?;
        let mut file = folder.file_to_change(&name, 0o644).map_err(std::io::Error::from)?;
        file.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => CassetteError::InUse,
            std::fs::TryLockError::Error(error) => error.into(),
        })?;
        let (recorded, answers, whole) = load(&mut file)?;
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        let name = model.name().to_owned();
        match recorded {
            Some(recorded) if recorded != name => {
                return Err(CassetteError::OtherModel { recorded, asked: name });
            }
            Some(_) => {}
            None => {
                let header = Header { kind: "cassette".to_owned(), version: VERSION.to_owned(), model: name.clone() };
                file.write_all(line_of(&header)?.as_bytes())?;
            }
        }
        let bytes = file.metadata()?.len();
        let tape = Tape { answers, file: Some(file), bytes, bytes_max, is_broken: false };
        Ok(Self { name, path: path.to_owned(), tape: Arc::new(Mutex::new(tape)), recorded: Some(model) })
    }

    /// Whether every recorded answer says what it cost.
    pub(crate) fn is_priced(&self) -> bool {
        let tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        tape.answers.values().all(|reply| reply.cost_microdollars.is_some())
    }

    /// Whether another answer may not fit: one that is paid for and cannot be kept is lost.
    fn is_full(&self) -> bool {
        let tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        tape.file.is_some() && tape.bytes > tape.bytes_max - tape.bytes_max / ANSWER_SHARE
    }

    fn known(&self, request: &Digest) -> Option<ModelReply> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner).answers.get(request).cloned()
    }
}

fn line_of(value: &impl Serialize) -> std::io::Result<String> {
    Ok(serde_json::to_string(value)? + "\n")
}

type Loaded = (Option<String>, BTreeMap<Digest, ModelReply>, u64);

/// The recorded model, its answers, and how many bytes the whole lines take.
fn load(file: &mut File) -> Result<Loaded, CassetteError> {
    let bytes = file.metadata()?.len();
    if bytes > CASSETTE_BYTES_MAX {
        return Err(CassetteError::TooLarge { bytes });
    }
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(CASSETTE_BYTES_MAX).read_to_end(&mut text)?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let mut lines = text[..whole].split_inclusive(|byte| *byte == b'\n').enumerate();
    let wrong = |index: usize, why: String| CassetteError::Format { line: index + 1, why };
    let Some((_, first)) = lines.next() else {
        return Ok((None, BTreeMap::new(), 0));
    };
    let header: Header = serde_json::from_slice(first).map_err(|error| wrong(0, error.to_string()))?;
    if header.kind != "cassette" || header.version.split('.').next() != VERSION.split('.').next() {
        return Err(wrong(0, format!("a {} of version {}, not a cassette of {VERSION}", header.kind, header.version)));
    }
    let mut answers = BTreeMap::new();
    for (index, line) in lines {
        let line: Line = serde_json::from_slice(line).map_err(|error| wrong(index, error.to_string()))?;
        answers.entry(line.request).or_insert_with(|| line.into_reply());
    }
    Ok((Some(header.model), answers, whole as u64))
}

impl Line {
    fn new(request: Digest, reply: &ModelReply) -> Self {
        let calls = reply.tool_calls.iter().map(|call| Call {
            id: call.id().clone(),
            tool: call.tool().to_owned(),
            arguments_raw: call.arguments_raw().to_owned(),
        });
        Self {
            request,
            parts: reply.parts.clone(),
            tool_calls: calls.collect(),
            usage: reply.usage,
            cost_microdollars: reply.cost_microdollars,
            stop_reason: reply.stop_reason.clone(),
        }
    }

    fn into_reply(self) -> ModelReply {
        let calls = self.tool_calls.into_iter();
        ModelReply {
            parts: self.parts,
            tool_calls: calls.map(|call| ToolCall::new(call.id, call.tool, call.arguments_raw)).collect(),
            usage: self.usage,
            cost_microdollars: self.cost_microdollars,
            retries: 0,
            stop_reason: self.stop_reason,
        }
    }
}

impl Tape {
    /// Adds the answer to a request, unless another was faster, and returns the one that counts.
    fn add(&mut self, request: Digest, reply: ModelReply) -> std::io::Result<ModelReply> {
        if let Some(known) = self.answers.get(&request) {
            return Ok(known.clone());
        }
        if let Some(file) = &mut self.file {
            if self.is_broken {
                return Err(std::io::Error::other("an earlier line could not be written"));
            }
            let line = line_of(&Line::new(request, &reply))?;
            let bytes = self.bytes.saturating_add(line.len() as u64);
            if bytes > self.bytes_max {
                return Err(std::io::Error::other(format!("it would have more than {} bytes", self.bytes_max)));
            }
            self.is_broken = true;
            file.write_all(line.as_bytes())?;
            self.bytes = bytes;
            file.sync_data()?;
            self.is_broken = false;
        }
        self.answers.insert(request, reply.clone());
        Ok(reply)
    }
}

impl Model for Cassette {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        self.ask_aloud(request, &|_| ())
    }

    fn ask_aloud<'a>(
        &'a self,
        request: ModelRequest,
        hear: &'a Hear<'a>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        async move {
            let digest = request_digest(&self.name, &request);
            if let Some(reply) = self.known(&digest) {
                return Ok(reply);
            }
            let Some(model) = &self.recorded else {
                let (path, messages) = (self.path.display(), request.messages.len());
                return Err(ModelError::NoAnswer {
                    why: format!("{path} contains no answer to request {digest} with {messages} messages"),
                });
            };
            if self.is_full() {
                return Err(ModelError::Refused {
                    why: format!("the cassette {} is full", self.path.display()),
                    hint: Some("go on without --record, or record to another file".to_owned()),
                });
            }
            let reply = model.ask_aloud(request, hear).await?;
            let retries = reply.retries;
            let tape = Arc::clone(&self.tape);
            let add = move || tape.lock().unwrap_or_else(PoisonError::into_inner).add(digest, reply);
            let added = tokio::task::spawn_blocking(add).await.map_err(std::io::Error::other).flatten();
            let reply = added.map_err(|error| ModelError::Unavailable {
                why: format!("failed to record the answer: {error}"),
                retries,
            })?;
            Ok(ModelReply { retries, ..reply })
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_trace::Part;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Says the same each time, and counts how often.
    struct Same(AtomicUsize);

    impl Model for Same {
        fn name(&self) -> &'static str {
            "test:same"
        }

        fn ask(&self, _: ModelRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let parts = vec![Part::text("x".repeat(20))];
            let (tool_calls, usage, cost_microdollars) = (Vec::new(), None, None);
            async move { Ok(ModelReply { parts, tool_calls, usage, cost_microdollars, retries: 0, stop_reason: None }) }
                .boxed()
        }
    }

    #[test]
    fn a_full_cassette_asks_for_nothing_that_it_cannot_keep() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("full.jsonl");
        let model = Arc::new(Same(AtomicUsize::new(0)));
        let cassette =
            Cassette::record_up_to(&path, Arc::clone(&model) as Arc<dyn Model>, 100_000).expect("a new file");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let request = |epoch| ModelRequest {
            messages: Vec::new(),
            tools: Arc::from([]),
            temperature: None,
            output_tokens_max: None,
            seed: None,
            replies: 0,
            epoch,
        };
        let refused = (0..1_000).find_map(|epoch| runtime.block_on(cassette.ask(request(epoch))).err());
        assert!(matches!(refused, Some(ModelError::Refused { hint: Some(_), .. })), "{refused:?}");
        let asked = model.0.load(Ordering::Relaxed);
        drop(cassette);
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert!(text.len() <= 100_000 && asked > 10 && text.lines().count() == asked + 1, "{asked} answers");
        let replayed = Cassette::replay(&path).expect("it can be read");
        assert!(runtime.block_on(replayed.ask(request(3))).is_ok());
    }
}
