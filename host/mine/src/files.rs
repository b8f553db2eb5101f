//! Trees of git as trees of ours, and what differs between two of them.
//!
//! Invariants: a name that could lead out of a repository, or into its `.git`, is refused before it is used; what nests, repeats or grows beyond
//! a limit is refused; nothing is written to this machine.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use assay_model::Time;
use assay_rollout::task::REPOSITORY_BYTES_MAX;
use assay_tree::{Limits, Tree, TreeError};

use crate::git::{Entry, Mode, ObjectError, Objects, Oid, Sort, tree};
use crate::refusal::{Reason, Refusal};

/// Bytes of one tree: a folder with 100,000 files has five megabytes.
const TREE_BYTES_MAX: u64 = 16 << 20;
/// Bytes of one file of a repository. Sources have a thousandth; data that is larger belongs elsewhere.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Files and folders of a repository, a quarter of what a task may have.
const ENTRIES_MAX: usize = 50_000;
/// Folders within folders.
const DEPTH_MAX: usize = 64;
/// Files that a commit may change: fixes change a few; beyond, it is a rearrangement.
pub const CHANGED_FILES_MAX: usize = 60;
/// Folders that are opened to find them.
const CHANGED_FOLDERS_MAX: usize = 2_000;
/// Bytes of files that are kept between commits: most of a repository stays from one to the next.
const KEPT_BYTES_MAX: u64 = 256 << 20;

/// Why files cannot be had: the commit's doing, or that of `git`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// The commit is refused.
    Refused(Refusal),
    /// Nothing more can be read.
    Git(String),
}

impl From<ObjectError> for Trouble {
    fn from(error: ObjectError) -> Self {
        let reason = match &error {
            ObjectError::Git(why) => return Self::Git(why.clone()),
            ObjectError::TooLarge { .. } => Reason::TooLarge,
            ObjectError::Missing(_) | ObjectError::NotThat(_) => Reason::Damaged,
        };
        Self::Refused(Refusal::new(reason, error.to_string()))
    }
}

fn refused(reason: Reason, why: impl Into<String>) -> Trouble {
    Trouble::Refused(Refusal::new(reason, why))
}

/// A path as people are shown it.
pub(crate) fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// A file at which two trees differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) path: Vec<u8>,
    /// What it was, what it is; none of the two is a folder.
    pub(crate) old: Option<(Mode, Oid)>,
    pub(crate) new: Option<(Mode, Oid)>,
}

/// Reads trees and files of one repository.
pub(crate) struct Reader {
    pub(crate) objects: Objects,
    kept: HashMap<Oid, Arc<[u8]>>,
    kept_bytes: u64,
}

impl Reader {
    pub(crate) fn new(objects: Objects) -> Self {
        Self { objects, kept: HashMap::new(), kept_bytes: 0 }
    }

    fn entries(&mut self, id: &Oid) -> Result<Vec<Entry>, Trouble> {
        let bytes = self.objects.read(id, Sort::Tree, TREE_BYTES_MAX)?;
        let entries = tree(&bytes, self.objects.id_bytes);
        let entries = entries.ok_or_else(|| refused(Reason::Damaged, format!("{id} is not a tree")))?;
        for entry in &entries {
            check_name(&entry.name)?;
        }
        Ok(entries)
    }

    fn blob(&mut self, id: &Oid) -> Result<Arc<[u8]>, Trouble> {
        if let Some(bytes) = self.kept.get(id) {
            return Ok(Arc::clone(bytes));
        }
        let bytes: Arc<[u8]> = self.objects.read(id, Sort::Blob, FILE_BYTES_MAX)?.into();
        if self.kept_bytes + bytes.len() as u64 <= KEPT_BYTES_MAX {
            self.kept_bytes += bytes.len() as u64;
            self.kept.insert(id.clone(), Arc::clone(&bytes));
        }
        Ok(bytes)
    }

