//! From a repository to tasks: the history is read, each commit that may be a task is tried, some at once, and what became of it is journalled.
//!
//! Invariants: a commit that the folder knows is not tried again; when the call is over nothing runs any more; the same history and settings
//! make the same tasks, in whatever order they end.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use assay_rollout::ports::{BenchError, TestBench};
use assay_rollout::run::Stop;
use assay_rollout::task::ImageSource;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use thiserror::Error;

use crate::candidate::{Candidate, candidate, id};
use crate::files::{Reader, Trouble};
use crate::folder::TaskFolder;
use crate::git::{Commit, Objects, Place, PlaceError};
use crate::history::{Found, sort, walk};
use crate::journal::{FolderError, Judged, Standing};
use crate::judge::{blank, judge};
use crate::recipe::{Recipe, recipe};
use crate::refusal::Refusal;
use crate::settings::{HistorySettings, TaskSettings, WorkSettings};

/// Why nothing can be mined.
#[derive(Debug, Error)]
pub enum MineError {
    /// There is no repository.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// It cannot be read.
    #[error("failed to read the repository: {0}")]
    Git(String),
    /// The folder of tasks.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The engine.
    #[error(transparent)]
    Bench(#[from] BenchError),
}

/// What is told of the work as it goes.
pub trait Watch: Sync {
    /// A commit is tried.
    fn began(&self, task: &str);
    /// It is known what it is.
    fn ended(&self, judged: &Judged);
}

/// A repository's newest commits.
pub struct History {
    reader: Arc<Mutex<Reader>>,
    /// Commits that were looked at.
    pub commits: usize,
    /// What may become tasks, newest first, each with the recipe of its image.
    found: Vec<(Found, Recipe)>,
    /// What cannot, and why.
    pub refused: Vec<Judged>,
}

/// A candidate as it is before anything runs.
pub struct Listed {
    /// What it would be called; where it is refused, why.
    pub judged: Judged,
    /// What its message says of the bug.
    pub described: Option<String>,
    /// The fix.
    pub fix: String,
}

impl History {
    /// Reads the history. Nothing of the repository is run.
    ///
    /// # Errors
    /// There is no repository, or `git` cannot read it.
    pub fn read(history: &HistorySettings, settings: &TaskSettings) -> Result<Self, MineError> {
        let place = Place::find(&history.repository)?;
        let from = place.resolve(history.from.as_deref())?;
        let git = |trouble: Trouble| match trouble {
            Trouble::Git(why) => MineError::Git(why),
            Trouble::Refused(refusal) => MineError::Git(refusal.why),
        };
        let objects = Objects::open(&history.git, &place.objects, &from).map_err(|error| git(error.into()))?;
        let mut reader = Reader::new(objects);
        let commits = walk(&mut reader, &from, history.commits).map_err(git)?;
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        for commit in &commits {
            let sorted = sort(&mut reader, commit, history.merges).and_then(|candidate| {
                let recipe = recipe(&mut reader, &candidate.parent_tree, candidate.language, settings)?;
                Ok((candidate, recipe))
            });
            match sorted {
                Ok(candidate) => found.push(candidate),
                Err(Trouble::Refused(refusal)) => refused.push(no_task(commit, settings, refusal)),
                Err(trouble) => return Err(git(trouble)),
            }
        }
        Ok(Self { reader: Arc::new(Mutex::new(reader)), commits: commits.len(), found, refused })
    }

    /// How many commits may become tasks.
    #[must_use]
    pub fn candidates(&self) -> usize {
        self.found.len()
    }

    /// How the images of tasks in this folder are had, by name.
    #[must_use]
    pub fn images(&self, folder: &TaskFolder) -> BTreeMap<String, ImageSource> {
        let source = |recipe: &Recipe| match recipe {
            Recipe::Given(_) => ImageSource::Present,
            Recipe::Built(built) => ImageSource::Build(folder.image(&built.key)),
        };
        self.found.iter().map(|(_, recipe)| (recipe.image(), source(recipe))).collect()
    }

