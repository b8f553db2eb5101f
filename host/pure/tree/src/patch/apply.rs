//! From a tree and a patch to the next tree.
//!
//! Every section is computed against the tree as it was. Then all that goes away goes, and only then all that comes is put; so a file may
//! become a directory, and two files may change places. Symlinks are never followed.

use super::binary::{apply_delta, object_id};
use super::difference::Leaf;
use super::error::{PatchError, Problem};
use super::hunk::{HunkError, apply_hunks};
use super::parse::{Action, Body, FilePatch, parse};
use super::parse_body::Binary;
use crate::node::Node;
use crate::{Content, Kind, Tree, TreeError};
use assay_model::Time;
use std::collections::BTreeSet;

/// The tree that the patch makes of `tree`, which is left as it is. What changes, changes at `now`.
///
/// # Errors
/// With the first place at which the patch is malformed or does not fit.
pub fn apply(tree: &Tree, patch: &[u8], now: Time) -> Result<Tree, PatchError> {
    let files = parse(patch)?;
    let (mut taken, mut put) = (BTreeSet::new(), BTreeSet::new());
    let mut results = Vec::new();
    for file in &files {
        results.push(result(tree, file).map_err(|(hunk, line, problem)| located(file, hunk, line, problem))?);
        let (from, to) = file.action.paths();
        let goes_twice = from.is_some_and(|path| !taken.insert(path));
        if goes_twice || to.is_some_and(|path| !put.insert(path)) {
            let problem = Problem::Malformed("the patch has this file twice");
            return Err(located(file, None, file.line_number, problem));
        }
    }
    let mut next = tree.fork();
    let failed = |file: &FilePatch<'_>, problem| located(file, None, file.line_number, problem);
    for file in &files {
        if let Action::Delete { path } | Action::Rename { from: path, .. } = &file.action {
            remove(&mut next, path, now).map_err(|error| failed(file, error.into()))?;
        }
    }
    for (file, made) in files.iter().zip(results) {
        if let Some(made) = made {
            make(&mut next, file, made, now).map_err(|problem| failed(file, problem))?;
        }
    }
    Ok(next)
}

fn located(file: &FilePatch<'_>, hunk: Option<usize>, line: usize, problem: Problem) -> PatchError {
    PatchError { file: Some(file.path().escape_ascii().to_string()), hunk, line, problem }
}

impl Action {
    /// The file that this one uses up, and the one that it leaves.
    fn paths(&self) -> (Option<&[u8]>, Option<&[u8]>) {
        match self {
            Self::Modify { path } => (Some(path), Some(path)),
            Self::Create { path } => (None, Some(path)),
            Self::Delete { path } => (Some(path), None),
            Self::Rename { from, to } => (Some(from), Some(to)),
            Self::Copy { to, .. } => (None, Some(to)),
        }
    }
}

/// What a section leaves.
struct Made {
    kind: Kind,
    content: Content,
}

type Failed = (Option<usize>, usize, Problem);

fn result(tree: &Tree, file: &FilePatch<'_>) -> Result<Option<Made>, Failed> {
    let failed = |problem| (None, file.line_number, problem);
    let from = match &file.action {
        Action::Create { .. } => None,
        Action::Modify { path } | Action::Delete { path } => Some(path),
        Action::Rename { from, .. } | Action::Copy { from, .. } => Some(from),
    };
    let node = from.map(|path| node_at(tree, path).ok_or_else(|| failed(Problem::NotFound))).transpose()?;
    let old = node.and_then(|node| Leaf::of(node, &*tree.blobs));
    if from.is_some() && old.is_none() {
        return Err(failed(Problem::WrongKind));
    }
    let old_kind = old.map(Leaf::kind);
    let same_sort = |one: Option<Kind>, other: Option<Kind>| {
        one.zip(other).is_none_or(|(one, other)| one.is_file() == other.is_file())
    };
    if !same_sort(old_kind, file.old_kind) || !same_sort(old_kind, file.new_kind) {
        return Err(failed(Problem::WrongKind));
    }
    let content = content_after(tree, file, old, node)?;
    if let Action::Delete { .. } = file.action {
        return if content.size() == 0 { Ok(None) } else { Err(failed(Problem::NotAllRemoved)) };
    }
    // A section that makes a file always says its kind.
    let kind = file.new_kind.or(old_kind).unwrap_or(Kind::File);
    Ok(Some(Made { kind, content }))
}

