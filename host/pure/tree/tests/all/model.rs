//! The tree against a map from canonical paths to entries, by random operations, with forks on the way.

use crate::operation::{Answer, LIMITS, NOW, Operation, operations, paths, perform};
use assay_tree::{Content, Kind, Tree, Usage};
use proptest::prelude::*;
use std::collections::BTreeMap;

type Path = Vec<Vec<u8>>;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Entry {
    Directory,
    File(Vec<u8>, bool),
    Symlink(Vec<u8>),
}

/// The root is not in the map.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Model(BTreeMap<Path, Entry>);

struct Place {
    path: Path,
    slash: bool,
    dotted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    Always,
    UnlessSlash,
    Never,
}

type Errno = &'static str;

impl Model {
    fn entry(&self, path: &Path) -> Option<&Entry> {
        if path.is_empty() { Some(&Entry::Directory) } else { self.0.get(path) }
    }

    /// Step by step from `at`. The last step's symlink is followed or not.
    fn go(&self, mut at: Path, text: &[u8], follow: Follow, links: &mut u32) -> Result<Place, Errno> {
        if text.is_empty() {
            return Err("ENOENT");
        }
        if text.starts_with(b"/") {
            at.clear();
        }
        let steps: Vec<&[u8]> = text.split(|byte| *byte == b'/').filter(|step| !step.is_empty()).collect();
        let mut slash = text.ends_with(b"/");
        let mut dotted = steps.is_empty();
        for (index, step) in steps.iter().enumerate() {
            let last = index + 1 == steps.len();
            match self.entry(&at) {
                None => return Err("ENOENT"),
                Some(Entry::Directory) => {}
                Some(_) => return Err("ENOTDIR"),
            }
            dotted = *step == b"." || *step == b"..";
            if *step == b".." {
                at.pop();
            }
            if dotted {
                continue;
            }
            let parent = at.clone();
            at.push(step.to_vec());
            if let Some(Entry::Symlink(target)) = self.entry(&at).cloned()
                && (!last || follow == Follow::Always || (follow == Follow::UnlessSlash && !slash))
            {
                *links += 1;
                if *links > 40 {
                    return Err("ELOOP");
                }
                let inner = if last { follow } else { Follow::Always };
                let place = self.go(parent, &target, inner, links)?;
                at = place.path;
                slash |= last && place.slash;
            }
        }
        Ok(Place { path: at, slash, dotted })
    }

    fn follow(&self, text: &[u8]) -> Result<Place, Errno> {
        self.go(Vec::new(), text, Follow::Always, &mut 0)
    }

    fn keep(&self, text: &[u8]) -> Result<Place, Errno> {
        self.go(Vec::new(), text, Follow::Never, &mut 0)
    }

    fn existing(&self, place: Place) -> Result<(Path, &Entry), Errno> {
        match self.entry(&place.path).ok_or("ENOENT")? {
            Entry::File(..) | Entry::Symlink(_) if place.slash => Err("ENOTDIR"),
            entry => Ok((place.path, entry)),
        }
    }

    fn vacant(&self, text: &[u8]) -> Result<Place, Errno> {
        let place = self.keep(text)?;
        if self.entry(&place.path).is_some() { Err("EEXIST") } else { Ok(place) }
    }

    fn children(&self, path: &Path) -> impl Iterator<Item = &Path> {
        self.0.keys().filter(move |key| key.len() == path.len() + 1 && key.starts_with(path))
    }

