//! Jobs: commands of this binary that run beside whoever asked for them, one child process each.
//!
//! ```text
//! FOLDER/lock              held while these jobs are somebody's: one process at a time carries them out
//! FOLDER/strategies/       what was saved from pages
//! FOLDER/7-maker/job.json  what the job is and how it stands, written whole at each change
//! FOLDER/7-maker/…         what it was given, what it printed, and its results
//! ```
//!
//! Invariants: a job's folder says how it stands before anybody is told; a child's standard input is its lifeline, and nothing is ever sent to a process by
//! its number: once the lifeline is let go, or this process is gone, the child stops as after Ctrl-C and keeps what it has; a job that ends with this process
//! is resumed by the next one where its command resumes, a few times, and otherwise says that it was lost.

mod child;
mod record;

use assay_files::{Folder, OpenError};
use assay_rollout::run::Progress;
pub use child::{Asked, Program};
use child::{Child, Lifeline};
pub use record::{Job, JobId, State, What};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Jobs that wait for their turn.
pub const WAITING_MAX: usize = 20;
/// Jobs at once, where nothing else is said: one that takes hours leaves room for a quick one.
pub const AT_ONCE: usize = 2;
/// Jobs at once, whatever is said.
pub const AT_ONCE_MAX: usize = 16;
/// Jobs that a folder may hold.
const JOBS_MAX: usize = 5_000;
/// How often a job is resumed without somebody asking for it.
const RESUMES_MAX: u32 = 3;
/// How long a job waits until nobody else works on its session or folder: the step under way ends first.
const SESSION_WAIT: Duration = Duration::from_secs(600);
/// How often it looks.
const SESSION_LOOK: Duration = Duration::from_millis(100);
/// Bytes at the end of what a job printed that are shown.
const OUTPUT_SHOWN_MAX: u64 = 64 << 10;
/// The folder of saved strategies.
const STRATEGIES: &str = "strategies";
const LOCK: &str = "lock";
const RECORD: &str = "job.json";
const OUTPUT: &str = "output.txt";
/// Bytes of a job's record.
const RECORD_BYTES_MAX: u64 = 1 << 20;

/// What a job is made of, once its folder is known.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What it is.
    pub what: What,
    /// What it is about: a file name.
    pub subject: String,
    /// Files for its folder, by plain names.
    pub files: Vec<(String, String)>,
    /// The words of its command.
    pub words: Vec<String>,
    /// The words that continue it.
    pub again: Option<Vec<String>>,
    /// The session that it works on: its jobs run one after the other.
    pub session: Option<PathBuf>,
    /// A hint that the session is given first.
    pub hint: Option<String>,
    /// Where its results are.
    pub result: PathBuf,
}

/// Why there are no jobs.
#[derive(Debug, thiserror::Error)]
pub enum JobsError {
    /// Another process carries them out.
    #[error("another process starts work in {}", .0.display())]
    Busy(PathBuf),
    /// The folder cannot be used.
    #[error("failed to use the folder {}: {why}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// Why a job does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Too many wait.
    #[error("{WAITING_MAX} jobs are waiting, which is the limit")]
    Full,
    /// The folder is full.
    #[error("the folder holds {JOBS_MAX} jobs, which is the limit; remove old ones from it")]
    TooMany,
    /// The server is about to end.
    #[error("the server is stopping")]
    Closing,
    /// What it would work on is not as it has to be.
    #[error("{0}")]
    Plan(String),
    /// The file system.
    #[error("failed to write the job's folder: {0}")]
    Files(String),
}

/// See the module documentation. What it was begun with ends with it.
pub struct Jobs {
    inner: Arc<Inner>,
    dispatcher: Mutex<Option<JoinHandle<()>>>,
    _lock: File,
}

struct Inner {
    program: Program,
    path: PathBuf,
    folder: Folder,
    at_once: usize,
    state: Mutex<Board>,
    changed: Condvar,
    /// Which results lack something.
    progress: Progress,
}

/// How all jobs stand.
#[derive(Default)]
struct Board {
    jobs: BTreeMap<u64, Entry>,
    is_closing: bool,
}

