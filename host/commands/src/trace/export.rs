//! What `assay trace export` does: episodes in the form of other tools.
//!
//! Invariants: nothing is exported from a file that was tampered with; rows and spans are written one file at a time, so that there may be any
//! number of them, while an Inspect log and an ATIF document are one text each and are made in memory, beside all their episodes.

use super::{Named, Room, load};
use crate::output::{self, Stop};
use crate::{Ending, Failure, face, input};
use assay_trace::export::atif::{Document, Images, atif};
use assay_trace::export::chat::{ChatFilter, FlagFilter, MalformedCalls, chat_row};
use assay_trace::export::otel::{Parents, otel};
use assay_trace::export::steps::step_rows;
use assay_trace::export::{ExportError, inspect::inspect_log};
use assay_trace::{MEMORY_BYTES_MAX, Outcome, Trajectory, TrajectoryId};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The most memory that the episodes of one document may need. The document needs about as much again, and more where its records are short.
const DOCUMENT_BYTES_MAX: u64 = MEMORY_BYTES_MAX / 2;

/// Which episodes are exported, and how.
#[derive(Clone, Debug)]
pub struct ExportSettings {
    /// The trajectories; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// The form that is written.
    pub to: ExportForm,
    /// The file to write, which must not exist; otherwise standard output.
    pub out: Option<PathBuf>,
    /// Only episodes with at least this reward; an unscored one has none.
    pub min_reward: Option<f64>,
    /// Only episodes with these outcomes.
    pub outcome: Vec<Outcome>,
    /// All episodes, whatever became of them; otherwise, with no other condition on the score, only successes.
    pub all: bool,
    /// Only episodes with at most this reward; an unscored one has none.
    pub max_reward: Option<f64>,
    /// Only episodes that used at most this many tokens; one whose use is unknown is left out.
    pub max_tokens: Option<u64>,
    /// Only episodes that cost at most this much, in dollars; one whose cost is unknown is left out.
    pub max_cost: Option<f64>,
    /// Only episodes that took at most this many seconds.
    pub max_seconds: Option<f64>,
    /// Only episodes whose model took at most this many seconds for an answer, in the median.
    pub max_latency: Option<f64>,
    /// Chat rows and steps: flagged episodes, too.
    pub keep_flagged: bool,
    /// Chat rows and steps: episodes with malformed tool calls, too.
    pub keep_malformed: bool,
    /// OpenTelemetry: also what the model said, thought and ran.
    pub content: bool,
}

/// Forms of other tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportForm {
    /// Fine-tuning rows, JSON lines.
    Chat,
    /// A pair for each message of the model, JSON lines.
    Steps,
    /// The Agent Trajectory Interchange Format, 1.8.
    Atif,
    /// A log of Inspect AI, version 2.
    Inspect,
    /// OpenTelemetry spans by the conventions for generative AI, JSON lines of OTLP.
    Otel,
}

/// Exports episodes to the forms of other tools.
///
/// # Errors
///
/// Where a file cannot be read or was tampered with, a bound is not a number, or the form has no room for these episodes.
pub fn run(settings: &ExportSettings) -> Result<Ending, Failure> {
    input::at_most_one_standard_input(&settings.files)?;
    let choice = choice(settings)?;
    let out = settings.out.as_deref().filter(|path| *path != Path::new("-"));
    let written = match settings.to {
        ExportForm::Chat => lines(settings, &choice, out, |trajectory, sink| line(sink, &chat_row(trajectory)))?,
        ExportForm::Steps => lines(settings, &choice, out, |trajectory, sink| {
            step_rows(trajectory).try_for_each(|row| line(sink, &row))
        })?,
        ExportForm::Atif => one_atif(settings, &choice, out)?,
        ExportForm::Inspect => inspect(settings, &choice, out)?,
        ExportForm::Otel => {
            let parents = parents(settings)?;
            lines(settings, &choice, out, |trajectory, sink| line(sink, &otel(trajectory, &parents, settings.content)))?
        }
    };
    let place = out.map_or_else(|| "standard output".to_owned(), |path| path.display().to_string());
    face::step("Exported", &format!("{written} of {} episodes to {place}", settings.files.len()));
    if written == 0 {
        let only =
            if takes_successes_only(settings) { "; only successes are exported, unless you pass --all" } else { "" };
        let also = if is_training(settings) {
            "; rows also leave out flagged episodes and malformed calls, unless you pass --keep-flagged or --keep-malformed"
        } else {
            ""
        };
        face::warn(&format!("no episode meets the conditions{only}{also}"));
    }
    crate::DONE
}

