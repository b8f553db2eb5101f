//! Rollouts and runs in worlds: what their folders hold, with every line of results compared with its trajectory.
//!
//! Invariant: where the record of a run cannot be read, its trajectories are shown all the same, and why.

use super::{Problem, View, ends, folder, topic_of_folder};
use crate::id::{FolderId, Name};
use crate::library::{Found, Library, What};
use crate::pages::rollout::Rollout;
use crate::pages::{self, Frame};
use assay_files::OpenError;
use assay_rollout::run as rollout_run;

/// The list of rollouts.
pub(crate) fn rollouts(frame: Frame<'_>, library: &Library) -> View {
    Ok(pages::rollouts::list(frame, &library.scan()))
}

/// A folder of a rollout, or of trajectories.
pub(crate) fn rollout(frame: Frame<'_>, library: &Library, id: FolderId) -> View {
    let found = folder(library, id, &[What::Rollout, What::Trajectories, What::Damaged])?;
    if found.what != What::Rollout {
        return bare(frame, &found);
    }
    let page = episodes(library, &found, |rollout| pages::rollouts::page(frame, rollout));
    or_bare(frame, found, page)
}

/// The page of a run of episodes; where its record cannot be read, why, and its trajectories.
fn or_bare(frame: Frame<'_>, mut found: Found, page: View) -> View {
    let read = |found: &Found| -> Result<(), String> {
        let folder = found.open().map_err(|error| error.to_string())?;
        rollout_run::RunRecord::read_in(&folder).map(drop).map_err(|error| error.to_string())
    };
    if page.is_ok() {
        return page;
    }
    let Err(why) = read(&found) else { return page };
    found.damage = Some(why);
    bare(frame, &found)
}

/// A folder of which no more is known than its trajectories.
fn bare(frame: Frame<'_>, found: &Found) -> View {
    Ok(pages::rollouts::trajectories(frame, found, &trajectories(found)?))
}

/// The names of the trajectories of a folder. What is wrong is said of the folder that has it: its own, or `episodes` in it.
fn trajectories(found: &Found) -> Result<Vec<Name>, Problem> {
    found.open().map_err(|error| Problem::of_file(&found.name, &error))?;
    found.trajectories().map_err(|error| Problem::of_file(&found.name_of_episodes(), &error))
}

/// The list of runs in worlds.
pub(crate) fn worlds(frame: Frame<'_>, library: &Library) -> View {
    Ok(pages::worlds::list(frame, &library.scan()))
}

/// A run in a world.
pub(crate) fn world(frame: Frame<'_>, library: &Library, id: FolderId) -> View {
    let found = folder(library, id, &[What::World, What::Damaged])?;
    if found.what == What::Damaged {
        return bare(frame, &found);
    }
    let page = episodes(library, &found, |run| pages::worlds::page(frame, run, &rollout_run::pass_all(run.finished)));
    or_bare(frame, found, page)
}

/// A rollout, or a run in a world, shown as `show` does.
pub(crate) fn run_of_episodes<T>(
    library: &Library,
    (id, what): (FolderId, What),
    show: impl FnOnce(&Rollout<'_>) -> T,
) -> Result<T, Problem> {
    let found = folder(library, id, &[what, What::Damaged])?;
    match &found.damage {
        Some(why) => Err(Problem::unreadable(&found.name, why)),
        None => episodes(library, &found, show),
    }
}

/// A folder of episodes, shown as `show` does.
fn episodes<T>(library: &Library, found: &Found, show: impl FnOnce(&Rollout<'_>) -> T) -> Result<T, Problem> {
    let topic = topic_of_folder(library, found.id);
    let failed = |error: OpenError| Problem::of_file(&found.name, &error);
    let trajectories = trajectories(found)?;
    let folder = found.open().map_err(failed)?;
    let record = rollout_run::RunRecord::read_in(&folder).map_err(|error| Problem::unreadable("run.json", error))?;
    let is_taken = || rollout_run::RunFolder::is_taken_in(&folder);
    // Asked before and after: lines of a run that began or ended meanwhile may be missing here.
    let was_taken = is_taken();
    let journal = folder.look(rollout_run::JOURNAL_NAME).map_err(failed)?;
    let rollout_run::Proven { records: finished, doubts, damaged, .. } = match journal {
        Some(journal) if journal.kind == assay_files::Kind::File && journal.bytes <= rollout_run::JOURNAL_BYTES_MAX => {
            rollout_run::read_proven_journal_in(&folder).map_err(|error| Problem::unreadable("results.jsonl", error))?
        }
        Some(_) => return Err(Problem::unreadable("results.jsonl", "it is too large, or not a regular file")),
        None => rollout_run::Proven::default(),
    };
    let figures = rollout_run::figures(&finished);
    let with_result = finished.iter().chain(doubts.iter().map(|doubt| &doubt.record));
    let shortened = ends::shortened(found, with_result.clone(), &trajectories);
    let unlisted = rollout_run::unlisted(&record, &folder, with_result);
    let is_running = was_taken || is_taken();
    let unlisted = if is_running { Vec::new() } else { unlisted };
    let stated = rollout_run::stated(&record, &folder, &finished);
    let rollout = Rollout {
        found,
        record: &record,
        finished: &finished,
        doubts: &doubts,
        damaged: &damaged,
        stated: &stated,
        figures: &figures,
        trajectories: &trajectories,
        shortened: &shortened,
        unlisted: &unlisted,
        is_running,
        has_rewards: found.what == What::World,
        topic,
    };
    Ok(show(&rollout))
}
