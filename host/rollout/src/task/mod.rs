//! Tasks as they are run: what a data set or a folder says, and where its files come from.
//!
//! Invariants: a loaded task has been checked as far as that goes without a container: its patches apply to the files that are here, its parser
//! is known, no path leaves its folder. Whoever makes a prompt uses [`LoadedTask::public`] and nothing else of it.

mod error;
mod files;
mod folder;
mod format;
mod gold;
mod id;
pub(crate) mod known;
mod load;
mod workspace;

use std::collections::BTreeMap;
use std::path::PathBuf;

use assay_grade::task::{Public, Task};

use crate::reward::CustomReward;

pub use error::LoadError;
pub use files::{FILE_BYTES_MAX, FILES_MAX, REPOSITORY_BYTES_MAX};
pub use gold::GoldError;
pub use id::{TASK_ID_BYTES_MAX, TASK_ID_RULE, is_task_id};
pub use load::{LoadedTasks, TASKS_MAX, load_tasks};
pub use workspace::{Workspace, WorkspaceError};

/// A task that can be run.
#[derive(Clone, Debug)]
pub struct LoadedTask {
    /// The task.
    pub task: Task,
    /// Where its repository is.
    pub files: Files,
    /// How its image is had.
    pub image: ImageSource,
    /// Files, folders (ending in `/`) that no submission may change, beside those that are known to belong to the tests.
    pub protected: Vec<String>,
    /// Files that a submission may change although they steer how tests run.
    pub allowed: Vec<String>,
    /// What its tests may use, where the task says so.
    pub limits: TaskLimits,
    /// Whether the model may run commands in containers.
    pub shell: bool,
    /// A reward of the task's own.
    pub reward: Option<CustomReward>,
    /// Answers of a scripted model that comes with the task.
    pub model: Option<PathBuf>,
    /// The file or folder that it was loaded from.
    pub origin: PathBuf,
    /// The digest of the whole row, for a task that was one: what nobody reads of it is let go, for a data set has gigabytes of that.
    pub row: Option<blake3::Hash>,
}

/// Where a task's repository is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Files {
    /// In this folder of the host. The image need not have it: all of it is laid over the image before a test runs.
    Folder(PathBuf),
    /// In the image, at [`assay_grade::task::Bench::folder`].
    Image,
}

/// How a task's image is had.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ImageSource {
    /// It must be there.
    Present,
    /// It is there, or can be pulled.
    #[default]
    Pull,
    /// It is there, or is built from this: a folder with a `Dockerfile`, or a script that makes it. Loading runs nothing; whoever runs it
    /// must have been asked to by the user.
    Build(PathBuf),
}

/// What a task says about the limits of its tests; the settings of the run hold where it says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TaskLimits {
    /// Time, in seconds.
    pub seconds: Option<u32>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Processors, in thousandths.
    pub millicpus: Option<u32>,
    /// Processes and threads.
    pub pids: Option<u32>,
}

impl LoadedTask {
    /// A task of a data set: its repository is in its image, and nothing is said beyond the row, so that whoever runs it decides about a shell.
    #[must_use]
    pub fn from_row(mut task: Task, origin: PathBuf) -> Self {
        // A task is plain data, so it can be written.
        let row = Some(blake3::hash(&serde_json::to_vec(&task).unwrap_or_default()));
        task.secret.other = BTreeMap::new();
        Self {
            task,
            files: Files::Image,
            image: ImageSource::Pull,
            protected: Vec::new(),
            allowed: Vec::new(),
            limits: TaskLimits::default(),
            shell: true,
            reward: None,
            model: None,
            origin,
            row,
        }
    }

    /// What a model may see.
    #[must_use]
    pub const fn public(&self) -> &Public {
        &self.task.public
    }

    /// The task's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.task.public.instance_id
    }
}
