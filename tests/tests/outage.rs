//! Runs whose container engine goes away in the middle, and runs of very many episodes. They need a Docker engine with the image of `make setup-docker`.
//!
//! What happens when depends on what the engine is asked, not on a clock.

use assay_tests::{assay, show};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

const IMAGE: &str = "assay/python-tests:1";

/// The socket of the local engine, which must have the image.
fn engine() -> PathBuf {
    let url = std::env::var("DOCKER_HOST").unwrap_or_else(|_| "unix:///var/run/docker.sock".to_owned());
    let found = Command::new("docker").args(["image", "inspect", IMAGE]).output();
    assert!(found.is_ok_and(|found| found.status.success()), "the image {IMAGE} is not there: run `make setup-docker`");
    url.strip_prefix("unix://").expect("the tests use an engine behind a socket").into()
}

/// What stands between a run and its engine, and goes away for a while.
struct Line {
    engine: PathBuf,
    /// How many containers it lets through before it goes away, and how many attempts to reach it then fail.
    containers: usize,
    attempts: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    containers: usize,
    refused: usize,
    /// Both ends of what is open.
    open: Vec<UnixStream>,
}

impl Line {
    fn lay(engine: PathBuf, socket: &Path, containers: usize, attempts: usize) -> Arc<Self> {
        let listener = UnixListener::bind(socket).expect("a socket");
        let line = Arc::new(Self { engine, containers, attempts, state: Mutex::default() });
        let this = Arc::clone(&line);
        thread::spawn(move || {
            for near in listener.incoming() {
                let near = near.expect("a connection");
                if this.may_pass() {
                    this.join(near);
                }
            }
        });
        line
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("nobody panicked")
    }

    fn is_away(&self, state: &State) -> bool {
        state.containers >= self.containers && state.refused < self.attempts
    }

    fn may_pass(&self) -> bool {
        let mut state = self.state();
        let is_away = self.is_away(&state);
        state.refused += usize::from(is_away);
        !is_away
    }

    /// Carries bytes both ways, each on a thread.
    fn join(self: &Arc<Self>, near: UnixStream) {
        let far = UnixStream::connect(&self.engine).expect("the engine answers");
        let copy = |stream: &UnixStream| stream.try_clone().expect("a descriptor");
        self.state().open.extend([copy(&near), copy(&far)]);
        let (this, asked, asks) = (Arc::clone(self), copy(&far), copy(&near));
        thread::spawn(move || carry(asks, asked, |bytes| this.hears(bytes)));
        thread::spawn(move || carry(far, near, |_| ()));
    }

