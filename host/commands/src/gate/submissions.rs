//! Which submissions there are, and what each is called.
//!
//! Invariants: ids are distinct, and safe as file names whatever a submission is called; a link in a folder of submissions is not followed.

use super::settings::GateSettings;
use crate::{Failure, face};
use assay_files::Links;
use assay_gate::verdict::SubmissionKind;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// What the id of a signed verdict ends in; of no submission.
pub(super) const SIGNED_SUFFIX: &str = ".dsse";
/// What no submission is called.
pub(super) const SUMMARY_ID: &str = "summary";
/// Submissions of one batch: a bound on memory.
const SUBMISSIONS_MAX: usize = 100_000;
/// A longer list of submissions is none.
const LIST_BYTES_MAX: u64 = 64 << 20;
/// What the names of submissions have in them.
const ENDINGS: [&str; 3] = [".rs", ".py", ".wasm"];
/// Files that are not submissions and are named all the same.
const PASSED_SHOWN_MAX: usize = 10;
/// Characters of an id that come from the name; file names have 255 bytes.
const ID_CHARS_MAX: usize = 100;

/// What there is to do.
pub(super) struct Batch {
    /// In order of their names or as they were given; at least one.
    pub entries: Vec<Entry>,
    /// One verdict file each, rather than a verdict on the screen.
    pub is_batch: bool,
    /// What the names go from; empty for where the command runs.
    pub folder: PathBuf,
}

/// One submission.
#[derive(Clone)]
pub(super) struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// What it is called in its verdict, escaped.
    pub name: String,
    /// What it is called in the folder of verdicts.
    pub id: String,
    pub kind: SubmissionKind,
    /// What becomes of a link in its place: one that is named alone is followed, others may be somebody else's doing.
    pub links: Links,
}

impl Entry {
    fn new(path: PathBuf, name: &OsStr, links: Links) -> Self {
        let kind = kind_of(&path);
        // Of one line, whatever it is called: it stands in tables.
        let shown = assay_validator::escape(&name.to_string_lossy());
        let shown = shown.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
        Self { name: shown, id: id_of(name), path, kind, links }
    }
}

pub(super) fn find(settings: &GateSettings) -> Result<Batch, Failure> {
    let entries = match (&settings.list, settings.submissions.as_slice()) {
        (Some(list), _) => listed(list)?,
        (None, [one]) if is_collection(one) => in_folder(one)?,
        (None, [one]) => vec![given(one, Links::Followed)?],
        // The shell may have found them, in a folder that somebody else has filled.
        (None, several) => several.iter().map(|path| given(path, Links::Refused)).collect::<Result<_, _>>()?,
    };
    let mut ids = BTreeSet::new();
    let entries: Vec<Entry> = entries.into_iter().filter(|entry| ids.insert(entry.id.clone())).collect();
    if entries.len() > SUBMISSIONS_MAX {
        return Err(Failure::usage(format!(
            "{} submissions are too many: the maximum is {SUBMISSIONS_MAX}",
            entries.len()
        ))
        .hint("split them into batches, each with its own --out"));
    }
    let is_one = entries.len() == 1 && settings.list.is_none() && settings.out.is_none();
    let is_batch = !is_one || settings.submissions.iter().any(|path| is_collection(path));
    let folder = match (&settings.list, settings.submissions.as_slice()) {
        (Some(list), _) => list.parent().map(Path::to_owned).unwrap_or_default(),
        (None, [one]) if is_collection(one) => one.clone(),
        (None, _) => PathBuf::new(),
    };
    Ok(Batch { entries, is_batch, folder })
}

/// A folder that is not a crate.
fn is_collection(path: &Path) -> bool {
    path.is_dir() && !path.join("Cargo.toml").exists()
}

fn kind_of(path: &Path) -> SubmissionKind {
    match path.extension().and_then(OsStr::to_str) {
        _ if path.is_dir() => SubmissionKind::RustCrate,
        Some("rs") => SubmissionKind::RustFile,
        Some("py") => SubmissionKind::PythonFile,
        Some("wasm") => SubmissionKind::Component,
        _ => SubmissionKind::Unknown,
    }
}

