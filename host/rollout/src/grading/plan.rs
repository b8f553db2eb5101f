//! Planning: from the files of an episode to what a container is given. Pure and deterministic.
//!
//! Invariants: a path of [`Protection`] has in the container what the untouched task has there, whatever the submission did to it or to the
//! folders on the way; no path of an overlay leaves its folder; the tests are put in place last.

use assay_grade::rule::Flag;
use assay_grade::task::Tests;
use assay_model::Time;
use assay_tree::patch::{self, ChangedPath, PatchError, changed_paths};
use assay_tree::{BlobError, Kind as Node, Tree, TreeError};

use super::protect::Protection;
use super::script::{self, Report};
use crate::ports::{BenchLimits, Job, Overlay, OverlayFile};
use crate::submission::{self, NoPatch};
use crate::task::{LoadedTask, Workspace};

/// What is to be done to grade an episode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// All that the episode changed, as a patch.
    pub patch: Vec<u8>,
    /// How many files it changed, the dropped ones included.
    pub changed_files: usize,
    /// Changes that do not reach the container, and why.
    pub dropped: Vec<Flag>,
    /// What is run.
    pub work: Work,
}

/// What is run for a submission.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Work {
    /// Nothing, since no file differs.
    NoModifiedFiles,
    /// Nothing, since it changes more than [`SUBMISSION_BYTES_MAX`](crate::SUBMISSION_BYTES_MAX).
    TooLarge,
    /// Nothing, since it cannot be laid over the task.
    DoesNotFit {
        /// Why not.
        why: String,
    },
    /// This job. Where the report is required and there is none, the run is not to be believed.
    Run {
        /// What the bench is given.
        job: Box<Job>,
        /// Whether pytest must leave the report that the job names.
        report_required: bool,
    },
}

/// Why there is no plan. None of it is the submission's doing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// Nobody knows how to run the task's tests.
    #[error("{0}")]
    CannotRun(String),
    /// The task's tests do not fit its files.
    #[error("the task's tests do not apply: {0}")]
    Tests(PatchError),
    /// A file's content is not where it should be.
    #[error(transparent)]
    Blob(#[from] BlobError),
}

/// What a plan depends on, beside the files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanSettings<'a> {
    /// What the tests may use where the task does not say.
    pub limits: BenchLimits,
    /// Whether pytest is asked for a report.
    pub with_report: bool,
    /// What the job is labelled with.
    pub label: &'a str,
    /// The submission as a patch against the base, where it is known already.
    pub patch: Option<&'a [u8]>,
    /// Whether the tests run even where no file differs.
    pub run_unchanged: bool,
}

/// Plans the grading of `tree`, which an episode made from the workspace's base.
///
/// # Errors
/// The task or a store is at fault.
pub fn plan(
    task: &LoadedTask,
    workspace: &Workspace,
    tree: &Tree,
    settings: PlanSettings<'_>,
) -> Result<Plan, PlanError> {
    let changes = changed_paths(&workspace.base, tree);
    let changed_files = changes.len();
    let mut plan = Plan { patch: Vec::new(), changed_files, dropped: Vec::new(), work: Work::NoModifiedFiles };
    if changes.is_empty() && !settings.run_unchanged {
        return Ok(plan);
    }
    plan.patch =
        match settings.patch.map_or_else(|| submission::patch(&workspace.base, tree), |known| Ok(known.to_vec())) {
            Ok(patch) => patch,
            Err(NoPatch::TooLarge { .. }) => return Ok(Plan { work: Work::TooLarge, ..plan }),
            Err(NoPatch::Blob(error)) => return Err(error.into()),
        };
    let protection = Protection::of(task);
    let mut submitted = workspace.start.fork();
    let result = lay_submission(&mut submitted, tree, &changes, &protection, &mut plan.dropped);
    let result = result.and_then(|()| match put_tests(&mut submitted, task) {
        Err(TestsError::Tree(error) | TestsError::Patch(PatchError { problem: patch::Problem::Tree(error), .. })) => {
            Err(error)
        }
        Err(TestsError::Patch(error)) => Ok(Err(PlanError::Tests(error))),
        Ok(()) => Ok(Ok(())),
    });
    match result {
        Ok(tests) => tests?,
        Err(TreeError::Blob(error)) => return Err(error.into()),
        // Files of the task alone fit, so it is the submission that does not.
        Err(error) => {
            return Ok(Plan { work: Work::DoesNotFit { why: error.to_string() }, ..plan });
        }
    }
    let mut overlay = overlay(&workspace.image, &submitted)?;
    // The image's repository may hold the fix, as a later commit. A row's own script applies its tests with git.
    if task.task.secret.eval_script.is_none() {
        overlay.removed.push(b".git".to_vec());
    }
    let (script, report) = script::script(&task.task, settings.with_report).map_err(PlanError::CannotRun)?;
    let job = Job {
        image: task.task.bench.image.clone(),
        folder: task.task.bench.folder.clone(),
        overlay,
        script,
        junit: (report != Report::None).then(|| script::JUNIT.to_owned()),
        users: false,
        limits: limits(task, settings.limits),
        label: label(settings.label),
    };
    plan.work = Work::Run { job: Box::new(job), report_required: report == Report::Required };
    Ok(plan)
}

