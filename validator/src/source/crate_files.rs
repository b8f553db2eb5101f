//! The source pass over a crate: every `.rs` file beneath `src`, read with limits, links refused; or the same files from memory.
//!
//! What counts as Rust source is a name that ends in `.rs`, `.rs` itself included: whoever compiles must not read more than was checked.

use super::{Layout, SourceFile, check_files};
use crate::code::Code;
use crate::finding::{Finding, Findings, Place};
use crate::limits::{CRATE_BYTES_MAX, CRATE_FILES_MAX, CRATE_FOLDER_DEPTH_MAX, SOURCE_BYTES_MAX};
use assay_files::{Folder, Kind, Links, OpenError};
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::Path;

/// Entries of one folder, of any kind; far above what the limit on files lets through.
const FOLDER_ENTRIES_MAX: usize = 1000;

/// Checks all source files of the crate in `folder`. Names in the findings are relative to it.
#[must_use]
pub fn check_crate_sources(folder: &Path) -> Findings {
    let mut reading = Reading { files: Vec::new(), bytes: 0, findings: Findings::new() };
    let read = match Folder::open(folder, Links::Followed) {
        Ok(root) => reading.folder(&root, OsStr::new("src"), "src", 0),
        Err(error) => {
            reading.refuse(Code::UnreadableSource, "src", &format!("the crate's folder cannot be read: {error}"));
            Err(GivenUp)
        }
    };
    if read.is_err() || reading.findings.has_errors() {
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

struct Reading {
    files: Vec<SourceFile>,
    bytes: u64,
    findings: Findings,
}

impl Reading {
    fn refuse(&mut self, code: Code, name: &str, message: &str) {
        let place = Place::File { file: crate::escape::escape(name) };
        self.findings.push(Finding::new(code, place, message));
    }

    /// Reads the folder `part` of another, which is called `name` in the crate.
    fn folder(&mut self, parent: &Folder, part: &OsStr, name: &str, depth: u64) -> Result<(), GivenUp> {
        if depth > CRATE_FOLDER_DEPTH_MAX {
            self.refuse(Code::TooManySources, name, "folders are nested too deep");
            return Err(GivenUp);
        }
        // Bounded, so that a folder with a million entries is not collected.
        let opened = parent.folder(part).and_then(|folder| Ok((folder.entries(FOLDER_ENTRIES_MAX)?, folder)));
        let (entries, folder) = match opened {
            Ok(opened) => opened,
            Err(OpenError::TooMany { limit }) => {
                self.refuse(Code::TooManySources, name, &format!("more than {limit} entries in this folder"));
                return Err(GivenUp);
            }
            // It can name any folder of the host.
            Err(OpenError::Link) => {
                self.refuse(Code::UnreadableSource, name, "a symbolic link is not followed");
                return Ok(());
            }
            Err(error) => {
                self.refuse(Code::UnreadableSource, name, &format!("this folder cannot be read: {error}"));
                return Ok(());
            }
        };
        for entry in entries {
            let part = entry.to_string_lossy();
            let name = format!("{name}/{part}");
            match folder.kind(&entry) {
                Ok(Some(Kind::Link)) => {
                    self.refuse(Code::UnreadableSource, &name, "a symbolic link is not followed");
                }
                Ok(Some(Kind::Folder)) => self.folder(&folder, &entry, &name, depth + 1)?,
                _ if is_rust(&part) => self.file(&folder, &entry, name)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn file(&mut self, folder: &Folder, part: &OsStr, name: String) -> Result<(), GivenUp> {
        // One byte above the limit is enough to know.
        let read = folder.file(part).and_then(|file| {
            let mut bytes = Vec::new();
            file.take(SOURCE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        });
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(OpenError::Link | OpenError::NotAFile) => {
                self.refuse(Code::UnreadableSource, &name, "this is not a plain file");
                return Ok(());
            }
            Err(error) => {
                self.refuse(Code::UnreadableSource, &name, &format!("this file cannot be read: {error}"));
                return Ok(());
            }
        };
        self.bytes += bytes.len() as u64;
        self.files.push(SourceFile { name, bytes });
        if let Some(message) = too_many(self.files.len(), self.bytes) {
            self.refuse(Code::TooManySources, "src", &message);
            return Err(GivenUp);
        }
        Ok(())
    }
}
