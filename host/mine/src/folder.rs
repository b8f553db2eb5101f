//! The folder of tasks: one process at a time, each task whole or not there at all.
//!
//! ```text
//! DIR/mined.jsonl            what became of each commit
//! DIR/images/KEY/            what an image is built from: Dockerfile, repository/, tracked, groups.txt
//! DIR/NAME-COMMIT/           a task that was admitted
//! DIR/images/.mining-…/      what is not finished, where nobody looks for tasks
//! ```
//!
//! Invariants: links of a stranger's repository are made last and never written through; names have been checked by the tree that they come from; what a
//! killed process left is removed by the next one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use assay_files::{Folder, Kind as Thing, Links};
use assay_rollout::task::{LoadError, LoadedTask, load_tasks};
use assay_tree::{Kind, Tree, TreeError};
use serde::Serialize;

use crate::candidate::Candidate;
use crate::journal::{FolderError, Journal, Judged};
use crate::recipe::{Built, FOLDER, Recipe};
use crate::settings::TaskSettings;

const LOCK_NAME: &str = "mine.lock";
/// What folders are called until they are whole.
const UNFINISHED: &str = ".mining-";
const IMAGES: &str = "images";
/// Entries of the folder that are looked at.
const ENTRIES_MAX: usize = 1 << 20;
/// Bytes of a fix that is compared.
const PATCH_BYTES_MAX: u64 = 64 << 20;

/// See the module documentation.
#[derive(Debug)]
pub struct TaskFolder {
    path: PathBuf,
    journal: Mutex<Journal>,
    _lock: File,
}

impl TaskFolder {
    /// Creates the folder, or resumes an existing one.
    ///
    /// # Errors
    /// It is in use, was begun with other settings, or cannot be written.
    pub fn open(path: &Path, settings: &TaskSettings) -> Result<Self, FolderError> {
        let failed = |why: io::Error| FolderError::Io { path: path.to_owned(), why };
        let folder = Folder::make(path).map_err(failed)?;
        let lock = folder.file_to_change(LOCK_NAME, 0o644).map_err(|error| failed(error.into()))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Taken { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let journal = Journal::open(&folder, settings)?;
        let images = folder.make_folder(IMAGES, 0o777).map_err(|error| failed(error.into()))?;
        for folder in [&folder, &images] {
            sweep(folder).map_err(failed)?;
        }
        let path = path.canonicalize().map_err(failed)?;
        Ok(Self { path, journal: Mutex::new(journal), _lock: lock })
    }

    /// What became of commits, in this run and in earlier ones.
    #[must_use]
    pub fn judged(&self) -> Vec<Judged> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).judged.values().cloned().collect()
    }

    /// What became of a commit, if that is known.
    pub(crate) fn find(&self, commit: &str) -> Option<Judged> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).judged.get(commit).cloned()
    }

    pub(crate) fn add(&self, judged: &Judged) -> Result<(), FolderError> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).add(judged)
    }

    /// The folder that an image is built from.
    #[must_use]
    pub fn image(&self, key: &str) -> PathBuf {
        self.path.join(IMAGES).join(key)
    }

    /// Where a task lies once it is admitted.
    pub(crate) fn task(&self, id: &str) -> PathBuf {
        self.path.join(id)
    }

    /// Begins the folder of a candidate; `Some` if it already exists, from a run that was killed before it could say so.
    pub(crate) fn begin(&self, candidate: &Candidate) -> io::Result<Draft> {
        let place = self.task(&candidate.id);
        if place.symlink_metadata().is_ok() {
            let fix = assay_files::read(&place.join("gold.patch"), Links::Refused, PATCH_BYTES_MAX);
            if fix.is_ok_and(|fix| fix == candidate.fix.as_bytes())
                && let Ok(task) = load(&place)
            {
                return Ok(Draft::Whole(Box::new(task)));
            }
            let why = format!("{} already exists; it was not touched", place.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        if let Recipe::Built(built) = &candidate.recipe {
            self.write_image(built, &candidate.base)?;
        }
        let folder = self.path.join(IMAGES).join(format!("{UNFINISHED}{}", candidate.id));
        remove(&folder)?;
        fs::create_dir(&folder)?;
        write_tree(&folder.join("repository"), &candidate.base)?;
        write(&folder.join("gold.patch"), candidate.fix.as_bytes(), false)?;
        write(&folder.join("tests.patch"), candidate.tests.as_bytes(), false)?;
        Ok(Draft::Begun(folder))
    }

    /// Writes what an image is built from, where it is not there yet.
    fn write_image(&self, built: &Built, base: &Tree) -> io::Result<()> {
        let place = self.image(&built.key);
        if place.join("Dockerfile").is_file() {
            return Ok(());
        }
        let mut tracked = Vec::new();
        for (path, stat) in base.walk(b"/").map_err(of_tree)? {
            if stat.kind != Kind::Directory {
                tracked.extend([&path[..], b"\0"].concat());
            }
        }
        // Two candidates may write the same one: the first to be whole stays.
        let folder = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(self.path.join(IMAGES))?;
        write_tree(&folder.path().join("repository"), base)?;
        write(&folder.path().join("tracked"), &tracked, false)?;
        write(&folder.path().join("groups.txt"), built.groups.as_bytes(), false)?;
        write(&folder.path().join("Dockerfile"), built.dockerfile.as_bytes(), false)?;
        match fs::rename(folder.path(), &place) {
            Err(_) if place.join("Dockerfile").is_file() => Ok(()),
            other => other,
        }
    }

    /// Gives a candidate's folder its name, and its `task.toml` the one that fits there: from here on it is a task.
    pub(crate) fn admit(&self, folder: &Path, id: &str, document: &str) -> io::Result<()> {
        assay_files::replace(&folder.join("task.toml"), document.as_bytes(), 0o644)?;
        fs::rename(folder, self.task(id))?;
        File::open(&self.path)?.sync_all()
    }
}

/// A candidate's folder.
pub(crate) enum Draft {
    /// It has the files, the fix and the tests.
    Begun(PathBuf),
    /// It was a task already.
    Whole(Box<LoadedTask>),
}

/// Removes what was not finished.
fn sweep(folder: &Folder) -> io::Result<()> {
    for name in folder.entries(ENTRIES_MAX)? {
        if name.as_bytes().starts_with(UNFINISHED.as_bytes()) && folder.kind(&name)? == Some(Thing::Folder) {
            fs::remove_dir_all(folder.path().join(name))?;
        }
    }
    Ok(())
}

/// Removes a folder, if it is there. Links in it are removed, not followed.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes a new file.
pub(crate) fn write(path: &Path, bytes: &[u8], executable: bool) -> io::Result<()> {
    let mode = if executable { 0o755 } else { 0o644 };
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?.write_all(bytes)
}

/// Writes a tree into a new folder, links last.
fn write_tree(folder: &Path, tree: &Tree) -> io::Result<()> {
    fs::create_dir(folder)?;
    let mut links = Vec::new();
    for (path, stat) in tree.walk(b"/").map_err(of_tree)? {
        let place = folder.join(std::ffi::OsStr::from_bytes(&path));
        match stat.kind {
            Kind::Directory => fs::create_dir(&place)?,
            Kind::Symlink => links.push((place, path)),
            kind => write(&place, &tree.read_all(&path).map_err(of_tree)?, kind == Kind::Executable)?,
        }
    }
    for (place, path) in links {
        let target = tree.readlink(&path).map_err(of_tree)?;
        std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(target), place)?;
    }
    Ok(())
}