    /// Counts containers; with the last one everything that is open breaks off, its answer too.
    fn hears(&self, bytes: &[u8]) {
        let asks = b"POST /containers/create";
        let count = bytes.windows(asks.len()).filter(|part| part == asks).count();
        let mut state = self.state();
        let was_away = self.is_away(&state);
        state.containers += count;
        if self.is_away(&state) && !was_away {
            for stream in state.open.drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

fn carry(mut from: UnixStream, mut to: UnixStream, hear: impl Fn(&[u8])) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        hear(&bytes[..read]);
        if to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

const MENDS: &str = r#"{"text": "It is wrong.\n\n```repl\nedit('calc.py', 'a - b', 'a + b')\n```", "usage": {"input": 200, "output": 20}}
{"text": "Done.\n\n```repl\nfinish('added instead of subtracted')\n```", "usage": {"input": 300, "output": 30}}
"#;

/// A task with a bug in `home/tasks`.
fn task(home: &Path) {
    let task = home.join("tasks/calc");
    std::fs::create_dir_all(task.join("repository")).expect("made");
    let write = |name: &str, text: &str| std::fs::write(task.join(name), text).expect("written");
    write(
        "task.toml",
        &format!(
            "id = \"calc\"\nlanguage = \"python\"\n\n[image]\nname = \"{IMAGE}\"\nfrom = \"present\"\n\n[tests]\n\
             command = \"python3 -m pytest -rA\"\nparser = \"pytest\"\nfail_to_pass = [\"test_calc.py::test_add\"]\npass_to_pass = []\n\n\
             [limits]\nseconds = 60\n"
        ),
    );
    write("problem.md", "`add(1, 2)` gives -1.\n");
    write("repository/calc.py", "def add(a, b):\n    return a - b\n");
    write("repository/test_calc.py", "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n");
    write(
        "gold.patch",
        "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n",
    );
    write("model.jsonl", MENDS);
}

fn journal(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("results.jsonl")).expect("a journal");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn an_engine_that_stops_for_a_while_costs_no_episode() {
    const EPISODES: usize = 48;
    let home = tempfile::tempdir().expect("a temporary folder");
    task(home.path());
    // A third of them are graded before it goes away. The pauses between attempts double from one second.
    let line = Line::lay(engine(), &home.path().join("engine.sock"), EPISODES / 3, 4);
    let url = format!("unix://{}", home.path().join("engine.sock").display());
    let samples = EPISODES.to_string();
    let run = ["rollout", "run", "tasks", "--model", "scripted", "--rule", "swe_bench", "--out", "out"];
    let output = assay(home.path())
        .args(run)
        .args(["--samples", &samples, "--concurrency", "24", "--docker-url", &url])
        .output()
        .expect("assay starts");
    let text = show(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    {
        let state = line.state();
        assert!(state.containers > EPISODES && state.refused == 4, "{} {}\n{text}", state.containers, state.refused);
    }
    // Whether the engine was missed long enough to be spoken of depends on who called it when; what became of the episodes does not.
    assert!(text.contains("48 of 48 episodes finished"), "{text}");
    let lines = journal(&home.path().join("out"));
    assert_eq!(lines.len(), EPISODES, "{text}");
    for line in &lines {
        assert_eq!(
            (&line["result"]["scored"]["reward"], &line["tokens"], &line["attempt"]),
            (&json!(1.0), &json!(550), &json!(1))
        );
        let path = home.path().join(format!("out/episodes/{}.jsonl", line["id"].as_str().expect("an id")));
        let trajectory = std::fs::read_to_string(path).expect("a trajectory");
        assert_eq!(trajectory.matches("\"kind\":\"model_call\"").count(), 2, "asked once for each reply\n{trajectory}");
    }
}

/// Rows of a data set over one image, each changed to lie where the image has a folder.
fn image_tasks(home: &Path, count: usize) {
    let rows: String = (0..count)
        .map(|number| {
            let row = json!({
                "instance_id": format!("many__many-{number}"), "repo": "many/many", "base_commit": "c", "docker_image": IMAGE,
                "problem_statement": "It breaks.", "patch": "diff --git a/_version.py b/_version.py\n--- a/_version.py\n+++ b/_version.py\n@@ -1 +1 @@\n-a\n+b\n",
                "test_patch": "diff --git a/t.py b/t.py\nnew file mode 100644\n--- /dev/null\n+++ b/t.py\n@@ -0,0 +1 @@\n+a\n",
                "FAIL_TO_PASS": ["t.py::t"], "PASS_TO_PASS": [],
                "install_config": { "test_cmd": "python3 -m pytest -rA", "log_parser": "pytest" },
            });
            format!("{row}\n")
        })
        .collect();
    std::fs::write(home.join("rows.jsonl"), rows).expect("written");
    let output = assay(home).args(["tasks", "import", "rows.jsonl", "--out", "tasks"]).output().expect("assay starts");
    assert!(output.status.success(), "{}", show(&output));
    for entry in std::fs::read_dir(home.join("tasks")).expect("tasks") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a task");
        std::fs::write(path, text.replace("/testbed", "/usr/lib/python3/dist-packages/pluggy")).expect("written");
    }
}

#[test]
fn a_thousand_episodes_at_once_over_many_image_tasks_finish() {
    const TASKS: usize = 600;
    let engine = format!("unix://{}", engine().display());
    let home = tempfile::tempdir().expect("a temporary folder");
    image_tasks(home.path(), TASKS);
    let gives_up = r#"{"text": "No idea.\n\n```repl\nprint(read_file('_version.py')[:1])\nfinish('nothing')\n```"}"#;
    std::fs::write(home.path().join("gives-up.jsonl"), gives_up).expect("written");
    let run =
        ["rollout", "run", "tasks", "--model", "scripted:gives-up.jsonl", "--concurrency", "1000", "--out", "out"];
    let output = assay(home.path())
        .args(run)
        .args(["--docker-url", &engine, "--image-cache", "images", "--no-store"])
        .output()
        .expect("assay starts");
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
    let lines = journal(&home.path().join("out"));
    assert_eq!(lines.len(), TASKS, "{}", show(&output));
    assert!(
        lines.iter().all(|line| line["result"]["scored"]["reward"] == 0.0 && line["steps"] == 1),
        "{:?}",
        lines.first()
    );
}
