//! What one can do to a tree: the operations of a file system, as Linux answers them, except where noted.
//!
//! Every operation checks first and changes then: an error leaves the tree as it was. A changed entry's time is the `now` of the change.

use crate::node::{Directory, File, Found, Node, Symlink};
use crate::resolve::{Last, Place, check_length, resolve};
use crate::{BlobError, Blobs, Content, DEPTH_MAX, Kind, Name, Tree, TreeError, Usage};
use assay_model::Time;
use std::sync::Arc;

const UNNAMED: &str = "the root, . and .. cannot be removed or renamed";

impl Tree {
    /// An empty file, as `open` with `O_CREAT | O_EXCL`.
    ///
    /// # Errors
    /// `EEXIST`, even for a symlink to nothing; `EISDIR` if the path ends in `/`; `ENOSPC`.
    pub fn create(&mut self, path: &[u8], now: Time) -> Result<(), TreeError> {
        let Place { names, found, slash, dotted } = resolve(&self.root, path, Last::Keep)?;
        match found {
            _ if slash && !dotted => return Err(TreeError::IsADirectory),
            Some(_) => return Err(TreeError::Exists),
            None => {}
        }
        self.insert(&names, 0, now, |id| Node::File(Arc::new(File::new(id, now, b"".into()))))
    }

    /// Gives a file this content, whatever it had; makes the file if there is none. The executable bit stays.
    ///
    /// # Errors
    /// `EISDIR`, `ENOSPC`.
    pub fn put(&mut self, path: &[u8], content: Content, now: Time) -> Result<(), TreeError> {
        let Place { names, found, slash, .. } = resolve(&self.root, path, Last::FollowToMake)?;
        match found {
            _ if slash => Err(TreeError::IsADirectory),
            Some(Found::File(file)) => {
                let bytes = self.bytes_after(file.content().size(), content.size())?;
                self.file_mut(&names).replace(now, content);
                self.used.bytes = bytes;
                Ok(())
            }
            Some(_) => Err(TreeError::IsADirectory),
            None => self.insert(&names, content.size(), now, |id| Node::File(Arc::new(File::new(id, now, content)))),
        }
    }

    /// Writes `data` at `offset`; a gap before it reads as zeros.
    ///
    /// # Errors
    /// `EISDIR`, `ENOSPC`; `EIO` if the content cannot be loaded.
    pub fn write(&mut self, path: &[u8], offset: u64, data: &[u8], now: Time) -> Result<(), TreeError> {
        self.edit(
            path,
            now,
            |size| offset.saturating_add(data.len() as u64).max(size),
            |content, blobs| content.write(blobs, offset, data),
        )
    }

