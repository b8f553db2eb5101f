//! What there is: the store, and the folders of results below those that were named at start.
//!
//! Invariants: nothing outside of the named folders is read, and no link in them is followed; a folder is found by its id among those that were seen, so an
//! address never becomes a path; every search has a bound, and says so where it met it. A store that is not there yet is asked for again each time.

use crate::id::{FolderId, ItemId, Name};
use crate::kind;
use crate::{ServeError, Sources};
use assay_evaluate::ARENA_SCHEMA_NAME;
use assay_files::{Folder, Kind, Links, OpenError};
use assay_gate::verdict::SCHEMA_NAME as VERDICT_SCHEMA_NAME;
use assay_store::{Access, Limits, Store, StoreError};
use serde::Serialize;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Folders of results that are kept in mind.
const FOUND_MAX: usize = 5_000;
/// Folders that are looked into for them.
const LOOKED_MAX: usize = 20_000;
/// Levels below a named folder.
const DEPTH_MAX: usize = 4;
/// Entries of one folder.
pub(crate) const ENTRIES_MAX: usize = 200_000;
/// The part of a file in which its schema is named.
pub(crate) const SCHEMA_BYTES_MAX: usize = 512;
/// The record of a run.
const RUN: &str = "run.json";
/// The results of a run of episodes.
const RESULTS: &str = "results.jsonl";
/// The part of `run.json` in which its settings are.
const SETTINGS_BYTES_MAX: usize = 16 << 10;
/// The record of an arena, as far as it is looked for.
pub(crate) const ARENA: &str = "arena.json";
/// The summary of a batch of verdicts.
pub(crate) const SUMMARY: &str = "summary.json";
/// Its schema.
pub(crate) const BATCH_SCHEMA_NAME: &str = "assay.verdicts";
/// How long what was seen is good enough for the next question.
const FRESH: Duration = Duration::from_secs(1);
/// How a trajectory begins.
const TRAJECTORY_START: &[u8] = b"{\"_type\":\"metadata\"";
/// Files that are tried before a folder holds no trajectories.
const TRIED_MAX: usize = 4;
/// Entries among which a verdict is looked for.
const ENTRIES_TRIED_MAX: usize = 20;
const EPISODES: &str = "episodes";

/// What a folder holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// The report of `assay run`.
    Report,
    /// The report of `assay run` over several markets, each of which has a folder below.
    Markets,
    /// Games of `assay arena`.
    Arena,
    /// A run of `assay rollout`.
    Rollout,
    /// A run of `assay worlds`.
    World,
    /// A session of `assay refine`.
    Refinement,
    /// Verdicts of `assay gate`.
    Batch,
    /// Trajectories and nothing else that is known.
    Trajectories,
    /// Episodes of a rollout, or of a run in a world: the file that says which cannot be understood.
    Damaged,
}

impl What {
    /// Every one.
    pub(crate) const ALL: [Self; 9] = [
        Self::Report,
        Self::Markets,
        Self::Arena,
        Self::Rollout,
        Self::World,
        Self::Refinement,
        Self::Batch,
        Self::Trajectories,
        Self::Damaged,
    ];

    /// Whether its trajectories lie in a folder of their own.
    const fn is_of_episodes(self) -> bool {
        matches!(self, Self::Rollout | Self::World | Self::Damaged)
    }
}

/// A folder of results.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub id: FolderId,
    pub what: What,
    /// For a person: the named folder and the way from there.
    pub name: String,
    pub path: PathBuf,
    /// The named folder that it is in, held open, and the way from there.
    root: Arc<Folder>,
    inside: PathBuf,
    /// When its main file was last changed.
    pub modified: SystemTime,
    /// Why it cannot be told what it holds, of a damaged one; why its record cannot be understood, of a report; why its summary cannot be read, of verdicts.
    pub damage: Option<String>,
}

impl Found {
    /// Opens it again, from the named folder on: no part of the way may have become a link.
    pub(crate) fn open(&self) -> Result<Arc<Folder>, OpenError> {
        step_down(&self.root, &self.inside)
    }

    /// The same, as it is now; `None` if it is gone, or holds nothing that is known any more.
    fn again(self) -> Option<Self> {
        let folder = self.open().ok()?;
        let (what, modified, damage) = classify(&folder, &folder.entries(ENTRIES_MAX).ok()?)?;
        Some(Self { what, modified, damage, ..self })
    }

