//! `task.toml`, as docs/tasks.md describes it.
//!
//! Invariant: a key that is not known is an error that names the nearest one; nothing has a silent default but what the document says.

use std::path::Path;

use assay_model::nearest;
use serde::Deserialize;

use super::error::LoadError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) id: String,
    pub(super) language: String,
    pub(super) repository: Option<String>,
    pub(super) image: Image,
    pub(super) tests: TestsTable,
    #[serde(default)]
    pub(super) limits: Limits,
    #[serde(default)]
    pub(super) agent: Agent,
    pub(super) reward: Option<Reward>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Image {
    pub(super) name: String,
    pub(super) from: From,
    pub(super) build: Option<String>,
    #[serde(default = "testbed")]
    pub(super) folder: String,
}

fn testbed() -> String {
    "/testbed".to_owned()
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum From {
    Present,
    Pull,
    Build,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestsTable {
    pub(super) command: String,
    pub(super) parser: String,
    pub(super) fail_to_pass: Vec<String>,
    pub(super) pass_to_pass: Vec<String>,
    #[serde(default)]
    pub(super) protected: Vec<String>,
    #[serde(default)]
    pub(super) allowed: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    pub(super) seconds: Option<u32>,
    pub(super) memory_mib: Option<u32>,
    pub(super) cpus: Option<f64>,
    pub(super) pids: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Agent {
    #[serde(default)]
    pub(super) shell: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reward {
    pub(super) expression: Option<String>,
    pub(super) command: Option<String>,
}

/// Reads the text of a `task.toml` that lies at `path`.
pub(super) fn parse(path: &Path, text: &str) -> Result<Document, LoadError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        let message = error.message().trim().to_owned();
        let hint = hint(&message);
        let mut error = LoadError::new(path, message);
        error.place = format!("{}, line {line}", path.display());
        match hint {
            Some(hint) => error.hint(hint),
            None => error.hint("docs/tasks.md describes every key"),
        }
    })
}

/// A message about an unknown key names it first and then the known ones, all in backquotes: the nearest of those.
fn hint(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (word, known) = (quoted.next()?, quoted);
    message.starts_with("unknown").then(|| nearest(word, known).map(|name| format!("did you mean `{name}`?"))).flatten()
}
