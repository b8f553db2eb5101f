//! One task folder, as docs/tasks.md describes it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use assay_files::{Folder, Kind as Thing, Links, OpenError};
use assay_grade::Parser;
use assay_grade::rule::{EvalType, Expected};
use assay_grade::task::{Bench, Gold, Kind, Public, Secret, Task, Tests};
use assay_model::{Time, nearest};
use assay_tree::{Tree, patch};

use super::error::LoadError;
use super::files::{not_opened, open_folder, part, read_text, read_tree};
use super::format::{Document, From, Image, Limits, Reward, parse};
use super::{Files, ImageSource, LoadedTask, TASK_ID_RULE, TaskLimits, is_task_id};
use crate::reward::{CustomReward, Expression};

pub(super) const DOCUMENT: &str = "task.toml";
/// Answers for those who try the task without a model.
const MODEL: &str = "model.jsonl";
/// Entries of a task folder, hidden ones included.
const ENTRIES_MAX: usize = 1000;
/// What a task folder may hold beside its `task.toml`.
const ENTRIES: [&str; 7] = ["problem.md", "repository", "gold.patch", "tests", "tests.patch", MODEL, "README.md"];

/// The most time that a task may ask for, in seconds: a day.
const SECONDS_MAX: u32 = 86_400;
/// The most processors that a task may ask for.
const CPUS_MAX: f64 = 1024.0;

/// Loads a folder that has a `task.toml`. `links` is about the folder itself; none in it is followed.
pub(super) fn load(folder: &Path, links: Links) -> Result<LoadedTask, LoadError> {
    let place = folder.join(DOCUMENT);
    let opened = open_folder(folder, links)?;
    refuse_unknown_entries(&opened)?;
    let document = parse(&place, &required(folder, DOCUMENT)?)?;
    check(&place, &document)?;
    let repository = folder.join("repository");
    if part(&opened, "repository")? != Some(Thing::Folder) {
        return Err(missing(folder, "repository", "the buggy files, as the model gets them"));
    }
    let tree = read_tree(&repository)?;
    let gold = required(folder, "gold.patch")?;
    let tests = tests(&opened)?;
    check_patches(folder, &tree, &gold, &tests)?;
    let problem_statement = required(folder, "problem.md")?.trim().to_owned();
    if problem_statement.is_empty() {
        return Err(LoadError::new(&folder.join("problem.md"), "it is empty")
            .hint("describe what is wrong, as a user would report it"));
    }
    let model = (part(&opened, MODEL)? == Some(Thing::File)).then(|| folder.join(MODEL));
    let image = image_source(folder, &place, &document.image)?;
    let reward = document.reward.map(|reward| custom_reward(&place, reward)).transpose()?;
    let Document {
        id,
        language,
        repository: name,
        image: Image { name: image_name, folder: inside, .. },
        tests: table,
        ..
    } = document;
    let task = Task {
        kind: Kind::Native,
        public: Public { repository: name.unwrap_or_else(|| id.clone()), instance_id: id, problem_statement, language },
        bench: Bench {
            image: image_name,
            folder: inside,
            base_commit: None,
            test_command: Some(table.command),
            version: None,
            created_at: None,
        },
        secret: Secret {
            gold: Gold::Patch(gold),
            tests,
            expected: Expected::Lists {
                fail_to_pass: table.fail_to_pass,
                pass_to_pass: table.pass_to_pass,
                eval_type: EvalType::PassAndFail,
            },
            log_parser: Some(table.parser),
            eval_script: None,
            hints: None,
            other: BTreeMap::new(),
        },
    };
    Ok(LoadedTask {
        task,
        files: Files::Folder(repository),
        image,
        protected: table.protected,
        allowed: table.allowed,
        limits: limits(&place, &document.limits)?,
        shell: document.agent.shell,
        reward,
        model,
        origin: folder.to_owned(),
        row: None,
    })
}

fn missing(folder: &Path, name: &str, what: &str) -> LoadError {
    LoadError::new(&folder.join(name), "it is not there")
        .hint(format!("a task folder contains {name}: {what}; see docs/tasks.md"))
}

fn required(folder: &Path, name: &str) -> Result<String, LoadError> {
    let what = match name {
        "gold.patch" => "the right fix, as `git diff` writes it",
        "problem.md" => "the bug report",
        _ => "what the task is made of",
    };
    read_text(&folder.join(name))?.ok_or_else(|| missing(folder, name, what))
}

