//! The same pages as files, for sharing: one folder, relative links, no script, nothing live.
//!
//! Invariants: a file of the same name is replaced, and any other stays; what a limit left out is counted, and no page links to it; a page that cannot be made
//! says why and is counted, and the others are written.

use crate::id::{FolderId, ItemId};
use crate::library::{Found, Library, What};
use crate::pages::boards::SEASONS_SHOWN;
use crate::pages::{Frame, style, trouble};
use crate::place::{Links, Place};
use crate::spending::Ledger;
use crate::views::{self, Problem, View};
use crate::{ServeError, Sources, listen};
use assay_files::Folder;
use assay_store::{Filter, Kind, RunId};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tokio::runtime::Runtime;

/// Runs of the store: its list and the page of each.
const RUNS_MAX: u32 = 50;
/// Trajectories over all folders.
const TRAJECTORIES_MAX: usize = 500;
/// Records of one trajectory, each with its body.
const RECORDS_MAX: u64 = 1_000;
/// Candidates of one session.
const CANDIDATES_MAX: usize = 200;

/// What an export has written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Exported {
    /// Pages.
    pub pages: usize,
    /// Bytes of all files.
    pub bytes: u64,
    /// Pages that could not be made, or were left out by a limit.
    pub left_out: usize,
}

/// Writes the pages to a folder, which is made if it is not there.
///
/// # Errors
/// The sources cannot be used, or the folder cannot be written.
pub fn export(sources: Sources, to: &Path) -> Result<Exported, ServeError> {
    let library = Library::open(sources)?;
    let folder =
        Folder::make(to).map_err(|error| ServeError::Folder { path: to.to_owned(), why: error.to_string() })?;
    let runtime = listen::runtime()?;
    let plan = Plan::new(&library);
    let frame = Frame { links: Links::Exported, form: None, can_start: false, left_out: Some(&plan.left_out) };
    let left_out = plan.left_out.len();
    let mut site = Site { folder, frame, library: &library, exported: Exported { left_out, ..Exported::default() } };
    site.write(&Place::Style, &style())?;
    for (id, kind) in site.stored(&runtime)? {
        site.run(&runtime, id, kind)?;
    }
    site.boards()?;
    site.folders(&plan)?;
    runtime.shutdown_timeout(listen::END_WAIT);
    Ok(site.exported)
}

/// What is to be written of the folders: decided first, so that no page links to what a limit leaves out.
struct Plan {
    found: Vec<Found>,
    trajectories: Vec<ItemId>,
    candidates: Vec<(FolderId, String)>,
    /// The names of what a limit leaves out.
    left_out: BTreeSet<String>,
}

impl Plan {
    fn new(library: &Library) -> Self {
        let found = library.scan().found.clone();
        let (mut trajectories, mut candidates, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
        for found in &found {
            match found.what {
                What::Rollout | What::World | What::Trajectories | What::Damaged => {
                    let names = found.trajectories().unwrap_or_default();
                    trajectories.extend(names.into_iter().map(|name| ItemId { folder: found.id, name }));
                }
                What::Refinement => {
                    let slots = views::slots(library, found.id).unwrap_or_default();
                    // The page of a session lists the last ones.
                    let first = slots.len().saturating_sub(CANDIDATES_MAX);
                    let places = slots.into_iter().map(|slot| (found.id, slot)).enumerate();
                    for (index, place) in places {
                        if index < first { skipped.push(place) } else { candidates.push(place) }
                    }
                }
                What::Report | What::Markets | What::Arena | What::Batch => {}
            }
        }
        let beyond = trajectories.split_off(trajectories.len().min(TRAJECTORIES_MAX));
        let beyond = beyond.into_iter().map(|id| Place::Trajectory(id, 0));
        let skipped = skipped.into_iter().map(|(id, slot)| Place::Candidate(id, slot));
        let left_out = beyond.chain(skipped).map(|place| Links::Exported.to(&place)).collect();
        Self { found, trajectories, candidates, left_out }
    }
}

struct Site<'a> {
    folder: Folder,
    frame: Frame<'a>,
    library: &'a Library,
    exported: Exported,
}

