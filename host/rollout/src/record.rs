//! What stands in an episode's record: its first line, its cells, its calls. [`replay`](crate::replay) reads what is written here.

use assay_model::{Nanos, Time};
use assay_trace::{CodeCell, Digest, EventKind, Metadata, Record};
use assay_tree::Tree;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ports::{Cell, CellError};
use crate::start::{Brief, Context};
use crate::text::cut_middle;

/// What scores episodes, as verdicts of the loop's own name it.
pub(crate) const SCORER: &str = concat!("assay-rollout ", env!("CARGO_PKG_VERSION"));
/// The longest traceback that is kept, in bytes: an exception's message is the code's, and may be anything.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// The kind of event that holds a call with its answer.
pub(crate) const HOST_CALL: &str = "host_call";
/// The kind of event that holds how the work ended.
pub(crate) const EXIT: &str = "exit";
/// The kind of event that stands before the score of an episode whose files were graded after it had ended.
pub(crate) const GRADED_LATER: &str = "graded_later";
/// The kind of event that holds a supervisor's decision.
pub(crate) const SUPERVISOR: &str = "supervisor";
/// The kind of event that holds a cell that was broken off.
pub(crate) const CELL_INTERRUPTED: &str = "cell_interrupted";
/// The kind of event that holds what the episode changed.
pub(crate) const PATCH: &str = "patch";

/// The digest of a tree as records hold it.
pub(crate) fn files_digest(tree: &Tree) -> Digest {
    Digest::from_hex(tree.digest().to_string().as_bytes()).unwrap_or(Digest::ZERO)
}

/// A call with its answer as the record holds it. Fields are in the order of the alphabet, so that their order in the file does not depend on how
/// JSON objects are kept in memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RecordedCall {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<String>,
    pub(crate) arguments: Value,
    pub(crate) call: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    pub(crate) files: String,
}

/// How the work ended. Fields are in the order of the alphabet, as above.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedExit {
    /// What was paid by then, which a reward may depend on; none where a price is unknown.
    #[serde(default)]
    pub(crate) cost_microdollars: Option<u64>,
    pub(crate) detail: String,
    pub(crate) exit: String,
    /// Tokens that were used by then; none in records of earlier releases.
    #[serde(default)]
    pub(crate) tokens: Option<u64>,
    /// Time that was charged by then.
    #[serde(default)]
    pub(crate) wall_ns: u64,
}

/// What the work changed: digests of the files before and after, and the patch from the one to the other, where there is one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedPatch {
    pub(crate) base: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
    pub(crate) files: String,
    /// Why there is no patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) none: Option<String>,
    /// The patch, where it is text and not too long for a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) patch: Option<String>,
    /// The patch, where it is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) patch_base64: Option<String>,
}

/// A cell that ran.
pub(crate) fn code_cell(code: &str, cell: Cell, latency: Nanos) -> CodeCell {
    CodeCell {
        call_id: None,
        language: "python".to_owned(),
        source: code.to_owned(),
        error: cell.error.as_ref().map(error_text),
        stdout: cell.stdout,
        stderr: cell.stderr,
        dropped_bytes: cell.dropped_bytes,
        fuel: cell.fuel,
        latency,
    }
}

/// A cell's error as it is recorded and shown.
pub(crate) fn error_text(error: &CellError) -> String {
    match error {
        CellError::Exception { traceback, .. } => cut_middle(traceback, ERROR_BYTES_MAX).into_owned(),
        CellError::Died { .. } => format!("{error}. Variables are lost, files are not."),
    }
}

/// The text in a record, in bytes: of messages, code, output, calls.
pub(crate) fn text_bytes(record: &Record) -> u64 {
    let bytes = match record {
        Record::Message(message) => message.text().len(),
        Record::Verdict(_) => 0,
        Record::Event(event) => match &event.kind {
            EventKind::CodeCell(cell) => {
                cell.source.len() + cell.stdout.len() + cell.stderr.len() + cell.error.as_ref().map_or(0, String::len)
            }
            EventKind::Other(other) => other.body().len(),
            _ => 0,
        },
    };
    bytes as u64
}

/// The first line.
pub(crate) fn metadata(context: &Context, brief: &Brief, started_at: Time) -> Metadata {
    let Context { ports, settings, start, .. } = context;
    let limits = &settings.limits;
    let mut metadata =
        Metadata::new(start.id.clone(), &start.task.instance_id, ports.model.name(), start.seed, started_at);
    let optional = [
        ("tokens", limits.tokens),
        ("cost_microdollars", limits.cost_microdollars),
        ("wall_ns", limits.wall.map(|wall| wall.0)),
        ("working_ns", limits.working.map(|working| working.0)),
    ];
    let fixed = [
        ("steps", u64::from(limits.steps)),
        ("context_tokens", limits.context_tokens),
        ("session_fuel_per_cell", limits.session.fuel_per_cell),
        ("session_fuel", limits.session.fuel),
        ("session_memory_bytes", limits.session.memory_bytes),
        ("session_output_bytes_per_cell", limits.session.output_bytes_per_cell as u64),
        ("session_host_calls_per_cell", u64::from(limits.session.host_calls_per_cell)),
    ];
    let optional = optional.into_iter().filter_map(|(name, limit)| Some((name, limit?)));
    metadata.limits = optional.chain(fixed).map(|(name, limit)| (name.to_owned(), limit)).collect();
    metadata.run.clone_from(&start.run);
    metadata.attempt = start.attempt;
    metadata.versions.clone_from(&start.versions);
    metadata.hashes.clone_from(&start.hashes);
    metadata.hashes.insert("files".to_owned(), files_digest(&start.base).to_string());
    let prompt = Digest::chained(Digest::of(brief.system.as_bytes()), brief.report.as_bytes());
    metadata.hashes.insert("prompt".to_owned(), prompt.to_string());
    metadata.tags.clone_from(&start.tags);
    metadata.parent.clone_from(&brief.parent);
    metadata.meta.insert("folder".to_owned(), start.folder.clone().into());
    metadata.meta.insert("session_time_ns".to_owned(), settings.session_time.0.into());
    if let Some(temperature) = settings.temperature.of_attempt(start.attempt) {
        metadata.meta.insert("temperature".to_owned(), temperature.into());
    }
    metadata
}