    fn perform(&mut self, operation: &Operation) -> Result<Answer, Errno> {
        match operation {
            Operation::Create(text) => {
                let place = self.keep(text)?;
                if place.slash && !place.dotted {
                    return Err("EISDIR");
                }
                if self.entry(&place.path).is_some() {
                    return Err("EEXIST");
                }
                self.0.insert(place.path, Entry::File(Vec::new(), false));
            }
            Operation::Put(text, bytes) => {
                let place = self.go(Vec::new(), text, Follow::UnlessSlash, &mut 0)?;
                match self.entry(&place.path) {
                    Some(Entry::File(_, executable)) if !place.slash => {
                        let executable = *executable;
                        self.0.insert(place.path, Entry::File(bytes.clone(), executable));
                    }
                    None if !place.slash => {
                        self.0.insert(place.path, Entry::File(bytes.clone(), false));
                    }
                    _ => return Err("EISDIR"),
                }
            }
            Operation::Write(text, offset, bytes) => {
                let file = self.file(text)?;
                let (start, end) = (*offset as usize, *offset as usize + bytes.len());
                file.0.resize(file.0.len().max(end), 0);
                file.0[start..end].copy_from_slice(bytes);
            }
            Operation::Truncate(text, size) => self.file(text)?.0.resize(*size as usize, 0),
            Operation::SetExecutable(text, executable) => *self.file(text)?.1 = *executable,
            Operation::Mkdir(text) => {
                let place = self.vacant(text)?;
                self.0.insert(place.path, Entry::Directory);
            }
            Operation::Symlink(target, text) => {
                if target.is_empty() {
                    return Err("ENOENT");
                }
                let place = self.vacant(text)?;
                if place.slash {
                    return Err("ENOENT");
                }
                self.0.insert(place.path, Entry::Symlink(target.clone()));
            }
            Operation::Rmdir(text) => self.rmdir(text)?,
            Operation::Unlink(text) => {
                let place = self.keep(text)?;
                match self.entry(&place.path) {
                    None => return Err("ENOENT"),
                    Some(Entry::Directory) => return Err("EISDIR"),
                    Some(_) if place.slash => return Err("ENOTDIR"),
                    Some(_) => self.0.remove(&place.path),
                };
            }
            Operation::Rename(from, to) => self.rename(from, to)?,
            _ => return self.ask(operation),
        }
        Ok(Answer::Done)
    }

    fn ask(&mut self, operation: &Operation) -> Result<Answer, Errno> {
        match operation {
            Operation::Read(text) => self.file(text).map(|file| Answer::Bytes(file.0.clone())),
            Operation::Readlink(text) => {
                let place = if text.ends_with(b"/") { self.follow(text)? } else { self.keep(text)? };
                match self.existing(place)? {
                    (_, Entry::Symlink(target)) => Ok(Answer::Bytes(target.clone())),
                    _ => Err("EINVAL"),
                }
            }
            Operation::Readdir(text) => match self.existing(self.follow(text)?)? {
                (path, Entry::Directory) => {
                    Ok(Answer::Names(self.children(&path).filter_map(|path| path.last().cloned()).collect()))
                }
                _ => Err("ENOTDIR"),
            },
            Operation::Lstat(text) if !text.ends_with(b"/") => self.is(self.keep(text)?),
            Operation::Stat(text) | Operation::Lstat(text) => self.is(self.follow(text)?),
            _ => unreachable!("the rest changes things"),
        }
    }

    fn is(&self, place: Place) -> Result<Answer, Errno> {
        match self.existing(place)?.1 {
            Entry::Directory => Ok(Answer::Is(Kind::Directory, 0)),
            Entry::File(bytes, false) => Ok(Answer::Is(Kind::File, bytes.len() as u64)),
            Entry::File(bytes, true) => Ok(Answer::Is(Kind::Executable, bytes.len() as u64)),
            Entry::Symlink(target) => Ok(Answer::Is(Kind::Symlink, target.len() as u64)),
        }
    }

    fn file(&mut self, text: &[u8]) -> Result<(&mut Vec<u8>, &mut bool), Errno> {
        let (path, entry) = self.existing(self.follow(text)?)?;
        if *entry == Entry::Directory {
            return Err("EISDIR");
        }
        match self.0.get_mut(&path) {
            Some(Entry::File(bytes, executable)) => Ok((bytes, executable)),
            _ => unreachable!("symlinks have been followed"),
        }
    }

