//! A bench that fails for a while, any number of episodes that wait for files, and what an episode is charged for.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use assay_grade::rule::Ended;
use assay_model::{Nanos, Time};
use assay_rollout::ports::{BenchError, BenchLimits, Clock, Job, Overlay, TestBench, TestRun};
use assay_rollout::run::{BenchNews, OUTAGE_MAX, PatientBench, Workspaces};
use assay_rollout::task::load_tasks;
use assay_tree::{Limits, Tree};
use futures::executor::block_on;
use futures::future::{BoxFuture, join_all, ready};

/// Time passes only while somebody sleeps.
#[derive(Default)]
struct Sleeper(AtomicU64);

impl Clock for Sleeper {
    fn now(&self) -> Time {
        Time(self.0.load(Ordering::Relaxed))
    }

    fn sleep(&self, length: Nanos) -> BoxFuture<'_, ()> {
        self.0.fetch_add(length.0, Ordering::Relaxed);
        Box::pin(ready(()))
    }
}

/// What an engine does when it is asked: `.` answers, `n` is not there, `r` rests, `f` fails, `i` lacks the image. The last goes on.
struct Engine(Mutex<VecDeque<char>>);

fn answer() -> TestRun {
    TestRun {
        log: Vec::new(),
        dropped_bytes: 0,
        artifact: None,
        ended: Ended::Exited(0),
        junit: None,
        nanoseconds: 1,
        is_open: false,
    }
}

impl TestBench for Engine {
    fn run(&self, _: Job) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        let mut acts = self.0.lock().expect("nobody panicked");
        let act = if acts.len() > 1 { acts.pop_front() } else { acts.front().copied() };
        let why = "stopped".to_owned();
        let result = match act.expect("an act") {
            '.' => Ok(answer()),
            'n' => Err(BenchError::NoEngine { why }),
            'r' => Err(BenchError::Resting { why }),
            'f' => Err(BenchError::Failed { why }),
            _ => Err(BenchError::NoImage { image: "x".to_owned(), why }),
        };
        Box::pin(ready(result))
    }

    fn repository<'a>(&'a self, _: &'a str, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Result<Tree, BenchError>> {
        Box::pin(async {
            // As the real one does: the cache is read on a thread of the pool.
            tokio::task::spawn_blocking(|| Ok(Tree::new(Limits { bytes_max: 1 << 20, inodes_max: 10 })))
                .await
                .expect("read")
        })
    }
}

fn job() -> Job {
    let limits = BenchLimits { seconds: 1, memory_bytes: 1, millicpus: 1, pids: 1, log_bytes: 1, artifact_bytes: 1 };
    let label = "job".to_owned();
    Job {
        image: "x".to_owned(),
        folder: "/x".to_owned(),
        overlay: Overlay::default(),
        script: String::new(),
        junit: None,
        users: false,
        limits,
        label,
    }
}

/// What jobs come to on an engine: `+` where one has a result, `-` where not; and for how long they waited, in seconds.
#[track_caller]
fn check(acts: &str, jobs: usize, expected: &str, seconds: std::ops::RangeInclusive<u64>, news: usize) {
    let clock = Arc::new(Sleeper::default());
    let told: Arc<Mutex<Vec<BenchNews>>> = Arc::default();
    let tell = Arc::clone(&told);
    let engine = Arc::new(Engine(Mutex::new(acts.chars().collect())));
    let bench = PatientBench::new(engine, Arc::clone(&clock) as Arc<dyn Clock>, move |news| {
        tell.lock().expect("nobody panicked").push(news);
    });
    let found: String = (0..jobs).map(|_| if block_on(bench.run(job())).is_ok() { '+' } else { '-' }).collect();
    assert_eq!(found, expected, "{acts}");
    let waited = clock.now().0 / Nanos::SECOND.0;
    assert!(seconds.contains(&waited), "{acts}: {waited} s");
    assert_eq!(told.lock().expect("nobody panicked").len(), news, "{acts}");
}

#[test]
fn brief_failures_are_waited_out() {
    let most = OUTAGE_MAX.0 / Nanos::SECOND.0;
    // An engine that never answered may not exist.
    check("n", 2, "--", 0..=0, 0);
    check("f", 1, "-", 0..=0, 0);
    check(".n.", 2, "++", 1..=1, 2);
    // Forty seconds of an engine that is stopped and started again.
    check(".ffnnnr.", 2, "++", 40..=80, 2);
    check(".n", 2, "+-", most..=most + 60, 1);
    check(".f", 2, "+-", 120..=180, 1);
    // Who comes after that does not wait as long again.
    check(".n", 4, "+---", most..=most + 60, 1);
    // An image that is not there does not come by waiting, but the engine answered.
    check("in.", 2, "-+", 1..=1, 2);
}

const TASKS: usize = 1_000;

#[test]
fn a_thousand_episodes_wait_for_files_on_a_few_threads() {
    let home = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write(
        "task.toml",
        "id = \"one\"\nlanguage = \"python\"\n[image]\nname = \"x:1\"\nfrom = \"present\"\n[tests]\ncommand = \"pytest\"\nparser = \"pytest\"\n\
         fail_to_pass = [\"t.py::t\"]\npass_to_pass = []\n",
    );
    write("problem.md", "It breaks.\n");
    write("repository/it.py", "bad\n");
    write("gold.patch", "diff --git a/it.py b/it.py\n--- a/it.py\n+++ b/it.py\n@@ -1 +1 @@\n-bad\n+good\n");
    let task = load_tasks(home.path()).expect("a task").remove(0);
    let tasks = (0..TASKS).map(|number| {
        let mut task = task.clone();
        task.task.public.instance_id = format!("t{number}");
        task.files = assay_rollout::task::Files::Image;
        Arc::new(task)
    });
    let workspaces = Arc::new(Workspaces::new(tasks));
    let bench: Arc<dyn TestBench> = Arc::new(Engine(Mutex::default()));
    // Two threads for whatever blocks: a task that held one while it waited for another would hang for ever.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).max_blocking_threads(2).build().expect("threads");
    let read = runtime.block_on(join_all((0..TASKS).map(|number| {
        let (workspaces, bench) = (Arc::clone(&workspaces), Arc::clone(&bench));
        async move {
            let read = tokio::spawn(async move {
                let id = format!("t{number}");
                workspaces.get(&id, &*bench).await.expect("a task").expect("its files")
            });
            read.await.expect("nobody panicked")
        }
    })));
    assert_eq!(read.len(), TASKS);
    // Files are in memory only as long as an episode has them.
    let shared = Arc::downgrade(&read[0]);
    let again = runtime.block_on(workspaces.get("t0", &*bench)).expect("a task").expect("its files");
    assert!(Arc::ptr_eq(&again, &read[0]));
    drop((again, read));
    assert!(shared.upgrade().is_none());
}