/// A submission that somebody names must be there, and be one.
fn given(path: &Path, links: Links) -> Result<Entry, Failure> {
    let shown = path.display();
    let found = if links == Links::Followed { path.metadata() } else { path.symlink_metadata() };
    if let Err(error) = found {
        return Err(Failure::usage(format!("failed to open {shown}: {error}"))
            .hint("a submission is a .rs, .py or .wasm file, a crate folder, or a folder of those"));
    }
    let entry = Entry::new(path.to_owned(), path.as_os_str(), links);
    if is_collection(path) || entry.kind == SubmissionKind::Unknown {
        return Err(Failure::usage(format!("{shown} is not a submission")).hint(
            "a submission is a .rs, .py or .wasm file or a crate folder; a folder of submissions must be the only argument",
        ));
    }
    Ok(entry)
}

fn in_folder(folder: &Path) -> Result<Vec<Entry>, Failure> {
    let failed = |error: std::io::Error| Failure::usage(format!("failed to read {}: {error}", folder.display()));
    let (mut entries, mut passed) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, name) = (entry.path(), entry.file_name());
        let is_submission = match kind_of(&path) {
            SubmissionKind::Unknown => false,
            SubmissionKind::RustCrate => path.join("Cargo.toml").exists(),
            _ => true,
        };
        if is_submission && !name.as_bytes().starts_with(b".") {
            entries.push(Entry::new(path, &name, Links::Refused));
        } else if is_submission || !path.is_dir() {
            passed.push(name);
        }
    }
    say_passed_over(folder, passed);
    if entries.is_empty() {
        return Err(Failure::usage(format!("there is no submission in {}", folder.display()))
            .hint("every .rs, .py and .wasm file in it is one, and every folder with a Cargo.toml"));
    }
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(entries)
}

/// Says in one line which files of a folder are no submissions, those first that were probably meant to be: somebody waits for their verdict.
fn say_passed_over(folder: &Path, mut names: Vec<OsString>) {
    if names.is_empty() {
        return;
    }
    let is_meant = |name: &OsString| {
        let name = name.to_string_lossy().trim().to_lowercase();
        ENDINGS.iter().any(|ending| name.contains(ending))
    };
    names.sort_by_cached_key(|name| (!is_meant(name), name.clone()));
    let shown = names.iter().take(PASSED_SHOWN_MAX).map(|name| format!("`{}`", face::visible(&name.to_string_lossy())));
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(PASSED_SHOWN_MAX);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let folder = folder.display();
    let what = format!(
        "{shown}{more} of {folder}: not submissions, whose names end in .rs, .py or .wasm and do not begin with a dot"
    );
    face::step("Skipped", &what);
}

fn listed(list: &Path) -> Result<Vec<Entry>, Failure> {
    let failed =
        |why: &dyn std::fmt::Display| Failure::usage(format!("failed to read the list {}: {why}", list.display()));
    let text = assay_files::read_text(list, Links::Followed, LIST_BYTES_MAX).map_err(|error| failed(&error))?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries: Vec<Entry> = lines
        .map(|line| {
            given(&folder.join(line), Links::Refused).map(|entry| Entry::new(entry.path, OsStr::new(line), entry.links))
        })
        .collect::<Result<_, _>>()?;
    if entries.is_empty() { Err(failed(&"it does not name any submission")) } else { Ok(entries) }
}

/// A name of plain characters is its own id. Any other has the plain part of it and a hash, joined by a character that no plain name has.
fn id_of(name: &OsStr) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let text = name.to_string_lossy();
    let is_safe = text.chars().all(is_plain) && text.len() <= ID_CHARS_MAX && !text.starts_with('.');
    let is_taken = text == SUMMARY_ID || text.ends_with(SIGNED_SUFFIX);
    if is_safe && !is_taken {
        return text.into_owned();
    }
    let plain: String = text.chars().map(|c| if is_plain(c) { c } else { '-' }).take(ID_CHARS_MAX).collect();
    let hash = blake3::hash(name.as_bytes()).to_hex();
    format!("{}~{}", plain.trim_start_matches(['.', '-']), &hash[..16])
}
