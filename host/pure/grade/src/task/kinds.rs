//! Rows of SWE-bench (old and 5), SWE-Gym, SWE-rebench, SWE-smith and Multi-SWE-bench.
//!
//! Sources of the schemas: `swebench/types.py` and `harness/utils.py::make_test_spec` of SWE-bench 5.0.1; SWE-smith at cf2e649; `mswebench` at
//! 24f493f; SWE-rebench's data-set card (`install_config`, `docker_image`). Of the image names: mini-swe-agent's `run/benchmarks/swebench.py`, `SkyRL`'s `mini_swe_utils.py`, Multi-SWE-bench's `harness/image.py`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fields::{Fields, RowError};
use super::{Bench, Gold, Kind, Public, Secret, Task, Tests};
use crate::patch::{Change, touched_files};
use crate::rule::{EvalType, Expected};
use crate::text::shell_words;

/// Where SWE-bench's images and those made after them keep the repository.
pub(super) const TESTBED: &str = "/testbed";
/// Under which keys rows name their image.
const IMAGE_KEYS: [&str; 3] = ["image", "image_name", "docker_image"];
/// The language of a row that names none.
const PYTHON: &str = "python";

/// Keys that say the language, where a row has one; all data sets but the multilingual ones are Python's.
fn language(fields: &mut Fields) -> Result<String, RowError> {
    Ok(fields.optional_text("language")?.map_or_else(|| PYTHON.to_owned(), |name| name.to_lowercase()))
}

fn eval_type(fields: &mut Fields) -> Result<EvalType, RowError> {
    match fields.take("eval_type") {
        None | Some(Value::Null) => Ok(EvalType::PassAndFail),
        Some(value) => serde_json::from_value(value.clone())
            .map_err(|_| fields.wrong("eval_type", "`pass_and_fail` or `fail_only`", Some(&value))),
    }
}

fn lists(fields: &mut Fields, eval_type: EvalType) -> Result<Expected, RowError> {
    Ok(Expected::Lists {
        fail_to_pass: fields.texts("FAIL_TO_PASS")?,
        pass_to_pass: fields.texts("PASS_TO_PASS")?,
        eval_type,
    })
}

/// An image that the row does not name. Registries know lower case only.
fn derived_image(kind: Kind, instance_id: &str) -> String {
    let id = instance_id.to_lowercase();
    match kind {
        Kind::SweGym => format!("xingyaoww/sweb.eval.x86_64.{}", id.replace("__", "_s_")),
        Kind::SweRebench => format!("swerebench/sweb.eval.x86_64.{}:latest", id.replace("__", "_1776_")),
        _ => format!("swebench/sweb.eval.x86_64.{}:latest", id.replace("__", "_1776_")),
    }
}

/// The image that a row names. Of several names the first counts; the others stay with what nobody reads.
fn named_image(fields: &mut Fields) -> Result<Option<String>, RowError> {
    for key in IMAGE_KEYS {
        if fields.peek(key).is_some_and(|value| !value.is_null() && value.as_str() != Some("")) {
            return fields.text(key).map(Some);
        }
    }
    Ok(None)
}

/// What SWE-rebench's `install_config` says of the tests: the command, without the files that it takes, and the log parser. The whole stays with what
/// nobody reads: the image is built already.
fn install_config(fields: &Fields) -> Result<(Option<String>, Option<String>), RowError> {
    const KEY: &str = "install_config";
    let config = match fields.peek(KEY) {
        None | Some(Value::Null) => return Ok((None, None)),
        Some(Value::Object(config)) => config.clone(),
        Some(Value::String(text)) => serde_json::from_str(text)
            .map_err(|_| fields.wrong(KEY, "an object, or a text that is the JSON of one", fields.peek(KEY)))?,
        other => return Err(fields.wrong(KEY, "an object, or a text that is the JSON of one", other)),
    };
    let mut config = fields.within(KEY, config);
    let command = match config.take("test_cmd") {
        None | Some(Value::Null) => None,
        Some(Value::String(command)) => Some(command),
        Some(value) => {
            let commands: Option<Vec<String>> = serde_json::from_value(value.clone()).ok();
            let commands =
                commands.ok_or_else(|| config.wrong("test_cmd", "a command, or a list of them", Some(&value)))?;
            Some(commands.join(" && "))
        }
    };
    let command = command.filter(|command| !command.trim().is_empty());
    Ok((command, config.optional_text("log_parser")?))
}

/// The command with the files of a test patch behind it, as SWE-rebench's harness runs it. For languages other than Python the command stands alone.
fn over_files(command: &str, test_patch: &str, language: &str) -> String {
    let files: BTreeSet<String> = touched_files(test_patch)
        .into_iter()
        .filter(|file| language == PYTHON && file.change != Change::Deleted && file.path.ends_with(".py"))
        .map(|file| file.path)
        .collect();
    if files.is_empty() { command.to_owned() } else { format!("{command} {}", shell_words(&files)) }
}

