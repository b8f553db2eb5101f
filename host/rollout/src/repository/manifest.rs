//! A kept tree as a file: `assay manifest 1`, its entries, and the BLAKE3 digest of all before. Numbers are little-endian.
//!
//! ```text
//! entry   kind (1 byte: d, f, x executable, l symlink), path (length as u32, bytes), then
//!         of a file: digest (32 bytes) and size (u64); of a symlink: target (length as u32, bytes)
//! ```

use super::entries::{Entries, Entry, clean};
use assay_tree::Digest;

const MAGIC: &[u8] = b"assay manifest 1\n";
const DIGEST_BYTES: usize = 32;

pub(super) fn encode(entries: &Entries) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for (path, entry) in &entries.0 {
        bytes.push(match entry {
            Entry::Directory => b'd',
            Entry::File { executable: false, .. } => b'f',
            Entry::File { executable: true, .. } => b'x',
            Entry::Symlink { .. } => b'l',
        });
        put_bytes(&mut bytes, path);
        match entry {
            Entry::Directory => {}
            Entry::File { digest, size, .. } => {
                bytes.extend_from_slice(&digest.0);
                bytes.extend_from_slice(&size.to_le_bytes());
            }
            Entry::Symlink { target } => put_bytes(&mut bytes, target),
        }
    }
    let digest = Digest::of(&bytes);
    bytes.extend_from_slice(&digest.0);
    bytes
}

fn put_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    // Paths and targets have at most some thousand bytes.
    to.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    to.extend_from_slice(bytes);
}

/// None if it is damaged, or of another version.
pub(super) fn decode(bytes: &[u8]) -> Option<Entries> {
    let (body, digest) = bytes.split_at_checked(bytes.len().checked_sub(DIGEST_BYTES)?)?;
    if Digest::of(body).0 != digest {
        return None;
    }
    let mut rest = body.strip_prefix(MAGIC)?;
    let mut entries = Entries::default();
    while let Some((kind, after)) = rest.split_first() {
        rest = after;
        let path = take_bytes(&mut rest)?;
        let entry = match kind {
            b'd' => Entry::Directory,
            b'l' => Entry::Symlink { target: take_bytes(&mut rest)?.to_vec() },
            b'f' | b'x' => Entry::File {
                digest: Digest(take(&mut rest)?),
                size: u64::from_le_bytes(take(&mut rest)?),
                executable: *kind == b'x',
            },
            _ => return None,
        };
        entries.add(clean(path, 0).ok()??, entry).ok()?;
    }
    Some(entries)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (now, later) = rest.split_first_chunk()?;
    *rest = later;
    Some(*now)
}

fn take_bytes<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = u32::from_le_bytes(take(rest)?) as usize;
    let (now, later) = rest.split_at_checked(length)?;
    *rest = later;
    Some(now)
}
