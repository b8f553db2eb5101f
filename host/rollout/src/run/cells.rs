//! Threads for cells, apart from those of the run.
//!
//! A cell computes for milliseconds between two moments at which it lets go of its thread. On the run's own threads, a hundred of them would
//! make everybody else wait for a hundred such slices: models, timers, the disk. Here they wait for each other, and the operating system gives
//! the run's threads their turn.
//!
//! Invariants: a cell whose caller has gone is dropped, and its session with it; a session begins only once there is a slot for it, however late the
//! threads bury those before it, so a busy machine makes an episode wait and never fail.

use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_trace::Digest;
use assay_tree::Tree;
use futures::future::BoxFuture;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::aside::blocking;
use crate::ports::{Cell, Host, HostAnswer, HostCall, Session, SessionError, SessionStart, Sessions};

/// How long a dropped cell may hold its session: every other cell may be ahead of it, each for a slice.
const BURIAL_MAX: Duration = Duration::from_secs(10);
/// How often it is looked at meanwhile.
const BURIAL_STEP: Duration = Duration::from_micros(200);

/// How nice the threads of cells are: a thread of the run that wakes up goes before them. A cell that has to wait for its turn is not taken to
/// hang: its watchdog counts processor time.
const NICENESS: i32 = 19;

/// Sessions whose starts, cells and ends run on threads of their own.
pub struct CellThreads {
    inner: Arc<dyn Sessions>,
    /// One for each session that `inner` can hold.
    slots: Arc<Semaphore>,
    /// Gone only while it is dropped.
    runtime: Option<Runtime>,
}

impl CellThreads {
    /// Puts `inner`, which can hold `sessions` sessions at once, on `threads` threads. Whoever starts one more waits until another has ended: an
    /// episode and its sub-agents hold one each, so there must be as many as all episodes at once can hold.
    ///
    /// # Errors
    /// The system gives no more threads.
    pub fn new(inner: Arc<dyn Sessions>, threads: NonZeroUsize, sessions: NonZeroUsize) -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads.get())
            .thread_name("cells")
            .on_thread_start(give_way)
            .enable_time()
            .build()?;
        let slots = Arc::new(Semaphore::new(sessions.get().min(Semaphore::MAX_PERMITS)));
        Ok(Self { inner, slots, runtime: Some(runtime) })
    }

    fn handle(&self) -> Result<Handle, SessionError> {
        self.runtime.as_ref().map(|runtime| runtime.handle().clone()).ok_or_else(|| failed("its threads are gone"))
    }
}

/// Has this thread give way to those of the run. Where the system refuses, they compete.
fn give_way() {
    let _ = rustix::process::nice(NICENESS);
}

impl Drop for CellThreads {
    fn drop(&mut self) {
        // Waiting is not allowed where this may be dropped, and nothing on these threads is worth waiting for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Sessions for CellThreads {
    fn start(&self, start: SessionStart) -> BoxFuture<'_, Result<Box<dyn Session>, SessionError>> {
        Box::pin(async move {
            let (handle, inner) = (self.handle()?, Arc::clone(&self.inner));
            let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(|error| failed(&error.to_string()))?;
            let held = elsewhere(&handle, async move {
                let session = Mutex::new(inner.start(start).await?);
                Ok::<_, SessionError>(Held { session, _slot: slot })
            });
            let mut held = held.await??;
            let tree = held.session.get_mut().tree();
            let session = Some(Arc::new(held));
            Ok(Box::new(Remote { session, tree, handle }) as Box<dyn Session>)
        })
    }

    fn help(&self) -> &str {
        self.inner.help()
    }
}

/// Aborts its task when it is dropped.
struct Task<T>(JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn elsewhere<T: Send + 'static>(
    handle: &Handle,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, SessionError> {
    let mut task = Task(handle.spawn(work));
    (&mut task.0).await.map_err(|error| failed(&error.to_string()))
}

fn failed(why: &str) -> SessionError {
    SessionError { why: why.to_owned(), hint: None }
}

/// A session and its slot, which is free once the session is gone.
struct Held {
    /// Locked by its cell while one runs.
    session: Mutex<Box<dyn Session>>,
    _slot: OwnedSemaphorePermit,
}

/// A session that is elsewhere while a cell runs.
struct Remote {
    /// Gone only while it is dropped.
    session: Option<Arc<Held>>,
    /// The files as they were last known.
    tree: Tree,
    handle: Handle,
}

impl Session for Remote {
    fn run<'a>(&'a mut self, code: &'a str, host: &'a dyn Host) -> BoxFuture<'a, Result<Cell, SessionError>> {
        Box::pin(async move {
            let session = self.session.clone().ok_or_else(|| failed("it has ended"))?;
            let code = code.to_owned();
            let (caller, mut calls) = mpsc::channel(1);
            let cell = elsewhere(&self.handle, async move {
                let mut session = session.session.lock().await;
                let result = session.run(&code, &Caller(caller)).await;
                (hashed(session.tree()), result)
            });
            let mut cell = std::pin::pin!(cell);
            loop {
                tokio::select! {
                    ended = &mut cell => {
                        let (tree, result) = ended?;
                        self.tree = tree;
                        return result;
                    }
                    Some(Call { call, tree, answer }) = calls.recv() => {
                        self.tree = tree.fork();
                        // Whoever asked may be gone: then nobody needs the answer.
                        let _ = answer.send(host.call(call, tree).await);
                    }
                }
            }
        })
    }

    fn tree(&self) -> Tree {
        self.look(|session| session.tree()).unwrap_or_else(|| self.tree.fork())
    }

    fn parts(&self) -> Vec<(String, Digest)> {
        self.look(|session| session.parts()).unwrap_or_default()
    }
}

impl Remote {
    /// Looks at the session between cells. Where the last cell was dropped, it holds the session until its thread comes by to bury it.
    fn look<T>(&self, look: impl FnOnce(&dyn Session) -> T) -> Option<T> {
        let session = &self.session.as_ref()?.session;
        if let Ok(session) = session.try_lock() {
            return Some(look(&**session));
        }
        blocking(|| {
            let since = Instant::now();
            while since.elapsed() < BURIAL_MAX {
                if let Ok(session) = session.try_lock() {
                    return Some(look(&**session));
                }
                std::thread::sleep(BURIAL_STEP);
            }
            None
        })
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // Giving megabytes back takes its time.
        let session = self.session.take();
        self.handle.spawn(async move { drop(session) });
    }
}

/// The tree with its digest computed: whoever asks for it later finds it there.
fn hashed(tree: Tree) -> Tree {
    let _ = tree.digest();
    tree
}

/// A call on its way from a cell to its caller.
struct Call {
    call: HostCall,
    tree: Tree,
    answer: oneshot::Sender<HostAnswer>,
}

/// What a cell takes for its host.
struct Caller(mpsc::Sender<Call>);

impl Host for Caller {
    fn call(&self, call: HostCall, tree: Tree) -> BoxFuture<'_, HostAnswer> {
        Box::pin(async move {
            let gone = || "the episode has ended".to_owned();
            let (answer, answered) = oneshot::channel();
            self.0.send(Call { call, tree: hashed(tree), answer }).await.map_err(|_| gone())?;
            answered.await.map_err(|_| gone())?
        })
    }
}
