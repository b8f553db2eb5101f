//! `world.toml`, and how errors in world files say where they are.
//!
//! Invariant: a key that is not known is an error that names the nearest one, with file and line.

use std::path::Path;

use assay_rollout::task::LoadError;
use assay_world::words::nearest;
use assay_world::{BuiltIn, Caller, Step};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A world's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldFile {
    /// Its name.
    pub(crate) name: String,
    /// When episodes begin, in seconds since the epoch.
    pub(crate) begins: u64,
    /// The file with the agent's policy.
    #[serde(default = "policy")]
    pub(crate) policy: String,
    /// The agent's own address.
    #[serde(default = "address")]
    pub(crate) address: String,
    /// Objects of classes that are written in Python.
    #[serde(default, rename = "python")]
    pub(crate) objects: Vec<PythonTable>,
    /// The tools.
    #[serde(rename = "tool")]
    pub(crate) tools: Vec<ToolTable>,
}

fn policy() -> String {
    "policy.md".to_owned()
}

fn address() -> String {
    "agent".to_owned()
}

/// An object whose methods are tools.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PythonTable {
    /// Its name: that of its document in the collection `python`.
    pub(crate) name: String,
    /// The module of its class, below the folder `python`.
    pub(crate) module: String,
    /// Its class, which is made without arguments.
    pub(crate) class: String,
    /// The method that takes what it begins with.
    pub(crate) load: Option<String>,
    /// What it begins with where a task says nothing: JSON.
    pub(crate) begin: Option<String>,
    /// Attributes that are no part of what is compared.
    #[serde(default)]
    pub(crate) skip: Vec<String>,
    /// Whether answers are written as Python writes them, instead of as JSON.
    #[serde(default)]
    pub(crate) text: bool,
    /// Whether the world's seed makes no difference, and its time stands still for the object.
    #[serde(default)]
    pub(crate) timeless: bool,
    /// Whether calls may have arguments that the schema does not allow: the methods are asked themselves.
    #[serde(default)]
    pub(crate) unchecked: bool,
}

/// A tool: one of ours, a program, or steps.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolTable {
    pub(crate) builtin: Option<BuiltIn>,
    /// A program that comes with Assay, for the worlds of benchmarks.
    pub(crate) native: Option<String>,
    /// The object of which it is a method.
    pub(crate) python: Option<String>,
    /// The method, where it has another name than the tool.
    pub(crate) method: Option<String>,
    /// Whether a tool in Python changes nothing.
    pub(crate) reads: Option<bool>,
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) parameters: Option<Value>,
    pub(crate) callers: Option<Vec<Caller>>,
    pub(crate) latency_ms: Option<u64>,
    pub(crate) idempotent: Option<bool>,
    #[serde(default)]
    pub(crate) collections: Vec<String>,
    #[serde(default)]
    pub(crate) database: String,
    #[serde(default)]
    pub(crate) steps: Vec<Step>,
    pub(crate) answer: Option<Value>,
}

/// Reads the text of a TOML file that lies at `path`.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, LoadError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_at(text, span.start));
        let message = error.message().trim().to_owned();
        let hint = hint(&message).unwrap_or_else(|| "docs/worlds.md describes every key".to_owned());
        wrong(path, Some(line), message, Some(hint))
    })
}

/// An error at a line of a file.
pub(crate) fn wrong(path: &Path, line: Option<usize>, what: String, hint: Option<String>) -> LoadError {
    let place = match line {
        Some(line) => format!("{}, line {line}", path.display()),
        None => path.display().to_string(),
    };
    LoadError { place, what, hint }
}

fn line_at(text: &str, place: usize) -> usize {
    1 + text.as_bytes()[..place.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// The last line in which a quoted word stands: of two with one name, the second is the wrong one.
pub(crate) fn line_of(text: &str, word: &str) -> Option<usize> {
    let quoted = format!("\"{word}\"");
    text.lines().enumerate().filter(|(_, line)| line.contains(&quoted)).map(|(index, _)| index + 1).last()
}

/// The last line in which all of these words stand; where there is none, the last one with the first of them.
pub(crate) fn line_with(text: &str, words: &[&str]) -> Option<usize> {
    let last = |words: &[&str]| {
        let lines = text.lines().enumerate().filter(|(_, line)| words.iter().all(|word| line.contains(word)));
        lines.map(|(index, _)| index + 1).last()
    };
    last(words).or_else(|| last(words.get(..1)?))
}

/// The last line in which a key is given a value.
pub(crate) fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let gives = |line: &str| {
        line.match_indices(key).any(|(place, _)| {
            let is_whole = line[..place].chars().next_back().is_none_or(|c| c.is_whitespace() || "{,.".contains(c));
            is_whole && line[place + key.len()..].trim_start().starts_with('=')
        })
    };
    text.lines().enumerate().filter(|(_, line)| gives(line)).map(|(index, _)| index + 1).last()
}

/// A message about an unknown key names it first and then the known ones, all in backquotes: the nearest of those.
pub(crate) fn hint(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (word, known) = (quoted.next()?, quoted);
    message.starts_with("unknown").then(|| nearest(word, known).map(|name| format!("did you mean `{name}`?"))).flatten()
}
