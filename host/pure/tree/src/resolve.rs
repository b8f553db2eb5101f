//! From a path to its place in the tree, as Linux does it: component by component, following symlinks, never above the root.
//!
//! Every path starts at the root, whether or not it begins with `/`: a tree has no working directory.

use crate::node::{Directory, Found, Node};
use crate::{NAME_MAX, Name, PATH_MAX, SYMLINK_BYTES_FOLLOWED_MAX, SYMLINKS_FOLLOWED_MAX, TreeError};
use std::sync::Arc;

/// What to do with a symlink at the very end of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    /// Go where it points; what is missing there is the place.
    Follow,
    /// As `Follow`, but a `/` after the link ends it there: what `open` makes is never a directory, so it need not look.
    FollowToMake,
    /// The link itself is the place.
    Keep,
}

impl Last {
    fn follows(self, slash: bool) -> bool {
        self == Self::Follow || (self == Self::FollowToMake && !slash)
    }

    /// To look at a path without following it; a `/` at its end means what a symlink leads to all the same.
    pub(crate) fn of(path: &[u8]) -> Self {
        if path.ends_with(b"/") { Self::Follow } else { Self::Keep }
    }
}

/// Where a path leads. The parent always exists.
pub(crate) struct Place<'t> {
    /// From the root, without symlinks and dots; empty for the root.
    pub(crate) names: Vec<Name>,
    /// What is there; `None` if only the parent exists.
    pub(crate) found: Option<Found<'t>>,
    /// The path ended in `/`, so it can only mean a directory.
    pub(crate) slash: bool,
    /// The path ended in `.` or `..`, or was the root: an entry that cannot be removed or renamed by this path.
    pub(crate) dotted: bool,
}

impl<'t> Place<'t> {
    /// What is there, for whoever needs it to be.
    pub(crate) fn existing(self) -> Result<(Vec<Name>, Found<'t>), TreeError> {
        match self.found.ok_or(TreeError::NotFound)? {
            Found::File(_) | Found::Symlink(_) if self.slash => Err(TreeError::NotADirectory),
            found => Ok((self.names, found)),
        }
    }
}

/// Checks what can be said of a path or a symlink's target without a tree.
pub(crate) fn check_length(path: &[u8]) -> Result<(), TreeError> {
    match path {
        [] => Err(TreeError::NotFound),
        _ if path.len() >= PATH_MAX => Err(TreeError::NameTooLong { max: PATH_MAX - 1, unit: "bytes in a path" }),
        _ if path.contains(&0) => Err(TreeError::Invalid("a path must not contain a zero byte")),
        _ => Ok(()),
    }
}

pub(crate) fn resolve<'t>(root: &'t Arc<Directory>, path: &[u8], last: Last) -> Result<Place<'t>, TreeError> {
    check_length(path)?;
    let mut rest = path.to_vec();
    let mut at = 0;
    let (mut followed, mut target_bytes) = (0, 0);
    let mut names: Vec<Name> = Vec::new();
    let mut directories = vec![root];
    let mut dotted = true;
    loop {
        at += rest[at..].iter().take_while(|byte| **byte == b'/').count();
        let here = directories[directories.len() - 1];
        let length = rest[at..].iter().take_while(|byte| **byte != b'/').count();
        if length == 0 {
            return Ok(Place { names, found: Some(Found::Directory(here)), slash: path.ends_with(b"/"), dotted });
        }
        let component = &rest[at..at + length];
        at += length;
        let is_last = rest[at..].iter().all(|byte| *byte == b'/');
        let slash = is_last && at < rest.len();
        dotted = matches!(component, b"." | b"..");
        if dotted {
            if component == b".." && names.pop().is_some() {
                directories.pop();
            }
            continue;
        }
        if length > NAME_MAX {
            return Err(TreeError::NameTooLong { max: NAME_MAX, unit: "bytes in a name" });
        }
        let found = match here.entries.get_key_value(component) {
            None if is_last => {
                names.push(Name::new(component)?);
                return Ok(Place { names, found: None, slash, dotted });
            }
            None => return Err(TreeError::NotFound),
            Some((name, Node::Directory(directory))) => {
                names.push(name.clone());
                directories.push(directory);
                continue;
            }
            Some((_, Node::Symlink(link))) if !is_last || last.follows(slash) => {
                followed += 1;
                target_bytes += link.target.len();
                if followed > SYMLINKS_FOLLOWED_MAX || target_bytes > SYMLINK_BYTES_FOLLOWED_MAX {
                    return Err(TreeError::Loop);
                }
                rest = [&link.target[..], &rest[at..]].concat();
                at = 0;
                if rest.starts_with(b"/") {
                    names.clear();
                    directories.truncate(1);
                }
                continue;
            }
            Some((_, Node::File(_))) if !is_last => return Err(TreeError::NotADirectory),
            Some((name, node)) => {
                names.push(name.clone());
                node.found()
            }
        };
        return Ok(Place { names, found: Some(found), slash, dotted });
    }
}