    /// What the candidates are, without running anything.
    ///
    /// # Errors
    /// `git` cannot read the repository.
    pub fn listed(&self, settings: &TaskSettings) -> Result<Vec<Listed>, MineError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut listed = Vec::new();
        for (found, _) in &self.found {
            listed.push(match candidate(&mut reader, found, settings) {
                Ok(candidate) => Listed {
                    judged: blank(&candidate.commit, &candidate.id, &candidate.subject),
                    described: candidate.described,
                    fix: candidate.fix,
                },
                Err(Trouble::Refused(refusal)) => {
                    Listed { judged: no_task(&found.commit, settings, refusal), described: None, fix: String::new() }
                }
                Err(Trouble::Git(why)) => return Err(MineError::Git(why)),
            });
        }
        Ok(listed)
    }
}

fn no_task(commit: &Commit, settings: &TaskSettings, refusal: Refusal) -> Judged {
    Judged {
        standing: Standing::Refused,
        reason: Some(refusal.reason),
        why: refusal.why,
        ..blank(commit.id(), &id(settings, commit.id()), commit.subject())
    }
}

/// The name that a repository has where the user gives none: its folder's.
#[must_use]
pub fn name_of(repository: &Path) -> String {
    let path = repository.canonicalize().unwrap_or_else(|_| repository.to_owned());
    let names = path.components().rev().filter_map(|part| part.as_os_str().to_str());
    let mut names = names.map(|name| name.strip_suffix(".git").unwrap_or(name)).filter(|name| !name.is_empty());
    names.next().unwrap_or("repository").to_owned()
}

/// Tries every commit that may be a task and that the folder does not know yet. What became of those of this history, the earlier ones included, newest first.
///
/// # Errors
/// The engine cannot be used, or the folder or the repository cannot be. What was found until then is in the folder.
pub async fn mine(
    bench: &dyn TestBench,
    history: &History,
    folder: &TaskFolder,
    settings: &TaskSettings,
    work: &WorkSettings,
    watch: &dyn Watch,
    stop: &Stop,
) -> Result<Vec<Judged>, MineError> {
    let mut known: BTreeMap<String, Judged> = BTreeMap::new();
    let mut waiting = Vec::new();
    for (found, _) in &history.found {
        match folder.find(found.commit.id()) {
            Some(judged) => _ = known.insert(judged.commit.clone(), judged),
            None => waiting.push(found),
        }
    }
    let mut waiting = waiting.into_iter();
    let mut admitted = known.values().filter(|judged| judged.standing == Standing::Admitted).count();
    let mut running = FuturesUnordered::new();
    loop {
        // What runs may be admitted: more than the limit is never begun.
        while running.len() < work.concurrency.max(1)
            && work.limit.is_none_or(|limit| admitted + running.len() < limit)
            && !stop.is_asked()
            && let Some(found) = waiting.next()
        {
            watch.began(&id(settings, found.commit.id()));
            running.push(one(bench, history, found, folder, settings, work));
        }
        let ended = tokio::select! {
            // What has been judged is kept, also at a stop.
            biased;
            ended = running.next() => ended,
            // What ran is dropped, and its containers with it.
            () = stop.asked() => None,
        };
        let Some(ended) = ended else { break };
        let judged = ended?;
        if judged.standing != Standing::Unknown {
            folder.add(&judged)?;
        }
        admitted += usize::from(judged.standing == Standing::Admitted);
        watch.ended(&judged);
        known.insert(judged.commit.clone(), judged);
    }
    Ok(history.found.iter().filter_map(|(found, _)| known.remove(found.commit.id())).collect())
}

/// One commit, from the objects of git to what it is.
async fn one(
    bench: &dyn TestBench,
    history: &History,
    found: &Found,
    folder: &TaskFolder,
    settings: &TaskSettings,
    work: &WorkSettings,
) -> Result<Judged, MineError> {
    let (reader, wanted, told) = (Arc::clone(&history.reader), found.clone(), settings.clone());
    let made = tokio::task::spawn_blocking(move || -> Result<Candidate, Trouble> {
        candidate(&mut reader.lock().unwrap_or_else(PoisonError::into_inner), &wanted, &told)
    });
    match made.await.map_err(|error| MineError::Git(error.to_string()))? {
        Ok(candidate) => Ok(judge(bench, folder, &candidate, settings, &work.grading).await?),
        Err(Trouble::Refused(refusal)) => Ok(no_task(&found.commit, settings, refusal)),
        Err(Trouble::Git(why)) => Err(MineError::Git(why)),
    }
}
