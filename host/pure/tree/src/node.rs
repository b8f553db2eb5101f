//! What a tree is made of. Nodes are shared between trees; whoever changes one copies it first if anybody else has it.
//!
//! A directory's digest is that of its entries in byte order, each as kind, length of the name, name, digest of what it names. So two
//! trees have the same root digest if and only if they hold the same names, kinds and bytes; ids and times do not count.

use crate::{Content, Digest, Name};
use assay_model::Time;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// What an entry is. These are the four modes that git keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A regular file with the executable bit.
    Executable,
    /// A symbolic link.
    Symlink,
}

impl Kind {
    /// A regular file, executable or not.
    #[must_use]
    pub const fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Executable)
    }
}

/// What `stat` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stat {
    /// Stays with an entry through renames and edits, and is given to nothing else in this tree. The root's is 1.
    pub id: u64,
    /// What it is.
    pub kind: Kind,
    /// Bytes of a file or of a symlink's target; 0 for a directory.
    pub size: u64,
    /// When its content, or the list of its entries, last changed.
    pub modified: Time,
}

#[derive(Clone)]
pub(crate) enum Node {
    Directory(Arc<Directory>),
    File(Arc<File>),
    Symlink(Arc<Symlink>),
}

#[derive(Clone)]
pub(crate) struct Directory {
    pub(crate) id: u64,
    pub(crate) modified: Time,
    pub(crate) entries: BTreeMap<Name, Node>,
    derived: Derived,
}

/// What follows from the entries, computed when asked for and forgotten when they change.
#[derive(Clone, Default)]
struct Derived {
    digest: OnceLock<Digest>,
    height: OnceLock<usize>,
}

#[derive(Clone)]
pub(crate) struct File {
    pub(crate) id: u64,
    pub(crate) modified: Time,
    pub(crate) executable: bool,
    content: Content,
    digest: OnceLock<Digest>,
}

#[derive(Clone)]
pub(crate) struct Symlink {
    pub(crate) id: u64,
    pub(crate) modified: Time,
    pub(crate) target: Arc<[u8]>,
}

/// A borrowed node, the root included.
#[derive(Clone, Copy)]
pub(crate) enum Found<'t> {
    Directory(&'t Arc<Directory>),
    File(&'t Arc<File>),
    Symlink(&'t Arc<Symlink>),
}

impl Node {
    pub(crate) const fn found(&self) -> Found<'_> {
        match self {
            Self::Directory(directory) => Found::Directory(directory),
            Self::File(file) => Found::File(file),
            Self::Symlink(link) => Found::Symlink(link),
        }
    }
}

impl Found<'_> {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Directory(_) => Kind::Directory,
            Self::File(file) => file.kind(),
            Self::Symlink(_) => Kind::Symlink,
        }
    }

    pub(crate) fn stat(self) -> Stat {
        let kind = self.kind();
        match self {
            Self::Directory(d) => Stat { id: d.id, kind, size: 0, modified: d.modified },
            Self::File(f) => Stat { id: f.id, kind, size: f.content.size(), modified: f.modified },
            Self::Symlink(l) => Stat { id: l.id, kind, size: l.target.len() as u64, modified: l.modified },
        }
    }

    fn digest(self) -> Digest {
        match self {
            Self::Directory(directory) => directory.digest(),
            Self::File(file) => file.digest(),
            Self::Symlink(link) => Digest::of(&link.target),
        }
    }
}

impl Directory {
    pub(crate) fn new(id: u64, modified: Time) -> Self {
        Self { id, modified, entries: BTreeMap::new(), derived: Derived::default() }
    }

    /// The directory to change, and nothing derived from what it was.
    pub(crate) fn to_mut(this: &mut Arc<Self>) -> &mut Self {
        let directory = Arc::make_mut(this);
        directory.derived = Derived::default();
        directory
    }

    pub(crate) fn digest(&self) -> Digest {
        *self.derived.digest.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            for (name, node) in &self.entries {
                let name = name.as_bytes();
                hasher.update(&[node.found().kind() as u8, name.len() as u8]);
                hasher.update(name);
                hasher.update(&node.found().digest().0);
            }
            hasher.finalize().into()
        })
    }

    /// Levels of entries below this directory: 0 when it is empty.
    pub(crate) fn height(&self) -> usize {
        *self.derived.height.get_or_init(|| {
            let below = |node: &Node| if let Node::Directory(directory) = node { directory.height() } else { 0 };
            self.entries.values().map(|node| 1 + below(node)).max().unwrap_or(0)
        })
    }
}

impl File {
    pub(crate) const fn new(id: u64, modified: Time, content: Content) -> Self {
        Self { id, modified, executable: false, content, digest: OnceLock::new() }
    }

    pub(crate) const fn content(&self) -> &Content {
        &self.content
    }

    pub(crate) const fn kind(&self) -> Kind {
        if self.executable { Kind::Executable } else { Kind::File }
    }

    /// Changes the content. `change` either fails before it changes anything or not at all.
    pub(crate) fn change<E>(&mut self, now: Time, change: impl FnOnce(&mut Content) -> Result<(), E>) -> Result<(), E> {
        change(&mut self.content)?;
        self.modified = now;
        self.digest = OnceLock::new();
        Ok(())
    }

    pub(crate) fn replace(&mut self, now: Time, content: Content) {
        self.content = content;
        self.modified = now;
        self.digest = OnceLock::new();
    }

    pub(crate) fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| self.content.digest())
    }
}