    /// The folder of its trajectories.
    pub(crate) fn episodes(&self) -> Result<Arc<Folder>, OpenError> {
        let folder = self.open()?;
        if self.what.is_of_episodes() { folder.folder(EPISODES).map(Arc::new) } else { Ok(folder) }
    }

    /// What a person calls that folder.
    pub(crate) fn name_of_episodes(&self) -> String {
        if self.what.is_of_episodes() { format!("{}/{EPISODES}", self.name) } else { self.name.clone() }
    }

    /// The names of its trajectories: none where a run of episodes has lost their folder, or not made it yet.
    pub(crate) fn trajectories(&self) -> Result<Vec<Name>, OpenError> {
        let folder = match self.episodes() {
            Err(error) if error.is_missing() && self.what.is_of_episodes() => return Ok(Vec::new()),
            opened => opened?,
        };
        let names = folder.entries(ENTRIES_MAX)?;
        Ok(names.iter().filter_map(|name| name.to_str()?.strip_suffix(".jsonl")?.parse().ok()).collect())
    }

    /// One of its trajectories, and where it is.
    pub(crate) fn trajectory(&self, name: &Name) -> Result<(File, PathBuf), OpenError> {
        let folder = self.episodes()?;
        let name = format!("{name}.jsonl");
        let file = folder.file(&name)?;
        Ok((file, folder.path().join(name)))
    }
}

/// What was seen at some time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    /// The newest first.
    pub found: Vec<Found>,
    /// Folders that could not be read, and limits that were met.
    pub troubles: Vec<String>,
}

impl Scan {
    pub(crate) fn of(&self, what: What) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(move |found| found.what == what)
    }
}

/// See the module documentation.
pub(crate) struct Library {
    sources: Sources,
    roots: Vec<PathBuf>,
    store: tokio::sync::Mutex<Option<Arc<Store>>>,
    seen: Mutex<Option<(Instant, Arc<Scan>)>>,
}

impl Library {
    /// Looks whether the named folders are there, and makes the one for indexes.
    pub(crate) fn open(sources: Sources) -> Result<Self, ServeError> {
        let failed = |path: &Path, why: String| ServeError::Folder { path: path.to_owned(), why };
        let mut roots = Vec::new();
        for path in &sources.folders {
            let whole = path.canonicalize().map_err(|error| failed(path, error.to_string()))?;
            Folder::open(&whole, Links::Refused).map_err(|error| failed(path, error.to_string()))?;
            roots.push(whole);
        }
        Folder::own(&sources.cache).map_err(|error| failed(&sources.cache, error.to_string()))?;
        Ok(Self { sources, roots, store: tokio::sync::Mutex::default(), seen: Mutex::default() })
    }

    /// The folder of all boards, if there is one.
    pub(crate) fn boards(&self) -> Option<&Path> {
        self.sources.boards.as_deref()
    }

    /// The folder for indexes.
    pub(crate) fn cache(&self) -> &Path {
        &self.sources.cache
    }

    /// The store, opened if it is not open yet.
    pub(crate) async fn store(&self) -> Result<Arc<Store>, StoreError> {
        let mut kept = self.store.lock().await;
        if let Some(store) = &*kept {
            return Ok(Arc::clone(store));
        }
        let opened = Store::open(&self.sources.store, &self.sources.artifacts, Access::Read, Limits::STANDARD).await?;
        let store = Arc::new(opened);
        *kept = Some(Arc::clone(&store));
        Ok(store)
    }

