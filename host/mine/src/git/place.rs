//! Where a repository's objects are, and what its names stand for.
//!
//! Read here and not by `git`, so that nothing else of the repository's own folder is ever looked at.

use std::path::{Path, PathBuf};

use assay_files::{Folder, Kind, Links, OpenError};
use thiserror::Error;

use super::parse::Oid;

/// Bytes of a file that holds one reference.
const REF_BYTES_MAX: u64 = 4096;
/// Bytes of `packed-refs`: the largest hosted repositories have some tens of megabytes.
const PACKED_BYTES_MAX: u64 = 64 << 20;
/// Entries of a folder of objects; a repository with more loose objects wants `git gc`.
const OBJECTS_MAX: usize = 1 << 20;
/// Depth of folders among the objects; git has two, such as `info/commit-graphs`.
const DEPTH_MAX: usize = 4;
/// How often a reference may stand for another.
const HOPS_MAX: usize = 5;

/// A repository that was found.
#[derive(Debug)]
pub(crate) struct Place {
    folder: Folder,
    /// The folder of objects, as an absolute path.
    pub(crate) objects: PathBuf,
}

/// Why there is no repository to read.
#[derive(Debug, Error)]
#[error("failed to read the repository {}: {why}", path.display())]
pub struct PlaceError {
    /// What was named.
    pub path: PathBuf,
    /// What is wrong.
    pub why: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// What git must not meet among the objects.
enum Unfit {
    /// Objects of others: named as such, or links, which git follows.
    Borrowed,
    /// A pipe, a socket or a device, by its path. Git would wait for it.
    NoFile(PathBuf),
    /// Folders within folders.
    Deep,
}

/// Looks through the folder of objects before git does: packs, indexes and loose objects, wherever they lie.
fn unfit(folder: &Folder, depth: usize) -> Result<Option<Unfit>, OpenError> {
    if depth > DEPTH_MAX {
        return Ok(Some(Unfit::Deep));
    }
    for name in folder.entries(OBJECTS_MAX)? {
        match folder.kind(&name)? {
            _ if depth > 0 && name == "alternates" => return Ok(Some(Unfit::Borrowed)),
            Some(Kind::Link) => return Ok(Some(Unfit::Borrowed)),
            Some(Kind::Other) => return Ok(Some(Unfit::NoFile(folder.path().join(&name)))),
            Some(Kind::Folder) => {
                if let Some(found) = unfit(&folder.folder(&name)?, depth + 1)? {
                    return Ok(Some(found));
                }
            }
            Some(Kind::File) | None => {}
        }
    }
    Ok(None)
}

impl Place {
    /// Finds the git folder: the folder itself where it is bare, else `.git` in it.
    pub(crate) fn find(path: &Path) -> Result<Self, PlaceError> {
        let refused = |why: String, hint: &'static str| PlaceError { path: path.to_owned(), why, hint };
        let named = |error: OpenError| refused(error.to_string(), "name the folder of a git repository");
        let folder = Folder::open(path, Links::Followed).map_err(named)?;
        let is_bare = folder.kind("objects").is_ok_and(|kind| kind == Some(Kind::Folder))
            && folder.kind("HEAD").is_ok_and(|kind| kind == Some(Kind::File));
        let folder = match folder.kind(".git").map_err(named)? {
            Some(Kind::Folder) => folder.folder(".git").map_err(named)?,
            _ if is_bare => folder,
            Some(_) => {
                let why = "its .git is a file or a link that points to another folder".to_owned();
                return Err(refused(why, "name the main repository instead of a linked working tree or a submodule"));
            }
            None => return Err(refused("it has no .git".to_owned(), "name the folder of a git repository")),
        };
        let objects = folder.folder("objects").map_err(|error| {
            refused(format!("its folder of objects: {error}"), "clone the repository and name the clone")
        })?;
        let copy = "make a full copy of it: git clone --no-local --no-hardlinks REPOSITORY COPY";
        match unfit(&objects, 0).map_err(named)? {
            None => {}
            Some(Unfit::Borrowed) => {
                let why = "it borrows objects from elsewhere (objects/info/alternates, or links among its objects)";
                return Err(refused(why.to_owned(), copy));
            }
            Some(Unfit::NoFile(path)) => {
                let why = format!("{} is a pipe, a socket or a device", path.display());
                return Err(refused(why, "remove it: no repository of git has such a thing among its objects"));
            }
            Some(Unfit::Deep) => {
                let why = format!("its folder of objects has folders more than {DEPTH_MAX} deep");
                return Err(refused(why, copy));
            }
        }
        let absolute = objects.path().canonicalize().map_err(|error| named(error.into()))?;
        Ok(Self { objects: absolute, folder })
    }

