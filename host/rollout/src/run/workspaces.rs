//! The files of a run's tasks: read when an episode needs them, shared by the task's episodes, let go with the last of them.
//!
//! Invariants: any number of episodes may wait for files at once, for nothing here holds a thread while it waits; what grading has found out about a
//! task lasts as long as the run.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use tokio::sync::Mutex;

use crate::ports::TestBench;
use crate::task::known::Known;
use crate::task::{LoadedTask, Workspace, WorkspaceError};

/// See the module documentation.
pub struct Workspaces {
    tasks: BTreeMap<String, Entry>,
}

struct Entry {
    task: Arc<LoadedTask>,
    known: Arc<Known>,
    /// Held while the files are read, so that they are read once.
    files: Mutex<Weak<Workspace>>,
}

impl Workspaces {
    /// No files yet.
    #[must_use]
    pub fn new(tasks: impl IntoIterator<Item = Arc<LoadedTask>>) -> Self {
        let entry = |task: Arc<LoadedTask>| {
            let id = task.id().to_owned();
            (id, Entry { task, known: Arc::default(), files: Mutex::new(Weak::new()) })
        };
        Self { tasks: tasks.into_iter().map(entry).collect() }
    }

    /// A task by its id.
    #[must_use]
    pub fn task(&self, id: &str) -> Option<&Arc<LoadedTask>> {
        self.tasks.get(id).map(|entry| &entry.task)
    }

    /// The files of a task; `None` for an unknown task. They are in memory as long as somebody has them.
    ///
    /// # Errors
    /// The bench or the folder does not give them. The next call tries again.
    pub async fn get(&self, id: &str, bench: &dyn TestBench) -> Option<Result<Arc<Workspace>, WorkspaceError>> {
        let entry = self.tasks.get(id)?;
        let mut files = entry.files.lock().await;
        if let Some(workspace) = files.upgrade() {
            return Some(Ok(workspace));
        }
        let workspace = match entry.task.workspace(bench).await {
            Ok(workspace) => Arc::new(Workspace { known: Arc::clone(&entry.known), ..workspace }),
            Err(error) => return Some(Err(error)),
        };
        *files = Arc::downgrade(&workspace);
        Some(Ok(workspace))
    }
}
