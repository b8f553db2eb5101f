//! Sessions live on threads of their own: they start, run and end there, and nowhere else.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use assay_model::{Seed, Time};
use assay_rollout::Settings;
use assay_rollout::ports::{Cell, Host, HostAnswer, HostCall, Session, SessionError, SessionStart, Sessions};
use assay_rollout::run::CellThreads;
use assay_tree::{Limits, Tree};
use futures::future::BoxFuture;

/// What happened, and on which thread.
type Seen = Arc<Mutex<Vec<String>>>;

fn note(seen: &Seen, what: &str) {
    let thread = std::thread::current().name().unwrap_or("nameless").to_owned();
    seen.lock().expect("nobody panicked").push(format!("{what} on {thread}"));
}

struct Noting(Seen);

struct Noted {
    seen: Seen,
    tree: Tree,
}

impl Sessions for Noting {
    fn start(&self, start: SessionStart) -> BoxFuture<'_, Result<Box<dyn Session>, SessionError>> {
        Box::pin(async move {
            note(&self.0, "start");
            Ok(Box::new(Noted { seen: Arc::clone(&self.0), tree: start.tree }) as Box<dyn Session>)
        })
    }

    fn help(&self) -> &str {
        ""
    }
}

impl Session for Noted {
    fn run<'a>(&'a mut self, code: &'a str, host: &'a dyn Host) -> BoxFuture<'a, Result<Cell, SessionError>> {
        Box::pin(async move {
            note(&self.seen, "run");
            self.tree.put(b"a", code.as_bytes().into(), Time(0)).expect("there is room");
            let answer = host.call(HostCall::Finish { summary: String::new() }, self.tree.fork()).await;
            let stdout = answer.unwrap_or_default();
            Ok(Cell { stdout, stderr: String::new(), dropped_bytes: 0, error: None, fuel: 0 })
        })
    }

    fn tree(&self) -> Tree {
        self.tree.fork()
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        note(&self.seen, "end");
    }
}

struct Desk(Seen);

impl Host for Desk {
    fn call(&self, _: HostCall, tree: Tree) -> BoxFuture<'_, HostAnswer> {
        note(&self.0, "call");
        let text = tree.read_all(b"a").map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Box::pin(async move { text.map_err(|error| error.to_string()) })
    }
}

fn threads(seen: &Seen, sessions: usize) -> CellThreads {
    let sessions = NonZeroUsize::new(sessions).expect("some");
    CellThreads::new(Arc::new(Noting(Arc::clone(seen))), NonZeroUsize::MIN, sessions).expect("a thread")
}

fn start() -> SessionStart {
    SessionStart {
        tree: Tree::new(Limits { bytes_max: 1 << 20, inodes_max: 10 }),
        folder: "/testbed".to_owned(),
        seed: Seed(1),
        time: Time(0),
        limits: Settings::standard().limits.session,
    }
}

#[test]
fn a_session_waits_for_the_end_of_another_where_there_is_no_slot() {
    let seen = Seen::default();
    let threads = threads(&seen, 1);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let first = threads.start(start()).await.expect("it starts");
        let mut second = threads.start(start());
        // It has been asked, and has nothing to wait for but the slot.
        assert!(futures::poll!(&mut second).is_pending());
        assert_eq!(seen.lock().expect("nobody panicked").len(), 1);
        drop(first);
        drop(second.await.expect("it starts"));
    });
    assert_eq!(seen.lock().expect("nobody panicked")[..3], ["start on cells", "end on cells", "start on cells"]);
}

/// How the start of a session goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wrong {
    Error,
    Panic,
    /// It never ends, and whoever waits for it goes away.
    Hang,
    /// It starts, and whoever waits for it has gone away meanwhile.
    Abandoned,
}

/// Goes wrong once.
struct Once(Wrong, Mutex<bool>);

impl Sessions for Once {
    fn start(&self, start: SessionStart) -> BoxFuture<'_, Result<Box<dyn Session>, SessionError>> {
        Box::pin(async move {
            let is_first = !std::mem::replace(&mut *self.1.lock().expect("nobody panicked"), true);
            match self.0 {
                Wrong::Error if is_first => Err(SessionError { why: "on purpose".to_owned(), hint: None }),
                Wrong::Panic if is_first => panic!("on purpose"),
                Wrong::Hang if is_first => std::future::pending().await,
                _ => Ok(Box::new(Noted { seen: Seen::default(), tree: start.tree }) as Box<dyn Session>),
            }
        })
    }

    fn help(&self) -> &str {
        ""
    }
}

/// A slot that were lost would have all later episodes wait for good.
#[test]
fn a_slot_is_free_again_however_a_start_ends() {
    for wrong in [Wrong::Error, Wrong::Panic, Wrong::Hang, Wrong::Abandoned] {
        let inner = Arc::new(Once(wrong, Mutex::new(false)));
        let threads = CellThreads::new(inner.clone(), NonZeroUsize::MIN, NonZeroUsize::MIN).expect("a thread");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let mut first = threads.start(start());
            match wrong {
                Wrong::Error | Wrong::Panic => assert!(first.await.is_err(), "{wrong:?}"),
                Wrong::Hang => {
                    while !*inner.1.lock().expect("nobody panicked") {
                        assert!(futures::poll!(&mut first).is_pending());
                        tokio::task::yield_now().await;
                    }
                    drop(first);
                }
                Wrong::Abandoned => {
                    // Whether it had begun when it is dropped makes no difference.
                    let _ = futures::poll!(&mut first);
                    drop(first);
                }
            }
            // One that waits for the slot and gives up takes none.
            let mut waits = threads.start(start());
            let _ = futures::poll!(&mut waits);
            drop(waits);
            for _ in 0..2 {
                drop(threads.start(start()).await.unwrap_or_else(|error| panic!("{wrong:?}: {error}")));
            }
        });
    }
}

#[test]
fn a_session_never_leaves_its_threads() {
    let seen = Seen::default();
    let threads = threads(&seen, 2);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut session = threads.start(start()).await.expect("it starts");
        let cell = session.run("said", &Desk(Arc::clone(&seen))).await.expect("it runs");
        assert_eq!((cell.stdout.as_str(), session.tree().read_all(b"a").is_ok()), ("said", true));
        drop(session);
        // On the one thread, what comes later runs later.
        threads.start(start()).await.expect("it starts");
    });
    let seen = seen.lock().expect("nobody panicked");
    let here = std::thread::current().name().unwrap_or("nameless").to_owned();
    let call = format!("call on {here}");
    assert_eq!(seen[..5], ["start on cells", "run on cells", &call, "end on cells", "start on cells"]);
}
