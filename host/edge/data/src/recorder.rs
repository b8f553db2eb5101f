//! Episodes to files, in the background.
//!
//! ```text
//! episode's thread ── batches of events ──► bounded channel ──► writer thread: rows ─► pages ─► row groups ─► files
//! ```
//!
//! The episode's thread copies events into a batch and nothing else. When a channel is full it waits: no event is ever lost, and
//! waiting changes nothing that the episode could observe, since it has no clock. A writer that fails goes on taking batches and
//! drops them, so a full disk does not stop a trial; [`DataRecorder::finish`] then says what happened.

use crate::encode::Constants;
use crate::error::WriteError;
use crate::files::Files;
use crate::manifest::Manifest;
use crate::tables::{EpisodeTables, Schemas, agents, fundamental};
use assay_evaluate::{EpisodeKind, Recorder, SeedRecorder};
use assay_market::{Event, EventSink, LevelChange, Scenario};
use assay_model::{LogLine, Seed, SymbolIndex};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Events of a batch: few enough that it stays in a processor's cache on its way, enough that handing over costs nothing.
const BATCH_EVENTS: usize = 4 << 10;
/// Batches that may wait for one writer.
const BATCHES_MAX: usize = 8;
/// Episodes that one writer keeps up with: it takes about a third of the time that an episode does.
const THREADS_PER_WRITER: usize = 3;

/// Part of what happened in one episode.
#[derive(Default)]
struct Batch {
    /// Which try at which seed.
    attempt: u64,
    episode: usize,
    events: Vec<Event>,
    /// Each with the number of events of the episode before it.
    levels: Vec<(u64, LevelChange)>,
    log: Vec<LogLine>,
    end: Option<End>,
}

/// What becomes of an attempt.
#[derive(Clone, Copy)]
enum End {
    Keep(Seed),
    Discard,
}

/// What the threads share.
struct Shared {
    scenario: Scenario,
    run: String,
    schemas: Schemas,
    files: Mutex<Files>,
    /// The first thing that went wrong.
    failure: Mutex<Option<WriteError>>,
    /// Buffers of batches that have been taken in.
    spare: Mutex<Vec<Batch>>,
}

impl Shared {
    /// An empty batch, with the room of one that has been taken in if there is one.
    fn spare(&self) -> Batch {
        lock(&self.spare).pop().unwrap_or_default()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is held is never left half changed by a panic: a writer that panics ends the recording anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a trial's episodes as Parquet tables into a folder; see [`TABLES`](crate::TABLES).
pub struct DataRecorder {
    shared: Arc<Shared>,
    writers: Vec<(SyncSender<Batch>, JoinHandle<()>)>,
    attempts: AtomicU64,
}

impl DataRecorder {
    /// Opens the files in `folder`, in place of those of an earlier recording. `threads` is how many episodes run at once, `run` the
    /// value of column `run`.
    ///
    /// # Errors
    /// [`WriteError`] if the folder cannot be written.
    pub fn create(folder: &Path, scenario: &Scenario, run: &str, threads: NonZeroUsize) -> Result<Self, WriteError> {
        let shared = Arc::new(Shared {
            scenario: scenario.clone(),
            run: run.to_owned(),
            schemas: Schemas::new()?,
            files: Mutex::new(Files::create(folder)?),
            failure: Mutex::default(),
            spare: Mutex::default(),
        });
        let writer = |_| {
            let (sender, receiver) = sync_channel(BATCHES_MAX);
            let shared = Arc::clone(&shared);
            let builder = thread::Builder::new().name("assay-data".to_owned());
            let thread = builder.spawn(move || write(&shared, &receiver));
            Ok((sender, thread.map_err(WriteError::io("start a thread to write", folder))?))
        };
        let writers = (0..threads.get().div_ceil(THREADS_PER_WRITER)).map(writer).collect::<Result<_, WriteError>>()?;
        Ok(Self { shared, writers, attempts: AtomicU64::new(0) })
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// The first [`WriteError`] of the whole recording; then the files are left under names that end in [`PARTIAL`](crate::PARTIAL).
    pub fn finish(self) -> Result<Manifest, WriteError> {
        let Self { shared, writers, .. } = self;
        let (senders, threads): (Vec<_>, Vec<_>) = writers.into_iter().unzip();
        drop(senders);
        for thread in threads {
            thread.join().map_err(|_| WriteError::Panicked)?;
        }
        // The writers have ended, and with them every other owner.
        let shared = Arc::into_inner(shared).ok_or(WriteError::Panicked)?;
        let Shared { scenario, run, schemas, files, failure, .. } = shared;
        let mut files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            files.abandon();
            return Err(failure);
        }
        for (symbol, index) in scenario.symbols().zip(0..) {
            let constants = Constants { run: &run, seed: 0, episode: "", symbol };
            files.append((0, None), vec![agents(&scenario, SymbolIndex(index), &constants, &schemas)?], &schemas)?;
        }
        files.finish(&run, &scenario.symbol, &schemas)
    }
}

impl Recorder for DataRecorder {
    fn begin(&self, seed: Seed) -> Box<dyn SeedRecorder + '_> {
        let attempt = self.attempts.fetch_add(1, Ordering::Relaxed);
        let writer = &self.writers[attempt as usize % self.writers.len()].0;
        let batch = Batch { attempt, episode: 0, end: None, ..self.shared.spare() };
        Box::new(Tape { shared: &self.shared, writer, seed, batch, events: 0 })
    }
}

impl std::fmt::Debug for DataRecorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DataRecorder").field("run", &self.shared.run).finish_non_exhaustive()
    }
}