    fn rmdir(&mut self, text: &[u8]) -> Result<(), Errno> {
        let place = self.keep(text)?;
        match self.entry(&place.path) {
            None => return Err("ENOENT"),
            Some(Entry::Directory) => {}
            Some(_) => return Err("ENOTDIR"),
        }
        if place.dotted || place.path.is_empty() {
            return Err("EINVAL");
        }
        if self.children(&place.path).next().is_some() {
            return Err("ENOTEMPTY");
        }
        self.0.remove(&place.path);
        Ok(())
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Errno> {
        let (from, to) = (self.keep(from)?, self.keep(to)?);
        if from.dotted || to.dotted || from.path.is_empty() || to.path.is_empty() {
            return Err("EINVAL");
        }
        let moved = self.entry(&from.path).cloned().ok_or("ENOENT")?;
        let is_directory = moved == Entry::Directory;
        if is_directory && to.path != from.path && to.path.starts_with(&from.path) {
            return Err("EINVAL");
        }
        if !is_directory && (from.slash || to.slash) {
            return Err("ENOTDIR");
        }
        if from.path == to.path {
            return Ok(());
        }
        match self.entry(&to.path) {
            // An ancestor holds at least what is moved.
            Some(_) if from.path.starts_with(&to.path) => return Err("ENOTEMPTY"),
            Some(Entry::Directory) if !is_directory => return Err("EISDIR"),
            Some(Entry::Directory) if self.children(&to.path).next().is_some() => return Err("ENOTEMPTY"),
            Some(Entry::File(..) | Entry::Symlink(_)) if is_directory => return Err("ENOTDIR"),
            _ => {}
        }
        let keys: Vec<Path> = self.0.keys().filter(|key| key.starts_with(&from.path)).cloned().collect();
        for key in keys {
            let entry = self.0.remove(&key).expect("the key has just been listed");
            self.0.insert([&to.path, &key[from.path.len()..]].concat(), entry);
        }
        Ok(())
    }

    /// The same, made anew by the shortest way.
    fn build(&self) -> Tree {
        let mut tree = Tree::new(LIMITS);
        for (path, entry) in &self.0 {
            let path = path.join(&b'/');
            match entry {
                Entry::Directory => tree.mkdir(&path, NOW),
                Entry::Symlink(target) => tree.symlink(target, &path, NOW),
                Entry::File(bytes, executable) => tree
                    .put(&path, Content::from(&bytes[..]), NOW)
                    .and_then(|()| tree.set_executable(&path, *executable)),
            }
            .expect("a model is a tree");
        }
        tree
    }

    fn used(&self) -> Usage {
        let bytes = self.0.values().map(|entry| match entry {
            Entry::Directory => 0,
            Entry::File(bytes, _) | Entry::Symlink(bytes) => bytes.len() as u64,
        });
        Usage { bytes: bytes.sum(), inodes: self.0.len() as u64 }
    }
}

#[track_caller]
fn check(tree: &Tree, model: &Model) {
    let walked: Vec<Vec<u8>> = tree.walk(b"/").expect("the root is a directory").map(|(path, _)| path).collect();
    let keys: Vec<Vec<u8>> = model.0.keys().map(|path| path.join(&b'/')).collect();
    assert_eq!(walked, keys);
    assert_eq!(tree.used(), model.used());
    assert_eq!(tree.digest(), model.build().digest(), "same entries, other digest");
}

const NAMES: &[&str] = &["a", "b", "c", "d", ".", "..", ""];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_as_the_model_and_forks_stay_as_they_were(
        operations in operations(paths(NAMES, true), paths(NAMES, true)),
        fork_every in 1_usize..12,
    ) {
        let (mut tree, mut model) = (Tree::new(LIMITS), Model::default());
        let mut forks = Vec::new();
        for (index, operation) in operations.iter().enumerate() {
            if index % fork_every == 0 {
                forks.push((tree.fork(), model.clone()));
            }
            let answer = perform(&mut tree, operation).map_err(|error| error.errno_name());
            prop_assert_eq!(answer, model.perform(operation), "{:?}", operation);
        }
        forks.push((tree, model));
        for (tree, model) in &forks {
            check(tree, model);
        }
        // Equal trees, equal digests, and only they.
        for (one, one_model) in &forks {
            for (other, other_model) in &forks {
                prop_assert_eq!(one.digest() == other.digest(), one_model == other_model);
            }
        }
    }
}
