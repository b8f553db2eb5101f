//! What a file holds: bytes by digest that are still elsewhere, or bytes here, in chunks that copies share.
//!
//! Invariant: every chunk but the last holds exactly [`CHUNK_BYTES`]. One byte changed in a shared file of 10 MB copies one chunk and
//! the list of chunks, whether its bytes came from a blob or were written here.

use crate::{BlobError, Digest};
use std::ops::Deref;
use std::sync::Arc;

/// The unit of copy on write.
pub const CHUNK_BYTES: usize = 1 << 16;

/// Where contents come from that a tree knows by digest only.
///
/// It is asked at every read, so that memory is the store's to bound: it should keep what is hot. What it returns must hash to `digest`.
pub trait Blobs: Send + Sync {
    /// The bytes with this digest.
    ///
    /// # Errors
    /// When they cannot be had. This is infrastructure trouble, not the reader's.
    fn load(&self, digest: Digest) -> Result<Arc<[u8]>, BlobError>;
}

/// The store of a tree that was made whole.
#[derive(Clone, Copy, Debug)]
pub struct NoBlobs;

impl Blobs for NoBlobs {
    fn load(&self, digest: Digest) -> Result<Arc<[u8]>, BlobError> {
        Err(BlobError { digest, reason: "this tree has no store".into() })
    }
}

/// The content of one file.
#[derive(Clone)]
pub struct Content(State);

#[derive(Clone)]
enum State {
    Stored { digest: Digest, size: u64 },
    Here { chunks: Vec<Chunk>, size: u64 },
}

#[derive(Clone)]
enum Chunk {
    /// The bytes of a blob from `start` on, as many as fit.
    Blob { blob: Arc<[u8]>, start: usize },
    /// A vector, and not a slice, so that appending byte by byte does not copy the chunk each time.
    Own(Arc<Vec<u8>>),
}

impl Chunk {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Blob { blob, start } => &blob[*start..blob.len().min(start + CHUNK_BYTES)],
            Self::Own(bytes) => bytes,
        }
    }

    fn to_mut(&mut self) -> &mut Vec<u8> {
        if let Self::Blob { .. } = self {
            *self = Self::Own(Arc::new(self.bytes().to_vec()));
        }
        match self {
            Self::Own(bytes) => Arc::make_mut(bytes),
            Self::Blob { .. } => unreachable!("it has just been replaced"),
        }
    }
}

impl Content {
    /// Content that lies in the tree's [`Blobs`] and is loaded when it is read.
    #[must_use]
    pub const fn stored(digest: Digest, size: u64) -> Self {
        Self(State::Stored { digest, size })
    }

