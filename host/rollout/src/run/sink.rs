//! A trajectory as a file: every step is on disk before the next one begins.
//!
//! Hashing, writing and syncing happen on blocking threads, so they hold up no other episode. At most [`SYNCS_AT_ONCE_MAX`] files are synced at
//! once: they share a journal commit of the file system, which is what makes the cost of a step about that of one sync divided by their number.
//!
//! Invariant: after a failed or abandoned write the file is not written again.

use std::fs::File;
use std::io::{self, BufReader, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use assay_trace::{Durable, Metadata, ReadError, ReadLimits, Record, Trajectory, WriteError, Writer, read_with_limits};
use futures::future::BoxFuture;
use tokio::sync::Semaphore;

use crate::ports::{Sink, SinkError, Sinks};

/// Files that are synced at once: enough for the file system to put them into one commit, few enough for its threads' stacks.
pub const SYNCS_AT_ONCE_MAX: usize = 32;

/// The disk, as all episodes of a run share it.
#[derive(Clone, Debug)]
pub(super) struct Disk {
    slots: Arc<Semaphore>,
    /// The first failure: after it, nothing more of the run can be kept.
    trouble: Arc<Mutex<Option<String>>>,
}

impl Disk {
    pub(super) fn new() -> Self {
        Self { slots: Arc::new(Semaphore::new(SYNCS_AT_ONCE_MAX)), trouble: Arc::default() }
    }

    /// What went wrong first, if anything has.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, error: &io::Error, what: &str) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.get_or_insert_with(|| format!("failed to write {what}: {error}"));
    }

    /// Does blocking work on the disk. Work that has begun is finished even where nobody waits for it any more.
    pub(super) async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(io::Error::other)?;
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(slot);
            result
        });
        done.await.map_err(io::Error::other)
    }
}

/// A file that a [`Writer`] writes.
#[derive(Debug)]
struct Durability(File);

impl Write for Durability {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Durable for Durability {
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)?;
        self.0.seek(io::SeekFrom::Start(bytes)).map(|_| ())
    }
}

/// Where an episode and its sub-agents leave what they leave.
#[derive(Clone, Debug)]
pub struct EpisodeFiles {
    id: String,
    folder: PathBuf,
    disk: Disk,
}

impl EpisodeFiles {
    pub(super) fn new(id: &str, folder: PathBuf, disk: Disk) -> Self {
        Self { id: id.to_owned(), folder, disk }
    }

    /// The folder of the run's trajectories.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The episode's trajectory.
    #[must_use]
    pub fn trajectory(&self) -> PathBuf {
        self.folder.join(format!("{}.jsonl", self.id))
    }

    /// The highest number among the episode's gradings so far; 0 where there is none.
    #[must_use]
    pub fn last_grading(&self) -> u32 {
        let entries = std::fs::read_dir(self.folder.join(&self.id)).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).max().unwrap_or(0)
    }

    /// The folder, within that of the trajectories, for everything else; made by whoever has something for it.
    #[must_use]
    pub fn artifacts(&self) -> &Path {
        Path::new(&self.id)
    }

    /// The episode's trajectory as it is, and a sink that continues it. What a crash left half-written at its end is cut off.
    ///
    /// # Errors
    /// The file cannot be read or written, or is damaged elsewhere than at its end.
    pub async fn resume(&self) -> Result<(Trajectory, Box<dyn Sink>), SinkError> {
        let path = self.trajectory();
        let name = path.display().to_string();
        let begun = self.disk.work(move || {
            let (folder, file_name) = assay_files::beside(&path)?;
            let file = folder.file_to_change(&file_name, 0o644).map_err(io::Error::from)?;
            let unreadable = |error: ReadError| WriteError::Damaged { damage: error.to_string() };
            // This process has written it, or has read it in bounded memory.
            let loaded =
                read_with_limits(BufReader::new(file.try_clone()?), ReadLimits::STANDARD).map_err(unreadable)?;
            let writer = Writer::resume(Durability(file), &loaded)?;
            Ok((loaded.trajectory, writer))
        });
        let (trajectory, writer) = settle(begun.await, &self.disk, &name)?;
        let sink = FileSink { writer: Some(writer), disk: self.disk.clone(), name };
        Ok((trajectory, Box::new(sink)))
    }

    pub(super) const fn disk(&self) -> &Disk {
        &self.disk
    }
}

impl Sinks for EpisodeFiles {
    fn begin(&self, metadata: Metadata) -> BoxFuture<'_, Result<Box<dyn Sink>, SinkError>> {
        Box::pin(async move {
            let name = metadata.id.as_str();
            let is_own = name.strip_prefix(&self.id).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            if !is_own || name.contains('/') {
                return Err(SinkError { why: format!("{name:?} is not a trajectory of the episode {}", self.id) });
            }
            let path = self.folder.join(format!("{name}.jsonl"));
            let sink = FileSink::create(path, metadata, self.disk.clone()).await?;
            Ok(Box::new(sink) as Box<dyn Sink>)
        })
    }
}

/// A trajectory's file. See the module documentation.
#[derive(Debug)]
struct FileSink {
    /// None once a write failed or was abandoned.
    writer: Option<Writer<Durability>>,
    disk: Disk,
    name: String,
}

impl FileSink {
    /// Begins the file of a trajectory, in the place of one that was begun before.
    async fn create(path: PathBuf, metadata: Metadata, disk: Disk) -> Result<Self, SinkError> {
        let name = path.display().to_string();
        let begun = disk.work(move || {
            let (folder, file_name) = assay_files::beside(&path)?;
            folder.remove_file(&file_name).map_err(io::Error::from)?;
            let file = folder.new_file(&file_name, 0o644)?;
            let writer = Writer::create(Durability(file), &metadata)?;
            folder.sync()?;
            Ok(writer)
        });
        let writer = settle(begun.await, &disk, &name)?;
        Ok(Self { writer: Some(writer), disk, name })
    }
}

impl Sink for FileSink {
    fn append(&mut self, records: Vec<Record>) -> BoxFuture<'_, Result<(), SinkError>> {
        Box::pin(async move {
            let ended = || SinkError { why: format!("an earlier write of {} did not end", self.name) };
            let mut writer = self.writer.take().ok_or_else(ended)?;
            let written = self.disk.work(move || writer.append(&records).map(|()| writer));
            self.writer = Some(settle(written.await, &self.disk, &self.name)?);
            Ok(())
        })
    }
}

/// The result of work on the disk; its failure is everybody's.
fn settle<T>(result: io::Result<Result<T, WriteError>>, disk: &Disk, name: &str) -> Result<T, SinkError> {
    match result {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(WriteError::Io(error))) | Err(error) => {
            disk.note(&error, name);
            Err(SinkError { why: format!("{name}: {error}") })
        }
        Ok(Err(error)) => Err(SinkError { why: format!("{name}: {error}") }),
    }
}
