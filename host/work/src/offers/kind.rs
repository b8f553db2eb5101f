//! What a file or folder is that forms may name.
//!
//! Invariant: of a file no more than its beginning is read, and of a folder some entries; what it holds in truth is for the command that takes it.

use assay_files::{Folder, Kind as FileKind};
use std::io::Read as _;
use std::path::Path;

/// The beginning of a file, by which it is known.
const START_BYTES_MAX: u64 = 64 << 10;
/// Entries of a folder that are tried for a task.
const TRIED_MAX: usize = 50;
/// What makes a folder a task, and a world.
const TASK: &str = "task.toml";
const WORLD: &str = "world.toml";
/// TOML files that are neither policy nor scenario.
const OTHERS: [&str; 8] =
    ["Cargo.toml", "clippy.toml", "deny.toml", "pyproject.toml", "rust-toolchain.toml", "rustfmt.toml", TASK, WORLD];
/// Tables of a policy; one of them is in each.
const OF_POLICY: [&str; 3] = ["[[scenarios]]", "[[rules]]", "[outcomes]"];
/// Keys of a row that can become a task; one of them is in each.
const OF_ROW: [&str; 4] = ["\"instance_id\"", "\"problem_statement\"", "\"docker_image\"", "\"repo_name\""];

/// What something is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A strategy in Rust.
    Rust,
    /// A strategy in Python.
    Python,
    /// A policy of the gate.
    Policy,
    /// A market: any other TOML file.
    Scenario,
    /// Tasks of rollouts: one, a folder of them, or rows of a data set.
    Tasks,
    /// The folder of a world.
    World,
}

impl Kind {
    /// Whether it is a strategy.
    #[must_use]
    pub const fn is_strategy(self) -> bool {
        matches!(self, Self::Rust | Self::Python)
    }
}

/// What a folder holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Held {
    /// It is one thing, and what is in it belongs to that.
    Whole(Kind),
    /// Tasks, each for itself as well.
    Tasks,
    /// Whatever its files are.
    Files,
}

/// What a folder with these names holds.
pub(super) fn held(folder: &Folder, names: &[&str]) -> Held {
    if is_file(folder, WORLD) {
        Held::Whole(Kind::World)
    } else if is_file(folder, TASK) {
        Held::Whole(Kind::Tasks)
    } else if names.iter().take(TRIED_MAX).any(|name| is_task(folder, name)) {
        Held::Tasks
    } else {
        Held::Files
    }
}

/// What a file is; none that forms could name.
pub(super) fn of_file(folder: &Folder, name: &str) -> Option<Kind> {
    match Path::new(name).extension()?.to_str()? {
        "rs" => Some(Kind::Rust),
        "py" => Some(Kind::Python),
        "toml" if OTHERS.contains(&name) => None,
        "toml" if has_line(&start(folder, name), &OF_POLICY) => Some(Kind::Policy),
        "toml" => Some(Kind::Scenario),
        "jsonl" if is_row(&start(folder, name)) => Some(Kind::Tasks),
        _ => None,
    }
}

fn is_file(folder: &Folder, name: &str) -> bool {
    matches!(folder.kind(name), Ok(Some(FileKind::File)))
}

/// Whether an entry of a folder is a task: a folder with its description, or a row that was imported.
fn is_task(folder: &Folder, name: &str) -> bool {
    match folder.kind(name) {
        Ok(Some(FileKind::Folder)) => folder.folder(name).is_ok_and(|below| is_file(&below, TASK)),
        Ok(Some(FileKind::File)) if name.ends_with(".json") => is_row(&start(folder, name)),
        _ => false,
    }
}

fn start(folder: &Folder, name: &str) -> String {
    let mut start = Vec::new();
    let read = folder.file(name).is_ok_and(|file| file.take(START_BYTES_MAX).read_to_end(&mut start).is_ok());
    if read { String::from_utf8_lossy(&start).into_owned() } else { String::new() }
}

fn has_line(text: &str, words: &[&str]) -> bool {
    text.lines().any(|line| words.iter().any(|word| line.trim_start().starts_with(word)))
}

fn is_row(text: &str) -> bool {
    text.trim_start().starts_with('{') && OF_ROW.iter().any(|key| text.contains(key))
}
