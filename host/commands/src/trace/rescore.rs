//! What `assay trace rescore` does: a new score from what was kept of an episode's tests.
//!
//! Invariants: nothing is run; a file is only ever appended to, and never one that is damaged or that somebody else is writing.

use super::{Named, load};
use crate::settings::GradeRule;
use crate::tasks::rule;
use crate::{Ending, Failure, face};
use assay_model::Time;
use assay_rollout::grading::{Ending as EpisodeEnding, Kept, KeptAs, rule_name};
use assay_trace::{Durable, EventKind, Outcome, Trajectory, Verdict};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Episodes that are scored again, and how.
#[derive(Clone, Debug)]
pub struct RescoreSettings {
    /// The trajectories.
    pub files: Vec<PathBuf>,
    /// The rule to score by.
    pub rule: GradeRule,
    /// The new scores are only shown.
    pub dry_run: bool,
    /// The folder that artifact paths are relative to; otherwise the folder of each trajectory.
    pub root: Option<PathBuf>,
}

/// A file on this machine's disk.
struct OnDisk(File);

impl Write for OnDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Durable for OnDisk {
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)?;
        self.0.seek(SeekFrom::Start(bytes)).map(|_| ())
    }
}

/// Scores episodes again from their stored test results.
///
/// # Errors
///
/// Where a trajectory or what was kept of its tests cannot be read or has changed, or the score cannot be appended.
pub fn run(settings: &RescoreSettings) -> Result<Ending, Failure> {
    for path in &settings.files {
        rescore(path, settings)?;
    }
    crate::DONE
}

fn rescore(path: &Path, settings: &RescoreSettings) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Err(Failure::usage("a score cannot be appended to standard input").hint("name the trajectory's file"));
    }
    // Held until the new line is written, and asked for before the file is read.
    let file = if settings.dry_run { None } else { Some(open(path)?) };
    let Named { name, loaded } = load(path)?;
    let trajectory = &loaded.trajectory;
    let kept = kept(trajectory).ok_or_else(|| {
        Failure::usage(format!("{name} does not refer to a stored grading"))
            .hint("only episodes whose tests ran, or that changed nothing, can be scored again")
    })?;
    let root = settings.root.as_deref().or(path.parent()).unwrap_or(Path::new("."));
    let grading = Kept::load(root, &kept).map_err(|error| {
        Failure::usage(format!("{name} cannot be scored again: {error}")).hint(
            "artifacts are next to the trajectory; if you moved only the trajectory, name their folder with --root",
        )
    })?;
    let graded = grading.rescore(rule(settings.rule));
    let before = trajectory.verdict();
    let by_limit = before.and_then(Verdict::outcome) == Some(Outcome::Timeout);
    let verdict = graded.verdict_at(now(), EpisodeEnding { reason: "scored again", by_limit });
    let worth = |verdict: &Verdict| verdict.reward().map_or("unscored".to_owned(), |reward| reward.to_string());
    face::out(&face::lines(&format!(
        "{name}: {} -> {} ({}): {}",
        before.map_or("no score".to_owned(), worth),
        worth(&verdict),
        rule_name(graded.rule),
        verdict.reason()
    )));
    match file {
        None => Ok(()),
        Some(file) => match assay_trace::rescore(OnDisk(file), &loaded, verdict) {
            Ok(_) => Ok(()),
            Err(error @ assay_trace::WriteError::Damaged { .. }) => Err(Failure::usage(format!("{name}: {error}"))),
            Err(error) => Err(Failure::infrastructure(format!("failed to append to {name}: {error}"))),
        },
    }
}

fn open(path: &Path) -> Result<File, Failure> {
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(|error| {
        Failure::usage(format!("failed to open {} for writing: {error}", path.display()))
            .hint("with --dry-run the score is only shown")
    })?;
    file.try_lock().map_err(|_| {
        Failure::usage(format!("{} is being written by another program", path.display()))
            .hint("wait until the run is over")
    })?;
    Ok(file)
}

/// What the last grading left, by the trajectory's word.
fn kept(trajectory: &Trajectory) -> Option<KeptAs> {
    let gradings = trajectory.events().filter_map(|event| match &event.kind {
        EventKind::Other(other) if other.kind() == KeptAs::EVENT => serde_json::from_str(other.body()).ok(),
        _ => None,
    });
    gradings.last()
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}
