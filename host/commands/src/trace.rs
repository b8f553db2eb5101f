//! What `assay trace` does: looks at recorded episodes, compares them, checks their files, exports and imports them, scores and replays them.
//!
//! Invariants: of a damaged file only the part before the damage is believed, and that is said; episodes that are held at the same time need no more memory
//! than a limit, whatever their files hold.

mod export;
mod figures;
mod import;
mod replay;
mod rescore;

use crate::input::{self, Input};
use crate::settings::steps;
use crate::{Ending, Failure, face};
use assay_trace::{Filter, Loaded, MEMORY_BYTES_MAX, ReadError, ReadLimits, Trajectory, Verified};
pub use assay_trace::{Outcome, Role};
pub use export::{ExportForm, ExportSettings, run as export};
pub use figures::{StatsSettings, run as stats};
pub use import::{ImportSettings, run as import};
pub use replay::{ReplaySettings, run as replay};
pub use rescore::{RescoreSettings, run as rescore};
use std::path::{Path, PathBuf};

/// What of an episode is shown, and how much.
#[derive(Clone, Debug)]
pub struct ShowSettings {
    /// The trajectory; `-` is standard input.
    pub file: PathBuf,
    /// Only these steps: `4`, `3..9` for 3 to 9, `3..` or `..9`.
    pub steps: Option<String>,
    /// Only messages of these roles; of all, if none is named.
    pub role: Vec<Role>,
    /// Only what concerns this tool.
    pub tool: Option<String>,
    /// Only steps in which this flag was raised.
    pub flag: Option<String>,
    /// Maximum number of lines of each text.
    pub lines: usize,
}

/// Two episodes that are compared.
#[derive(Clone, Debug)]
pub struct DiffSettings {
    /// One trajectory; `-` is standard input.
    pub left: PathBuf,
    /// The other one.
    pub right: PathBuf,
    /// How the differences are shown.
    pub format: DiffFormat,
}

/// How differences are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiffFormat {
    /// For a person: actions side by side, then where they diverge.
    Text,
    /// For a program.
    Json,
}

/// An episode, with what to call its file.
struct Named {
    name: String,
    loaded: Loaded,
}

/// Memory for the episodes that are held at the same time.
struct Room {
    bytes_max: u64,
    left: u64,
}

impl Room {
    const fn new(bytes_max: u64) -> Self {
        Self { bytes_max, left: bytes_max }
    }

    fn load(&mut self, path: &Path) -> Result<Named, Failure> {
        let Input { name, source } = Input::open(path)?;
        let limits = ReadLimits { memory_bytes: Some(self.left), ..ReadLimits::BOUNDED };
        let loaded =
            assay_trace::read_with_limits(source, limits).map_err(|error| unreadable(&name, error, self.bytes_max))?;
        self.left = self.left.saturating_sub(loaded.memory_bytes);
        Ok(Named { name, loaded })
    }
}

/// An episode that is held alone.
fn load(path: &Path) -> Result<Named, Failure> {
    Room::new(MEMORY_BYTES_MAX).load(path)
}

/// An episode as far as its file is good, with a warning if that is not to its end.
fn load_what_is_good(path: &Path) -> Result<Named, Failure> {
    load_what_is_good_into(&mut Room::new(MEMORY_BYTES_MAX), path)
}

fn load_what_is_good_into(room: &mut Room, path: &Path) -> Result<Named, Failure> {
    let named = room.load(path)?;
    if let Some(damage) = &named.loaded.damage {
        face::warn(&format!("{}: {damage}", named.name));
    }
    Ok(named)
}

/// The trajectory of an episode, for other commands.
pub(crate) fn trajectory(path: &Path) -> Result<Trajectory, Failure> {
    Ok(load_what_is_good(path)?.loaded.trajectory)
}