/// One attempt, on its episode's thread.
struct Tape<'a> {
    shared: &'a Shared,
    writer: &'a SyncSender<Batch>,
    seed: Seed,
    batch: Batch,
    /// Of the episode so far.
    events: u64,
}

impl Tape<'_> {
    fn send(&mut self) {
        let Batch { attempt, episode, .. } = self.batch;
        let next = Batch { attempt, episode, end: None, ..self.shared.spare() };
        // The other end is gone only after a panic, which `finish` tells of.
        let _ = self.writer.send(std::mem::replace(&mut self.batch, next));
    }
}

impl SeedRecorder for Tape<'_> {
    fn episode(&mut self, kind: EpisodeKind) -> &mut dyn EventSink {
        if self.events > 0 {
            self.send();
        }
        self.batch.episode = kind as usize;
        self.events = 0;
        self
    }

    fn log(&mut self, lines: &[LogLine]) {
        self.batch.log.extend_from_slice(lines);
    }

    fn keep(mut self: Box<Self>) {
        self.batch.end = Some(End::Keep(self.seed));
    }
}

/// Ends the attempt, for better or worse.
impl Drop for Tape<'_> {
    fn drop(&mut self) {
        self.batch.end.get_or_insert(End::Discard);
        let _ = self.writer.send(std::mem::take(&mut self.batch));
    }
}

impl EventSink for Tape<'_> {
    #[inline]
    fn event(&mut self, event: &Event) {
        self.batch.events.push(*event);
        self.events += 1;
        if self.batch.events.len() == BATCH_EVENTS {
            self.send();
        }
    }
    fn watches_depth(&self) -> bool {
        true
    }
    #[inline]
    fn level(&mut self, change: &LevelChange) {
        self.batch.levels.push((self.events, *change));
        if self.batch.levels.len() == BATCH_EVENTS {
            self.send();
        }
    }
}

/// What a writer holds: by attempt, the tables of its two episodes, by symbol; none of an episode that has not begun.
#[derive(Default)]
struct Desk {
    attempts: BTreeMap<u64, [Vec<EpisodeTables>; 2]>,
    /// Tables that have been written, whose room is used again.
    idle: Vec<EpisodeTables>,
}

/// A writer's life: takes batches in until there are no more.
fn write(shared: &Shared, batches: &Receiver<Batch>) {
    let mut desk = Desk::default();
    let mut failed = false;
    for mut batch in batches {
        if !failed && let Err(failure) = desk.take_in(shared, &batch) {
            failed = true;
            desk = Desk::default();
            lock(&shared.failure).get_or_insert(failure);
        }
        batch.events.clear();
        batch.levels.clear();
        batch.log.clear();
        lock(&shared.spare).push(batch);
    }
}

impl Desk {
    fn take_in(&mut self, shared: &Shared, batch: &Batch) -> Result<(), WriteError> {
        let Self { attempts, idle } = self;
        let symbols = &mut attempts.entry(batch.attempt).or_default()[batch.episode];
        if symbols.is_empty() {
            for symbol in (0..shared.scenario.symbol_count()).map(SymbolIndex) {
                symbols.push(match idle.pop() {
                    Some(tables) => tables.of(symbol),
                    None => EpisodeTables::new(symbol, &shared.schemas)?,
                });
            }
        }
        for tables in &mut *symbols {
            tables.events(&batch.events)?;
            tables.levels(&batch.levels)?;
        }
        symbols[0].log(shared.scenario.trader(), &batch.log)?;
        let Some(end) = batch.end else { return Ok(()) };
        let episodes = self.attempts.remove(&batch.attempt).unwrap_or_default();
        match end {
            End::Keep(seed) => self.keep(shared, seed, episodes),
            End::Discard => Ok(()),
        }
    }

    /// Appends a seed's tables to the files.
    fn keep(&mut self, shared: &Shared, seed: Seed, episodes: [Vec<EpisodeTables>; 2]) -> Result<(), WriteError> {
        let Shared { scenario, run, schemas, .. } = shared;
        let constants = |episode, symbol| Constants { run, seed: seed.0, episode, symbol };
        let mut groups = Vec::new();
        for (symbol, index) in scenario.symbols().zip(0..) {
            let values = fundamental(scenario, SymbolIndex(index), &constants("", symbol), schemas)?;
            groups.push(((seed.0, None), vec![values]));
        }
        for (kind, tables) in EpisodeKind::ALL.into_iter().zip(episodes) {
            for (symbol, mut tables) in scenario.symbols().zip(tables) {
                groups.push(((seed.0, Some(kind)), tables.finish(&constants(kind.name(), symbol), schemas)?));
                self.idle.push(tables);
            }
        }
        // One seed at a time, so that a file's row groups of one seed lie together.
        let mut files = lock(&shared.files);
        for (place, groups) in groups {
            files.append(place, groups, schemas)?;
        }
        files.seed_done(seed.0);
        Ok(())
    }
}