    /// Bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        match self.0 {
            State::Stored { size, .. } | State::Here { size, .. } => size,
        }
    }

    /// The digest of the bytes, wherever they are; linear for bytes that are here.
    #[must_use]
    pub fn digest(&self) -> Digest {
        match &self.0 {
            State::Stored { digest, .. } => *digest,
            State::Here { chunks, .. } => {
                let mut hasher = blake3::Hasher::new();
                for chunk in chunks {
                    hasher.update(chunk.bytes());
                }
                hasher.finalize().into()
            }
        }
    }

    /// All bytes, copied only if they do not lie in one piece.
    pub(crate) fn bytes(&self, blobs: &dyn Blobs) -> Result<Bytes<'_>, BlobError> {
        Ok(Bytes(match &self.0 {
            State::Stored { digest, size } => Piece::Shared(load(blobs, *digest, *size)?),
            State::Here { chunks, size } => match chunks.as_slice() {
                [] => Piece::Borrowed(&[]),
                [one] => Piece::Borrowed(one.bytes()),
                many => match whole_blob(many, *size) {
                    Some(blob) => Piece::Borrowed(blob),
                    None => Piece::Owned(many.iter().flat_map(|chunk| chunk.bytes().iter().copied()).collect()),
                },
            },
        }))
    }

    /// At most `length` bytes from `offset` on; fewer at the end, none beyond it.
    pub(crate) fn read(&self, blobs: &dyn Blobs, offset: u64, length: usize) -> Result<Vec<u8>, BlobError> {
        let start = offset.min(self.size()) as usize;
        let end = start.saturating_add(length).min(self.size() as usize);
        match &self.0 {
            State::Stored { digest, size } => Ok(load(blobs, *digest, *size)?[start..end].to_vec()),
            State::Here { chunks, .. } => {
                let mut read = Vec::with_capacity(end - start);
                while start + read.len() < end {
                    let position = start + read.len();
                    let bytes = &chunks[position / CHUNK_BYTES].bytes()[position % CHUNK_BYTES..];
                    read.extend_from_slice(&bytes[..bytes.len().min(end - position)]);
                }
                Ok(read)
            }
        }
    }

    /// Puts `data` at `offset`; a gap before it is filled with zeros. The caller has checked the quota.
    pub(crate) fn write(&mut self, blobs: &dyn Blobs, offset: u64, data: &[u8]) -> Result<(), BlobError> {
        let end = offset + data.len() as u64;
        if offset > self.size() {
            self.resize(blobs, offset)?;
        }
        let (chunks, size) = self.here(blobs)?;
        let (mut position, mut rest) = (offset as usize, data);
        while !rest.is_empty() {
            let (index, within) = (position / CHUNK_BYTES, position % CHUNK_BYTES);
            if index == chunks.len() {
                chunks.push(Chunk::Own(Arc::default()));
            }
            let chunk = chunks[index].to_mut();
            let (now, later) = rest.split_at(rest.len().min(CHUNK_BYTES - within));
            let (over, beyond) = now.split_at(now.len().min(chunk.len() - within));
            chunk[within..within + over.len()].copy_from_slice(over);
            chunk.extend_from_slice(beyond);
            position += now.len();
            rest = later;
        }
        *size = end.max(*size);
        Ok(())
    }

    /// Cuts, or fills up with zeros. The caller has checked the quota.
    pub(crate) fn resize(&mut self, blobs: &dyn Blobs, wanted: u64) -> Result<(), BlobError> {
        let (chunks, size) = self.here(blobs)?;
        let wanted_chunks = (wanted as usize).div_ceil(CHUNK_BYTES);
        let last_bytes = wanted as usize - wanted_chunks.saturating_sub(1) * CHUNK_BYTES;
        if wanted > *size {
            if let Some(last) = chunks.last_mut() {
                last.to_mut().resize(CHUNK_BYTES, 0);
            }
            // All zeros are one chunk: a hole costs no memory.
            let zeros = Chunk::Own(Arc::new(vec![0; CHUNK_BYTES]));
            chunks.resize(wanted_chunks, zeros);
        }
        chunks.truncate(wanted_chunks);
        if let Some(last) = chunks.last_mut()
            && last.bytes().len() != last_bytes
        {
            last.to_mut().truncate(last_bytes);
        }
        *size = wanted;
        Ok(())
    }

    fn here(&mut self, blobs: &dyn Blobs) -> Result<(&mut Vec<Chunk>, &mut u64), BlobError> {
        if let State::Stored { digest, size } = self.0 {
            *self = Self::from(load(blobs, digest, size)?);
        }
        match &mut self.0 {
            State::Here { chunks, size } => Ok((chunks, size)),
            State::Stored { .. } => unreachable!("it has just been loaded"),
        }
    }
}

impl From<Arc<[u8]>> for Content {
    fn from(blob: Arc<[u8]>) -> Self {
        let size = blob.len() as u64;
        let chunks =
            (0..blob.len()).step_by(CHUNK_BYTES).map(|start| Chunk::Blob { blob: blob.clone(), start }).collect();
        Self(State::Here { chunks, size })
    }
}

impl From<&[u8]> for Content {
    fn from(bytes: &[u8]) -> Self {
        Self::from(Arc::from(bytes))
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from(Arc::from(bytes))
    }
}

impl<const N: usize> From<&[u8; N]> for Content {
    fn from(bytes: &[u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

fn load(blobs: &dyn Blobs, digest: Digest, size: u64) -> Result<Arc<[u8]>, BlobError> {
    let blob = blobs.load(digest)?;
    if blob.len() as u64 == size {
        return Ok(blob);
    }
    Err(BlobError { digest, reason: format!("it has {} bytes, not {size}", blob.len()) })
}

/// The blob that these chunks are the whole of, if nothing in it was changed.
fn whole_blob(chunks: &[Chunk], size: u64) -> Option<&[u8]> {
    let Some(Chunk::Blob { blob: first, start: 0 }) = chunks.first() else { return None };
    let unchanged = chunks.iter().all(|chunk| matches!(chunk, Chunk::Blob { blob, .. } if Arc::ptr_eq(blob, first)));
    (unchanged && first.len() as u64 == size).then_some(first)
}

/// A file's bytes in one piece.
pub struct Bytes<'t>(Piece<'t>);

enum Piece<'t> {
    Borrowed(&'t [u8]),
    Shared(Arc<[u8]>),
    Owned(Vec<u8>),
}

impl<'t> Bytes<'t> {
    pub(crate) const fn borrowed(bytes: &'t [u8]) -> Self {
        Self(Piece::Borrowed(bytes))
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Piece::Borrowed(bytes) => bytes,
            Piece::Shared(bytes) => bytes,
            Piece::Owned(bytes) => bytes,
        }
    }
}