/// A label of the characters that engines and file systems take.
pub(super) fn label(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+') { c } else { '-' })
        .collect()
}

pub(super) fn limits(task: &LoadedTask, limits: BenchLimits) -> BenchLimits {
    BenchLimits {
        seconds: task.limits.seconds.unwrap_or(limits.seconds),
        memory_bytes: task.limits.memory_bytes.unwrap_or(limits.memory_bytes),
        millicpus: task.limits.millicpus.unwrap_or(limits.millicpus),
        pids: task.limits.pids.unwrap_or(limits.pids),
        ..limits
    }
}

/// Lays what changed between base and `tree` over `onto`, but for what is protected.
fn lay_submission(
    onto: &mut Tree,
    tree: &Tree,
    changes: &[ChangedPath],
    protection: &Protection,
    dropped: &mut Vec<Flag>,
) -> Result<(), TreeError> {
    let mut kept: Vec<&ChangedPath> = Vec::with_capacity(changes.len());
    for change in changes {
        match protection.refusal(&change.path) {
            Some(flag) => dropped.push(flag),
            None => kept.push(change),
        }
    }
    // What goes away goes first, so that a file may become a folder.
    for change in kept.iter().filter(|change| change.old.is_some()) {
        remove_leaf(onto, &change.path)?;
    }
    for change in kept.iter().filter(|change| change.new.is_some()) {
        // What is protected stays, and then something that needs its place cannot come.
        if !is_free(onto, &change.path) {
            dropped.push(Flag::ProtectedFile { path: String::from_utf8_lossy(&change.path).into_owned() });
            continue;
        }
        copy_leaf(onto, tree, &change.path)?;
    }
    Ok(())
}

/// What is directly at a path: no symlink on the way is followed.
fn leaf(tree: &Tree, path: &[u8]) -> Option<Node> {
    let is_real = parents(path).all(|parent| tree.lstat(parent).is_ok_and(|stat| stat.kind == Node::Directory));
    if is_real { tree.lstat(path).ok().map(|stat| stat.kind) } else { None }
}

/// The folders on the way to a path, the outermost first.
fn parents(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(slash, _)| &path[..slash])
}

/// Removes a file or symlink, and each folder above it that is empty then. A folder at the path stays.
fn remove_leaf(tree: &mut Tree, path: &[u8]) -> Result<(), TreeError> {
    let now = Time::default();
    if leaf(tree, path).is_none_or(|kind| kind == Node::Directory) {
        return Ok(());
    }
    tree.unlink(path, now)?;
    let above: Vec<&[u8]> = parents(path).collect();
    for parent in above.into_iter().rev() {
        if tree.rmdir(parent, now).is_err() {
            break;
        }
    }
    Ok(())
}

/// Whether a file can be put at a path: real folders or nothing on the way, a file, a symlink, an empty folder or nothing at it.
fn is_free(tree: &Tree, path: &[u8]) -> bool {
    for parent in parents(path) {
        match tree.lstat(parent) {
            Ok(stat) if stat.kind == Node::Directory => {}
            Ok(_) => return false,
            Err(_) => return true,
        }
    }
    match tree.lstat(path) {
        Ok(stat) if stat.kind == Node::Directory => {
            tree.readdir(path).is_ok_and(|mut entries| entries.next().is_none())
        }
        _ => true,
    }
}