fn unreadable(name: &str, error: ReadError, memory_bytes_max: u64) -> Failure {
    match error {
        ReadError::Io(error) => input::interrupted(name, &error),
        ReadError::NoLine { .. } | ReadError::NotSealed(_) => Failure::usage(format!("failed to read {name}: {error}"))
            .hint("a trajectory is JSON lines, each ending with its `_hash`, the first of type metadata: docs/trajectories.md"),
        ReadError::NotReadable(_) => Failure::usage(format!("failed to read {name}: {error}"))
            .hint(format!("this release of Assay reads version {} and its older minor versions", assay_trace::FormatVersion::CURRENT)),
        ReadError::NeedsMemory { line, .. } => Failure::usage(format!(
            "failed to read {name}: line {line}: what is held at once needs more than {} MiB of memory",
            memory_bytes_max >> 20
        ))
        .hint("name fewer files at once; `assay serve` shows one of any size, page by page"),
    }
}

/// Shows an episode: the messages, the events and the score.
///
/// # Errors
///
/// Where the file cannot be read, or the steps are not a range.
pub fn show(settings: &ShowSettings) -> Result<Ending, Failure> {
    let filter = Filter {
        roles: (!settings.role.is_empty()).then(|| settings.role.iter().copied().collect()),
        steps: settings.steps.as_deref().map(steps).transpose()?,
        tool: settings.tool.clone(),
        flag: settings.flag.clone(),
    };
    let trajectory = load_what_is_good(&settings.file)?.loaded.trajectory;
    face::out(face::lines(&assay_trace::show(&trajectory, &filter, settings.lines)).trim_end());
    if filter.pick(&trajectory).is_empty() {
        face::note(&face::dim(&format!("nothing to show: the episode has {} steps", trajectory.steps())));
    }
    crate::DONE
}

/// Shows where two episodes diverge; they are the same, or the ending says that they are not.
///
/// # Errors
///
/// Where a file cannot be read.
pub fn diff(settings: &DiffSettings) -> Result<Ending, Failure> {
    let DiffSettings { left, right, format } = settings;
    input::at_most_one_standard_input([left, right])?;
    let mut room = Room::new(MEMORY_BYTES_MAX);
    let mut load = |path: &Path| load_what_is_good_into(&mut room, path).map(|named| named.loaded.trajectory);
    let (left, right) = (load(left)?, load(right)?);
    let diff = assay_trace::diff(&left, &right);
    match format {
        DiffFormat::Text => face::out(face::lines(&diff.to_string()).trim_end()),
        DiffFormat::Json => crate::output::json(&diff)?,
    }
    Ok(if diff.is_same() { Ending::Success } else { Ending::Rejected })
}

/// Checks the hash chain of files; all are whole, or the ending says that some are not.
///
/// # Errors
///
/// Where a file cannot be read at all.
pub fn verify(files: &[PathBuf]) -> Result<Ending, Failure> {
    input::at_most_one_standard_input(files)?;
    let mut ending = Ending::Success;
    for path in files {
        let Input { name, source } = Input::open(path)?;
        let (is_whole, finding) = match assay_trace::verify_with_limits(source, ReadLimits::BOUNDED) {
            Ok(verified) => (verified.damage.is_none(), finding(&verified)),
            Err(error @ (ReadError::NoLine { .. } | ReadError::NotSealed(_))) => (false, error.to_string()),
            Err(error) => return Err(unreadable(&name, error, MEMORY_BYTES_MAX)),
        };
        face::out(&face::visible(&format!("{name}: {finding}")));
        if !is_whole {
            ending = Ending::Rejected;
        }
    }
    Ok(ending)
}

fn finding(verified: &Verified) -> String {
    let Verified { messages, events, verdict, head, damage, .. } = verified;
    match damage {
        Some(damage) => format!("{damage}; the {} lines before it are intact", head.lines),
        None => {
            let worth = match verdict {
                Some(verdict) => verdict.outcome().map_or("unscored", assay_trace::Outcome::name),
                None => "no score, so lines may be missing at the end",
            };
            format!(
                "intact: {} lines, {messages} messages, {events} events; {worth}; last hash {}",
                head.lines, head.hash
            )
        }
    }
}
