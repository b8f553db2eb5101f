//! A test bench: a fresh container for each job, and what came out of it.
//!
//! Invariants: a job's container is made from an image that no guest has touched, has no network, and is gone when the call is over, dropped
//! calls included; how a command ended is learnt from the engine, never from what the command printed.

use std::path::PathBuf;

use assay_grade::rule::Ended;
use assay_tree::Tree;
use futures::future::BoxFuture;
use thiserror::Error;

/// Runs commands over files in fresh containers.
pub trait TestBench: Send + Sync {
    /// Runs one job.
    fn run(&self, job: Job) -> BoxFuture<'_, Result<TestRun, BenchError>>;

    /// The files of `folder` in the image, without what `keep_out` names (paths in the folder; one that ends in `/` is a folder), from the cache where
    /// they were read before. `.git` is never among them.
    fn repository<'a>(
        &'a self,
        image: &'a str,
        folder: &'a str,
        keep_out: &'a [String],
    ) -> BoxFuture<'a, Result<Tree, BenchError>>;
}

/// What is run, over which files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The image: a name that is present or can be pulled.
    pub image: String,
    /// The working folder.
    pub folder: String,
    /// What differs from the image before the command runs.
    pub overlay: Overlay,
    /// A script for `bash`; it is uploaded as a file, so its length has no limit of an argument's.
    pub script: String,
    /// Where the command leaves a `JUnit` report, if it makes one: an absolute path.
    pub junit: Option<String>,
    /// Whether the script may become other users of the container: two processes that must not reach each other need it.
    pub users: bool,
    /// What it may use.
    pub limits: BenchLimits,
    /// What the job belongs to, for labels and names of artifacts: letters, digits, `-`, `_`, `.` and `+`.
    pub label: String,
}

/// Files that differ from the image: paths are relative to the job's folder and never leave it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overlay {
    /// Written over what is there; a path's folders are made.
    pub files: Vec<(Vec<u8>, OverlayFile)>,
    /// Removed first, folders with all that is in them; a path that is not there is no error.
    pub removed: Vec<Vec<u8>>,
}

/// One file of an overlay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OverlayFile {
    /// A regular file.
    Regular {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it may be executed.
        executable: bool,
    },
    /// A symbolic link.
    Symlink {
        /// Where to.
        target: Vec<u8>,
    },
}

/// What a container may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchLimits {
    /// Time for the command, in seconds.
    pub seconds: u32,
    /// Memory in bytes, swap included.
    pub memory_bytes: u64,
    /// Processors, in thousandths.
    pub millicpus: u32,
    /// Processes and threads.
    pub pids: u32,
    /// Output that [`TestRun::log`] keeps, in bytes; the artifact keeps up to `artifact_bytes`.
    pub log_bytes: usize,
    /// Output that is kept on disk, in bytes; more ends the job.
    pub artifact_bytes: u64,
}

/// What came out of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestRun {
    /// Standard output and error as they came, the middle left out where they are too long.
    pub log: Vec<u8>,
    /// Bytes that `log` lacks.
    pub dropped_bytes: u64,
    /// The whole output on disk.
    pub artifact: Option<PathBuf>,
    /// How the command ended, by the engine's word.
    pub ended: Ended,
    /// The `JUnit` report, where one was asked for and made.
    pub junit: Option<String>,
    /// Wall time of the command, in nanoseconds.
    pub nanoseconds: u64,
    /// Whether the command could reach what watches over it in the container: then the exit code is its own word.
    pub is_open: bool,
}

/// Why a job has no result. All of it is the infrastructure's or the user's, never the patch's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BenchError {
    /// No engine answers.
    #[error("no test engine: {why}")]
    NoEngine {
        /// What was tried.
        why: String,
    },
    /// The image is not there and cannot be had.
    #[error("the image {image} is not available: {why}")]
    NoImage {
        /// Its name.
        image: String,
        /// The engine's words.
        why: String,
    },
    /// Too many jobs failed lately; the engine is given a rest.
    #[error("the test engine is paused after failures: {why}")]
    Resting {
        /// The last failure, and for how long.
        why: String,
    },
    /// Anything else that the engine or the disk did.
    #[error("the test engine failed: {why}")]
    Failed {
        /// What happened.
        why: String,
    },
    /// The job is impossible as it stands: the user's to mend.
    #[error("the job is invalid: {why}")]
    Invalid {
        /// What is wrong.
        why: String,
    },
}

impl BenchError {
    /// What a user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoEngine { .. } => Some(
                "start Docker (`sudo systemctl start docker`, or `dockerd`), or name another engine with --docker-url or DOCKER_HOST",
            ),
            Self::NoImage { .. } => Some("build or load the image, or name a registry that has it"),
            Self::Resting { .. } => Some("check the engine's log, then run again: finished episodes are kept"),
            Self::Failed { .. } | Self::Invalid { .. } => None,
        }
    }
}
