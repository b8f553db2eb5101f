//! One attack: what it tries, by which means, what must become of it.

use crate::expand::{ExpandError, expand};
use crate::guest::Guest;
use crate::score::Score;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// Bytes in a megabyte of the bounds.
pub const MEGABYTE: u64 = 1 << 20;

/// What an attack goes for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Class {
    /// Format and linkage.
    A,
    /// Size.
    B,
    /// Compile bombs.
    C,
    /// Features of the language that are off.
    D,
    /// Processor time.
    E,
    /// Memory and other resources of the host.
    F,
    /// Integrity of the host: its files, its caches, its compilers.
    G,
    /// Determinism.
    H,
    /// Python.
    I,
    /// The score.
    J,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 10] =
        [Self::A, Self::B, Self::C, Self::D, Self::E, Self::F, Self::G, Self::H, Self::I, Self::J];

    /// What it goes for, in a few words.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::A => "format and linkage",
            Self::B => "size",
            Self::C => "compile bombs",
            Self::D => "features that are off",
            Self::E => "processor time",
            Self::F => "memory and floods",
            Self::G => "integrity of the host",
            Self::H => "determinism",
            Self::I => "Python",
            Self::J => "the score",
        }
    }
}

impl Attack {
    /// Whether it takes the Python interpreter.
    #[must_use]
    pub fn needs_python(&self) -> bool {
        match &self.by {
            Means::Python(_) | Means::Check(Material::Python(_)) | Means::Run(Material::Python(_)) => true,
            Means::Score(score) => score.is_python(),
            _ => false,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// An attack and what must become of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    /// What it goes for.
    pub class: Class,
    /// A name that is used once.
    pub id: String,
    /// What it tries, in a few words.
    pub tries: String,
    /// How.
    pub by: Means,
    /// What must be seen.
    pub expect: Expectation,
    /// Most wall-clock time, in seconds: at least five times what an idle machine takes.
    pub seconds: u64,
    /// Most memory of any one process, in megabytes, as the kernel counts what is resident.
    pub megabytes: u64,
    /// Whether an installed copy runs it when it examines itself.
    #[serde(default)]
    pub doctor: bool,
}

/// How an attack is carried out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// A submission meets the checks: codes of findings are seen.
    Check(Material),
    /// A submission goes the whole way through a small market: an outcome is seen.
    Run(Material),
    /// A file of which nothing is known goes the whole way: anything clean will do.
    Any(PathBuf),
    /// A component is loaded and its callbacks are called: an outcome is seen.
    Play(Play),
    /// A core module meets the compiler without having met the checks: the compiler's answer is seen.
    Compile(Compile),
    /// The artifact cache is meddled with between two loads: what the second says is seen.
    Cache(Cache),
    /// A component is played several times in different circumstances: `same` is seen, or what differs.
    Same(Same),
    /// Cells run in a Python session, then an honest one: how the last hostile one ended is seen.
    Python(Python),
    /// A strategy trades over many seeds: whether it is paid is seen.
    Score(Score),
}

/// A component that must behave the same whatever the circumstances.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Same {
    /// The component.
    pub guest: Guest,
    /// What differs between the runs.
    pub vary: Vary,
}

/// What a submission is made of. Texts are [`expand()`]ed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Material {
    /// A Rust file.
    Rust(String),
    /// A Python file.
    Python(String),
    /// A component, or a core module, as WebAssembly text.
    Wat(String),
    /// A strategy's module in the usual frame, as a component.
    Guest(Guest),
    /// Bytes in hexadecimal, spaces between them ignored.
    Hex(String),
    /// Text as it is, in a file with the ending of a component.
    Text(String),
    /// A file or a crate's folder of the corpus.
    File(PathBuf),
}

