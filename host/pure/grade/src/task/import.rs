//! Rows to tasks: which data set a row is from, and what became of all of them.

use serde_json::{Map, Value};

use super::fields::{Fields, RowError, sort_of};
use super::{Kind, Task, kinds, r2e};

/// What an import gave. One bad row does not spoil the others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The tasks, in the order of their rows.
    pub tasks: Vec<Task>,
    /// The rows that could not be read.
    pub errors: Vec<RowError>,
}

/// Reads rows as JSON objects, one a line; empty lines are passed over but counted.
#[must_use]
pub fn import(lines: &str) -> Imported {
    let mut imported = Imported::default();
    for (index, line) in lines.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match import_line(index + 1, line.as_bytes()) {
            Ok(task) => imported.tasks.push(task),
            Err(error) => imported.errors.push(error),
        }
    }
    imported
}

/// Reads one row as the bytes of a JSON object, for those who do not hold the whole file. `row` is its number, for errors.
///
/// # Errors
/// When it is not JSON, or as with [`import_row`].
pub fn import_line(row: usize, line: &[u8]) -> Result<Task, RowError> {
    match serde_json::from_slice(line) {
        Ok(value) => import_row(row, value),
        Err(error) => Err(RowError::NotAnObject { row, found: format!("broken JSON: {error}") }),
    }
}

/// Reads one row, whatever file it came from. `row` is its number, for errors.
///
/// # Errors
/// When its keys are those of no known data set, or one of them holds something else than it should.
pub fn import_row(row: usize, value: Value) -> Result<Task, RowError> {
    let Value::Object(keys) = value else {
        return Err(RowError::NotAnObject { row, found: sort_of(Some(&value)).to_owned() });
    };
    let Some(kind) = kind_of(&keys) else {
        let keys = keys.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        return Err(RowError::UnknownKind { row, keys });
    };
    let fields = Fields::new(row, keys);
    match kind {
        Kind::R2eGym => r2e::read(fields),
        Kind::SweBench | Kind::SweBench5 | Kind::SweGym | Kind::SweRebench => kinds::swe_bench(kind, fields),
        Kind::SweSmith => kinds::swe_smith(fields),
        Kind::MultiSwe => kinds::multi_swe(fields),
        Kind::Native => unreachable!("no row is of this kind"),
    }
}

/// By the keys that only one data set has. SWE-Gym's rows are SWE-bench's without `environment_setup_commit`; SWE-smith's name an image, as others
/// do, and neither bring their tests nor say how they are run.
fn kind_of(keys: &Map<String, Value>) -> Option<Kind> {
    let has = |key: &str| keys.contains_key(key);
    let is_smith = keys.get("repo").and_then(Value::as_str).is_some_and(|repo| repo.starts_with("swesmith/"));
    let brings_tests = has("test_patch") || has("eval_script");
    if has("parsed_commit_content") || has("expected_output_json") {
        Some(Kind::R2eGym)
    } else if has("fix_patch") {
        Some(Kind::MultiSwe)
    } else if is_smith || has("image_name") && !brings_tests {
        Some(Kind::SweSmith)
    } else if has("install_config") {
        Some(Kind::SweRebench)
    } else if has("eval_script") || has("log_parser") {
        Some(Kind::SweBench5)
    } else if !has("FAIL_TO_PASS") && !has("test_patch") {
        None
    } else if has("environment_setup_commit") {
        Some(Kind::SweBench)
    } else {
        Some(Kind::SweGym)
    }
}
