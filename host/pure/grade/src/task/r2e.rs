//! Rows of R2E-Gym. They have neither an id nor a test command; both are made up as rllm does.
//!
//! Source of the schema: R2E-Gym at 69bc953, `repo_analysis/validate_docker_and_hf.py::DatasetRow`; of the id: rllm's `r2egym_builder.py`. The
//! row's `commit_hash` is the *fix*; the image stands at its parent. `prompt` is the one by which the report was generated, and shows the fix.

use serde_json::{Map, Value};

use super::fields::{Fields, RowError};
use super::kinds::TESTBED;
use super::{Bench, Gold, GoldFile, Kind, Public, Secret, Task, Tests};
use crate::parse::Parser;
use crate::rule::Expected;
use crate::status::StatusMap;

/// How much of the commit an id takes.
const COMMIT_DIGITS: usize = 12;

/// The report without the marks that R2E-Gym puts around it.
fn report(text: &str) -> &str {
    let inner = text.split_once("[ISSUE]").map_or(text, |(_, rest)| rest);
    inner.rsplit_once("[/ISSUE]").map_or(inner, |(report, _)| report).trim()
}

fn expected_map(fields: &mut Fields) -> Result<StatusMap, RowError> {
    const KEY: &str = "expected_output_json";
    let value = fields.take(KEY);
    let parsed = match &value {
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        Some(object) => serde_json::from_value(object.clone()).ok(),
        None => None,
    };
    parsed.ok_or_else(|| fields.wrong(KEY, "a text that is the JSON of a map from test to status", value.as_ref()))
}

fn gold(fields: &mut Fields) -> Result<Gold, RowError> {
    const KEY: &str = "parsed_commit_content";
    let commit = fields.object(KEY)?;
    let mut commit = fields.within(KEY, commit);
    let diffs = match commit.take("file_diffs") {
        Some(Value::Array(diffs)) => diffs,
        other => return Err(commit.wrong("file_diffs", "a list of file diffs", other.as_ref())),
    };
    let mut files = Vec::new();
    for diff in diffs {
        let Value::Object(diff) = diff else {
            return Err(commit.wrong("file_diffs", "a list of objects", Some(&diff)));
        };
        let mut diff = commit.within("file_diffs", diff);
        let header = diff.object("header")?;
        let mut header = diff.within("header", header);
        let file = header.object("file")?;
        let path = header.within("file", file).text("path")?;
        let (old, new) = (diff.optional_text("old_file_content")?, diff.optional_text("new_file_content")?);
        files.push(GoldFile {
            path,
            old: old.filter(|text| !text.is_empty()),
            new: new.filter(|text| !text.is_empty()),
        });
    }
    Ok(Gold::Files(files))
}

/// The tests' files and, read from the log of the run before the fix, what they said then.
fn execution(fields: &mut Fields) -> Result<(Tests, Option<StatusMap>), RowError> {
    const KEY: &str = "execution_result_content";
    let execution: Map<String, Value> = match fields.take(KEY) {
        None | Some(Value::Null) => return Ok((Tests::InImage, None)),
        Some(Value::Object(execution)) => execution,
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(execution) => execution,
            Err(_) => {
                return Err(fields.wrong(KEY, "a text that is the JSON of an object", Some(&Value::String(text))));
            }
        },
        other => return Err(fields.wrong(KEY, "a text that is the JSON of an object", other.as_ref())),
    };
    let mut execution = fields.within(KEY, execution);
    let names = execution.texts("test_file_names")?;
    let codes = execution.texts("test_file_codes")?;
    if names.len() != codes.len() {
        return Err(execution.wrong("test_file_codes", "as many texts as test_file_names has", None));
    }
    let before = execution.optional_text("old_commit_res_stdout")?.map(|log| Parser::R2e.parse(&log));
    Ok((Tests::Files(names.into_iter().zip(codes).collect()), before.filter(|map| !map.is_empty())))
}

pub(super) fn read(mut fields: Fields) -> Result<Task, RowError> {
    let repository = fields.text("repo_name")?;
    let commit = fields.text("commit_hash")?;
    let digits: String = commit.chars().take(COMMIT_DIGITS).collect();
    let statement = fields.optional_text("problem_statement")?.unwrap_or_default();
    let public = Public {
        instance_id: format!("{repository}__{digits}"),
        repository,
        problem_statement: report(&statement).to_owned(),
        language: "python".to_owned(),
    };
    let bench = Bench {
        image: fields.text("docker_image")?,
        folder: TESTBED.to_owned(),
        base_commit: None,
        test_command: Some("bash run_tests.sh".to_owned()),
        version: None,
        created_at: None,
    };
    let (tests, before) = execution(&mut fields)?;
    let expected = Expected::Map { after: expected_map(&mut fields)?, before };
    let gold = gold(&mut fields)?;
    let mut other = fields.rest();
    other.insert("commit_hash".to_owned(), Value::String(commit));
    let secret = Secret { gold, tests, expected, log_parser: None, eval_script: None, hints: None, other };
    Ok(Task { kind: Kind::R2eGym, public, bench, secret })
}
