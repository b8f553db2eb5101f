//! What a trajectory is a record of: the first line of its file.
//!
//! Invariant: the line names the format and its version, and a reader refuses what is newer than itself instead of losing half of it.

use crate::identifier::{CallId, TrajectoryId};
use crate::message::Meta;
use assay_model::{Seed, Time};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

/// The format's name, in the first line of every file.
pub const FORMAT: &str = "assay-trajectory";

/// The agent where none is named.
const DEFAULT_AGENT: &str = "assay";

/// The version of the format: the minor number grows with every addition, the major one when older readers would misread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FormatVersion {
    major: u32,
    minor: u32,
}

impl FormatVersion {
    /// The version that this crate writes.
    pub const CURRENT: Self = Self { major: 1, minor: 0 };

    /// Whether this crate can read files of the version: the same major number, no later minor one. Records have no room for unknown
    /// fields, so reading a later file would mean losing some.
    #[must_use]
    pub fn is_readable(self) -> bool {
        self.major == Self::CURRENT.major && self <= Self::CURRENT
    }
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The text is not a version.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("a format version is MAJOR.MINOR, not {text:?}")]
pub struct FormatVersionError {
    text: String,
}

impl TryFrom<String> for FormatVersion {
    type Error = FormatVersionError;

    fn try_from(text: String) -> Result<Self, FormatVersionError> {
        let parsed = text
            .split_once('.')
            .and_then(|(major, minor)| Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? }));
        // "+1.0" and "01.0" parse as numbers too; a version has one spelling.
        parsed.filter(|version| version.to_string() == text).ok_or(FormatVersionError { text })
    }
}

impl From<FormatVersion> for String {
    fn from(version: FormatVersion) -> Self {
        version.to_string()
    }
}

/// The trajectory from which a sub-agent was sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parent {
    /// The sender's trajectory.
    pub trajectory_id: TrajectoryId,
    /// The tool call that sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
}

/// What a trajectory is a record of. [`Metadata::new`] leaves everything empty that need not be there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "MetadataRecord", into = "MetadataRecord")]
pub struct Metadata {
    /// The trajectory's own name.
    pub id: TrajectoryId,
    /// The run that it belongs to, with others.
    pub run: Option<String>,
    /// The scenario or task.
    pub scenario: String,
    /// Which attempt at the scenario this is, from 1.
    pub attempt: u32,
    /// The episode's seed.
    pub seed: Seed,
    /// When it began.
    pub started_at: Time,
    /// What acted: the name of the agent that drove the model.
    pub agent: String,
    /// The model, as the provider names it.
    pub model: String,
    /// Versions of whatever had a part in it, by name: `agent`, `engine`, each tool.
    pub versions: BTreeMap<String, String>,
    /// Digests of what went in, by name: the scenario, the prompt, the image.
    pub hashes: BTreeMap<String, String>,
    /// What was allowed, by name with the unit last: `steps`, `tokens`, `wall_ns`.
    pub limits: BTreeMap<String, u64>,
    /// The tools that the model was offered, in the form of chat APIs: `{"type":"function","function":{"name":…,"parameters":…}}`.
    pub tools: Vec<Map<String, Value>>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The trajectory that sent this one, if it is a sub-agent's.
    pub parent: Option<Parent>,
    /// Free-form notes.
    pub meta: Meta,
}

impl Metadata {
    /// The least that every trajectory has.
    #[must_use]
    pub fn new(
        id: TrajectoryId,
        scenario: impl Into<String>,
        model: impl Into<String>,
        seed: Seed,
        started_at: Time,
    ) -> Self {
        Self {
            id,
            run: None,
            scenario: scenario.into(),
            attempt: 1,
            seed,
            started_at,
            agent: DEFAULT_AGENT.to_owned(),
            model: model.into(),
            versions: BTreeMap::new(),
            hashes: BTreeMap::new(),
            limits: BTreeMap::new(),
            tools: Vec::new(),
            tags: Vec::new(),
            parent: None,
            meta: Meta::new(),
        }
    }
}

/// Metadata as it stands in files.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetadataRecord {
    format: String,
    version: FormatVersion,
    id: TrajectoryId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    scenario: String,
    #[serde(default = "first_attempt")]
    attempt: u32,
    seed: Seed,
    started_at_ns: Time,
    #[serde(default = "default_agent")]
    agent: String,
    model: String,
    #[serde(default)]
    versions: BTreeMap<String, String>,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
    #[serde(default)]
    limits: BTreeMap<String, u64>,
    #[serde(default)]
    tools: Vec<Map<String, Value>>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<Parent>,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    meta: Meta,
}

fn default_agent() -> String {
    DEFAULT_AGENT.to_owned()
}

const fn first_attempt() -> u32 {
    1
}

/// Why a first line is not ours to read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MetadataError {
    /// It is another format.
    #[error("the format is {found:?}, not {FORMAT:?}")]
    OtherFormat {
        /// What it says it is.
        found: String,
    },
    /// It was written by a later version, or by one too old.
    #[error(
        "the format's version is {found}; this program reads up to {}: use a newer program",
        FormatVersion::CURRENT
    )]
    OtherVersion {
        /// The version.
        found: FormatVersion,
    },
}

impl TryFrom<MetadataRecord> for Metadata {
    type Error = MetadataError;

    fn try_from(record: MetadataRecord) -> Result<Self, MetadataError> {
        if record.format != FORMAT {
            return Err(MetadataError::OtherFormat { found: record.format });
        }
        if !record.version.is_readable() {
            return Err(MetadataError::OtherVersion { found: record.version });
        }
        let MetadataRecord { id, run, scenario, attempt, seed, started_at_ns, agent, model, .. } = record;
        let MetadataRecord { versions, hashes, limits, tools, tags, parent, meta, .. } = record;
        let started_at = started_at_ns;
        Ok(Self {
            id,
            run,
            scenario,
            attempt,
            seed,
            started_at,
            agent,
            model,
            versions,
            hashes,
            limits,
            tools,
            tags,
            parent,
            meta,
        })
    }
}

impl From<Metadata> for MetadataRecord {
    fn from(metadata: Metadata) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: FormatVersion::CURRENT,
            id: metadata.id,
            run: metadata.run,
            scenario: metadata.scenario,
            attempt: metadata.attempt,
            seed: metadata.seed,
            started_at_ns: metadata.started_at,
            agent: metadata.agent,
            model: metadata.model,
            versions: metadata.versions,
            hashes: metadata.hashes,
            limits: metadata.limits,
            tools: metadata.tools,
            tags: metadata.tags,
            parent: metadata.parent,
            meta: metadata.meta,
        }
    }
}

/// The part of a first line that every version has, to tell a later version from a broken line.
#[derive(Deserialize)]
pub(crate) struct FormatClaim {
    pub(crate) format: String,
    pub(crate) version: FormatVersion,
}