    /// The object that `name` (a branch, a tag, or an id written in full) stands for; `HEAD` where none is given.
    pub(crate) fn resolve(&self, name: Option<&str>) -> Result<Oid, PlaceError> {
        let refused = |why: String| PlaceError {
            path: self.folder.path().to_owned(),
            why,
            hint: "name a branch, a tag or a full commit id with --from",
        };
        let tries: Vec<String> = match name {
            None => vec!["HEAD".to_owned()],
            Some(name) => {
                if let Ok(id) = name.parse() {
                    return Ok(id);
                }
                ["refs/heads/", "refs/tags/", "refs/remotes/", "refs/"].map(|prefix| format!("{prefix}{name}")).to_vec()
            }
        };
        for reference in &tries {
            if let Some(id) = self.follow(reference).map_err(refused)? {
                return Ok(id);
            }
        }
        let name = name.unwrap_or("HEAD");
        Err(refused(format!("`{name}` names no commit of it")))
    }

    fn follow(&self, reference: &str) -> Result<Option<Oid>, String> {
        let mut reference = reference.to_owned();
        for _ in 0..HOPS_MAX {
            let text = match self.loose(&reference)? {
                Some(text) => text,
                None => return self.packed(&reference),
            };
            match text.trim().strip_prefix("ref:") {
                Some(next) => next.trim().clone_into(&mut reference),
                None => {
                    return text.trim().parse().map(Some).map_err(|()| format!("{reference} holds no object's id"));
                }
            }
        }
        Err(format!("{reference} stands for other names without an end"))
    }

    /// The text of a reference's own file.
    fn loose(&self, reference: &str) -> Result<Option<String>, String> {
        let is_plain = !reference.is_empty() && reference.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !is_plain || reference.contains('\0') {
            return Err(format!("`{}` is not the name of a reference", reference.escape_debug()));
        }
        let mut parts: Vec<&str> = reference.split('/').collect();
        let Some(last) = parts.pop() else { return Ok(None) };
        let mut inner: Option<Folder> = None;
        for part in parts {
            match inner.as_ref().unwrap_or(&self.folder).folder(part) {
                Ok(next) => inner = Some(next),
                Err(OpenError::Missing | OpenError::NotAFolder) => return Ok(None),
                Err(error) => return Err(format!("{reference}: {error}")),
            }
        }
        match inner.as_ref().unwrap_or(&self.folder).read_text(last, REF_BYTES_MAX) {
            Ok(text) => Ok(Some(text)),
            Err(OpenError::Missing | OpenError::NotAFile) => Ok(None),
            Err(error) => Err(format!("{reference}: {error}")),
        }
    }

    fn packed(&self, reference: &str) -> Result<Option<Oid>, String> {
        let bytes = match self.folder.read("packed-refs", PACKED_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(OpenError::Missing) => return Ok(None),
            Err(error) => return Err(format!("packed-refs: {error}")),
        };
        let text = String::from_utf8_lossy(&bytes);
        let found = text.lines().find_map(|line| line.split_once(' ').filter(|(_, name)| *name == reference));
        Ok(found.and_then(|(id, _)| id.parse().ok()))
    }
}