/// Why a material does not become bytes: a mistake in the corpus.
#[derive(Debug, thiserror::Error)]
pub enum MaterialError {
    /// A repetition.
    #[error(transparent)]
    Expand(#[from] ExpandError),
    /// The text format.
    #[error("it is not WebAssembly text: {0}")]
    Wat(String),
    /// The encoder.
    #[error("it does not become a component: {0}")]
    Component(String),
    /// An odd number of digits, or something that is none.
    #[error("it is not hexadecimal")]
    Hex,
}

impl Material {
    /// The ending of the file and its bytes; `None` where there is a file already.
    ///
    /// # Errors
    /// See [`MaterialError`].
    pub fn bytes(&self) -> Result<Option<(&'static str, Vec<u8>)>, MaterialError> {
        Ok(Some(match self {
            Self::File(_) => return Ok(None),
            Self::Rust(text) => ("rs", expand(text)?.into_bytes()),
            Self::Python(text) => ("py", expand(text)?.into_bytes()),
            Self::Text(text) => ("wasm", expand(text)?.into_bytes()),
            Self::Wat(text) => ("wasm", encode(text)?),
            Self::Guest(guest) => ("wasm", component(guest)?),
            Self::Hex(text) => {
                let digits: Vec<u8> = expand(text)?.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
                let byte =
                    |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
                let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
                ("wasm", bytes.filter(|_| digits.len().is_multiple_of(2)).ok_or(MaterialError::Hex)?)
            }
        }))
    }
}

/// WebAssembly text, repetitions written out, as bytes.
///
/// # Errors
/// See [`MaterialError`].
pub(crate) fn encode(text: &str) -> Result<Vec<u8>, MaterialError> {
    wat::parse_str(expand(text)?).map_err(|error| MaterialError::Wat(error.to_string()))
}

/// The component around a guest's module.
fn component(guest: &Guest) -> Result<Vec<u8>, MaterialError> {
    assay_validator::encode_component(&encode(&guest.text())?)
        .map_err(|error| MaterialError::Component(error.to_string()))
}

impl Guest {
    /// The component around its module, not yet checked.
    ///
    /// # Errors
    /// See [`MaterialError`].
    pub fn component(&self) -> Result<Vec<u8>, MaterialError> {
        component(self)
    }
}

/// A component that is loaded and called.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Play {
    /// The component.
    pub guest: Guest,
    /// What it may use.
    #[serde(default)]
    pub budget: Budget,
}

/// What a played strategy may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Fuel for `initialize`.
    pub initialize: u64,
    /// Fuel for each later callback.
    pub callback: u64,
    /// Fuel for the whole episode.
    pub episode: u64,
    /// Linear memory, in megabytes.
    pub megabytes: u64,
}

impl Default for Budget {
    /// Small enough for endless loops to end soon, large enough for everything else.
    fn default() -> Self {
        Self { initialize: 1_000_000, callback: 1_000_000, episode: 100_000_000, megabytes: 4 }
    }
}

/// A core module and what its compilation may use.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compile {
    /// The module.
    pub of: Material,
    /// Address space, in megabytes; the usual limit if left out.
    pub megabytes: Option<u64>,
    /// CPU time, in seconds; the usual limit if left out.
    pub cpu_seconds: Option<u64>,
}

/// Meddling with the artifact cache.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// What is done to it.
    pub spoil: Spoil,
}

/// What is done to the cache's one entry, or to the key beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spoil {
    /// One bit of the byte at this place is turned over; from the end, if negative.
    Flip(i64),
    /// It is cut to this many bytes.
    Truncate(u64),
    /// A byte more.
    Lengthen,
    /// The native code as the engine writes it, without our header.
    BareArtifact,
    /// The entry of another component.
    Foreign,
    /// An authentic entry that says it is of another engine: what an upgrade leaves behind.
    Stale,
    /// The key is gone, and a new one will be made.
    LoseKey,
    /// The key can be read by everybody.
    OpenKey,
    /// A pipe that nobody writes to.
    Pipe,
    /// A file of 50 GB that takes no room.
    Sparse,
    /// A link to another file.
    Link,
}

/// What differs between runs that must be the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vary {
    /// Nothing: the same again and again, more often than the pool has places.
    Nothing,
    /// The number of threads that run at once.
    Threads,
    /// Whether the native code is fresh or from the cache.
    Artifact,
    /// What else fills the pool of instances and their memories.
    Neighbours,
}

/// Cells of a Python session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Python {
    /// The cells, in turn.
    pub cells: Vec<String>,
}

/// What must be seen: one of several words, each of which may end in `*`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Expectation(String);

impl Expectation {
    /// As written in the tables: `out_of_fuel tick callback`, `S001 S008`, `raises MemoryError* | out_of_memory`.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether what was seen is among what is expected.
    #[must_use]
    pub fn fits(&self, seen: &str) -> bool {
        self.0.split(" | ").any(|expected| match expected.strip_suffix('*') {
            Some(start) => seen.starts_with(start),
            None => seen == expected,
        })
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