    /// What is there now, or was a moment ago. Blocks on files.
    pub(crate) fn scan(&self) -> Arc<Scan> {
        // Whoever comes while somebody looks waits for what is seen.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match &*seen {
            Some((at, scan)) if at.elapsed() < FRESH => Arc::clone(scan),
            _ => {
                let scan = Arc::new(look(&self.roots));
                *seen = Some((Instant::now(), Arc::clone(&scan)));
                scan
            }
        }
    }

    /// A folder by its id. Blocks on files: one that was seen before is looked at again, and only for another one are all of them.
    pub(crate) fn folder(&self, id: FolderId) -> Option<Found> {
        let of = |scan: &Scan| scan.found.iter().find(|found| found.id == id).cloned();
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match seen.as_ref().and_then(|(at, scan)| Some((at, of(scan)?))) {
            Some((at, found)) if at.elapsed() < FRESH => Some(found),
            Some((_, found)) => found.again().or_else(|| of(&self.scan())),
            None => of(&self.scan()),
        }
    }

    /// A folder by its id, as it was seen at this moment or later. Blocks on files.
    pub(crate) fn folder_since(&self, id: FolderId, moment: SystemTime) -> Option<Found> {
        {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let is_older = |(at, _): &(Instant, Arc<Scan>)| {
                SystemTime::now().checked_sub(at.elapsed()).is_none_or(|at| at <= moment)
            };
            if seen.as_ref().is_some_and(is_older) {
                *seen = None;
            }
        }
        self.folder(id)
    }

    /// A trajectory by its id. Blocks on files.
    pub(crate) fn trajectory(&self, id: &ItemId) -> Option<Result<(File, PathBuf), OpenError>> {
        self.folder(id.folder).map(|found| found.trajectory(&id.name))
    }
}

fn step_down(root: &Arc<Folder>, inside: &Path) -> Result<Arc<Folder>, OpenError> {
    inside.iter().try_fold(Arc::clone(root), |at, name| at.folder(name).map(Arc::new))
}

/// A folder that has still to be looked into.
struct Left {
    root: Arc<Folder>,
    inside: PathBuf,
    name: String,
    depth: usize,
}

fn look(roots: &[PathBuf]) -> Scan {
    let mut scan = Scan::default();
    let mut looked = 0;
    let mut left: Vec<Left> = Vec::new();
    for path in roots {
        let name = path.file_name().unwrap_or(OsStr::new("/")).to_string_lossy().into_owned();
        match Folder::open(path, Links::Refused) {
            Ok(root) => left.push(Left { root: Arc::new(root), inside: PathBuf::new(), name, depth: 0 }),
            Err(error) => scan.troubles.push(format!("{name}: {error}")),
        }
    }
    while let Some(Left { root, inside, name, depth }) = left.pop() {
        if looked == LOOKED_MAX || scan.found.len() == FOUND_MAX {
            scan.troubles.push(format!(
                "not everything is shown: at most {LOOKED_MAX} folders are looked into, and {FOUND_MAX} shown"
            ));
            break;
        }
        looked += 1;
        let trouble = |error: OpenError| format!("{name}: {error}");
        let folder = match step_down(&root, &inside) {
            Ok(folder) => folder,
            Err(error) => {
                scan.troubles.push(trouble(error));
                continue;
            }
        };
        let names = match folder.entries(ENTRIES_MAX) {
            Ok(names) => names,
            Err(error) => {
                scan.troubles.push(trouble(error));
                continue;
            }
        };
        let classified = classify(&folder, &names);
        // What a folder of results holds is its own; only a report may have others beside it, and a summary that says nothing may be of anybody.
        let is_open = classified.as_ref().is_none_or(|(what, _, damage)| match what {
            What::Report | What::Markets | What::Arena => true,
            What::Batch => damage.is_some(),
            _ => false,
        });
        if let Some((what, modified, damage)) = classified {
            // What `join` makes of nothing ends in a slash.
            let path = if depth == 0 { root.path().to_owned() } else { root.path().join(&inside) };
            let (root, inside, name) = (Arc::clone(&root), inside.clone(), name.clone());
            scan.found.push(Found { id: FolderId::of(&path), what, name, path, root, inside, modified, damage });
        }
        if depth == DEPTH_MAX || !is_open {
            continue;
        }
        for below in names {
            let is_hidden = below.as_encoded_bytes().first() == Some(&b'.');
            if !is_hidden && matches!(folder.kind(&below), Ok(Some(Kind::Folder))) {
                let name = format!("{name}/{}", below.to_string_lossy());
                left.push(Left { root: Arc::clone(&root), inside: inside.join(&below), name, depth: depth + 1 });
            }
        }
    }
    scan.troubles.truncate(100);
    scan.found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
    scan
}

