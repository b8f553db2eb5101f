//! What the figures of a run mean, and whether its record is believed.
//!
//! Invariants: a record that names a version which this release reads is read whole, or its run is not compared; what it says is computed again first.

use assay_evaluate::{
    Checked, MARKETS_SCHEMA_NAME, MARKETS_SCHEMA_VERSION, MarketsRecord, RunRecord, SCHEMA_NAME, SCHEMA_VERSION,
    SchemaError, check_schema,
};
use assay_store::{Kind, Run};

/// What the figures of a run mean: a matter of the major version of its record; a run without one goes by its release.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// For a person.
    pub(crate) words: String,
    pub(crate) has_record: bool,
    /// The release.
    pub(crate) tool: String,
    /// Why its record is not believed.
    pub(crate) trouble: Option<Trouble>,
}

/// What is wrong with the record of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    Contradicts(String),
    Unreadable(String),
}

#[derive(serde::Deserialize)]
struct Opening {
    schema: Schema,
}

#[derive(serde::Deserialize)]
struct Schema {
    #[serde(default)]
    name: String,
    version: String,
}

impl Meaning {
    /// Of a run, and the bytes of its `run.json` if it has one. Of a strategy's, all that can be computed again is computed again, which takes a while.
    #[must_use]
    pub fn of(run: &Run, record: Option<&[u8]>) -> Self {
        let opening = record.and_then(|bytes| serde_json::from_slice::<Opening>(bytes).ok());
        let (name, version) = opening.map(|opening| (opening.schema.name, opening.schema.version)).unwrap_or_default();
        let words = match record {
            Some(_) => format!("run records {}", version.split('.').next().unwrap_or_default()),
            None => format!("release {}", run.tool),
        };
        // Those of other kinds have schemas of their own, and are for others to judge.
        let trouble = record.filter(|_| run.kind == Kind::Run).and_then(|bytes| trouble(bytes, &name));
        Self { words, has_record: record.is_some(), tool: run.tool.clone(), trouble }
    }
}

/// Why the record of a strategy is not believed. That of a later release is for that release to judge.
fn trouble(bytes: &[u8], name: &str) -> Option<Trouble> {
    let is_of_markets = name == MARKETS_SCHEMA_NAME;
    let known = if is_of_markets {
        check_schema(bytes, MARKETS_SCHEMA_NAME, MARKETS_SCHEMA_VERSION)
    } else {
        check_schema(bytes, SCHEMA_NAME, SCHEMA_VERSION)
    };
    match known {
        Ok(()) => {}
        Err(SchemaError::Later { .. }) => return None,
        Err(other) => return Some(Trouble::Unreadable(other.to_string())),
    }
    let checked = if is_of_markets {
        serde_json::from_slice::<MarketsRecord>(bytes).map(|record| record.checked())
    } else {
        serde_json::from_slice::<RunRecord>(bytes).map(|record| record.checked())
    };
    match checked {
        Ok(Checked { contradictions, .. }) => first(&contradictions).map(Trouble::Contradicts),
        Err(error) => Some(Trouble::Unreadable(error.to_string())),
    }
}