/// Makes room at a free path and the folders on the way to it.
fn clear(tree: &mut Tree, path: &[u8]) -> Result<(), TreeError> {
    let now = Time::default();
    if let Some(parent) = parents(path).last() {
        tree.mkdir_all(parent, now)?;
    }
    match leaf(tree, path) {
        Some(Node::Directory) => tree.rmdir(path, now),
        Some(_) => tree.unlink(path, now),
        None => Ok(()),
    }
}

/// Copies a file or symlink of `from` to where it is free in `to`.
fn copy_leaf(to: &mut Tree, from: &Tree, path: &[u8]) -> Result<(), TreeError> {
    let now = Time::default();
    clear(to, path)?;
    match from.lstat(path)?.kind {
        Node::Symlink => to.symlink(from.readlink(path)?, path, now),
        kind => {
            let bytes = from.read_all(path)?.to_vec();
            to.put(path, bytes.into(), now)?;
            to.set_executable(path, kind == Node::Executable)
        }
    }
}

enum TestsError {
    Tree(TreeError),
    Patch(PatchError),
}

/// Puts the task's hidden tests in place.
fn put_tests(tree: &mut Tree, task: &LoadedTask) -> Result<(), TestsError> {
    let now = Time::default();
    match (&task.task.secret.tests, &task.task.secret.eval_script) {
        // The row's script applies them itself.
        (_, Some(_)) | (Tests::InImage | Tests::InParentCommit, None) => Ok(()),
        (Tests::Patch(text), None) => {
            *tree = patch::apply(tree, text.as_bytes(), now).map_err(TestsError::Patch)?;
            Ok(())
        }
        (Tests::Files(_), None) if !task.task.kind.places_test_files() => Ok(()),
        (Tests::Files(files), None) => files
            .iter()
            .try_for_each(|(path, text)| {
                let path = path.as_bytes();
                clear(tree, path)?;
                tree.put(path, text.as_bytes().into(), now)
            })
            .map_err(TestsError::Tree),
    }
}

/// What turns the image's files into `tree`.
pub(super) fn overlay(image: &Tree, tree: &Tree) -> Result<Overlay, BlobError> {
    let mut overlay = Overlay::default();
    for ChangedPath { path, old, new } in changed_paths(image, tree) {
        let Some(kind) = new else {
            overlay.removed.push(path);
            continue;
        };
        // A file that takes a symlink's place must not be written through it.
        if old.is_some_and(|old| old.is_file() != kind.is_file()) {
            overlay.removed.push(path.clone());
        }
        let read = |error: TreeError| match error {
            TreeError::Blob(error) => error,
            other => unreachable!("the path has just been found: {other}"),
        };
        let file = if kind == Node::Symlink {
            OverlayFile::Symlink { target: tree.readlink(&path).map_err(read)?.to_vec() }
        } else {
            let bytes = tree.read_all(&path).map_err(read)?.to_vec();
            OverlayFile::Regular { bytes, executable: kind == Node::Executable }
        };
        overlay.files.push((path, file));
    }
    // A folder of the image that became a file: its files are removed one by one, and the empty folder with them.
    let taken = overlay
        .files
        .iter()
        .map(|(path, _)| path)
        .filter(|path| image.lstat(path).is_ok_and(|stat| stat.kind == Node::Directory));
    overlay.removed.extend(taken.cloned().collect::<Vec<_>>());
    Ok(overlay)
}

/// The untouched files with the tests in place, as an overlay: what a reward command sees.
pub(super) fn untouched(task: &LoadedTask, workspace: &Workspace) -> Result<Overlay, PlanError> {
    let mut tree = workspace.start.fork();
    match put_tests(&mut tree, task) {
        Ok(()) => Ok(overlay(&workspace.image, &tree)?),
        Err(TestsError::Patch(error)) => Err(PlanError::Tests(error)),
        Err(TestsError::Tree(TreeError::Blob(error))) => Err(error.into()),
        Err(TestsError::Tree(error)) => Err(PlanError::CannotRun(error.to_string())),
    }
}

/// The files that the task's tests consist of, for [`assay_grade::rule::Evidence`].
pub(super) fn decisive(task: &LoadedTask) -> Vec<String> {
    Protection::of(task).decisive().to_vec()
}