/// Which episodes are exported.
struct Choice {
    filter: ChatFilter,
    tokens_max: Option<u64>,
    dollars_max: Option<f64>,
    seconds_max: Option<f64>,
    latency_max: Option<f64>,
}

impl Choice {
    fn takes(&self, trajectory: &Trajectory) -> bool {
        if !self.filter.takes(trajectory) {
            return false;
        }
        let bounds = [self.dollars_max, self.seconds_max, self.latency_max];
        if self.tokens_max.is_none() && bounds.iter().all(Option::is_none) {
            return true;
        }
        let stats = assay_trace::stats(trajectory);
        let tokens = stats.tokens.total().map(|usage| usage.total());
        let dollars = stats.cost_microdollars.total().map(|cost| cost as f64 / 1e6);
        let latency = stats.model_latency.map(|latency| latency.p50_ns as f64 / 1e9);
        self.tokens_max.is_none_or(|most| tokens.is_some_and(|tokens| tokens <= most))
            && self.dollars_max.is_none_or(|most| dollars.is_some_and(|dollars| dollars <= most))
            && self.seconds_max.is_none_or(|most| stats.duration_ns as f64 / 1e9 <= most)
            && self.latency_max.is_none_or(|most| latency.is_some_and(|latency| latency <= most))
    }
}

fn is_training(settings: &ExportSettings) -> bool {
    matches!(settings.to, ExportForm::Chat | ExportForm::Steps)
}

fn takes_successes_only(settings: &ExportSettings) -> bool {
    !settings.all && settings.outcome.is_empty() && settings.min_reward.is_none() && settings.max_reward.is_none()
}

fn choice(settings: &ExportSettings) -> Result<Choice, Failure> {
    for (flag, value) in [("--min-reward", settings.min_reward), ("--max-reward", settings.max_reward)] {
        if let Some(reward) = value.filter(|reward| !reward.is_finite()) {
            return Err(
                Failure::usage(format!("{flag} {reward} is not a valid reward")).hint("use a number, such as 0.5")
            );
        }
    }
    let bounds = [
        ("--max-cost", settings.max_cost),
        ("--max-seconds", settings.max_seconds),
        ("--max-latency", settings.max_latency),
    ];
    for (flag, value) in bounds {
        if let Some(amount) = value.filter(|amount| !(*amount >= 0.0 && amount.is_finite())) {
            return Err(Failure::usage(format!("{flag} {amount} is out of range")).hint("use a number of at least 0"));
        }
    }
    Ok(Choice {
        filter: filter(settings),
        tokens_max: settings.max_tokens,
        dollars_max: settings.max_cost,
        seconds_max: settings.max_seconds,
        latency_max: settings.max_latency,
    })
}

fn filter(settings: &ExportSettings) -> ChatFilter {
    // What a model should not learn is not a reason to keep it from people.
    let is_training = is_training(settings);
    let successes = || BTreeSet::from([Outcome::Success]);
    let named = (!settings.outcome.is_empty()).then(|| settings.outcome.iter().copied().collect());
    ChatFilter {
        reward_min: settings.min_reward,
        reward_max: settings.max_reward,
        outcomes: named.or_else(|| takes_successes_only(settings).then(successes)),
        without_flags: if is_training && !settings.keep_flagged {
            FlagFilter::Any
        } else {
            FlagFilter::Named(BTreeSet::new())
        },
        malformed_calls: if is_training && !settings.keep_malformed {
            MalformedCalls::LeaveOut
        } else {
            MalformedCalls::Keep
        },
    }
}

/// An episode whose file was not tampered with; one that a crash has cut off is taken as far as it goes.
fn honest(Named { name, loaded }: Named) -> Result<Trajectory, Failure> {
    match &loaded.damage {
        None => {}
        Some(damage) if damage.is_cut() => face::warn(&format!("{name}: {damage}")),
        Some(damage) => {
            return Err(Failure::usage(format!("{name} is not exported: {damage}"))
                .hint("its hash chain is broken: use the original file, or leave it out"));
        }
    }
    Ok(loaded.trajectory)
}

fn load_all(settings: &ExportSettings) -> Result<Vec<Trajectory>, Failure> {
    let mut room = Room::new(DOCUMENT_BYTES_MAX);
    settings.files.iter().map(|path| honest(room.load(path)?)).collect()
}

/// Writes to the file, or to standard output without one.
fn deliver(out: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>) -> Result<(), Failure> {
    match out {
        Some(path) => output::to_new_file(path, write),
        None => output::json_to_stdout(write),
    }
}

fn deliver_json(out: Option<&Path>, value: &impl Serialize) -> Result<(), Failure> {
    deliver(out, |sink| {
        serde_json::to_writer_pretty(&mut *sink, value)?;
        Ok(writeln!(sink)?)
    })
}

