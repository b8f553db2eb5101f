//! The image of a task, written down so that it can be built again: a `Dockerfile`, and the files that it copies.
//!
//! ```text
//! --image                       that image, as it is
//! --image and --install         built from that image with these commands
//! neither, or --install alone   built from [`BASE`], with these commands or with what the repository's own files ask for
//! ```
//!
//! Invariants: nothing of the repository is run on this machine: what installs it runs while the image is built, in a container, and only there is a network. No
//! text of the repository becomes part of a command. Recipes that install the same thing have the same key.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::files::{Reader, Trouble};
use crate::git::Oid;
use crate::language::Language;
use crate::refusal::{Reason, Refusal};
use crate::settings::TaskSettings;

/// What images are built from where the user names none.
pub const BASE: &str = "python:3.12-slim";
/// Where the repository is in the image.
pub(crate) const FOLDER: &str = "/testbed";
/// Bytes of a file that says what to install.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Digits of a key: enough for the recipes of one repository.
const KEY_DIGITS: usize = 12;

/// Files that say how a Python package is installed.
const PACKAGE: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];
/// Lists of what is needed to run and to test, by their usual names; the first of the second list that is there is taken.
const NEEDS: &str = "requirements.txt";
const NEEDS_OF_TESTS: [&str; 12] = [
    "requirements-test.txt",
    "requirements-tests.txt",
    "requirements_test.txt",
    "test-requirements.txt",
    "test_requirements.txt",
    "requirements/test.txt",
    "requirements/tests.txt",
    "requirements/testing.txt",
    "requirements-dev.txt",
    "requirements_dev.txt",
    "dev-requirements.txt",
    "requirements/dev.txt",
];
/// Extras and groups of `pyproject.toml` that tests may need.
const EXTRAS: [&str; 4] = ["test", "tests", "testing", "dev"];
/// What tools that take a version from git are told: the image has no history.
const VERSION: &str = "SETUPTOOLS_SCM_PRETEND_VERSION=0.0.0 PBR_VERSION=0.0.0";

/// How an image is had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Recipe {
    /// It is there.
    Given(String),
    /// It is built.
    Built(Built),
}

/// An image that is built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Built {
    /// What the folder and the image are called by.
    pub(crate) key: String,
    pub(crate) dockerfile: String,
    /// What groups of `pyproject.toml` ask for, one a line.
    pub(crate) groups: String,
}

impl Recipe {
    /// The name of the image.
    pub(crate) fn image(&self) -> String {
        match self {
            Self::Given(name) => name.clone(),
            Self::Built(built) => format!("assay/mined:{}", built.key),
        }
    }
}

/// What `pyproject.toml` says of extras.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "kebab-case")]
struct Pyproject {
    project: Project,
    dependency_groups: toml::Table,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "kebab-case")]
struct Project {
    optional_dependencies: toml::Table,
}

