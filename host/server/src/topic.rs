//! What a page can be told about as it changes, and the number of its present state.
//!
//! The files and the store are the log: nothing is kept here, so whoever comes back after any time, or after a restart of the server, is told what differs. The
//! number of a trajectory is how many records it has, and grows; that of anything else is a fingerprint.

use crate::id::{FolderId, ItemId};
use crate::index::Index;
use crate::library::Library;
use crate::starting::Work;
use assay_files::Folder;
use assay_store::{Filter, Page};
use assay_work::jobs::JobId;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::UNIX_EPOCH;

/// The numbers that a script can hold.
const NUMBER_BITS: u32 = 53;
/// Runs that a fingerprint of the store looks at.
const RUNS: u32 = 50;

/// See the module documentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TopicId {
    /// The runs of the store.
    Store,
    Trajectory(ItemId),
    /// A folder of results.
    Folder(FolderId),
    /// What was started from pages.
    Jobs,
    Job(JobId),
}

impl Display for TopicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store => f.write_str("store"),
            Self::Trajectory(id) => write!(f, "t-{id}"),
            Self::Folder(id) => write!(f, "folder-{id}"),
            Self::Jobs => f.write_str("jobs"),
            Self::Job(id) => write!(f, "job-{id}"),
        }
    }
}

impl FromStr for TopicId {
    type Err = crate::id::NoId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('-') {
            None if text == "store" => Ok(Self::Store),
            None if text == "jobs" => Ok(Self::Jobs),
            Some(("job", id)) => id.parse().map(Self::Job).map_err(|_| crate::id::NoId),
            Some(("t", id)) => id.parse().map(Self::Trajectory),
            Some(("folder", id)) => id.parse().map(Self::Folder),
            _ => Err(crate::id::NoId),
        }
    }
}

impl TopicId {
    /// Whether its number only grows; a smaller one then means that something was lost.
    pub(crate) const fn grows(&self) -> bool {
        matches!(self, Self::Trajectory(_))
    }

    /// The number of a job's state: how it stands, and how much it has printed.
    pub(crate) fn number_of_job(&self, work: &Work) -> Option<u64> {
        match self {
            Self::Jobs => Some(number_of_jobs(work)),
            Self::Job(id) => {
                let job = work.jobs.find(id)?;
                let printed = work.jobs.printed(id);
                Some(fingerprint(&format!("{} {:?} {printed}", job.state.words(), job.began_ms)))
            }
            _ => None,
        }
    }

    /// The number of its state. `None` where it is gone. Blocks on files.
    pub(crate) fn number_of_files(&self, library: &Library) -> Option<u64> {
        match self {
            Self::Store | Self::Jobs | Self::Job(_) => None,
            Self::Trajectory(id) => {
                let (file, path) = library.trajectory(id)?.ok()?;
                Index::open(library.cache(), &file, &path).ok().map(|index| index.rows())
            }
            Self::Folder(id) => {
                let folder = library.folder(*id)?.open().ok()?;
                let seen = ["log.jsonl", "results.jsonl", "episodes", "stop"].map(|name| print(&folder, name));
                Some(fingerprint(&seen.join("\n")))
            }
        }
    }
}

/// The number of the state of all jobs.
pub(crate) fn number_of_jobs(work: &Work) -> u64 {
    let lines = work.jobs.list().into_iter().map(|job| format!("{} {}\n", job.id, job.state.words()));
    fingerprint(&lines.collect::<String>())
}

/// The number of the store's state: how many runs there are, as far as they are counted, and how the newest of them stand. 0 where there is no store.
pub(crate) async fn number_of_store(library: &Library) -> u64 {
    let Ok(store) = library.store().await else { return 0 };
    let page = Page { number: 0, size: RUNS };
    let Ok((rows, total)) = store.list(&Filter::default(), page, None).await else { return 0 };
    let lines = rows.iter().map(|row| format!("{} {}\n", row.run.id, row.run.status));
    fingerprint(&format!("{}\n{}", total.runs, lines.collect::<String>()))
}

fn print(folder: &Folder, name: &str) -> String {
    folder.look(name).ok().flatten().map_or_else(String::new, |found| {
        let at = found.modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        format!("{} {at}", found.bytes)
    })
}

fn fingerprint(text: &str) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(number) >> (64 - NUMBER_BITS)
}
