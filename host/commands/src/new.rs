//! What `assay new` does: writes the commented starting file.

use crate::{Ending, Failure, face, output};
use std::path::Path;

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
    output::to_new_file(Path::new(&path), |file| Ok(file.write_all(template.as_bytes())?))?;
    face::step("Created", &path);
    face::note(&format!("Next:\n  assay check {path}\n  assay run {path}"));
    Ok(Ending::Success)
}
