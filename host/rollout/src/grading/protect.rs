//! Which files a submission may not bring: those that decide, those that steer how tests run, and those of tests at large.
//!
//! Sources of the attacks: docs/grading.md, SWE-bench issues 538, 539 and 631. Two more are ours: an `*.egg-info/` beside the tests registers a
//! pytest plugin as soon as `python -m pytest` looks at its working folder, and a `.pyc` with an unchecked hash is loaded in place of its source.

use std::collections::BTreeSet;

use assay_grade::patch::{Change, touched_files};
use assay_grade::rule::Flag;
use assay_grade::task::{Gold, Tests};

use crate::task::LoadedTask;

/// Files that steer how tests run, by name, wherever they are.
const CONFIGURATION: [&str; 14] = [
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "tox.ini",
    "setup.cfg",
    "pyproject.toml",
    "pyvenv.cfg",
    ".coveragerc",
    "jest.config.js",
    "jest.config.ts",
    "vitest.config.js",
    "vitest.config.ts",
];
/// Folders whose files are code that nobody reads as source, by name, wherever they are.
const MACHINERY: [&str; 7] = ["__pycache__", "site-packages", ".venv", "venv", ".cargo", ".tox", "node_modules"];
/// Ends of names, of folders and files, that Python acts upon by itself.
const ENDINGS: [&str; 5] = [".pth", ".pyc", ".egg-info", ".dist-info", ".egg-link"];
/// Modules that run tests: beside the tests, a file or folder of such a name is imported in place of the real one.
const RUNNERS: [&str; 8] = ["pytest", "_pytest", "pluggy", "iniconfig", "unittest", "doctest", "nose", "xdist"];
/// Modules that Python loads by itself, as a file or folder, wherever they are.
const SELF_LOADED: [&str; 2] = ["sitecustomize", "usercustomize"];
/// Scripts by which data sets run tests.
const SCRIPTS: [&str; 3] = ["run_tests.sh", "eval.sh", "r2e_tests/"];
/// Folders of tests and their helpers, by name.
const TEST_FOLDERS: [&str; 4] = ["test", "tests", "testing", "__tests__"];

/// What a submission to one task may not bring.
#[derive(Clone, Debug)]
pub(super) struct Protection {
    /// Files and folders (ending in `/`) that no submission changes.
    decisive: Vec<String>,
    /// Files that it may change although they look like tests or their configuration.
    allowed: BTreeSet<String>,
}

fn gold_paths(gold: &Gold) -> Vec<String> {
    match gold {
        Gold::Files(files) => files.iter().map(|file| file.path.clone()).collect(),
        Gold::Patch(patch) | Gold::Bug(patch) => touched_files(patch)
            .into_iter()
            .flat_map(|file| match file.change {
                Change::Renamed { from } => vec![from, file.path],
                _ => vec![file.path],
            })
            .collect(),
    }
}

impl Protection {
    pub(super) fn of(task: &LoadedTask) -> Self {
        let mut decisive = task.task.protected_files();
        if let Tests::Patch(patch) = &task.task.secret.tests {
            decisive.extend(touched_files(patch).into_iter().filter_map(|file| match file.change {
                Change::Renamed { from } => Some(from),
                _ => None,
            }));
        }
        decisive.extend(task.protected.iter().cloned());
        decisive.extend(task.kept_out());
        decisive.extend(SCRIPTS.map(str::to_owned));
        let allowed = task.allowed.iter().cloned().chain(gold_paths(&task.task.secret.gold)).collect();
        Self { decisive, allowed }
    }

    /// The files that the task's tests consist of.
    pub(super) fn decisive(&self) -> &[String] {
        &self.decisive
    }

    /// Why a change of this path is dropped; `None` where it is let through.
    pub(super) fn refusal(&self, path: &[u8]) -> Option<Flag> {
        let path = String::from_utf8_lossy(path).into_owned();
        if self.decisive.iter().any(|decisive| decides(&path, decisive)) {
            Some(Flag::ProtectedFile { path })
        } else if self.allowed.contains(&path) {
            None
        } else if is_configuration(&path) {
            Some(Flag::TestConfiguration { path })
        } else if is_of_tests(&path) {
            Some(Flag::TestFile { path })
        } else {
            None
        }
    }
}

/// Whether `path` is what decides, lies in it, or stands where a folder on the way to it must be.
fn decides(path: &str, decisive: &str) -> bool {
    let inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match decisive.strip_suffix('/') {
        Some(folder) => inside(path, folder) || inside(folder, path),
        None => inside(decisive, path) || inside(path, decisive),
    }
}

/// Whether a file of this path steers how tests run, wherever it is: a submission's change of it is dropped.
#[must_use]
pub fn is_configuration(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    // `pytest.py`, `pytest/` and `pytest.cpython-313-x86_64-linux-gnu.so` all are the module `pytest`.
    let module = first.split('.').next().unwrap_or(first);
    RUNNERS.contains(&module)
        || path.split('/').any(|part| {
            CONFIGURATION.contains(&part)
                || SELF_LOADED.contains(&part.split('.').next().unwrap_or(part))
                || MACHINERY.contains(&part)
                || ENDINGS.iter().any(|ending| part.ends_with(ending))
        })
}

/// Whether a file of this path belongs to tests, by its name or its folder's: a submission's change of it is dropped.
#[must_use]
pub fn is_of_tests(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    path.split('/').any(|part| TEST_FOLDERS.contains(&part))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem == "tests"
}
