//! Files and standard output as streams. All are ready at all times: they end in memory.

use super::super::bindings::wasi::filesystem::types::ErrorCode;
use super::super::limits::TRANSFER_BYTES_MAX;
use super::super::state::SharedRef;
use super::{FilesError, Place};
use wasmtime_wasi_io::async_trait;
use wasmtime_wasi_io::bytes::Bytes;
use wasmtime_wasi_io::poll::Pollable;
use wasmtime_wasi_io::streams::{InputStream, OutputStream, StreamError, StreamResult};

/// Reads a file from an offset on.
pub(crate) struct FileInput {
    pub(crate) shared: SharedRef,
    pub(crate) place: Place,
    pub(crate) offset: u64,
}

/// Writes a file from an offset on, or behind its end.
pub(crate) struct FileOutput {
    pub(crate) shared: SharedRef,
    pub(crate) place: Place,
    /// None to append.
    pub(crate) offset: Option<u64>,
}

/// Standard output (0) or standard error (1).
pub(crate) struct Printed {
    pub(crate) shared: SharedRef,
    pub(crate) stream: usize,
}

/// Standard input: at its end.
pub(crate) struct Nothing;

#[async_trait]
impl Pollable for FileInput {
    async fn ready(&mut self) {}
}

#[async_trait]
impl Pollable for FileOutput {
    async fn ready(&mut self) {}
}

#[async_trait]
impl Pollable for Printed {
    async fn ready(&mut self) {}
}

#[async_trait]
impl Pollable for Nothing {
    async fn ready(&mut self) {}
}

impl InputStream for Nothing {
    fn read(&mut self, _: usize) -> StreamResult<Bytes> {
        Err(StreamError::Closed)
    }
}

impl InputStream for FileInput {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        let mut shared = self.shared.lock();
        let size = size.min(TRANSFER_BYTES_MAX);
        let mut read = || {
            shared.charge(0)?;
            let there = shared.mounts.check(&self.place)?.size.saturating_sub(self.offset);
            shared.charge(size.min(usize::try_from(there).unwrap_or(usize::MAX)))?;
            Ok(shared.mounts.tree(self.place.mount).read(&self.place.path, self.offset, size)?)
        };
        let bytes = read().map_err(failed)?;
        if bytes.is_empty() && size > 0 {
            return Err(StreamError::Closed);
        }
        self.offset += bytes.len() as u64;
        Ok(bytes.into())
    }
}

impl OutputStream for FileOutput {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let mut shared = self.shared.lock();
        let mut write = || {
            shared.charge(bytes.len())?;
            shared.mounts.check(&self.place)?;
            let now = shared.tick();
            let tree = shared.mounts.tree_mut(self.place.mount)?;
            match &mut self.offset {
                Some(offset) => {
                    tree.write(&self.place.path, *offset, &bytes, now)?;
                    *offset += bytes.len() as u64;
                }
                None => {
                    tree.append(&self.place.path, &bytes, now)?;
                }
            }
            Ok(())
        };
        write().map_err(failed)
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(TRANSFER_BYTES_MAX)
    }
}

impl OutputStream for Printed {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let mut shared = self.shared.lock();
        shared.charge(bytes.len()).map_err(|stop| StreamError::Trap(stop.into()))?;
        shared.output[self.stream].take(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(TRANSFER_BYTES_MAX)
    }
}

/// The guest asks for the code of a failed operation by `filesystem-error-code`, which looks into the error.
fn failed(error: FilesError) -> StreamError {
    match error {
        FilesError::Code(code) => StreamError::LastOperationFailed(wasmtime::Error::new(StreamFailure(code))),
        FilesError::Trap(error) => StreamError::Trap(error),
    }
}

/// A code on its way through a stream.
#[derive(Debug, thiserror::Error)]
#[error("{0:?}")]
pub(crate) struct StreamFailure(pub(crate) ErrorCode);