fn content_after(
    tree: &Tree,
    file: &FilePatch<'_>,
    old: Option<Leaf<'_>>,
    node: Option<&Node>,
) -> Result<Content, Failed> {
    let failed = |problem| (None, file.line_number, problem);
    let loaded = old.map(Leaf::bytes).transpose().map_err(|error| failed(TreeError::from(error).into()));
    match (&file.body, node) {
        (Body::None, Some(Node::File(file))) => Ok(file.content().clone()),
        (Body::None, Some(Node::Symlink(link))) => Ok(Content::from(&link.target[..])),
        (Body::None, _) => Ok(Content::from(b"")),
        (Body::Text(hunks), _) => {
            let at_hunk = |(hunk, line, problem): HunkError| (Some(hunk), line, problem);
            apply_hunks(loaded?.as_deref().unwrap_or_default(), hunks).map(Content::from).map_err(at_hunk)
        }
        (Body::Binary { edit, old_id, new_id }, _) => {
            let loaded = loaded?;
            let before = loaded.as_deref().unwrap_or_default();
            let is_base = old.map_or(old_id.bytes().all(|digit| digit == b'0'), |_| object_id(before) == *old_id);
            let after = match edit {
                _ if !is_base => return Err(failed(Problem::WrongBase)),
                Binary::Literal(bytes) => bytes.clone(),
                Binary::Delta(delta) => apply_delta(before, delta, tree.limits().bytes_max)
                    .ok_or_else(|| failed(Problem::Malformed("the binary delta does not apply")))?,
            };
            let removed = matches!(file.action, Action::Delete { .. });
            if !removed && object_id(&after) != *new_id {
                return Err(failed(Problem::Malformed("the binary edit does not give what its index line says")));
            }
            Ok(after.into())
        }
    }
}

/// The node at a path, which is not a way through symlinks.
fn node_at<'t>(tree: &'t Tree, path: &[u8]) -> Option<&'t Node> {
    let (parents, name) = match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&path[..0], path),
    };
    let mut directory = &tree.root;
    for name in parents.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
        match directory.entries.get(name)? {
            Node::Directory(next) => directory = next,
            _ => return None,
        }
    }
    directory.entries.get(name)
}

/// The directories on the way to a path, the outermost first.
fn parents(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'/')
        .map(|(slash, _)| &path[..slash])
        .collect::<Vec<_>>()
        .into_iter()
}

/// Removes a file, and each directory above it that is empty then.
fn remove(tree: &mut Tree, path: &[u8], now: Time) -> Result<(), TreeError> {
    tree.unlink(path, now)?;
    for parent in parents(path).rev() {
        match tree.rmdir(parent, now) {
            Ok(()) => {}
            Err(TreeError::NotEmpty) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn make(tree: &mut Tree, file: &FilePatch<'_>, made: Made, now: Time) -> Result<(), Problem> {
    let path = file.path();
    for parent in parents(path) {
        match node_at(tree, parent) {
            None => tree.mkdir(parent, now)?,
            Some(Node::Directory(_)) => {}
            Some(_) => return Err(Problem::Exists),
        }
    }
    let there = node_at(tree, path).is_some();
    if there && !matches!(file.action, Action::Modify { .. }) {
        return Err(Problem::Exists);
    }
    if made.kind == Kind::Symlink {
        if there {
            tree.unlink(path, now)?;
        }
        let blobs = tree.blobs.clone();
        let target = made.content.bytes(&*blobs).map_err(TreeError::from)?;
        return Ok(tree.symlink(&target, path, now)?);
    }
    tree.put(path, made.content, now)?;
    tree.set_executable(path, made.kind == Kind::Executable)?;
    Ok(())
}