fn refused(error: &ExportError) -> Failure {
    let failure = Failure::usage(format!("failed to export: {error}"));
    match error {
        ExportError::NoMessage { .. } | ExportError::NoTrajectory => failure,
        ExportError::DuplicateTrajectory { .. } => failure.hint("name each episode once"),
        ExportError::MixedModels { .. } => failure.hint("name the files of one model"),
    }
}

/// One line or more for each episode.
fn lines(
    settings: &ExportSettings,
    choice: &Choice,
    out: Option<&Path>,
    write: impl Fn(&Trajectory, &mut dyn Write) -> Result<(), Stop>,
) -> Result<usize, Failure> {
    let mut written = 0;
    deliver(out, |sink| {
        for path in &settings.files {
            let trajectory = honest(load(path)?)?;
            if choice.takes(&trajectory) {
                write(&trajectory, sink)?;
                written += 1;
            }
        }
        Ok(())
    })?;
    Ok(written)
}

fn line(sink: &mut dyn Write, value: &impl Serialize) -> Result<(), Stop> {
    serde_json::to_writer(&mut *sink, value)?;
    Ok(writeln!(sink)?)
}

/// Who sent whom, so that an episode and its sub-agents make one trace. Standard input can be read once only, so it has no say.
fn parents(settings: &ExportSettings) -> Result<Parents, Failure> {
    let mut parents = Parents::new();
    for path in settings.files.iter().filter(|path| **path != *Path::new("-")) {
        let Named { loaded, .. } = load(path)?;
        let metadata = loaded.trajectory.metadata();
        parents.extend(metadata.parent.as_ref().map(|parent| (metadata.id.clone(), parent.trajectory_id.clone())));
    }
    Ok(parents)
}

fn inspect(settings: &ExportSettings, choice: &Choice, out: Option<&Path>) -> Result<usize, Failure> {
    let mut trajectories = load_all(settings)?;
    trajectories.retain(|trajectory| choice.takes(trajectory));
    if trajectories.is_empty() {
        return Ok(0);
    }
    let log = inspect_log(&trajectories).map_err(|error| refused(&error))?;
    deliver_json(out, &log)?;
    Ok(trajectories.len())
}

/// The one episode that is nobody's sub-agent here, with the others embedded.
fn one_atif(settings: &ExportSettings, choice: &Choice, out: Option<&Path>) -> Result<usize, Failure> {
    let mut trajectories = load_all(settings)?;
    let ids: BTreeSet<TrajectoryId> = trajectories.iter().map(|each| each.metadata().id.clone()).collect();
    let is_root =
        |each: &Trajectory| each.metadata().parent.as_ref().is_none_or(|parent| !ids.contains(&parent.trajectory_id));
    let roots: Vec<usize> = (0..trajectories.len())
        .filter(|place| is_root(&trajectories[*place]) && choice.takes(&trajectories[*place]))
        .collect();
    let root = match roots.as_slice() {
        [] => return Ok(0),
        [root] => trajectories.remove(*root),
        [one, other, ..] => {
            let [one, other] = [one, other].map(|place| settings.files[*place].display());
            return Err(Failure::usage(format!("an ATIF document has one episode, but {one} and {other} are two"))
                .hint(
                    "export each one separately; pass sub-agents' files together with the episode that started them",
                ));
        }
    };
    let export = atif(&root, &trajectories).map_err(|error| refused(&error))?;
    place_images(&export.images, out)?;
    deliver_json(out, &export.document)?;
    Ok(episodes(&export.document))
}

/// How many episodes a document holds.
fn episodes(document: &Document) -> usize {
    1 + document.subagent_trajectories.iter().map(episodes).sum::<usize>()
}

/// Writes the images that a document refers to, beside it.
fn place_images(images: &Images, out: Option<&Path>) -> Result<(), Failure> {
    if images.is_empty() {
        return Ok(());
    }
    let Some(path) = out else {
        return Err(Failure::usage(format!("the episode has {} images, which ATIF keeps in files", images.len()))
            .hint("name the document with --out; the images go into the folder `images` next to it"));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    for (name, bytes) in images {
        let image = folder.join(name);
        if let Some(parent) = image.parent() {
            assay_files::Folder::make(parent).map_err(|error| {
                Failure::usage(format!("failed to make the folder {}: {error}", parent.display()))
                    .hint("choose another place with --out")
            })?;
        }
        output::place(&image, bytes)?;
    }
    face::step("Images", &format!("{} in {}", images.len(), folder.join("images").display()));
    Ok(())
}
