//! What `assay new` does: writes the commented starting file.

use crate::{Ending, Failure, face};
use std::fs::File;
use std::io::{ErrorKind, Write as _};

/// The starting file in Rust; tests run it.
pub const RUST_TEMPLATE: &str = include_str!("../../../guest-sdk/template/strategy.rs");
/// The starting file in Python; tests run it, too.
pub const PYTHON_TEMPLATE: &str = include_str!("../../../guest-sdk/template/strategy.py");

/// Longest name accepted; file systems allow little more.
const NAME_CHARACTERS_MAX: usize = 100;

/// Writes a starting file into the current folder. It is a Python file if that is wanted or the name says so.
///
/// # Errors
///
/// Where the name is not plain or taken, or the file cannot be written.
pub fn run(name: &str, wants_python: bool) -> Result<Ending, Failure> {
    let (name, extension, template) = match name.strip_suffix(".py") {
        Some(stem) => (stem, "py", PYTHON_TEMPLATE),
        None if wants_python => (name, "py", PYTHON_TEMPLATE),
        None => (name.strip_suffix(".rs").unwrap_or(name), "rs", RUST_TEMPLATE),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > NAME_CHARACTERS_MAX || !name.chars().all(is_plain) || name.starts_with('-') {
        return Err(Failure::usage(format!("`{name}` is not a valid strategy name"))
            .hint("use letters, digits, `-` and `_`, for example: assay new my-strategy"));
    }
    let path = format!("{name}.{extension}");
    // create_new: an existing file is never overwritten, not even in a race.
    let written = File::create_new(&path).and_then(|mut file| file.write_all(template.as_bytes()));
    match written {
        Ok(()) => {
            face::step("Created", &path);
            face::note(&format!("Next:\n  assay check {path}\n  assay run {path}"));
            Ok(Ending::Success)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(Failure::usage(format!("{path} already exists; it was not touched")).hint("choose another name"))
        }
        Err(error) => Err(Failure::usage(format!("failed to write {path}: {error}"))
            .hint("run this in a folder that you can write to")),
    }
}
