//! One engine for all tests, and the one way in which they run cells.

use assay_model::{Seed, Time};
use assay_sandbox::python::PYTHON_COMPONENT_HINT;
use assay_sandbox::python::{
    CellOutcome, HostAnswer, HostCall, HostCalls, PythonEngine, PythonLimits, PythonSession, PythonSettings,
    SessionConfig, locate_component,
};
use assay_tree::{Content, Limits, Tree};
use futures::future::BoxFuture;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

pub(crate) const FOLDER: &str = "/testbed";

/// Compiled once for the process, and once for the machine: the cache is the user's.
pub(crate) fn engine() -> &'static PythonEngine {
    static ENGINE: OnceLock<PythonEngine> = OnceLock::new();
    ENGINE.get_or_init(|| open(64))
}

/// An engine for `sessions` sessions.
pub(crate) fn open(sessions: u32) -> PythonEngine {
    let component = locate_component(None, |name| std::env::var(name).ok()).expect("there is a home folder");
    let cache = component.parent().map_or_else(PathBuf::new, |folder| folder.join("artifacts"));
    let helper = PathBuf::from(env!("CARGO_BIN_EXE_assay-sandbox-helper"));
    let settings = PythonSettings { sessions, ..PythonSettings::new(component, cache, helper) };
    PythonEngine::open(&settings).unwrap_or_else(|error| panic!("{error:?}\nhint: {PYTHON_COMPONENT_HINT}"))
}

/// A small repository.
pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::new(Limits { bytes_max: 64 << 20, inodes_max: 20_000 });
    for (path, text) in files {
        if let Some((folder, _)) = path.rsplit_once('/') {
            tree.mkdir_all(folder.as_bytes(), Time::default()).expect("a folder");
        }
        tree.put(path.as_bytes(), Content::from(text.as_bytes()), Time::default()).expect("a file");
    }
    tree
}

/// Answers every call with what it was, and remembers it.
#[derive(Default)]
pub(crate) struct Echo(pub(crate) Mutex<Vec<HostCall>>);

impl HostCalls for Echo {
    fn call<'a>(&'a self, call: HostCall, _: Tree) -> BoxFuture<'a, HostAnswer> {
        Box::pin(async move {
            // A real one waits for something.
            tokio::task::yield_now().await;
            let answer = match &call {
                HostCall::RunTests => HostAnswer::Text("2 passed".to_owned()),
                HostCall::Shell { .. } => HostAnswer::Refused("shell is not allowed in this task".to_owned()),
                HostCall::LlmQuery { prompt } => HostAnswer::Text(prompt.to_uppercase()),
                HostCall::SubAgent { .. } => HostAnswer::Infrastructure("the other agent's machine is gone".to_owned()),
            };
            self.0.lock().expect("nobody panics").push(call);
            answer
        })
    }
}

/// Runs one future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

/// Limits that let a test end soon.
pub(crate) const LIMITS: PythonLimits =
    PythonLimits { fuel_cell: 1_000_000_000, memory_bytes: 128 << 20, ..PythonLimits::STANDARD };

pub(crate) fn config(tree: Tree, seed: u64) -> SessionConfig {
    SessionConfig {
        tree,
        folder: FOLDER.to_owned(),
        seed: Seed(seed),
        start_time: Time(1_700_000_000_000_000_000),
        limits: LIMITS,
    }
}

pub(crate) async fn start(tree: Tree) -> PythonSession {
    engine().start(config(tree, 7)).await.expect("a session")
}

/// Runs cells one after the other in a fresh session.
pub(crate) fn run(tree: Tree, cells: &[&str]) -> Vec<CellOutcome> {
    block_on(async {
        let mut session = start(tree).await;
        let mut outcomes = Vec::new();
        for cell in cells {
            if !session.is_alive() {
                session.restart().await.expect("a fresh interpreter");
            }
            outcomes.push(session.run(cell, &Echo::default()).await.expect("no trouble with the machine"));
        }
        outcomes
    })
}
