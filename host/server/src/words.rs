//! What a record of a trajectory says, in short: its kind, whether somebody should look at it, and its first words.
//!
//! Invariant: of a record that is longer than what is looked at, the beginning counts.

use crate::prefix::completed;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RowKind {
    Metadata,
    System,
    User,
    Assistant,
    Tool,
    Event,
    Score,
    /// Nothing that we know.
    #[serde(rename = "unknown")]
    Other,
}

impl RowKind {
    pub(crate) const ALL: [Self; 8] =
        [Self::Metadata, Self::System, Self::User, Self::Assistant, Self::Tool, Self::Event, Self::Score, Self::Other];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Event => "event",
            Self::Score => "score",
            Self::Other => "unknown",
        }
    }
}

/// Of the beginning of a line, or of a whole one.
pub(crate) fn words(seen: &[u8], is_whole: bool) -> (RowKind, bool, String) {
    let of_text = |text: &str| serde_json::from_str::<Line<'_>>(text).ok().map(|line| of_line(&line));
    let read = match std::str::from_utf8(seen) {
        Ok(text) if is_whole => of_text(text),
        _ if is_whole => None,
        _ => of_text(&completed(seen)),
    };
    read.unwrap_or_else(|| (RowKind::Other, true, String::from_utf8_lossy(&seen[..seen.len().min(1_024)]).into_owned()))
}

/// What is looked at of a line. Whatever else it holds is passed over.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "_type")]
    kind: String,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    parts: Vec<Part>,
    #[serde(default)]
    tool_calls: Vec<Call>,
    #[serde(default, rename = "kind")]
    event: Option<String>,
    #[serde(default, borrow)]
    body: Option<&'a RawValue>,
    #[serde(default)]
    outcome: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    scenario: Option<String>,
    #[serde(default)]
    model: Option<String>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    tool: String,
}

/// The words of an event that say most.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Body {
    source: Option<String>,
    tool: Option<String>,
    name: Option<String>,
    model: Option<String>,
    limit: Option<String>,
    error: Option<String>,
    trajectory_id: Option<String>,
}

fn of_line(line: &Line<'_>) -> (RowKind, bool, String) {
    let joined = |words: &[Option<&str>]| words.iter().flatten().copied().collect::<Vec<_>>().join(" · ");
    match line.kind.as_str() {
        "metadata" => (RowKind::Metadata, false, joined(&[line.scenario.as_deref(), line.model.as_deref()])),
        "message" => {
            let kind = match line.role.as_deref() {
                Some("system") => RowKind::System,
                Some("user") => RowKind::User,
                Some("assistant") => RowKind::Assistant,
                Some("tool") => RowKind::Tool,
                _ => RowKind::Other,
            };
            // What was said to others comes before what was thought.
            let said = line.parts.iter().find(|part| part.kind == "text").or(line.parts.first());
            let text = said.map_or("", |part| part.text.as_deref().unwrap_or(&part.kind));
            let calls: Vec<&str> = line.tool_calls.iter().take(8).map(|call| call.tool.as_str()).collect();
            let calls = if calls.is_empty() { None } else { Some(format!("→ {}", calls.join(", "))) };
            let text = Some(text).filter(|text| !text.is_empty());
            (kind, false, joined(&[calls.as_deref(), text]))
        }
        "event" => {
            let event = line.event.as_deref().unwrap_or("");
            let body: Body = line.body.and_then(|body| serde_json::from_str(body.get()).ok()).unwrap_or_default();
            let error = body.error.as_ref().map(|error| format!("error: {error}"));
            let text = joined(&[
                Some(event),
                error.as_deref(),
                body.tool.as_deref(),
                body.name.as_deref(),
                body.limit.as_deref(),
                body.model.as_deref(),
                body.trajectory_id.as_deref(),
                body.source.as_deref(),
            ]);
            (RowKind::Event, error.is_some() || matches!(event, "flag" | "limit_reached"), text)
        }
        "score" => (RowKind::Score, false, joined(&[line.outcome.as_deref(), line.reason.as_deref()])),
        other => (RowKind::Other, true, other.to_owned()),
    }
}
