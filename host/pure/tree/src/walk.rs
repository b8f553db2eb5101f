//! Going through a tree.

use crate::node::{Directory, Found, Node};
use crate::{Name, Stat};
use std::collections::btree_map;

/// Every entry below a directory with its path from there, depth first, names in byte order. Symlinks are not followed.
pub struct Walk<'t> {
    open: Vec<btree_map::Iter<'t, Name, Node>>,
    /// The path of the entry given last, and where its name began at each level.
    path: Vec<u8>,
    starts: Vec<usize>,
}

impl<'t> Walk<'t> {
    pub(crate) fn new(directory: &'t Directory) -> Self {
        Self { open: vec![directory.entries.iter()], path: Vec::new(), starts: vec![0] }
    }

    /// The next entry; its path is borrowed, since most are only looked at.
    pub(crate) fn advance(&mut self) -> Option<(&[u8], Found<'t>)> {
        loop {
            let (level, start) = (self.open.last_mut()?, *self.starts.last()?);
            let Some((name, node)) = level.next() else {
                self.open.pop();
                self.starts.pop();
                continue;
            };
            self.path.truncate(start);
            self.path.extend_from_slice(name.as_bytes());
            let length = self.path.len();
            if let Node::Directory(directory) = node {
                self.path.push(b'/');
                self.open.push(directory.entries.iter());
                self.starts.push(self.path.len());
            }
            return Some((&self.path[..length], node.found()));
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = (Vec<u8>, Stat);

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().map(|(path, found)| (path.to_vec(), found.stat()))
    }
}
