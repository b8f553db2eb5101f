//! The source pass over a crate: every `.rs` file beneath `src`, read with limits, links refused; or the same files from memory.
//!
//! What counts as Rust source is a name that ends in `.rs`, `.rs` itself included: whoever compiles must not read more than was checked.

use super::{Layout, SourceFile, check_files};
use crate::code::Code;
use crate::finding::{Finding, Findings, Place};
use crate::limits::{CRATE_BYTES_MAX, CRATE_FILES_MAX, CRATE_FOLDER_DEPTH_MAX, SOURCE_BYTES_MAX};
use std::io::Read as _;
use std::path::Path;

/// Entries of one folder, of any kind; far above what the limit on files lets through.
const FOLDER_ENTRIES_MAX: usize = 1000;

/// Checks all source files of the crate in `folder`. Names in the findings are relative to it.
#[must_use]
pub fn check_crate_sources(folder: &Path) -> Findings {
    let mut reading = Reading { root: folder, files: Vec::new(), bytes: 0, findings: Findings::new() };
    if reading.link(folder) || reading.folder(&folder.join("src"), 0).is_err() || reading.findings.has_errors() {
        return reading.findings;
    }
    reading.findings.extend(check_read(reading.files));
    reading.findings
}

/// Checks the source files of a crate that are already in memory, given as name inside the crate (`src/lib.rs`) and text, so that what
/// is checked is what is compiled. Files whose name does not end in `.rs` are passed over.
#[must_use]
pub fn check_crate_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Findings {
    let mut read = Vec::new();
    let mut bytes = 0;
    for (name, text) in files.into_iter().filter(|(name, _)| is_rust(name)) {
        bytes += text.len() as u64;
        read.push(SourceFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() });
        if let Some(message) = too_many(read.len(), bytes) {
            return unreadable_crate(Code::TooManySources, &message);
        }
    }
    read.sort_by(|one, other| one.name.cmp(&other.name));
    check_read(read)
}

fn check_read(files: Vec<SourceFile>) -> Findings {
    if files.is_empty() {
        return unreadable_crate(Code::UnreadableSource, "there is no Rust source file here");
    }
    check_files(files, Layout::Crate)
}

fn unreadable_crate(code: Code, message: &str) -> Findings {
    Findings::from_iter([Finding::new(code, Place::File { file: "src".to_owned() }, message)])
}

fn is_rust(name: &str) -> bool {
    // `Path::extension` knows none for a file named `.rs`, which is Rust source as good as any.
    name.as_bytes().ends_with(b".rs")
}

/// The complaint when a crate has more than may be read.
fn too_many(files: usize, bytes: u64) -> Option<String> {
    (files as u64 > CRATE_FILES_MAX || bytes > CRATE_BYTES_MAX)
        .then(|| format!("{files} source files with {bytes} bytes so far"))
}

/// Reading was given up; the reason is among the findings.
struct GivenUp;

struct Reading<'a> {
    root: &'a Path,
    files: Vec<SourceFile>,
    bytes: u64,
    findings: Findings,
}

impl Reading<'_> {
    fn name(&self, path: &Path) -> String {
        path.strip_prefix(self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn refuse(&mut self, code: Code, path: &Path, message: &str) {
        let place = Place::File { file: crate::escape::escape(&self.name(path)) };
        self.findings.push(Finding::new(code, place, message));
    }

    /// Whether the path is a symbolic link, which is refused: it can name any file of the host.
    fn link(&mut self, path: &Path) -> bool {
        let is_link = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink());
        if is_link && path != self.root {
            self.refuse(Code::UnreadableSource, path, "a symbolic link is not followed");
        }
        is_link && path != self.root
    }

    fn folder(&mut self, folder: &Path, depth: u64) -> Result<(), GivenUp> {
        if self.link(folder) {
            return Ok(());
        }
        if depth > CRATE_FOLDER_DEPTH_MAX {
            self.refuse(Code::TooManySources, folder, "folders are nested too deep");
            return Err(GivenUp);
        }
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.refuse(Code::UnreadableSource, folder, &format!("this folder cannot be read: {error}"));
                return Ok(());
            }
        };
        // Bounded, so that a folder with a million entries is not collected.
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).take(FOLDER_ENTRIES_MAX + 1).collect();
        if paths.len() > FOLDER_ENTRIES_MAX {
            self.refuse(
                Code::TooManySources,
                folder,
                &format!("more than {FOLDER_ENTRIES_MAX} entries in this folder"),
            );
            return Err(GivenUp);
        }
        paths.sort();
        for path in paths {
            if self.link(&path) {
                continue;
            }
            if path.is_dir() {
                self.folder(&path, depth + 1)?;
            } else if path.file_name().is_some_and(|name| is_rust(&name.to_string_lossy())) {
                self.file(&path)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<(), GivenUp> {
        // Looked at before it is opened: a pipe would never answer.
        if !std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file()) {
            self.refuse(Code::UnreadableSource, path, "this is not a plain file");
            return Ok(());
        }
        let mut bytes = Vec::new();
        // One byte above the limit is enough to know.
        let outcome =
            std::fs::File::open(path).and_then(|file| file.take(SOURCE_BYTES_MAX + 1).read_to_end(&mut bytes));
        if let Err(error) = outcome {
            self.refuse(Code::UnreadableSource, path, &format!("this file cannot be read: {error}"));
            return Ok(());
        }
        self.bytes += bytes.len() as u64;
        self.files.push(SourceFile { name: self.name(path), bytes });
        if let Some(message) = too_many(self.files.len(), self.bytes) {
            self.refuse(Code::TooManySources, &self.root.join("src"), &message);
            return Err(GivenUp);
        }
        Ok(())
    }
}