/// The first of several, and how many more there are.
fn first(all: &[String]) -> Option<String> {
    let (first, more) = all.split_first()?;
    Some(if more.is_empty() { first.clone() } else { format!("{first} (and {} more)", more.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::plain;
    use crate::same_meaning;
    use assay_evaluate::{Goal, Seeds, StrategyRecord, ToolRecord, Trial, not_run};
    use serde_json::{Value, json};
    use std::num::NonZeroUsize;

    #[test]
    fn figures_of_two_major_versions_do_not_mean_the_same() {
        let meaning = |version: &str| Meaning::of(&plain(Kind::Run), Some(of_version(version).to_string().as_bytes()));
        for (one, other, expected) in [("2.0", "2.1", true), ("1.9", "2.0", false)] {
            let found = same_meaning(&meaning(one), &meaning(other));
            assert_eq!(found.is_ok(), expected, "{one} {other}: {found:?}");
        }
        let error = same_meaning(&meaning("1.0"), &meaning("2.0")).expect_err("other figures").to_string();
        assert!(error.contains("A follows run records 1 (Assay 0.1.0), B follows run records 2"), "{error}");
    }

    /// A strategy of which no seed was run.
    fn record() -> RunRecord {
        let scenario = assay_market::Scenario::preset("smoke").expect("a preset");
        not_run(&Trial {
            scenario: &scenario,
            seeds: &Seeds::count(3).expect("seeds"),
            threads: NonZeroUsize::MIN,
            tool: ToolRecord { assay: "0.1.0".to_owned(), wasmtime: "48.0.8".to_owned() },
            command: "assay run s.rs".to_owned(),
            strategy: StrategyRecord {
                file_name: "s.rs".to_owned(),
                source: None,
                source_hash: None,
                component_hash: "b".repeat(64),
                sdk_version: None,
                rustc_version: None,
            },
            findings: Vec::new(),
            findings_omitted: 0,
            recorder: None,
            baselines: None,
        })
    }

    /// The same as a release wrote it that had this version.
    fn of_version(version: &str) -> Value {
        let mut record = serde_json::to_value(record()).expect("JSON");
        record["schema"]["version"] = json!(version);
        if version.starts_with("1.") {
            let remove = |of: &mut Value, names: &[&str]| {
                of.as_object_mut().expect("fields").retain(|name, _| !names.contains(&name.as_str()));
            };
            remove(&mut record["scenario"], &["starting_cash"]);
            remove(&mut record["summary"], &["evidence"]);
            for row in record["summary"]["measures"].as_array_mut().expect("rows") {
                remove(&mut row["difference"], &["observations", "p", "p_corrected"]);
            }
        }
        record
    }

    /// The record of the same over two markets.
    fn of_markets() -> Value {
        let records = ["one", "two"].map(|folder| (folder.to_owned(), record()));
        let record = MarketsRecord::new("assay run s.rs".to_owned(), Goal::default(), &records).expect("markets");
        serde_json::to_value(record).expect("JSON")
    }

    #[test]
    fn a_record_that_is_not_what_it_says_is_refused() {
        let run = plain(Kind::Run);
        let one = || of_version("2.0");
        let changed = |mut record: Value, change: fn(&mut Value)| {
            change(&mut record);
            record.to_string()
        };
        for (name, record, expected) in [
            ("nothing", one().to_string(), None),
            ("an earlier version", of_version("1.3").to_string(), None),
            ("a later version", changed(one(), |record| record["schema"]["version"] = json!("9.0")), None),
            ("markets", of_markets().to_string(), None),
            (
                "a false earlier version",
                changed(one(), |record| record["schema"]["version"] = json!("1.9")),
                Some("contradicts itself: `schema.version` is 1.9"),
            ),
            (
                "a score of markets beyond the scale",
                changed(of_markets(), |record| record["score"]["value"] = json!(99.0)),
                Some("contradicts itself: `score.value` is 99"),
            ),
            (
                "a field that nobody knows",
                changed(one(), |record| record["more"] = json!(1)),
                Some("cannot be read: unknown field `more`"),
            ),
            (
                "the same of markets",
                changed(of_markets(), |record| record["more"] = json!(1)),
                Some("cannot be read: unknown field `more`"),
            ),
            (
                "another schema",
                changed(one(), |record| record["schema"]["name"] = json!("assay.other")),
                Some("cannot be read: it has the schema assay.other"),
            ),
            (
                "a schema without a name",
                changed(one(), |record| record["schema"] = json!({"version": "2.0"})),
                Some("cannot be read: missing field `name`"),
            ),
        ] {
            let meaning = Meaning::of(&run, Some(record.as_bytes()));
            let told = same_meaning(&meaning, &meaning).map_err(|error| error.to_string());
            match (expected, told) {
                (None, Ok(())) => {}
                (Some(words), Err(why)) => assert!(why.contains(words), "{name}: {words}\n{why}"),
                (_, told) => panic!("{name}: {told:?}"),
            }
        }
    }
}