/// The recipe for a repository whose files before the fix are these.
pub(crate) fn recipe(
    reader: &mut Reader,
    tree: &Oid,
    language: Language,
    settings: &TaskSettings,
) -> Result<Recipe, Trouble> {
    if let (Some(image), []) = (&settings.image, &settings.install[..]) {
        return Ok(Recipe::Given(image.clone()));
    }
    if settings.install.is_empty() && !language.is_python() {
        let why = format!("it is of {}: pass --image or --install", language.name());
        return Err(Trouble::Refused(Refusal::new(Reason::Language, why)));
    }
    let mut known: Vec<(&str, String)> = Vec::new();
    for path in PACKAGE.into_iter().chain([NEEDS]).chain(NEEDS_OF_TESTS) {
        if let Some(bytes) = reader.find(tree, path, FILE_BYTES_MAX)? {
            known.push((path, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    let base = settings.image.as_deref().unwrap_or(BASE);
    // Another repository's image is never used: it was made by that one's installation. Commands of the user may use any file.
    let whose = match settings.install[..] {
        [] => settings.name.clone(),
        _ => format!("{} {}", settings.name, tree.as_str()),
    };
    Ok(Recipe::Built(built(base, &whose, &settings.install, &known)))
}

/// The recipe from the files that say what is installed, by path and text.
fn built(base: &str, whose: &str, install: &[String], known: &[(&str, String)]) -> Built {
    let pyproject = known.iter().find(|(path, _)| *path == "pyproject.toml").map(|(_, text)| text.as_str());
    // One that cannot be read is for the package's own installer to complain of.
    let pyproject: Pyproject = pyproject.and_then(|text| toml::from_str(text).ok()).unwrap_or_default();
    let groups = groups(&pyproject);
    let steps = if install.is_empty() { found(&pyproject, known, !groups.is_empty()) } else { install.to_vec() };
    let mut dockerfile = format!(
        "# Written by `assay tasks mine`: what the tests of a task need, without the repository itself.\nFROM {base}\nWORKDIR {FOLDER}\n\
         COPY repository/ {FOLDER}/\nCOPY tracked groups.txt /opt/assay/\n"
    );
    for step in steps {
        // Serialising a list of texts cannot fail.
        let words = serde_json::to_string(&["/bin/sh", "-c", step.as_str()]).unwrap_or_default();
        let _ = writeln!(dockerfile, "RUN {words}");
    }
    // What the installation made stays (compiled parts, the version's file); each task brings its own sources. Copies of these sources go: they may be
    // newer than the task, and have the fix.
    let tidy = "xargs -0 rm -f -- < /opt/assay/tracked && find . -name __pycache__ -type d -prune -exec rm -rf -- {} + && rm -rf build dist && find . -mindepth 1 -type d -empty -delete";
    let _ = writeln!(dockerfile, "RUN {tidy}");
    let mut hash = blake3::Hasher::new();
    let texts = known.iter().flat_map(|(path, text)| [*path, text.as_str()]);
    for text in [whose, dockerfile.as_str(), groups.as_str()].into_iter().chain(texts) {
        hash.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    let key = hash.finalize().to_hex()[..KEY_DIGITS].to_owned();
    Built { key, dockerfile, groups }
}

/// The commands that the repository's files ask for.
fn found(pyproject: &Pyproject, known: &[(&str, String)], has_groups: bool) -> Vec<String> {
    const PIP: &str = "python3 -m pip install --no-cache-dir --disable-pip-version-check";
    let is_there = |wanted: &str| known.iter().any(|(path, _)| *path == wanted);
    let mut steps = vec![format!("{PIP} pytest")];
    if PACKAGE.into_iter().any(is_there) {
        let extras: Vec<&str> =
            EXTRAS.into_iter().filter(|extra| pyproject.project.optional_dependencies.contains_key(*extra)).collect();
        let extras = if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
        steps.push(format!("{VERSION} {PIP} -e '.{extras}'"));
    }
    let lists = [NEEDS].into_iter().chain(NEEDS_OF_TESTS.into_iter().find(|path| is_there(path)));
    for list in lists.filter(|path| is_there(path)) {
        steps.push(format!("{PIP} -r {list}"));
    }
    if has_groups {
        steps.push(format!("{PIP} -r /opt/assay/groups.txt"));
    }
    steps
}

/// What groups for tests ask for. Groups that include others are left to those others.
fn groups(pyproject: &Pyproject) -> String {
    let wanted = EXTRAS.iter().filter_map(|name| pyproject.dependency_groups.get(*name)?.as_array());
    let needs: BTreeSet<&str> = wanted.flatten().filter_map(toml::Value::as_str).collect();
    needs.into_iter().filter(|need| !need.contains(char::is_control)).map(|need| format!("{need}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_files_ask_for_is_installed() {
        let pyproject = "[project]\nname = \"a\"\n[project.optional-dependencies]\ntests = [\"b\"]\n\"x; rm -rf /\" = []\n\
                         [dependency-groups]\ntest = [\"attrs\", {include-group = \"dev\"}, \"x\\ny\"]\ndev = [\"click\"]\n";
        let files = [("pyproject.toml", pyproject.to_owned()), ("requirements-dev.txt", "c\n".to_owned())];
        let recipe = built("python:3.12-slim", "a", &[], &files);
        for line in [
            "FROM python:3.12-slim\n",
            "\"python3 -m pip install --no-cache-dir --disable-pip-version-check pytest\"]\n",
            "-e '.[tests]'\"]\n",
            "-r requirements-dev.txt\"]\n",
            "-r /opt/assay/groups.txt\"]\n",
        ] {
            assert!(recipe.dockerfile.contains(line), "{line}\n{}", recipe.dockerfile);
        }
        assert!(!recipe.dockerfile.contains("rm -rf /\""), "{}", recipe.dockerfile);
        assert_eq!(recipe.groups, "attrs\nclick\n");
        assert_eq!(recipe, built("python:3.12-slim", "a", &[], &files), "the same files make the same recipe");
        assert_ne!(recipe.key, built("python:3.12-slim", "a", &[], &files[..1]).key);
        assert_ne!(recipe.key, built("python:3.12-slim", "b", &[], &files).key, "another repository has its own image");
        // What a user says is taken as one word of a shell, whatever it holds.
        let own = built("debian", "a", &["echo \"a\"\nFROM x".to_owned()], &files);
        assert!(
            own.dockerfile.contains("RUN [\"/bin/sh\",\"-c\",\"echo \\\"a\\\"\\nFROM x\"]\n"),
            "{}",
            own.dockerfile
        );
        assert_eq!(own.dockerfile.matches("\nFROM ").count(), 1);
        assert!(!own.dockerfile.contains("pip install"));
    }
}