impl Site<'_> {
    fn write(&mut self, place: &Place, content: &str) -> Result<(), ServeError> {
        let name = self.frame.links.to(place);
        let written = self.folder.write(&name, content.as_bytes(), 0o644);
        written.map_err(|error| ServeError::Folder { path: self.folder.path().join(&name), why: error.to_string() })?;
        self.exported.bytes += content.len() as u64;
        Ok(())
    }

    /// Writes a page. One that cannot be made says why, so that links to it lead somewhere, and counts as left out.
    fn page(&mut self, place: &Place, make: impl FnOnce() -> View) -> Result<(), ServeError> {
        // What is shared with it recovers from a panic: the library's locks do.
        match catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| Err(Problem::bug())) {
            Ok(page) => {
                self.exported.pages += 1;
                self.write(place, &page)
            }
            Err(problem) => {
                self.exported.left_out += 1;
                self.write(place, &trouble(self.frame, problem.title, &problem.words))
            }
        }
    }

    /// The pages that list runs of the store; those runs.
    fn stored(&mut self, runtime: &Runtime) -> Result<Vec<(RunId, Kind)>, ServeError> {
        let (frame, library) = (self.frame, self.library);
        self.page(&Place::Home, || runtime.block_on(views::home(frame, library, None, &Ledger::default())))?;
        self.page(&Place::Runs, || runtime.block_on(views::runs(frame, library, &Filter::default(), 0)))?;
        self.page(&Place::Gates, || runtime.block_on(views::gates(frame, library)))?;
        let mut rows = Vec::new();
        // The list of the gate has verdicts that are too old for the other one.
        for filter in [Filter::default(), Filter { kind: Some(Kind::Gate), ..Filter::default() }] {
            let found = runtime.block_on(views::newest(library, &filter, RUNS_MAX)).unwrap_or_default();
            rows.extend(found.into_iter().map(|row| (row.run.id, row.run.kind)));
        }
        rows.sort_by_key(|(id, _)| *id);
        rows.dedup_by_key(|(id, _)| *id);
        Ok(rows)
    }

    fn run(&mut self, runtime: &Runtime, id: RunId, kind: Kind) -> Result<(), ServeError> {
        let (frame, library) = (self.frame, self.library);
        self.page(&Place::Run(id), || {
            let (detail, record) = runtime.block_on(views::stored(library, id))?;
            views::run(frame, library, &detail, (record.as_deref(), None))
        })?;
        if kind == Kind::Gate {
            self.page(&Place::StoredVerdict(id), || {
                let bytes = runtime.block_on(views::stored_verdict(library, id))?;
                views::verdict_page(frame, &bytes, None)
            })?;
        }
        Ok(())
    }

    fn folders(&mut self, plan: &Plan) -> Result<(), ServeError> {
        let (frame, library) = (self.frame, self.library);
        self.page(&Place::Rollouts, || views::rollouts(frame, library))?;
        self.page(&Place::Worlds, || views::worlds(frame, library))?;
        self.page(&Place::Refinements, || views::refinements(frame, library))?;
        for found in &plan.found {
            let id = found.id;
            match found.what {
                What::Report | What::Markets => {
                    self.page(&Place::Report(id), || views::report(frame, library, id, None))?;
                }
                What::Arena => self.page(&Place::Arena(id), || views::arena::arena(frame, library, id))?,
                What::World => self.page(&Place::World(id), || views::world(frame, library, id))?,
                What::Refinement => {
                    self.page(&Place::Refinement(id), || views::refinement(frame, library, id, None))?;
                }
                What::Batch => self.batch(id)?,
                What::Rollout | What::Trajectories | What::Damaged => {
                    self.page(&Place::Rollout(id), || views::rollout(frame, library, id))?;
                }
            }
        }
        for (id, slot) in &plan.candidates {
            let place = Place::Candidate(*id, slot.clone());
            self.page(&place, || views::candidate(frame, library, *id, slot))?;
        }
        for id in &plan.trajectories {
            let place = Place::Trajectory(id.clone(), 0);
            self.page(&place, || views::records::trajectory(frame, library, id, (0, RECORDS_MAX), None, true))?;
        }
        Ok(())
    }

    /// Every board that is listed, with the seasons that its page links to.
    fn boards(&mut self) -> Result<(), ServeError> {
        let (frame, library) = (self.frame, self.library);
        self.page(&Place::Boards, || views::boards::list(frame, library))?;
        for name in views::boards::names(library) {
            let place = |season| Place::Board(name.clone(), season);
            self.page(&place(None), || views::boards::board(frame, library, &name, None))?;
            let last = views::boards::seasons(library, &name);
            for season in last.saturating_sub(SEASONS_SHOWN - 1).max(1)..=last {
                self.page(&place(Some(season)), || views::boards::board(frame, library, &name, Some(season)))?;
            }
        }
        Ok(())
    }

    fn batch(&mut self, id: FolderId) -> Result<(), ServeError> {
        let (frame, library) = (self.frame, self.library);
        self.page(&Place::Batch(id), || views::batch(frame, library, id))?;
        for name in views::verdicts(library, id).unwrap_or_default() {
            let item = ItemId { folder: id, name };
            self.page(&Place::Verdict(item.clone()), || views::verdict(frame, library, &item))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_store::{ArtifactPlace, Location};

    #[test]
    fn a_page_that_fails_is_counted_and_the_next_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = Sources {
            store: Location::Sqlite(folder.path().join("store.db")),
            artifacts: ArtifactPlace::Folder(folder.path().join("artifacts")),
            folders: Vec::new(),
            boards: None,
            cache: folder.path().join("cache"),
        };
        let library = Library::open(sources).expect("sources");
        let frame = Frame { links: Links::Exported, form: None, can_start: false, left_out: None };
        let to = Folder::make(&folder.path().join("site")).expect("a folder");
        let mut site = Site { folder: to, frame, library: &library, exported: Exported::default() };
        site.page(&Place::Runs, || panic!("as a bug does")).expect("written");
        site.page(&Place::Gates, || Ok("verdicts".to_owned())).expect("written");
        let read = |name: &str| std::fs::read_to_string(folder.path().join("site").join(name)).expect("a page");
        assert!(read("runs.html").contains("This page failed"));
        assert_eq!(read("gate.html"), "verdicts");
        assert_eq!((site.exported.pages, site.exported.left_out), (1, 1));
    }
}
