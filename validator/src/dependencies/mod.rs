//! The dependency pass: what a crate may compile besides its own source.
//!
//! Two stages. The first reads `Cargo.toml`, `Cargo.lock` and the folder as plain files, and is the guard. Only when it finds no error is cargo
//! asked, offline, with a deadline, and from a folder of the host, so that no configuration or toolchain file of the guest is ever in force.

mod allow_list;
mod graph;
mod manifest;

use crate::code::Code;
use crate::escape::escape;
use crate::finding::{Finding, Findings, Place};
use crate::limits::MANIFEST_BYTES_MAX;
use assay_files::{Links, OpenError};
use std::path::Path;

pub(crate) use allow_list::allowed_crates_markdown;

/// Files of a crate's folder that choose what the host runs.
const TOOL_FILES: &[&str] = &[".cargo", "rust-toolchain", "rust-toolchain.toml"];
/// Bytes of a `Cargo.lock`; the allowed crates need a few hundred.
const LOCK_BYTES_MAX: u64 = 256 << 10;

/// Checks the dependencies of the crate with this `Cargo.toml`.
#[must_use]
pub fn check_dependencies(manifest_path: &Path) -> Findings {
    let folder = match manifest_path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut findings = Findings::new();
    for file in TOOL_FILES.iter().filter(|file| folder.join(file).symlink_metadata().is_ok()) {
        findings.push(at(Code::ToolConfiguration, file, "", format!("`{file}` is not allowed in a strategy's crate")));
    }
    if folder.join("build.rs").symlink_metadata().is_ok() {
        findings.push(at(Code::BuildScript, "build.rs", "", "a build script is not allowed"));
    }
    let table = read_table(manifest_path, "Cargo.toml", MANIFEST_BYTES_MAX, &mut findings);
    if let Some(table) = &table {
        manifest::check(table, folder, &mut findings);
    }
    let own_name = table.as_ref().and_then(|table| table.get("package")?.get("name")?.as_str());
    let lock_path = folder.join("Cargo.lock");
    let locked = lock_path.symlink_metadata().is_ok();
    if locked && let Some(lock) = read_table(&lock_path, "Cargo.lock", LOCK_BYTES_MAX, &mut findings) {
        manifest::check_lock(&lock, own_name, &mut findings);
    }
    if !findings.has_errors() {
        graph::check(manifest_path, locked, &mut findings);
    }
    findings
}

/// A finding at a key of a file of the crate.
fn at(code: Code, file: &str, key: &str, message: impl AsRef<str>) -> Finding {
    Finding::new(code, Place::Manifest { file: escape(file), key: escape(key) }, message)
}

/// Reads a plain TOML file with a bound on its size; what prevents it is among the findings.
fn read_table(path: &Path, name: &str, bytes_max: u64, findings: &mut Findings) -> Option<toml::Table> {
    let table = read_text(path, bytes_max).and_then(|text| {
        text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            format!("is not valid TOML: {} (line {line})", error.message())
        })
    });
    let refuse =
        |message: String| at(Code::UnreadableManifest, name, "", message).limit(format_args!("{bytes_max} bytes"));
    table.map_err(|message| findings.push(refuse(message))).ok()
}

fn read_text(path: &Path, bytes_max: u64) -> Result<String, String> {
    assay_files::read_text(path, Links::Refused, bytes_max).map_err(|error| match error {
        OpenError::Link | OpenError::NotAFile => "is not a plain file".to_owned(),
        OpenError::TooLarge { .. } => format!("is larger than {bytes_max} bytes"),
        OpenError::NotUtf8 { .. } => "is not UTF-8".to_owned(),
        other => format!("cannot be read: {other}"),
    })
}