struct Entry {
    job: Job,
    /// Of a job whose process runs.
    lifeline: Option<Lifeline>,
    /// Somebody has asked for its end.
    is_stopping: bool,
}

impl Jobs {
    /// Takes over the jobs of a folder, which is made if it is not there: those that wait will run, those that were running are resumed or lost.
    ///
    /// # Errors
    /// [`JobsError`].
    pub fn open(path: &Path, program: Program, at_once: usize) -> Result<Self, JobsError> {
        let failed = |why: &dyn std::fmt::Display| JobsError::Folder { path: path.to_owned(), why: why.to_string() };
        let folder = Folder::own(path).map_err(|error| failed(&error))?;
        let whole = path.canonicalize().map_err(|error| failed(&error))?;
        if whole.to_str().is_none() {
            return Err(failed(&"its path is not UTF-8"));
        }
        let lock = folder.file_to_change(LOCK, 0o600).map_err(|error| failed(&error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JobsError::Busy(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        let jobs = read_all(&folder).map_err(|error| failed(&error))?;
        let state = Mutex::new(Board { jobs, is_closing: false });
        let at_once = at_once.clamp(1, AT_ONCE_MAX);
        let (changed, progress) = (Condvar::new(), Progress::default());
        let inner = Arc::new(Inner { program, path: whole, folder, at_once, state, changed, progress });
        inner.take_over().map_err(|error| failed(&error))?;
        let worker = Arc::clone(&inner);
        let dispatcher = std::thread::Builder::new()
            .name("assay-jobs".to_owned())
            .spawn(move || dispatch(&worker))
            .map_err(|error| failed(&error))?;
        Ok(Self { inner, dispatcher: Mutex::new(Some(dispatcher)), _lock: lock })
    }

    /// Where they are.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The folder of saved strategies.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn strategies(&self) -> Result<Folder, OpenError> {
        // By its whole path: what lies in it is named to commands.
        Folder::own(&self.inner.path.join(STRATEGIES))
    }

    /// All jobs, the newest first.
    #[must_use]
    pub fn list(&self) -> Vec<Job> {
        self.inner.board().jobs.values().rev().map(|entry| entry.job.clone()).collect()
    }

    /// One of them.
    #[must_use]
    pub fn find(&self, id: &JobId) -> Option<Job> {
        self.inner.board().jobs.get(&id.number()).map(|entry| entry.job.clone()).filter(|job| job.id == *id)
    }

    /// The job that works on a session now, or waits to.
    #[must_use]
    pub fn of_session(&self, session: &Path) -> Option<Job> {
        let board = self.inner.board();
        let mut jobs = board.jobs.values().rev().map(|entry| &entry.job);
        jobs.find(|job| !job.state.is_end() && job.session.as_deref() == Some(session)).cloned()
    }

    /// A text in a job's folder, one that it was given say.
    ///
    /// # Errors
    /// It is not there, or no text.
    pub fn text(&self, id: &JobId, name: &str, bytes_max: u64) -> Result<String, OpenError> {
        self.inner.folder.folder(id.as_str())?.read_text(name, bytes_max)
    }

    /// How many bytes a job has printed.
    #[must_use]
    pub fn printed(&self, id: &JobId) -> u64 {
        let found = self.inner.folder.folder(id.as_str()).and_then(|own| own.look(OUTPUT));
        found.ok().flatten().map_or(0, |found| found.bytes)
    }

    /// The end of what a job has printed, and how many bytes that is in all.
    #[must_use]
    pub fn output(&self, id: &JobId) -> (String, u64) {
        let read = || -> Result<(String, u64), OpenError> {
            let mut file = self.inner.folder.folder(id.as_str())?.file(OUTPUT)?;
            let bytes = file.metadata()?.len();
            file.seek(SeekFrom::Start(bytes.saturating_sub(OUTPUT_SHOWN_MAX)))?;
            let mut end = Vec::new();
            file.take(OUTPUT_SHOWN_MAX).read_to_end(&mut end)?;
            Ok((String::from_utf8_lossy(&end).into_owned(), bytes))
        };
        read().unwrap_or_default()
    }

    /// Has a job carried out as soon as it is its turn. `make` is told the job's own folder.
    ///
    /// # Errors
    /// [`StartError`]; nothing has begun then.
    pub fn start(&self, name: &str, make: impl FnOnce(&Path) -> Result<Plan, String>) -> Result<Job, StartError> {
        let inner = &self.inner;
        let mut board = inner.board();
        board.has_room()?;
        if board.jobs.len() >= JOBS_MAX {
            return Err(StartError::TooMany);
        }
        let number = board.jobs.last_key_value().map_or(1, |(number, _)| number + 1);
        let id = JobId::new(number, name);
        let failed = |why: &dyn std::fmt::Display| StartError::Files(why.to_string());
        let own = inner.folder.own_folder(id.as_str()).map_err(|error| failed(&error))?;
        let plan = make(&inner.path.join(id.as_str())).map_err(StartError::Plan)?;
        for (name, text) in &plan.files {
            own.write(name, text.as_bytes(), 0o600).map_err(|error| failed(&error))?;
        }
        let job = Job::new(id, plan);
        inner.keep(&job).map_err(|error| failed(&error))?;
        board.jobs.insert(number, Entry { job: job.clone(), lifeline: None, is_stopping: false });
        inner.changed.notify_all();
        Ok(job)
    }

    /// Ends a job: one that runs stops as after Ctrl-C, one that waits never begins. Whether there was anything to end.
    #[must_use]
    pub fn stop(&self, id: &JobId) -> bool {
        let mut board = self.inner.board();
        let Some(entry) = board.jobs.get_mut(&id.number()).filter(|entry| entry.job.id == *id) else { return false };
        if entry.job.state.is_end() || entry.is_stopping {
            return false;
        }
        entry.is_stopping = true;
        // Nobody runs it: it ends here.
        if entry.job.state == State::Waiting {
            entry.job.end(State::Stopped);
            // What cannot be written now is so when the next process looks, and waits again.
            let _ = self.inner.keep(&entry.job);
        }
        drop(entry.lifeline.take());
        self.inner.changed.notify_all();
        true
    }

    /// Whether somebody can have a job go on where it ended: its command resumes, and there is something left. Looks at the folder of its results, and into it
    /// where it has changed: what it had finished may have been removed since.
    #[must_use]
    pub fn can_go_on(&self, job: &Job) -> bool {
        let lacks_results = || match job.what {
            What::Rollout | What::World => self.inner.progress.lacks_results(&job.result),
            What::Run | What::Gate | What::Refine => false,
        };
        job.resumes() && (!job.state.is_answer() || lacks_results())
    }

    /// Has a job that has ended go on where it did, as soon as it is its turn.
    ///
    /// # Errors
    /// It cannot, or too many wait.
    pub fn go_on(&self, id: &JobId) -> Result<Job, StartError> {
        let none = || StartError::Plan("nothing is left of it to be done, or it has not ended".to_owned());
        self.inner.board().has_room()?;
        // Nobody waits for the board while files are read, so the job may be another one afterwards.
        let seen = self.find(id).filter(|job| self.can_go_on(job)).ok_or_else(none)?;
        let mut board = self.inner.board();
        board.has_room()?;
        let entry = board.jobs.get_mut(&id.number()).filter(|entry| entry.job == seen).ok_or_else(none)?;
        let words = entry.job.again.clone().ok_or_else(none)?;
        let before = entry.job.clone();
        (entry.job.words, entry.job.state, entry.job.ended_ms) = (words, State::Waiting, None);
        entry.is_stopping = false;
        if let Err(error) = self.inner.keep(&entry.job) {
            entry.job = before;
            return Err(StartError::Files(error.to_string()));
        }
        let job = entry.job.clone();
        self.inner.changed.notify_all();
        Ok(job)
    }

    /// Runs a command to its end without making a job of it. Nothing waits longer than `patience`.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn ask(&self, words: &[String], patience: Duration) -> std::io::Result<Asked> {
        child::ask(&self.inner.program, words, patience)
    }

    /// Lets go of every job and waits until their processes have ended. The next to open the folder takes them over.
    pub fn close(&self) {
        {
            let mut board = self.inner.board();
            board.is_closing = true;
            for entry in board.jobs.values_mut() {
                drop(entry.lifeline.take());
            }
            self.inner.changed.notify_all();
        }
        let dispatcher = self.dispatcher.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(dispatcher) = dispatcher {
            // A panic there was told where it happened.
            let _ = dispatcher.join();
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.close();
    }
}

impl Board {
    /// Whether one more job can wait.
    fn has_room(&self) -> Result<(), StartError> {
        if self.is_closing {
            return Err(StartError::Closing);
        }
        if self.jobs.values().filter(|entry| entry.job.state == State::Waiting).count() >= WAITING_MAX {
            return Err(StartError::Full);
        }
        Ok(())
    }
}

impl Inner {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down how a job stands.
    fn keep(&self, job: &Job) -> Result<(), OpenError> {
        let text = serde_json::to_vec_pretty(job).map_err(std::io::Error::from)?;
        Ok(self.folder.folder(job.id.as_str())?.write(RECORD, &text, 0o600)?)
    }

    /// Decides what becomes of jobs whose process ended with the one before.
    fn take_over(&self) -> Result<(), OpenError> {
        for entry in self.board().jobs.values_mut().filter(|entry| entry.job.state == State::Running) {
            let job = &mut entry.job;
            match job.again.clone().filter(|_| job.resumes < RESUMES_MAX && has_begun(job)) {
                Some(words) => {
                    job.words = words;
                    job.resumes += 1;
                    job.state = State::Waiting;
                }
                None => job.end(State::Lost),
            }
            self.keep(job)?;
        }
        Ok(())
    }

    /// The next job whose turn it is.
    fn next(&self, board: &mut Board) -> Option<Job> {
        let running = || board.jobs.values().filter(|entry| entry.job.state == State::Running);
        if running().count() >= self.at_once {
            return None;
        }
        let is_free = |job: &Job| job.session.is_none() || running().all(|other| other.job.session != job.session);
        let mut waiting = board.jobs.values().map(|entry| &entry.job).filter(|job| job.state == State::Waiting);
        let number = waiting.find(|job| is_free(job))?.id.number();
        let job = &mut board.jobs.get_mut(&number)?.job;
        job.begin();
        Some(job.clone())
    }

    /// Carries a job out.
    fn carry_out(&self, job: &Job) {
        let number = job.id.number();
        let end = match self.run(job) {
            Ok(code) => State::Ended { code },
            Err(why) => {
                self.say(job, &why);
                State::Ended { code: Some(INFRASTRUCTURE) }
            }
        };
        let mut board = self.board();
        let is_closing = board.is_closing;
        if let Some(entry) = board.jobs.get_mut(&number) {
            entry.lifeline = None;
            let is_whole = matches!(end, State::Ended { code: Some(0..INTERRUPTED) });
            // What was interrupted because the server ends is the next server's.
            if !is_closing || is_whole {
                entry.job.end(if entry.is_stopping && !is_whole { State::Stopped } else { end });
                // If it cannot be written, the next process resumes what has ended, which then says so.
                let _ = self.keep(&entry.job);
            }
        }
        self.changed.notify_all();
    }

    /// Adds a word of ours to what a job has printed. Where it cannot be written, the job's state has to do.
    fn say(&self, job: &Job, words: &str) {
        let file = self.folder.folder(job.id.as_str()).and_then(|folder| folder.file_to_change(OUTPUT, 0o600));
        if let Ok(mut file) = file {
            let _ = file.seek(SeekFrom::End(0)).and_then(|_| writeln!(file, "{words}"));
        }
    }

    fn run(&self, job: &Job) -> Result<Option<i32>, String> {
        let mut job = job.clone();
        if !self.waits_for(&job) {
            return Ok(Some(INTERRUPTED));
        }
        if let Some((session, hint)) = job.session.as_deref().zip(job.hint.take()) {
            assay_refine::manage::hint(session, &hint, std::process::id()).map_err(|error| error.to_string())?;
            // Said once, whatever happens next.
            self.settle_hint(job.id.number());
        }
        let folder = self.folder.folder(job.id.as_str()).map_err(|error| error.to_string())?;
        let output = folder.file_to_change(OUTPUT, 0o600).map_err(|error| error.to_string())?;
        let (child, lifeline) = Child::start(&self.program, &job.words).map_err(|error| error.to_string())?;
        {
            let mut board = self.board();
            let is_closing = board.is_closing;
            let entry = board.jobs.get_mut(&job.id.number()).ok_or("the job is gone")?;
            entry.lifeline = Some(lifeline).filter(|_| !is_closing && !entry.is_stopping);
        }
        let is_let_go = || {
            let board = self.board();
            board.is_closing || board.jobs.get(&job.id.number()).is_none_or(|entry| entry.is_stopping)
        };
        child.wait(output, &is_let_go).map_err(|error| error.to_string())
    }

    fn settle_hint(&self, number: u64) {
        if let Some(entry) = self.board().jobs.get_mut(&number) {
            entry.job.hint = None;
            let _ = self.keep(&entry.job);
        }
    }

    /// Waits until nobody else works on what a job is about to work on; `false` if the job is to end first.
    fn waits_for(&self, job: &Job) -> bool {
        let since = Instant::now();
        while is_taken(job) && since.elapsed() < SESSION_WAIT {
            let board = self.board();
            if board.is_closing || board.jobs.get(&job.id.number()).is_none_or(|entry| entry.is_stopping) {
                return false;
            }
            let waited = self.changed.wait_timeout(board, SESSION_LOOK);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
        true
    }
}

/// Whether a process works on what a job is about: the one before may still be writing what it has.
fn is_taken(job: &Job) -> bool {
    let is_running = |session: &Path| {
        assay_refine::journal::Kept::read(session).is_ok_and(|kept| kept.is_running && kept.state.ended().is_none())
    };
    match job.what {
        What::Rollout | What::World => assay_rollout::run::RunFolder::is_taken(&job.result),
        What::Run | What::Gate | What::Refine => job.session.as_deref().is_some_and(is_running),
    }
}

/// What a command says of this machine, and what it says after Ctrl-C.
const INFRASTRUCTURE: i32 = 4;
const INTERRUPTED: i32 = 130;

/// Gives each job its thread when it is its turn, until the end.
fn dispatch(inner: &Arc<Inner>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    let mut board = inner.board();
    loop {
        threads.retain(|thread| !thread.is_finished());
        if board.is_closing {
            break;
        }
        let Some(job) = inner.next(&mut board) else {
            board = inner.changed.wait(board).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        // Before anything of it runs: whoever comes next must know that it did.
        let kept = inner.keep(&job);
        let worker = Arc::clone(inner);
        let moved = job.clone();
        let spawned = kept.map_err(|error| error.to_string()).and_then(|()| {
            let thread = std::thread::Builder::new().name(format!("assay-job-{}", moved.id.number()));
            thread.spawn(move || worker.carry_out(&moved)).map_err(|error| error.to_string())
        });
        match (spawned, board.jobs.get_mut(&job.id.number())) {
            (Ok(thread), _) => threads.push(thread),
            (Err(_), Some(entry)) => entry.job.end(State::Ended { code: Some(INFRASTRUCTURE) }),
            (Err(_), None) => {}
        }
    }
    drop(board);
    for thread in threads {
        // A panic there was told where it happened.
        let _ = thread.join();
    }
}

/// Whether there is anything to resume.
fn has_begun(job: &Job) -> bool {
    job.session.as_deref().is_none_or(|session| session.join(assay_refine::journal::LOG_NAME).is_file())
}

/// The jobs that a folder holds. What is none is passed over.
fn read_all(folder: &Folder) -> Result<BTreeMap<u64, Entry>, OpenError> {
    let mut jobs = BTreeMap::new();
    // Our own few beside those of jobs.
    for name in folder.entries(JOBS_MAX + 100)? {
        let Some(id) = name.to_str().and_then(|name| name.parse::<JobId>().ok()) else { continue };
        let read = folder.folder(id.as_str()).and_then(|own| own.read(RECORD, RECORD_BYTES_MAX));
        let job = read.ok().and_then(|bytes| serde_json::from_slice::<Job>(&bytes).ok());
        if let Some(job) = job.filter(|job| job.id == id) {
            jobs.insert(id.number(), Entry { job, lifeline: None, is_stopping: false });
        }
    }
    Ok(jobs)
}