    /// A file by its path, if the tree has one of at most `max` bytes there.
    pub(crate) fn find(&mut self, tree: &Oid, path: &str, max: u64) -> Result<Option<Arc<[u8]>>, Trouble> {
        let mut at = tree.clone();
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            let entry = self.entries(&at)?.into_iter().find(|entry| entry.name == part.as_bytes());
            match (entry, parts.peek()) {
                (Some(Entry { mode: Mode::Folder, id, .. }), Some(_)) => at = id,
                (Some(Entry { mode: Mode::File | Mode::Executable, id, .. }), None) => {
                    let (_, bytes) = self.objects.look(&id)?;
                    return if bytes <= max { self.blob(&id).map(Some) } else { Ok(None) };
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Every file at which two trees differ, in the order of their paths.
    pub(crate) fn changes(&mut self, old: &Oid, new: &Oid) -> Result<Vec<Change>, Trouble> {
        let mut found = Found { changes: Vec::new(), folders: 0 };
        self.compare(&mut found, b"", Some(old), Some(new), DEPTH_MAX)?;
        found.changes.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found.changes)
    }

    fn compare(
        &mut self,
        found: &mut Found,
        inside: &[u8],
        old: Option<&Oid>,
        new: Option<&Oid>,
        depth: usize,
    ) -> Result<(), Trouble> {
        found.folders += 1;
        if found.folders > CHANGED_FOLDERS_MAX || depth == 0 {
            return Err(refused(Reason::TooLarge, "it changes too many folders"));
        }
        let mut names: BTreeMap<Vec<u8>, [Option<(Mode, Oid)>; 2]> = BTreeMap::new();
        for (side, id) in [old, new].into_iter().enumerate() {
            let Some(id) = id else { continue };
            for entry in self.entries(id)? {
                let slot = &mut names.entry(entry.name).or_default()[side];
                if slot.replace((entry.mode, entry.id)).is_some() {
                    return Err(refused(Reason::Damaged, "a tree has two entries of one name"));
                }
            }
        }
        for (name, [old, new]) in names {
            if old == new {
                continue;
            }
            let path = [inside, &name].concat();
            let folder = |side: &Option<(Mode, Oid)>| {
                side.as_ref().filter(|(mode, _)| *mode == Mode::Folder).map(|(_, id)| id.clone())
            };
            let (old_folder, new_folder) = (folder(&old), folder(&new));
            let leaf = |side: Option<(Mode, Oid)>| side.filter(|(mode, _)| *mode != Mode::Folder);
            let (old, new) = (leaf(old), leaf(new));
            if old.is_some() || new.is_some() {
                found.changes.push(Change { path: path.clone(), old, new });
            }
            if found.changes.len() > CHANGED_FILES_MAX {
                let why = format!("it changes more than {CHANGED_FILES_MAX} files");
                return Err(refused(Reason::TooLarge, why));
            }
            if old_folder.is_some() || new_folder.is_some() {
                let inside = [&path[..], b"/"].concat();
                self.compare(found, &inside, old_folder.as_ref(), new_folder.as_ref(), depth - 1)?;
            }
        }
        Ok(())
    }

    /// All files of a tree.
    pub(crate) fn load(&mut self, id: &Oid) -> Result<Tree, Trouble> {
        let limits = Limits { bytes_max: REPOSITORY_BYTES_MAX / 2, inodes_max: ENTRIES_MAX as u64 };
        let mut files = Tree::new(limits);
        self.load_folder(&mut files, b"", id, DEPTH_MAX)?;
        Ok(files)
    }

    fn load_folder(&mut self, files: &mut Tree, inside: &[u8], id: &Oid, depth: usize) -> Result<(), Trouble> {
        if depth == 0 {
            return Err(refused(Reason::TooLarge, format!("its folders nest more than {DEPTH_MAX} deep")));
        }
        for entry in self.entries(id)? {
            let path = [inside, &entry.name].concat();
            if files.lstat(&path).is_ok() {
                return Err(refused(Reason::Damaged, "a tree has two entries of one name"));
            }
            if entry.mode == Mode::Folder {
                files.mkdir(&path, Time::default()).map_err(|error| no_room(&path, &error))?;
                self.load_folder(files, &[&path[..], b"/"].concat(), &entry.id, depth - 1)?;
            } else {
                self.put(files, &path, entry.mode, &entry.id)?;
            }
        }
        Ok(())
    }

    fn put(&mut self, files: &mut Tree, path: &[u8], mode: Mode, id: &Oid) -> Result<(), Trouble> {
        let now = Time::default();
        let result = match mode {
            Mode::Submodule => {
                return Err(refused(Reason::Submodule, format!("{} is another repository", shown(path))));
            }
            Mode::Link => files.symlink(&self.blob(id)?, path, now),
            _ => files
                .put(path, self.blob(id)?.into(), now)
                .and_then(|()| files.set_executable(path, mode == Mode::Executable)),
        };
        result.map_err(|error| no_room(path, &error))
    }

    /// The files with these changes made.
    pub(crate) fn with<'c>(
        &mut self,
        base: &Tree,
        changes: impl Iterator<Item = &'c Change> + Clone,
    ) -> Result<Tree, Trouble> {
        let mut files = base.fork();
        // What goes away goes first, so that a file may become a folder.
        for change in changes.clone().filter(|change| change.old.is_some()) {
            remove(&mut files, &change.path).map_err(|error| no_room(&change.path, &error))?;
        }
        for change in changes {
            let Some((mode, id)) = &change.new else { continue };
            if let Some(slash) = change.path.iter().rposition(|byte| *byte == b'/') {
                let parent = &change.path[..slash];
                files.mkdir_all(parent, Time::default()).map_err(|error| no_room(parent, &error))?;
            }
            self.put(&mut files, &change.path, *mode, id)?;
        }
        Ok(files)
    }
}

struct Found {
    changes: Vec<Change>,
    folders: usize,
}

fn no_room(path: &[u8], error: &TreeError) -> Trouble {
    let reason = if matches!(error, TreeError::NoSpace { .. }) { Reason::TooLarge } else { Reason::Damaged };
    refused(reason, format!("{}: {error}", shown(path)))
}

/// Removes a file, and each folder above it that is empty then.
fn remove(files: &mut Tree, path: &[u8]) -> Result<(), TreeError> {
    let now = Time::default();
    files.unlink(path, now)?;
    let mut path = path;
    while let Some(slash) = path.iter().rposition(|byte| *byte == b'/') {
        path = &path[..slash];
        if files.rmdir(path, now).is_err() {
            break;
        }
    }
    Ok(())
}

/// Refuses what is no name of a file in a repository. `.git` is refused in any spelling that some file system takes for it.
fn check_name(name: &[u8]) -> Result<(), Trouble> {
    let spelled: Vec<u8> = name.iter().filter(|byte| byte.is_ascii()).map(u8::to_ascii_lowercase).collect();
    let is_git = spelled.starts_with(b".git") && spelled[4..].iter().all(|byte| matches!(byte, b' ' | b'.' | b':'))
        || spelled.starts_with(b"git~1");
    let is_plain = !name.is_empty() && name != b"." && name != b".." && !name.contains(&b'/') && !is_git;
    if is_plain && name.len() <= assay_tree::NAME_MAX {
        Ok(())
    } else {
        Err(refused(Reason::UnsafeName, format!("`{}` is no name of a file", name.escape_ascii())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in [&b""[..], b".", b"..", b"a/b", b".git", b".GIT", b".git ", b".git.", b"GIT~1", b".g\xe2\x80\x8cit"]
        {
            assert!(check_name(name).is_err(), "{}", name.escape_ascii());
        }
        for name in [&b"a"[..], b".gitignore", b".github", b"...", b"\xff", b"-rf"] {
            assert!(check_name(name).is_ok(), "{}", name.escape_ascii());
        }
    }
}
