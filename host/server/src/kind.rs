//! What a `run.json` says that it is the record of.
//!
//! Invariants: the name of its schema or of its format decides, and nothing that lies beside it; what cannot be understood has words for a person.

use crate::prefix::completed;
use assay_evaluate::{MARKETS_SCHEMA_NAME, MARKETS_SCHEMA_VERSION, SCHEMA_NAME, SCHEMA_VERSION, check_schema};
use assay_rollout::run::{RUN_FORMAT, RunRecord};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Characters of a name in words for a person.
const NAME_CHARS_MAX: usize = 80;
/// What to do about a record that cannot be read.
const MEND: &str = "restore it from a copy, or run its command again into another folder";

/// What there are records of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A run of a strategy.
    Report,
    /// The same in several markets.
    Markets,
    /// A rollout.
    Rollout,
    /// A run in a world.
    World,
}

/// What one says.
#[derive(Debug)]
pub(crate) struct Says {
    /// What it is the record of, if it says that.
    pub kind: Option<Kind>,
    /// Why it cannot be understood, as far as its beginning tells.
    pub trouble: Option<String>,
}

#[derive(Deserialize)]
struct Opening {
    schema: Option<Schema>,
    format: Option<String>,
    #[serde(default)]
    settings: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Schema {
    name: String,
}

impl Opening {
    fn kind(&self) -> Option<Kind> {
        match (&self.schema, self.format.as_deref()) {
            (Some(schema), _) if schema.name == SCHEMA_NAME => Some(Kind::Report),
            (Some(schema), _) if schema.name == MARKETS_SCHEMA_NAME => Some(Kind::Markets),
            (None, Some(RUN_FORMAT)) if self.settings.contains_key("world") => Some(Kind::World),
            (None, Some(RUN_FORMAT)) => Some(Kind::Rollout),
            _ => None,
        }
    }

    /// Why nobody can tell what it is the record of.
    fn why_unknown(&self) -> String {
        let cut = |name: &str| name.chars().take(NAME_CHARS_MAX).collect::<String>();
        match (&self.schema, &self.format) {
            (Some(schema), _) => format!("it has the schema {}, which is none of a run", cut(&schema.name)),
            (None, Some(format)) => format!("it has the format {}, which is none of a run", cut(format)),
            (None, None) => {
                format!("it does not say what it is: it has neither a `schema` nor a `format`; {MEND}")
            }
        }
    }
}

/// What the beginning of a record says. Only where it is the whole file is what is missing no matter of what may follow.
pub(crate) fn says(start: &[u8], is_whole: bool) -> Says {
    let text = completed(start);
    let damage = if is_whole { serde_json::from_slice::<Opening>(start).err() } else { None };
    let damage = damage.map(|error| format!("{error}; {MEND}"));
    let opening = match serde_json::from_str::<Opening>(&text) {
        Ok(opening) => opening,
        Err(error) => return Says { kind: None, trouble: damage.or_else(|| Some(format!("{error}; {MEND}"))) },
    };
    let kind = opening.kind();
    let found = || match kind {
        None => Some(opening.why_unknown()),
        Some(Kind::Report) => later(&text, SCHEMA_NAME, SCHEMA_VERSION),
        Some(Kind::Markets) => later(&text, MARKETS_SCHEMA_NAME, MARKETS_SCHEMA_VERSION),
        Some(Kind::Rollout | Kind::World) if is_whole => {
            serde_json::from_slice::<RunRecord>(start).err().map(|error| format!("{error}; {MEND}"))
        }
        Some(Kind::Rollout | Kind::World) => None,
    };
    let trouble = damage.or_else(found);
    Says { kind, trouble }
}

/// That a record is of a later release.
fn later(text: &str, name: &str, version: &str) -> Option<String> {
    check_schema(text.as_bytes(), name, version).err().map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_what_it_says() {
        let whole = |settings: &str| format!(r#"{{"format":"assay-rollout-run","settings":{settings},"tasks":{{}}}}"#);
        for (text, is_whole, kind, trouble) in [
            (r#"{"schema":{"name":"assay.run","version":"2.0"}}"#, true, Some(Kind::Report), None),
            (r#"{"schema":{"name":"assay.run","version":"2.0"},"comp"#, false, Some(Kind::Report), None),
            (r#"{"schema":{"name":"assay.run","version":"2.0"},"comp"#, true, Some(Kind::Report), Some("EOF")),
            (r#"{"schema":{"name":"assay.run","version":"9.0"}}"#, true, Some(Kind::Report), Some("a later release")),
            (r#"{"schema":{"name":"assay.runs","version":"1.0"}}"#, true, Some(Kind::Markets), None),
            (r#"{"schema":{"name":"assay.bench","version":"1.0"}}"#, true, None, Some("schema assay.bench")),
            (&whole("{}"), true, Some(Kind::Rollout), None),
            (&whole("{\"world\":\"desk\"}"), true, Some(Kind::World), None),
            (r#"{"format":"assay-rollout-run","settings":{}}"#, true, Some(Kind::Rollout), Some("field `tasks`")),
            (r#"{"format":"assay-rollout-run","settings":{}}"#, false, Some(Kind::Rollout), None),
            (r#"{"format":"other","settings":{}}"#, true, None, Some("the format other")),
            ("{}", true, None, Some("it does not say what it is")),
            (r#"{"settings":{"world":"desk"}}"#, true, None, Some("it does not say what it is")),
            ("", true, None, Some("EOF while parsing a value")),
        ] {
            let said = says(text.as_bytes(), is_whole);
            assert_eq!(said.kind, kind, "{text}: {said:?}");
            let is_expected = match (&said.trouble, trouble) {
                (None, None) => true,
                (Some(said), Some(words)) => said.contains(words),
                _ => false,
            };
            assert!(is_expected, "{text}: {said:?}");
        }
    }
}
