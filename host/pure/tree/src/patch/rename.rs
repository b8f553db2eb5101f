//! Which deleted file came back under another name. First those with equal bytes, then those at least half alike.

use super::difference::{Change, Placed};
use crate::{BlobError, Digest};
use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};

/// Below this share of common bytes two files are not called a rename; git's default.
const SIMILARITY_PERCENT_MIN: u64 = 50;
/// Above this many pairs only equal files are looked for: the comparison is quadratic.
const PAIRS_MAX: usize = 20_000;
/// Above this many steps of it, too; a step is a line of one of the files that a pair is made of.
const STEPS_MAX: usize = 50_000_000;
/// Larger files are renames only if they are equal.
const BYTES_MAX: u64 = 1 << 20;

/// Turns deletions and additions into renames where they are, and into changes all of them.
pub(super) fn pair<'t>(
    deleted: Vec<Placed<'t>>,
    added: Vec<Placed<'t>>,
    changes: &mut Vec<Change<'t>>,
) -> Result<(), BlobError> {
    let mut deleted: Vec<Option<Placed<'t>>> = deleted.into_iter().map(Some).collect();
    let mut added: Vec<Option<Placed<'t>>> = added.into_iter().map(Some).collect();
    let mut couple = |deleted: &mut Option<Placed<'t>>, added: &mut Option<Placed<'t>>, similarity_percent| {
        if deleted.is_some() && added.is_some() {
            let (Some(old), Some(new)) = (deleted.take(), added.take()) else { return };
            changes.push(Change::Rename { old, new, similarity_percent });
        }
    };
    for (from, to) in equal(&deleted, &added) {
        couple(&mut deleted[from], &mut added[to], 100);
    }
    for (percent, to, from) in alike(&deleted, &added)? {
        couple(&mut deleted[from], &mut added[to], percent);
    }
    changes.extend(deleted.into_iter().flatten().map(Change::Delete));
    changes.extend(added.into_iter().flatten().map(Change::Add));
    Ok(())
}

/// Pairs with equal bytes; each index at most once. Among equals, one that keeps its file name goes first.
fn equal(deleted: &[Option<Placed<'_>>], added: &[Option<Placed<'_>>]) -> Vec<(usize, usize)> {
    let mut sources: BTreeMap<Digest, VecDeque<usize>> = BTreeMap::new();
    for (index, placed) in filled(deleted) {
        sources.entry(placed.leaf.digest()).or_default().push_back(index);
    }
    let mut pairs = Vec::new();
    for (to, placed) in filled(added) {
        let Some(from) = sources.get_mut(&placed.leaf.digest()) else { continue };
        let keeps_name = |index: &usize| {
            deleted[*index].as_ref().is_some_and(|source| file_name(&source.path) == file_name(&placed.path))
        };
        let chosen = from.iter().take(PAIRS_PER_FILE_MAX).position(keeps_name).unwrap_or(0);
        pairs.extend(from.remove(chosen).map(|from| (from, to)));
    }
    pairs
}

/// How many equal files are searched for one of the same name.
const PAIRS_PER_FILE_MAX: usize = 100;

/// Pairs that are alike, the most alike first; an index may occur often.
fn alike(deleted: &[Option<Placed<'_>>], added: &[Option<Placed<'_>>]) -> Result<Vec<(u8, usize, usize)>, BlobError> {
    let candidates = |placed: &[Option<Placed<'_>>]| -> Vec<usize> {
        let fits = |placed: &Placed<'_>| placed.leaf.size() <= BYTES_MAX;
        filled(placed).filter(|(_, placed)| fits(placed)).map(|(index, _)| index).collect()
    };
    let (from, to) = (candidates(deleted), candidates(added));
    if from.is_empty() || to.is_empty() || from.len() * to.len() > PAIRS_MAX {
        return Ok(Vec::new());
    }
    let pieces = |indices: &[usize], placed: &[Option<Placed<'_>>]| -> Result<Vec<Pieces>, BlobError> {
        indices
            .iter()
            .filter_map(|index| placed[*index].as_ref())
            .map(|placed| Ok(Pieces::of(&placed.leaf.bytes()?)))
            .collect()
    };
    let (from_pieces, to_pieces) = (pieces(&from, deleted)?, pieces(&to, added)?);
    let lines = |all: &[Pieces]| all.iter().map(|pieces| pieces.bytes_by_hash.len()).sum::<usize>();
    if lines(&from_pieces) * to.len() + lines(&to_pieces) * from.len() > STEPS_MAX {
        return Ok(Vec::new());
    }
    let mut pairs = Vec::new();
    for (to_index, new) in to.iter().zip(&to_pieces) {
        for (from_index, old) in from.iter().zip(&from_pieces) {
            let percent = new.common_percent(old);
            if percent >= SIMILARITY_PERCENT_MIN {
                // Not equal, or it would have been found before: 100 is said of equal files only.
                pairs.push((percent.min(99) as u8, *to_index, *from_index));
            }
        }
    }
    pairs.sort_by_key(|(percent, to, from)| (std::cmp::Reverse(*percent), *to, *from));
    Ok(pairs)
}

/// Only files with something in them: an empty one is like any other. And no symlinks: a patch does not say that what is renamed is one,
/// so `git apply` would not let a directory take its place.
fn filled<'s, 't>(placed: &'s [Option<Placed<'t>>]) -> impl Iterator<Item = (usize, &'s Placed<'t>)> {
    let index = |(index, placed): (usize, &'s Option<Placed<'t>>)| Some((index, placed.as_ref()?));
    let fits = |(_, placed): &(usize, &Placed<'t>)| placed.leaf.size() > 0 && placed.leaf.kind().is_file();
    placed.iter().enumerate().filter_map(index).filter(fits)
}

fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// A file's lines, cut after 64 bytes as git does: how many bytes there are of each, by hash, sorted by that.
struct Pieces {
    bytes_by_hash: Vec<(u64, u64)>,
    bytes: u64,
}

impl Pieces {
    fn of(bytes: &[u8]) -> Self {
        let pieces = bytes.split_inclusive(|byte| *byte == b'\n').flat_map(|line| line.chunks(64));
        let mut bytes_by_hash: Vec<(u64, u64)> = pieces.map(|piece| (fnv1a(piece), piece.len() as u64)).collect();
        bytes_by_hash.sort_unstable();
        bytes_by_hash.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Self { bytes_by_hash, bytes: bytes.len() as u64 }
    }

    fn common_percent(&self, other: &Self) -> u64 {
        let larger = self.bytes.max(other.bytes);
        if self.bytes.min(other.bytes) * 100 < larger * SIMILARITY_PERCENT_MIN {
            return 0;
        }
        let (mut ours, mut theirs, mut common) = (&self.bytes_by_hash[..], &other.bytes_by_hash[..], 0);
        while let ([our, our_rest @ ..], [their, their_rest @ ..]) = (ours, theirs) {
            match our.0.cmp(&their.0) {
                Ordering::Less => ours = our_rest,
                Ordering::Greater => theirs = their_rest,
                Ordering::Equal => {
                    common += our.1.min(their.1);
                    (ours, theirs) = (our_rest, their_rest);
                }
            }
        }
        common * 100 / larger
    }
}

/// FNV-1a: a collision makes two files look a line more alike, no more.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