    /// Writes `data` behind the last byte and returns the offset at which it begins.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn append(&mut self, path: &[u8], data: &[u8], now: Time) -> Result<u64, TreeError> {
        let size = self.find_file(path)?.content().size();
        self.write(path, size, data, now).map(|()| size)
    }

    /// Cuts a file, or fills it up with zeros.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn truncate(&mut self, path: &[u8], size: u64, now: Time) -> Result<(), TreeError> {
        self.edit(path, now, |_| size, |content, blobs| content.resize(blobs, size))
    }

    /// Sets or clears the executable bit of a file.
    ///
    /// # Errors
    /// `EISDIR`: a directory's mode is fixed.
    pub fn set_executable(&mut self, path: &[u8], executable: bool) -> Result<(), TreeError> {
        let names = self.find_place(path)?;
        self.find_file(path)?;
        self.file_mut(&names).executable = executable;
        Ok(())
    }

    /// Sets when something last changed, as `utimensat` does; symlinks are followed.
    ///
    /// # Errors
    /// Only as [`stat`](Self::stat).
    pub fn set_modified(&mut self, path: &[u8], modified: Time) -> Result<(), TreeError> {
        let names = self.find_place(path)?;
        let Some((name, parent)) = names.split_last() else {
            Directory::to_mut(&mut self.root).modified = modified;
            return Ok(());
        };
        match self.directory_mut(parent).entries.get_mut(name) {
            Some(Node::Directory(directory)) => Directory::to_mut(directory).modified = modified,
            Some(Node::File(file)) => Arc::make_mut(file).modified = modified,
            Some(Node::Symlink(link)) => Arc::make_mut(link).modified = modified,
            None => unreachable!("it has just been found"),
        }
        Ok(())
    }

    /// An empty directory.
    ///
    /// # Errors
    /// `EEXIST`, `ENOSPC`; `ENAMETOOLONG` beyond [`DEPTH_MAX`].
    pub fn mkdir(&mut self, path: &[u8], now: Time) -> Result<(), TreeError> {
        let (names, _) = self.vacant(path)?;
        self.insert(&names, 0, now, |id| Node::Directory(Arc::new(Directory::new(id, now))))
    }

    /// Every directory of this path that is not there yet, as `mkdir -p`.
    ///
    /// # Errors
    /// `ENOTDIR` or `EEXIST` where something else is in the way; as [`mkdir`](Self::mkdir). What was made before stays.
    pub fn mkdir_all(&mut self, path: &[u8], now: Time) -> Result<(), TreeError> {
        match self.stat(path) {
            Ok(stat) if stat.kind == Kind::Directory => return Ok(()),
            Ok(_) => return Err(TreeError::Exists),
            Err(TreeError::NotFound) => {}
            Err(error) => return Err(error),
        }
        let ends =
            (1..=path.len()).filter(|end| path[end - 1] != b'/' && path.get(*end).is_none_or(|next| *next == b'/'));
        for end in ends {
            match self.mkdir(&path[..end], now) {
                Ok(()) | Err(TreeError::Exists) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// A symlink. Its target is kept as it is and need not exist.
    ///
    /// # Errors
    /// `EEXIST`, `ENOSPC`; `ENOENT` for an empty target or a path that ends in `/`.
    pub fn symlink(&mut self, target: &[u8], path: &[u8], now: Time) -> Result<(), TreeError> {
        check_length(target)?;
        let (names, slash) = self.vacant(path)?;
        if slash {
            return Err(TreeError::NotFound);
        }
        let target: Arc<[u8]> = target.into();
        let link = |id| Node::Symlink(Arc::new(Symlink { id, modified: now, target: target.clone() }));
        self.insert(&names, target.len() as u64, now, link)
    }

    /// Removes a file or symlink.
    ///
    /// # Errors
    /// `EISDIR`; `ENOTDIR` if the path ends in `/`.
    pub fn unlink(&mut self, path: &[u8], now: Time) -> Result<(), TreeError> {
        let Place { names, found, slash, .. } = resolve(&self.root, path, Last::Keep)?;
        match found.ok_or(TreeError::NotFound)? {
            Found::Directory(_) => return Err(TreeError::IsADirectory),
            _ if slash => return Err(TreeError::NotADirectory),
            _ => {}
        }
        self.remove(&names, now);
        Ok(())
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// `ENOTEMPTY`, `ENOTDIR`; `EINVAL` for the root and for paths that end in `.` or `..`.
    pub fn rmdir(&mut self, path: &[u8], now: Time) -> Result<(), TreeError> {
        let Place { names, found, dotted, .. } = resolve(&self.root, path, Last::Keep)?;
        match found.ok_or(TreeError::NotFound)? {
            Found::Directory(_) if dotted || names.is_empty() => return Err(TreeError::Invalid(UNNAMED)),
            Found::Directory(directory) if !directory.entries.is_empty() => return Err(TreeError::NotEmpty),
            Found::Directory(_) => {}
            _ => return Err(TreeError::NotADirectory),
        }
        self.remove(&names, now);
        Ok(())
    }

    /// Moves an entry, over what is there if that is of the same sort: a file or symlink over another, a directory over an empty one.
    ///
    /// # Errors
    /// `ENOTDIR`, `EISDIR`, `ENOTEMPTY`; `EINVAL` for the root, paths that end in `.` or `..`, and a directory into itself;
    /// `ENAMETOOLONG` if something would come to lie deeper than [`DEPTH_MAX`].
    pub fn rename(&mut self, from: &[u8], to: &[u8], now: Time) -> Result<(), TreeError> {
        let source = resolve(&self.root, from, Last::Keep)?;
        let target = resolve(&self.root, to, Last::Keep)?;
        if source.dotted || target.dotted || source.names.is_empty() || target.names.is_empty() {
            return Err(TreeError::Invalid(UNNAMED));
        }
        let moved = source.found.ok_or(TreeError::NotFound)?;
        let height = match moved {
            Found::Directory(directory) if source.names != target.names => {
                if target.names.starts_with(&source.names) {
                    return Err(TreeError::Invalid("a directory cannot go into itself"));
                }
                directory.height()
            }
            Found::Directory(_) => 0,
            _ if source.slash || target.slash => return Err(TreeError::NotADirectory),
            _ => 0,
        };
        match (moved, target.found) {
            (_, None) => {}
            _ if source.names == target.names => return Ok(()),
            (_, Some(_)) if source.names.starts_with(&target.names) => return Err(TreeError::NotEmpty),
            (Found::Directory(_), Some(Found::Directory(there))) if there.entries.is_empty() => {}
            (Found::Directory(_), Some(Found::Directory(_))) => return Err(TreeError::NotEmpty),
            (Found::Directory(_), Some(_)) => return Err(TreeError::NotADirectory),
            (_, Some(Found::Directory(_))) => return Err(TreeError::IsADirectory),
            (_, Some(_)) => {}
        }
        check_depth(target.names.len() + height)?;
        let (source, replaced, target) = (source.names, target.found.is_some(), target.names);
        if replaced {
            self.remove(&target, now);
        }
        let node = self.take(&source, now);
        self.attach(&target, node, now);
        Ok(())
    }
}

/// What the operations are made of. Names are those of a [`Place`]: every directory on the way exists.
impl Tree {
    fn find_place(&self, path: &[u8]) -> Result<Vec<Name>, TreeError> {
        resolve(&self.root, path, Last::Follow)?.existing().map(|(names, _)| names)
    }

    /// Names for something new, and whether the path ended in `/`.
    fn vacant(&self, path: &[u8]) -> Result<(Vec<Name>, bool), TreeError> {
        let place = resolve(&self.root, path, Last::Keep)?;
        if place.found.is_some() { Err(TreeError::Exists) } else { Ok((place.names, place.slash)) }
    }

    fn edit(
        &mut self,
        path: &[u8],
        now: Time,
        size_after: impl FnOnce(u64) -> u64,
        change: impl FnOnce(&mut Content, &dyn Blobs) -> Result<(), BlobError>,
    ) -> Result<(), TreeError> {
        let names = self.find_place(path)?;
        let file = self.find_file(path)?;
        let size = file.content().size();
        let bytes = self.bytes_after(size, size_after(size))?;
        let blobs = self.blobs.clone();
        self.file_mut(&names).change(now, |content| change(content, &*blobs))?;
        self.used.bytes = bytes;
        Ok(())
    }

    fn bytes_after(&self, before: u64, after: u64) -> Result<u64, TreeError> {
        let max = self.limits.bytes_max;
        let bytes = (self.used.bytes - before).saturating_add(after);
        // Shrinking is always allowed, or a tree over its limit could not be repaired.
        if bytes > max && after > before { Err(TreeError::NoSpace { max, unit: "bytes" }) } else { Ok(bytes) }
    }

    fn insert(
        &mut self,
        names: &[Name],
        size: u64,
        now: Time,
        make: impl FnOnce(u64) -> Node,
    ) -> Result<(), TreeError> {
        check_depth(names.len())?;
        let bytes = self.bytes_after(0, size)?;
        let max = self.limits.inodes_max;
        if self.used.inodes >= max {
            return Err(TreeError::NoSpace { max, unit: "files and directories" });
        }
        self.used = Usage { bytes, inodes: self.used.inodes + 1 };
        let node = make(self.next_id);
        self.next_id += 1;
        self.attach(names, node, now);
        Ok(())
    }

    fn attach(&mut self, names: &[Name], node: Node, now: Time) {
        let (name, parent) = split(names);
        let parent = self.directory_mut(parent);
        parent.modified = now;
        parent.entries.insert(name.clone(), node);
    }

    fn take(&mut self, names: &[Name], now: Time) -> Node {
        let (name, parent) = split(names);
        let parent = self.directory_mut(parent);
        parent.modified = now;
        parent.entries.remove(name).expect("what is taken has just been found")
    }

    /// Takes out a file, a symlink or an empty directory.
    fn remove(&mut self, names: &[Name], now: Time) {
        let stat = self.take(names, now).found().stat();
        self.used.bytes -= stat.size;
        self.used.inodes -= 1;
    }

    fn directory_mut(&mut self, names: &[Name]) -> &mut Directory {
        let mut directory = Directory::to_mut(&mut self.root);
        for name in names {
            directory = match directory.entries.get_mut(name) {
                Some(Node::Directory(next)) => Directory::to_mut(next),
                _ => unreachable!("a place's parents are directories"),
            };
        }
        directory
    }

    fn file_mut(&mut self, names: &[Name]) -> &mut File {
        let (name, parent) = split(names);
        match self.directory_mut(parent).entries.get_mut(name) {
            Some(Node::File(file)) => Arc::make_mut(file),
            _ => unreachable!("the file has just been found"),
        }
    }
}

fn split(names: &[Name]) -> (&Name, &[Name]) {
    names.split_last().expect("only a directory has no name, and what comes here is none or is to be named")
}

fn check_depth(depth: usize) -> Result<(), TreeError> {
    if depth > DEPTH_MAX {
        Err(TreeError::NameTooLong { max: DEPTH_MAX, unit: "levels of directories" })
    } else {
        Ok(())
    }
}
