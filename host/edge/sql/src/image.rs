//! The bytes of a database, as blocks that forks share: a fork copies one pointer, a write copies the blocks it touches.
//!
//! Invariants: a block that is missing reads as zeros, and everything behind the end is missing or zero. So equal bytes have equal digests, however they came
//! about.

use crate::limits::PAGE_BYTES;
use std::sync::{Arc, Mutex, OnceLock};

/// Blocks of a chunk. A fork's first write copies the pointers of one chunk, and of the list of chunks.
const CHUNK_PAGES: usize = 64;
const CHUNK_BYTES: usize = CHUNK_PAGES * PAGE_BYTES;

type Digest = [u8; 32];

/// The image that a connection reads and writes.
pub(crate) type Shared = Arc<Mutex<Image>>;

struct Page {
    bytes: [u8; PAGE_BYTES],
    digest: OnceLock<Digest>,
}

impl Page {
    const fn new(bytes: [u8; PAGE_BYTES]) -> Self {
        Self { bytes, digest: OnceLock::new() }
    }

    fn digest(&self) -> &Digest {
        self.digest.get_or_init(|| *blake3::hash(&self.bytes).as_bytes())
    }
}

struct Chunk {
    pages: [Option<Arc<Page>>; CHUNK_PAGES],
    digest: OnceLock<Digest>,
}

impl Chunk {
    fn empty() -> Self {
        Self { pages: [const { None }; CHUNK_PAGES], digest: OnceLock::new() }
    }

    fn digest(&self) -> &Digest {
        static ZERO: Page = Page::new([0; PAGE_BYTES]);
        self.digest.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            for page in &self.pages {
                hasher.update(page.as_ref().map_or_else(|| ZERO.digest(), |page| page.digest()));
            }
            *hasher.finalize().as_bytes()
        })
    }
}

impl Clone for Chunk {
    /// A chunk is cloned to be written to, so its digest is not kept.
    fn clone(&self) -> Self {
        Self { pages: self.pages.clone(), digest: OnceLock::new() }
    }
}

/// The bytes of a database. Cloning is a fork and costs one pointer.
#[derive(Clone, Default)]
pub(crate) struct Image {
    bytes: usize,
    chunks: Arc<Vec<Arc<Chunk>>>,
}

