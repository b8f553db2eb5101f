//! The objects of ATIF 1.8 (Agent Trajectory Interchange Format, Harbor RFC 0001), field by field, but for audio, which no trajectory of ours has.
//!
//! Invariant: unknown fields are refused on reading, as ATIF's own models do, so a round trip proves that we write none.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version that is written.
pub const ATIF_VERSION: &str = "ATIF-v1.8";

/// Free-form fields.
pub type Extra = Map<String, Value>;

macro_rules! objects {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$field_attribute])* pub $field: $type,)+
        }
    )+};
}

objects! {
    /// A whole document.
    Document {
        /// [`ATIF_VERSION`].
        schema_version: String,
        /// The run, shared among its trajectories.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_id: Option<String>,
        /// This trajectory's name; a must where it is embedded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trajectory_id: Option<String>,
        /// What acted.
        agent: AgentInfo,
        /// What happened; at least one step.
        steps: Vec<Step>,
        /// The sums.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        final_metrics: Option<FinalMetrics>,
        /// Free-form.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        extra: Extra,
        /// The trajectories of sub-agents.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        subagent_trajectories: Vec<Document>,
    }

    /// What acted.
    AgentInfo {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
        /// The model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model_name: Option<String>,
        /// The tools that it was offered.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_definitions: Vec<Map<String, Value>>,
        /// Free-form.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        extra: Extra,
    }

    /// One turn.
    Step {
        /// From 1, without gaps.
        step_id: usize,
        /// ISO 8601.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp: Option<String>,
        /// Who.
        source: Source,
        /// The model, if another than the document's; agents only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model_name: Option<String>,
        /// What was said.
        message: Content,
        /// What was thought; agents only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<String>,
        /// What was called; agents only.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call>,
        /// What came back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        observation: Option<Observation>,
        /// What it used; agents only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metrics: Option<Metrics>,
        /// How many model calls it took; absent where that was not recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        llm_call_count: Option<u64>,
        /// Free-form.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        extra: Extra,
    }

    /// A tool call.
    Call {
        /// Its id.
        tool_call_id: String,
        /// The tool.
        function_name: String,
        /// The arguments; empty where they cannot be understood, which `extra` then explains.
        arguments: Map<String, Value>,
        /// Free-form.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        extra: Extra,
    }

    /// What came back.
    Observation {
        /// One result for each call or other action.
        results: Vec<Outcome>,
    }

    /// One result.
    Outcome {
        /// The call of the same step that it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source_call_id: Option<String>,
        /// What it says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<Content>,
        /// The sub-agents that it sent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        subagent_trajectory_ref: Vec<SubagentRef>,
        /// Free-form.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        extra: Extra,
    }

    /// A sub-agent's trajectory.
    SubagentRef {
        /// Its name among the embedded ones.
        trajectory_id: String,
    }

    /// Where an image is.
    ImageRef {
        /// Its kind.
        media_type: String,
        /// A path or URL.
        path: String,
    }

    /// What a step used.
    Metrics {
        /// All input, cached or not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt_tokens: Option<u64>,
        /// All output.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        completion_tokens: Option<u64>,
        /// The part of the input that came from a cache.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cached_tokens: Option<u64>,
        /// Dollars.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// Free-form.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        extra: Extra,
    }

    /// The sums.
    FinalMetrics {
        /// All input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total_prompt_tokens: Option<u64>,
        /// All output.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total_completion_tokens: Option<u64>,
        /// The part of the input that came from a cache.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total_cached_tokens: Option<u64>,
        /// Dollars.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total_cost_usd: Option<f64>,
        /// Steps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total_steps: Option<usize>,
        /// Free-form.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        extra: Extra,
    }
}

/// Who acts in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The instructions, or the environment of its own accord.
    System,
    /// The person.
    User,
    /// The model, with the tools that it calls.
    Agent,
}

/// Plain text, or pieces. The format has both in one place, told apart by their type alone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Pieces.
    Parts(Vec<ContentPart>),
}

/// A piece of content.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ContentPart {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Where it is.
        source: ImageRef,
    },
}
