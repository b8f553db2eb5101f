//! The files of a task: those of its image, those that an episode begins with, those of the right fix.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_grade::task::{Gold, Kind, Tests};
use assay_model::Time;
use assay_tree::{Tree, patch};
use thiserror::Error;

use super::files::{empty_tree, read_tree};
use super::known::Known;
use super::{Files, GoldError, LoadError, LoadedTask, gold};
use crate::aside::aside;
use crate::ports::{BenchError, TestBench};

/// The files of a task. Made once, used by every episode of the task: trees are forked in microseconds.
#[derive(Clone)]
pub struct Workspace {
    /// What the image has in the task's folder; nothing where the repository comes with the task.
    pub(crate) image: Tree,
    /// What a submission is laid over: the repository with its bug and with all tests that it has.
    pub(crate) start: Tree,
    /// What an episode begins with: `start` without the tests that decide.
    pub(crate) base: Tree,
    /// What grading has found out about the task.
    pub(crate) known: Arc<Known>,
}

/// Why a task's files cannot be had.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WorkspaceError {
    /// The image or the engine is the trouble.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The folder is the trouble.
    #[error(transparent)]
    Load(#[from] LoadError),
}

impl Workspace {
    /// What an episode begins with, and what its changes are told from.
    #[must_use]
    pub const fn base(&self) -> &Tree {
        &self.base
    }
}

impl LoadedTask {
    /// Paths that an episode must not see: the tests of the image and what runs them.
    #[must_use]
    pub fn kept_out(&self) -> Vec<String> {
        match self.task.kind {
            // Its interpreter lies beside the sources.
            Kind::R2eGym => ["r2e_tests/", "run_tests.sh", ".venv/"].map(str::to_owned).to_vec(),
            Kind::SweBench
            | Kind::SweBench5
            | Kind::SweGym
            | Kind::SweRebench
            | Kind::SweSmith
            | Kind::MultiSwe
            | Kind::Native => Vec::new(),
        }
    }

    /// The task's files, from its folder or from its image.
    ///
    /// # Errors
    /// The folder changed since it was loaded, or the bench cannot give the image's files.
    pub async fn workspace(&self, bench: &dyn TestBench) -> Result<Workspace, WorkspaceError> {
        match &self.files {
            Files::Folder(folder) => {
                let start = aside(|| read_tree(folder)).await?;
                Ok(Workspace { image: empty_tree(), base: start.fork(), start, known: Arc::default() })
            }
            Files::Image => {
                let place = &self.task.bench;
                let image = bench.repository(&place.image, &place.folder, &self.kept_out()).await?;
                Ok(aside(|| self.workspace_of(image)).await?)
            }
        }
    }

    /// SWE-smith's images stand before the bug, which the row's patch makes, or after it, and hold the tests that decide.
    fn workspace_of(&self, image: Tree) -> Result<Workspace, LoadError> {
        let start = match &self.task.secret.gold {
            Gold::Bug(bug) => self.with_bug(&image, bug)?,
            Gold::Patch(_) | Gold::Files(_) => image.fork(),
        };
        let mut base = start.fork();
        if self.task.secret.tests == Tests::InParentCommit {
            let hidden: BTreeSet<String> = self.task.protected_files().into_iter().collect();
            for path in hidden {
                // A test that is not there need not be hidden.
                let _ = base.unlink(path.as_bytes(), Time::default());
            }
        }
        Ok(Workspace { image, start, base, known: Arc::default() })
    }

    /// The image's files with the bug. Without it, any change would be worth 1.
    fn with_bug(&self, image: &Tree, bug: &str) -> Result<Tree, LoadError> {
        let now = Time::default();
        patch::apply(image, bug.as_bytes(), now).or_else(|_| {
            let has_bug = patch::apply(image, gold::reversed(bug).as_bytes(), now).is_ok();
            if has_bug {
                return Ok(image.fork());
            }
            let what = format!(
                "task {}: the patch that makes its bug fits neither the files of {} nor those with the bug in them",
                self.id(),
                self.task.bench.image
            );
            Err(LoadError::new(&self.origin, what).hint("check that the row names the right image"))
        })
    }

    /// The files of an episode that found the right fix.
    ///
    /// # Errors
    /// The fix does not fit the files.
    pub fn gold_tree(&self, workspace: &Workspace) -> Result<Tree, GoldError> {
        gold::apply(&self.task.secret.gold, &workspace.base)
    }
}