fn refuse_unknown_entries(folder: &Folder) -> Result<(), LoadError> {
    for name in folder.entries(ENTRIES_MAX).map_err(|error| LoadError::new(folder.path(), error))? {
        let is_known = |known: &str| name == OsStr::new(known);
        let name_text = name.to_string_lossy();
        if name == OsStr::new(DOCUMENT) || name_text.starts_with('.') || ENTRIES.into_iter().any(is_known) {
            continue;
        }
        let error = LoadError::new(&folder.path().join(&name), "no part of a task has this name");
        return Err(match nearest(&name_text, ENTRIES.into_iter()) {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint(format!("a task folder contains {DOCUMENT} and {}", ENTRIES.join(", "))),
        });
    }
    Ok(())
}

/// Whether a path stays in the folder that it is relative to; one that ends in `/` is a folder.
pub(crate) fn stays_inside(path: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    !path.is_empty() && !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn check(place: &Path, document: &Document) -> Result<(), LoadError> {
    let wrong = |key: &str, what: &str| LoadError::new(place, format!("key `{key}`: {what}"));
    let Document { id, image, tests, .. } = document;
    if !is_task_id(id) {
        return Err(wrong("id", &format!("it is not a valid file name: it has {TASK_ID_RULE}")));
    }
    if document.language.trim().is_empty() {
        return Err(wrong("language", "it is empty"));
    }
    if image.name.trim().is_empty() || image.name.contains(char::is_whitespace) {
        return Err(wrong("image.name", "it is not an image name"));
    }
    if !image.folder.starts_with('/') || !stays_inside(&image.folder[1..]) {
        return Err(wrong("image.folder", "it must be an absolute path without `..`, for example `/testbed`"));
    }
    if tests.command.trim().is_empty() {
        return Err(wrong("tests.command", "it is empty"));
    }
    if tests.parser.parse::<Parser>().is_err() {
        let error = wrong("tests.parser", &format!("there is no log parser `{}`", tests.parser));
        return Err(match nearest(&tests.parser, Parser::names()) {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint("for example pytest, unittest, django, gotest, cargo"),
        });
    }
    if tests.fail_to_pass.is_empty() {
        return Err(wrong("tests.fail_to_pass", "it is empty")
            .hint("name the tests that fail before the fix and pass after it"));
    }
    for (key, paths) in [("tests.protected", &tests.protected), ("tests.allowed", &tests.allowed)] {
        if let Some(path) = paths.iter().find(|path| !stays_inside(path)) {
            return Err(wrong(key, &format!("`{path}` is not a path within the repository"))
                .hint("paths are relative to the repository and have no `..`; a folder ends in `/`"));
        }
    }
    Ok(())
}

fn tests(folder: &Folder) -> Result<Tests, LoadError> {
    let (files, patch) = (folder.path().join("tests"), folder.path().join("tests.patch"));
    match (part(folder, "tests")? == Some(Thing::Folder), read_text(&patch)?) {
        (true, Some(_)) => Err(LoadError::new(&patch, "there is also a folder `tests`").hint("keep one of the two")),
        (false, Some(text)) => Ok(Tests::Patch(text)),
        (false, None) => Ok(Tests::InImage),
        (true, None) => {
            let mut texts = Vec::new();
            for (path, stat) in read_tree(&files)?.walk(b"/").map_err(|error| LoadError::new(&files, error))? {
                let name = String::from_utf8_lossy(&path).into_owned();
                let disk = files.join(&name);
                match stat.kind {
                    assay_tree::Kind::Directory => {}
                    assay_tree::Kind::Symlink => {
                        return Err(
                            LoadError::new(&disk, "it is a symbolic link").hint("put it into a tests.patch instead")
                        );
                    }
                    _ => {
                        let text = read_text(&disk)
                            .map_err(|error| error.hint("put it into a tests.patch (git diff --binary) instead"))?;
                        texts.push((name, text.ok_or_else(|| LoadError::new(&disk, "it disappeared"))?));
                    }
                }
            }
            if texts.is_empty() {
                return Err(LoadError::new(&files, "it contains no files")
                    .hint("omit the folder if the repository already has all tests"));
            }
            Ok(Tests::Files(texts))
        }
    }
}

fn check_patches(folder: &Path, tree: &Tree, gold: &str, tests: &Tests) -> Result<(), LoadError> {
    let applied = |name: &str, text: &str| {
        patch::apply(tree, text.as_bytes(), Time::default()).map_err(|error| {
            LoadError::new(&folder.join(name), format!("it does not apply to the repository: {error}"))
                .hint("make it with `git diff` against the files of `repository`")
        })
    };
    if applied("gold.patch", gold)?.digest() == tree.digest() {
        return Err(LoadError::new(&folder.join("gold.patch"), "it changes nothing"));
    }
    if let Tests::Patch(text) = tests {
        applied("tests.patch", text)?;
    }
    Ok(())
}

fn image_source(folder: &Path, place: &Path, image: &Image) -> Result<ImageSource, LoadError> {
    let wrong = |what: &str| LoadError::new(place, format!("key `image.build`: {what}"));
    match (image.from, &image.build) {
        (From::Build, Some(path)) => {
            // It may lie beside the task, for several of them.
            let path = folder.join(path);
            let kind = |path: &Path| path.symlink_metadata().map(|found| found.file_type());
            match kind(&path) {
                Ok(found) if found.is_symlink() => Err(not_opened(&path, &OpenError::Link)),
                Ok(found) if found.is_file() => Ok(ImageSource::Build(path)),
                Ok(found) if found.is_dir() && kind(&path.join("Dockerfile")).is_ok_and(|found| found.is_file()) => {
                    Ok(ImageSource::Build(path))
                }
                _ => Err(wrong(&format!("{} is neither a script nor a folder with a Dockerfile", path.display()))),
            }
        }
        (From::Build, None) => {
            Err(wrong("it is not there")
                .hint("`from = \"build\"` needs `build`: a script, or a folder with a Dockerfile"))
        }
        (_, Some(_)) => Err(wrong("only `from = \"build\"` builds")),
        (From::Present, None) => Ok(ImageSource::Present),
        (From::Pull, None) => Ok(ImageSource::Pull),
    }
}

fn limits(place: &Path, limits: &Limits) -> Result<TaskLimits, LoadError> {
    let wrong = |key: &str, what: &str| Err(LoadError::new(place, format!("key `limits.{key}`: {what}")));
    if limits.seconds.is_some_and(|seconds| !(1..=SECONDS_MAX).contains(&seconds)) {
        return wrong("seconds", "from 1 to 86400");
    }
    if limits.cpus.is_some_and(|cpus| !(0.01..=CPUS_MAX).contains(&cpus)) {
        return wrong("cpus", "from 0.01 to 1024");
    }
    if limits.memory_mib.is_some_and(|memory| memory < 16) {
        return wrong("memory_mib", "at least 16");
    }
    if limits.pids == Some(0) {
        return wrong("pids", "at least 1");
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 10 and 1,024,000")]
    let millicpus = limits.cpus.map(|cpus| (cpus * 1000.0).round() as u32);
    Ok(TaskLimits {
        seconds: limits.seconds,
        memory_bytes: limits.memory_mib.map(|memory| u64::from(memory) << 20),
        millicpus,
        pids: limits.pids,
    })
}

fn custom_reward(place: &Path, reward: Reward) -> Result<CustomReward, LoadError> {
    match (reward.expression, reward.command) {
        (Some(text), None) => match Expression::parse(&text) {
            Ok(expression) if expression.is_hopeless() => {
                let what = "key `reward.expression`: it, or a part of it, is a finite number for no episode";
                Err(LoadError::new(place, what).hint("look for a division by nothing but 0; see docs/tasks.md"))
            }
            Ok(expression) => Ok(CustomReward::Expression(expression)),
            Err(error) => Err(LoadError::new(place, format!("key `reward.expression`: {error}"))
                .hint("for example `if(solved, 1, 0.5 * fail_to_pass)`; see docs/tasks.md")),
        },
        (None, Some(command)) if !command.trim().is_empty() => Ok(CustomReward::Command(command)),
        _ => Err(LoadError::new(place, "table `reward`: it has either an `expression` or a `command`")),
    }
}

/// Whether there is a task in this folder, or what looks like one through a link, which is for [`load`] to refuse.
pub(super) fn is_task(folder: &Path) -> bool {
    folder.join(DOCUMENT).symlink_metadata().is_ok()
}
