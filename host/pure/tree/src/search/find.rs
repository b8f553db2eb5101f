//! Entries by name.

use super::{ENTRY_PRICE, Glob, Meter, SearchError, pay};
use crate::resolve::Last;
use crate::{Kind, Stat, Tree, TreeError, Walk};

/// What to look for.
#[derive(Clone, Debug)]
pub struct FindQuery<'q> {
    /// Where; paths in the answer are relative to it.
    pub root: &'q [u8],
    /// Which names or paths; all without it.
    pub glob: Option<&'q Glob>,
    /// Which kinds; all without it.
    pub kinds: Option<&'q [Kind]>,
    /// Entries in the answer.
    pub entries_max: usize,
    /// Bytes of their paths.
    pub output_bytes_max: usize,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Path and what it is, depth first, names in byte order.
    pub entries: Vec<(Vec<u8>, Stat)>,
    /// There is more than `entries_max` or `output_bytes_max`.
    pub truncated: bool,
}

/// Looks through everything below a directory.
///
/// # Errors
/// When `root` is not a directory, and when the meter ends it.
pub fn find(tree: &Tree, query: &FindQuery<'_>, meter: &mut dyn Meter) -> Result<Found, SearchError> {
    let crate::node::Found::Directory(root) = tree.find(query.root, Last::Follow)? else {
        return Err(TreeError::NotADirectory.into());
    };
    let mut walk = Walk::new(root);
    let mut found = Found::default();
    let mut bytes = 0;
    while let Some((path, node)) = walk.advance() {
        pay(meter, ENTRY_PRICE + query.glob.map_or(0, |glob| glob.price(path)))?;
        let stat = node.stat();
        let is_kind = query.kinds.is_none_or(|kinds| kinds.contains(&stat.kind));
        if !is_kind || !query.glob.is_none_or(|glob| glob.matches(path)) {
            continue;
        }
        bytes += path.len();
        if found.entries.len() >= query.entries_max || bytes > query.output_bytes_max {
            found.truncated = true;
            break;
        }
        found.entries.push((path.to_vec(), stat));
    }
    Ok(found)
}