pub(super) fn swe_bench(kind: Kind, mut fields: Fields) -> Result<Task, RowError> {
    let instance_id = fields.text("instance_id")?;
    let image = match (named_image(&mut fields)?, kind) {
        (Some(image), _) => image,
        (None, Kind::SweBench5) => fields.text("image")?,
        (None, _) => derived_image(kind, &instance_id),
    };
    let public = Public {
        repository: fields.text("repo")?,
        problem_statement: fields.text("problem_statement")?,
        language: language(&mut fields)?,
        instance_id,
    };
    let (command, parser) = install_config(&fields)?;
    let test_patch = fields.text("test_patch")?;
    let eval_script = fields.optional_text("eval_script")?;
    // A script says more than a command: it also puts the tests in place.
    let command = command.filter(|_| eval_script.is_none());
    let bench = Bench {
        image,
        folder: TESTBED.to_owned(),
        base_commit: Some(fields.text("base_commit")?),
        test_command: command.map(|command| over_files(&command, &test_patch, &public.language)),
        version: fields.optional_text("version")?,
        created_at: fields.optional_text("created_at")?,
    };
    let eval_type = eval_type(&mut fields)?;
    let secret = Secret {
        gold: Gold::Patch(fields.text("patch")?),
        tests: Tests::Patch(test_patch),
        expected: lists(&mut fields, eval_type)?,
        log_parser: fields.optional_text("log_parser")?.or(parser),
        eval_script,
        hints: fields.optional_text("hints_text")?.filter(|hints| !hints.is_empty()),
        other: fields.rest(),
    };
    Ok(Task { kind, public, bench, secret })
}

pub(super) fn swe_smith(mut fields: Fields) -> Result<Task, RowError> {
    let public = Public {
        instance_id: fields.text("instance_id")?,
        repository: fields.text("repo")?,
        problem_statement: fields.optional_text("problem_statement")?.unwrap_or_default(),
        language: language(&mut fields)?,
    };
    let bench = Bench {
        image: match named_image(&mut fields)? {
            Some(image) => image,
            None => fields.text("image_name")?,
        },
        folder: TESTBED.to_owned(),
        base_commit: fields.optional_text("base_commit")?,
        test_command: None,
        version: None,
        created_at: fields.optional_text("created_at")?,
    };
    let secret = Secret {
        gold: Gold::Bug(fields.text("patch")?),
        tests: Tests::InParentCommit,
        expected: lists(&mut fields, EvalType::PassAndFail)?,
        log_parser: None,
        eval_script: None,
        hints: None,
        other: fields.rest(),
    };
    Ok(Task { kind: Kind::SweSmith, public, bench, secret })
}

/// The names in a map of tests, in the order of names. A row without the map has no such tests.
fn test_names(fields: &mut Fields, key: &str) -> Result<Vec<String>, RowError> {
    match fields.take(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(tests)) => {
            let mut names: Vec<String> = tests.into_iter().map(|(name, _)| name).collect();
            names.sort();
            Ok(names)
        }
        other => Err(fields.wrong(key, "an object from test name to results", other.as_ref())),
    }
}

/// The issues that the change resolves are its bug report. Source: Multi-SWE-bench, `harness/dataset.py`.
fn resolved_issues(fields: &mut Fields) -> Result<String, RowError> {
    const KEY: &str = "resolved_issues";
    let value = fields.take(KEY);
    let Some(Value::Array(issues)) = &value else {
        return Err(fields.wrong(KEY, "a list of issues", value.as_ref()));
    };
    let mut parts = Vec::new();
    for issue in issues {
        let Value::Object(keys) = issue else { return Err(fields.wrong(KEY, "a list of objects", Some(issue))) };
        let mut issue = fields.within(KEY, keys.clone());
        parts.extend([issue.text("title")?, issue.optional_text("body")?.unwrap_or_default()]);
    }
    parts.retain(|part| !part.is_empty());
    Ok(parts.join("\n\n"))
}

pub(super) fn multi_swe(mut fields: Fields) -> Result<Task, RowError> {
    let (organisation, name) = (fields.text("org")?, fields.text("repo")?);
    let number = match fields.take("number") {
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(number)) => number,
        other => return Err(fields.wrong("number", "the number of the change", other.as_ref())),
    };
    let base = fields.object("base")?;
    let base_commit = fields.within("base", base).text("sha")?;
    let problem_statement = resolved_issues(&mut fields)?;
    // The title and text of the change itself tell the fix: they are not the report.
    let public = Public {
        instance_id: fields.optional_text("instance_id")?.unwrap_or_else(|| format!("{organisation}__{name}-{number}")),
        repository: format!("{organisation}/{name}"),
        problem_statement,
        language: fields.optional_text("lang")?.unwrap_or_default().to_lowercase(),
    };
    let bench = Bench {
        image: format!("mswebench/{organisation}_m_{name}:pr-{number}").to_lowercase(),
        folder: format!("/home/{name}"),
        base_commit: Some(base_commit),
        test_command: None,
        version: None,
        created_at: fields.optional_text("created_at")?,
    };
    let mut fail_to_pass = test_names(&mut fields, "f2p_tests")?;
    for key in ["s2p_tests", "n2p_tests"] {
        fail_to_pass.extend(test_names(&mut fields, key)?);
    }
    let pass_to_pass = test_names(&mut fields, "p2p_tests")?;
    let secret = Secret {
        gold: Gold::Patch(fields.text("fix_patch")?),
        tests: Tests::Patch(fields.text("test_patch")?),
        expected: Expected::Lists { fail_to_pass, pass_to_pass, eval_type: EvalType::PassAndFail },
        log_parser: None,
        eval_script: None,
        hints: None,
        other: fields.rest(),
    };
    Ok(Task { kind: Kind::MultiSwe, public, bench, secret })
}