/// What a folder holds, when that was last changed, and why it cannot be told what it holds.
fn classify(folder: &Folder, names: &[OsString]) -> Option<(What, SystemTime, Option<String>)> {
    let changed = |name: &str| match folder.look(name) {
        Ok(Some(found)) if found.kind == Kind::File => Some(found.modified),
        _ => None,
    };
    let has_folder = |name: &str| matches!(folder.kind(name), Ok(Some(Kind::Folder)));
    if let Some(at) = changed("log.jsonl").filter(|_| has_folder("programs")) {
        return Some((What::Refinement, at, None));
    }
    if let Some(at) = changed(RUN) {
        let results = changed(RESULTS);
        let (what, damage) = of_record(folder, results.is_some() || has_folder(EPISODES));
        let last = results.filter(|_| what.is_of_episodes()).map_or(at, |results| results.max(at));
        return Some((what, last, damage));
    }
    if let Some(at) = changed(ARENA).filter(|_| starts_with_schema(folder, ARENA, ARENA_SCHEMA_NAME)) {
        return Some((What::Arena, at, None));
    }
    if let Some(at) = changed(SUMMARY).filter(|_| starts_with_schema(folder, SUMMARY, BATCH_SCHEMA_NAME)) {
        return Some((What::Batch, at, None));
    }
    let jsonl = names.iter().filter_map(|name| name.to_str()).filter(|name| name.ends_with(".jsonl"));
    let trajectory = jsonl.take(TRIED_MAX).find(|name| {
        let mut start = [0; TRAJECTORY_START.len()];
        folder.file(name).is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && start == TRAJECTORY_START)
    });
    match trajectory {
        Some(name) => Some((What::Trajectories, changed(name)?, None)),
        None => {
            let at = changed(SUMMARY)?;
            damage_of_summary(folder, names).map(|why| (What::Batch, at, Some(format!("{SUMMARY}: {why}"))))
        }
    }
}

/// Why a summary without its schema cannot be read. Nothing of one that another program may have written: a file of that name says something, and no verdict
/// lies beside it.
fn damage_of_summary(folder: &Folder, names: &[OsString]) -> Option<String> {
    let start = start_of(folder, SUMMARY, SETTINGS_BYTES_MAX);
    let is_verdict = |name: &str| {
        let is_other = name == SUMMARY || name.ends_with(".dsse.json") || !name.ends_with(".json");
        !is_other && starts_with_schema(folder, name, VERDICT_SCHEMA_NAME)
    };
    let has_verdicts = || names.iter().filter_map(|name| name.to_str()).take(ENTRIES_TRIED_MAX).any(is_verdict);
    match serde_json::from_slice::<Value>(&start) {
        Err(error) if start.len() < SETTINGS_BYTES_MAX => Some(error.to_string()),
        Ok(Value::Object(fields)) if fields.is_empty() => Some("it has no schema".to_owned()),
        _ => has_verdicts().then(|| "it does not have the schema of a summary".to_owned()),
    }
}

/// Whether a file names a schema near its beginning.
pub(crate) fn starts_with_schema(folder: &Folder, name: &str, schema: &str) -> bool {
    String::from_utf8_lossy(&start_of(folder, name, SCHEMA_BYTES_MAX)).contains(&format!("\"{schema}\""))
}

/// The beginning of a file; nothing where it cannot be read.
fn start_of(folder: &Folder, name: &str, bytes_max: usize) -> Vec<u8> {
    let mut start = Vec::new();
    let read = folder.file(name).is_ok_and(|file| file.take(bytes_max as u64).read_to_end(&mut start).is_ok());
    if read { start } else { Vec::new() }
}

/// What a folder with a `run.json` holds: what that file says, and only where it says nothing that is understood, what lies beside it.
fn of_record(folder: &Folder, has_episodes: bool) -> (What, Option<String>) {
    let read = |bytes_max: usize| {
        let start = start_of(folder, RUN, bytes_max);
        kind::says(&start, start.len() < bytes_max)
    };
    // Reports, of which there may be thousands, say at once what they are.
    let first = read(SCHEMA_BYTES_MAX);
    let is_enough = matches!(first.kind, Some(kind::Kind::Report | kind::Kind::Markets));
    let kind::Says { kind, trouble } = if is_enough { first } else { read(SETTINGS_BYTES_MAX) };
    let damage = trouble.map(|why| format!("{RUN}: {why}"));
    let what = match kind {
        None if has_episodes => What::Damaged,
        None | Some(kind::Kind::Report) => What::Report,
        Some(kind::Kind::Markets) => What::Markets,
        Some(kind::Kind::Rollout) if damage.is_none() => What::Rollout,
        Some(kind::Kind::World) if damage.is_none() => What::World,
        Some(kind::Kind::Rollout | kind::Kind::World) => What::Damaged,
    };
    (what, damage)
}