impl Image {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut image = Self::default();
        image.write(0, bytes);
        image
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes];
        self.read(0, &mut bytes);
        bytes
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Whether the two are known to be the same without looking at a byte.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.bytes == other.bytes && Arc::ptr_eq(&self.chunks, &other.chunks)
    }

    /// The blocks in which the two differ, from 0 on.
    pub(crate) fn changed_pages(&self, other: &Self) -> Vec<usize> {
        let mut changed = Vec::new();
        for at in 0..self.chunks.len().max(other.chunks.len()) {
            let (old, new) = (self.chunks.get(at), other.chunks.get(at));
            if old.zip(new).is_some_and(|(old, new)| Arc::ptr_eq(old, new)) {
                continue;
            }
            for within in 0..CHUNK_PAGES {
                let page = |chunk: Option<&Arc<Chunk>>| chunk.and_then(|chunk| chunk.pages[within].clone());
                let is_equal = match (page(old), page(new)) {
                    (Some(old), Some(new)) => Arc::ptr_eq(&old, &new) || old.bytes == new.bytes,
                    (old, new) => old.is_none() && new.is_none(),
                };
                if !is_equal {
                    changed.push(at * CHUNK_PAGES + within);
                }
            }
        }
        changed
    }

    /// Fills `into` from `offset` on, with zeros behind the end. Returns how many bytes lie before the end.
    pub(crate) fn read(&self, offset: usize, into: &mut [u8]) -> usize {
        let available = self.bytes.saturating_sub(offset).min(into.len());
        let (found, missing) = into.split_at_mut(available);
        missing.fill(0);
        for (at, part) in pieces(offset, found.len()) {
            let page = self.chunks.get(at / CHUNK_BYTES).and_then(|c| c.pages[at / PAGE_BYTES % CHUNK_PAGES].as_ref());
            let part = &mut found[part];
            match page {
                Some(page) => part.copy_from_slice(&page.bytes[at % PAGE_BYTES..][..part.len()]),
                None => part.fill(0),
            }
        }
        available
    }

    /// Writes `from` at `offset`; what lies between the end and `offset` becomes zeros.
    pub(crate) fn write(&mut self, offset: usize, from: &[u8]) {
        let end = offset + from.len();
        let chunks = Arc::make_mut(&mut self.chunks);
        if chunks.len() * CHUNK_BYTES < end {
            chunks.resize_with(end.div_ceil(CHUNK_BYTES), || Arc::new(Chunk::empty()));
        }
        for (at, part) in pieces(offset, from.len()) {
            let part = &from[part];
            let chunk = Arc::make_mut(&mut chunks[at / CHUNK_BYTES]);
            chunk.digest = OnceLock::new();
            let slot = &mut chunk.pages[at / PAGE_BYTES % CHUNK_PAGES];
            let within = at % PAGE_BYTES..at % PAGE_BYTES + part.len();
            if let Some(page) = slot.as_mut().and_then(Arc::get_mut) {
                page.bytes[within].copy_from_slice(part);
                page.digest = OnceLock::new();
            } else {
                let mut page = Page::new(slot.as_ref().map_or([0; PAGE_BYTES], |page| page.bytes));
                page.bytes[within].copy_from_slice(part);
                *slot = Some(Arc::new(page));
            }
        }
        self.bytes = self.bytes.max(end);
    }

    /// Cuts the image off at `bytes`, or makes it longer with zeros.
    pub(crate) fn truncate(&mut self, bytes: usize) {
        if bytes < self.bytes {
            // Zeros up to the end of the block, so that the bytes do not come back when the image grows again.
            let tail = bytes.next_multiple_of(PAGE_BYTES).min(self.bytes) - bytes;
            self.write(bytes, &[0; PAGE_BYTES][..tail]);
        }
        let chunks = Arc::make_mut(&mut self.chunks);
        chunks.resize_with(bytes.div_ceil(CHUNK_BYTES), || Arc::new(Chunk::empty()));
        let kept = bytes.div_ceil(PAGE_BYTES) % CHUNK_PAGES;
        if let Some(last) = chunks.last_mut().filter(|_| bytes < self.bytes && kept > 0) {
            let last = Arc::make_mut(last);
            last.digest = OnceLock::new();
            last.pages[kept..].fill(None);
        }
        self.bytes = bytes;
    }

    /// A digest of length and bytes. Only what was written to since it was last asked for, here or in a fork, is hashed.
    pub(crate) fn digest(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.bytes as u64).to_le_bytes());
        for chunk in self.chunks.iter() {
            hasher.update(chunk.digest());
        }
        *hasher.finalize().as_bytes()
    }
}

/// Cuts a range at the borders of blocks: where each piece lies in the image, and in the caller's bytes.
fn pieces(offset: usize, bytes: usize) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = offset + done;
        let piece = (PAGE_BYTES - at % PAGE_BYTES).min(bytes - done);
        (piece > 0).then(|| {
            done += piece;
            (at, done - piece..done)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a plain list of bytes: the same bytes, also in the fork that was taken before each step, and the same digest as an image made at once.
        #[test]
        fn an_image_is_its_bytes(steps in prop::collection::vec((any::<bool>(), 0usize..700_000, 0usize..9_000, any::<u8>()), 1..12)) {
            let (mut image, mut naive) = (Image::default(), Vec::new());
            for (is_write, offset, length, byte) in steps {
                let (before, bytes_before) = (image.clone(), naive.clone());
                if is_write {
                    naive.resize(naive.len().max(offset + length), 0);
                    naive[offset..offset + length].fill(byte);
                    image.write(offset, &vec![byte; length]);
                } else {
                    naive.resize(offset, 0);
                    image.truncate(offset);
                }
                prop_assert!(image.to_bytes() == naive);
                prop_assert!(before.to_bytes() == bytes_before);
                prop_assert_eq!(image.digest(), Image::from_bytes(&naive).digest());
            }
        }
    }
}