fn of_tree(error: TreeError) -> io::Error {
    io::Error::other(error)
}

/// A task as everybody else loads it.
pub(crate) fn load(folder: &Path) -> Result<LoadedTask, LoadError> {
    // A folder with a task.toml holds exactly one.
    Ok(load_tasks(folder)?.swap_remove(0))
}

/// `task.toml`.
#[derive(Serialize)]
struct Document<'a> {
    id: &'a str,
    language: &'a str,
    repository: &'a str,
    image: Image,
    tests: Tests<'a>,
    limits: Limits,
}

#[derive(Serialize)]
struct Image {
    name: String,
    from: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<String>,
    folder: &'static str,
}

#[derive(Serialize)]
struct Tests<'a> {
    command: &'a str,
    parser: &'a str,
    fail_to_pass: &'a [String],
    pass_to_pass: &'a [String],
}

#[derive(Serialize)]
struct Limits {
    seconds: u32,
}

/// Where a `task.toml` lies, seen from what its image is built from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lies {
    /// Beside it, while the task is tried.
    Beside,
    /// In the folder of tasks.
    AsTask,
}

/// The text of `task.toml`.
pub(crate) fn document(
    candidate: &Candidate,
    settings: &TaskSettings,
    fail_to_pass: &[String],
    pass_to_pass: &[String],
    lies: Lies,
) -> io::Result<String> {
    let (from, build) = match &candidate.recipe {
        Recipe::Given(_) => ("present", None),
        Recipe::Built(built) if lies == Lies::Beside => ("build", Some(format!("../{}", built.key))),
        Recipe::Built(built) => ("build", Some(format!("../{IMAGES}/{}", built.key))),
    };
    let document = Document {
        id: &candidate.id,
        language: candidate.language,
        repository: &settings.name,
        image: Image { name: candidate.recipe.image(), from, build, folder: FOLDER },
        tests: Tests { command: &candidate.command, parser: &candidate.parser, fail_to_pass, pass_to_pass },
        limits: Limits { seconds: settings.seconds },
    };
    let text = toml::to_string_pretty(&document).map_err(io::Error::other)?;
    Ok(format!("# Mined from commit {} with `assay tasks mine`.\n{text}", candidate.commit))
}
