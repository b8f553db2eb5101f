//! A commit as a task would be: files before, the fix, the tests, how they run, and what is told of the bug. Nothing has run yet.
//!
//! Invariants: the fix and the tests together give the files of the commit, byte for byte; every patch is text and applies.

use std::collections::BTreeSet;

use assay_grade::shell_words;
use assay_model::Time;
use assay_rollout::task::{TASK_ID_BYTES_MAX, is_task_id};
use assay_tree::{Tree, patch};

use crate::files::{Change, Reader, Trouble, shown};
use crate::history::Found;
use crate::recipe::{FOLDER, Recipe, recipe};
use crate::refusal::{Reason, Refusal};
use crate::secrets::Secrets;
use crate::settings::TaskSettings;
use crate::wording::described;

/// Bytes of the patches of a commit, both together: fixes have a hundredth.
const PATCH_BYTES_MAX: usize = 512 << 10;
/// Digits of a commit's id in the name of a task.
const ID_DIGITS: usize = 10;
/// How tests of Python are run: whole files, to the end, with every result listed. `-I`, and a path that is set after pytest is there, keep modules of a
/// submission out of its way (the setting `pythonpath` fails where a repository has no settings); `addopts` may ask for plugins that the image lacks.
const PYTEST: &str = "python3 -I -c 'import sys, pytest; sys.path[:0] = [{paths}]; sys.exit(pytest.main())' --rootdir=/testbed -rA -p no:cacheprovider -o addopts= {tests}";
/// Where packages lie, as seen from the repository.
const PACKAGE_FOLDERS: [&str; 2] = ["src", "lib"];

/// See the module documentation.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) id: String,
    pub(crate) commit: String,
    pub(crate) subject: String,
    pub(crate) base: Tree,
    pub(crate) fix: String,
    pub(crate) tests: String,
    pub(crate) language: &'static str,
    pub(crate) command: String,
    pub(crate) parser: String,
    pub(crate) recipe: Recipe,
    pub(crate) secrets: Secrets,
    /// What the commit's message says of the bug.
    pub(crate) described: Option<String>,
    /// Python files that the fix changes, and that are there before it.
    pub(crate) mended: Vec<String>,
}

/// What a task made of a commit is called.
pub(crate) fn id(settings: &TaskSettings, commit: &str) -> String {
    let commit = &commit[..ID_DIGITS.min(commit.len())];
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+') { c } else { '-' };
    let name: String = settings.name.chars().map(plain).take(TASK_ID_BYTES_MAX / 2).collect();
    let id = format!("{name}-{commit}");
    if is_task_id(&id) { id } else { format!("task-{commit}") }
}

/// Makes a candidate of a commit.
pub(crate) fn candidate(reader: &mut Reader, found: &Found, settings: &TaskSettings) -> Result<Candidate, Trouble> {
    let refused = |reason, why: String| Trouble::Refused(Refusal::new(reason, why));
    let base = reader.load(&found.parent_tree)?;
    let fixed = reader.with(&base, found.code.iter())?;
    let tested = reader.with(&base, found.tests.iter())?;
    let whole = reader.with(&base, found.code.iter().chain(&found.tests))?;
    let fix = patch_of(&base, &fixed, &found.code)?;
    let tests = patch_of(&base, &tested, &found.tests)?;
    if fix.len() + tests.len() > PATCH_BYTES_MAX {
        return Err(refused(Reason::TooLarge, format!("its patches have more than {} KiB", PATCH_BYTES_MAX >> 10)));
    }
    let again = patch::apply(&base, fix.as_bytes(), Time::default())
        .and_then(|fixed| patch::apply(&fixed, tests.as_bytes(), Time::default()))
        .map_err(|error| refused(Reason::Patch, error.to_string()))?;
    if again.digest() != whole.digest() {
        return Err(refused(Reason::Patch, "its patches do not give its files back".to_owned()));
    }
    let secrets = Secrets::of(&fix, &base);
    if let Some(name) = secrets.needed_by(&tests) {
        return Err(refused(Reason::NewNames, format!("its tests use `{name}`, which only the fix brings")));
    }
    let (command, parser) = tests_of(found, settings, &base)?;
    let recipe = recipe(reader, &found.parent_tree, found.language, settings)?;
    let mended = found.code.iter().filter(|change| change.old.is_some() && change.new.is_some());
    let mended = mended.map(|change| shown(&change.path)).filter(|path| path.ends_with(".py")).collect();
    Ok(Candidate {
        id: id(settings, found.commit.id()),
        commit: found.commit.id().to_owned(),
        subject: found.commit.subject().to_owned(),
        described: described(&found.commit.message, &secrets),
        language: found.language.name(),
        base,
        fix,
        tests,
        command,
        parser,
        recipe,
        secrets,
        mended,
    })
}

/// A patch that is text. `changes` is what it changes.
fn patch_of(base: &Tree, target: &Tree, changes: &[Change]) -> Result<String, Trouble> {
    let refused = |reason, why: String| Trouble::Refused(Refusal::new(reason, why));
    for change in changes {
        for tree in [base, target] {
            let Ok(bytes) = tree.read_all(&change.path) else { continue };
            if bytes.contains(&0) || std::str::from_utf8(&bytes).is_err() {
                return Err(refused(Reason::Binary, format!("{} is not text", shown(&change.path))));
            }
        }
    }
    let patch = patch::diff(base, target).map_err(|error| refused(Reason::Patch, error.to_string()))?;
    String::from_utf8(patch).map_err(|_| refused(Reason::Binary, "its patch is not text".to_owned()))
}

/// The command that runs the tests, and the parser of its log.
fn tests_of(found: &Found, settings: &TaskSettings, base: &Tree) -> Result<(String, String), Trouble> {
    let is_python = found.language.is_python();
    let (Some(command), Some(parser)) = (
        settings.test_command.as_deref().or(is_python.then_some(PYTEST)),
        settings.log_parser.as_deref().or(is_python.then_some("pytest")),
    ) else {
        let why = format!("it is of {}: pass --test-command and --log-parser", found.language.name());
        return Err(Trouble::Refused(Refusal::new(Reason::Language, why)));
    };
    let files: BTreeSet<String> = found.test_files.iter().cloned().collect();
    let is_folder = |path: &&str| base.stat(path.as_bytes()).is_ok_and(|stat| stat.kind == assay_tree::Kind::Directory);
    let folders = PACKAGE_FOLDERS.into_iter().filter(is_folder).map(|name| format!("{FOLDER}/{name}"));
    let paths: Vec<String> = [FOLDER.to_owned()].into_iter().chain(folders).map(|path| format!("{path:?}")).collect();
    // The files' names last: they are a stranger's, and may hold what is replaced.
    let command = command.replace("{paths}", &paths.join(", ")).replace("{tests}", &shell_words(&files));
    Ok((command, parser.to_owned()))
}
