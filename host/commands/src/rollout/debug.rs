//! What `assay rollout debug` does: one episode before one's eyes, and, if wanted, in one's hands.

mod paint;
mod person;

use super::episode::{Audience, Shared};
use super::settings::DebugSettings;
use super::{engines, plan, run as run_command, words};
use crate::bench::Waits;
use crate::face;
use crate::interrupt::{LONG, on_interrupt};
use crate::settings::Machine;
use crate::{Ending, Failure};
use assay_llm::Budget;
use assay_rollout::ports::{Observer, Phase, Progress, Supervisor, Unwatched};
use assay_rollout::run::{self, EpisodeRecord, EpisodeSpec, RunEnd, RunFolder, ScheduleSettings, Stop, Trouble, Watch};
use assay_trace::{EventKind, Record};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where episodes are kept if nothing is said.
const KEPT_IN: &str = "rollout-debug";

/// Runs one episode and shows it step by step.
///
/// # Errors
/// Where the settings are wrong or do not name one task, where the episode has no score, and where it is interrupted or the machine fails.
pub fn debug(machine: &Machine, settings: &DebugSettings) -> Result<Ending, Failure> {
    let plan = plan::resolve(&settings.episode, None)?;
    let [task] = plan.tasks.as_slice() else {
        let ids: Vec<&str> = plan.tasks.iter().take(5).map(|task| task.id()).collect();
        return Err(Failure::usage(format!("{} tasks match, but an episode runs only one", plan.tasks.len()))
            .hint(format!("choose one, for example --instance-id {}; the tasks are {}, …", ids[0], ids.join(", "))));
    };
    let wanted = settings.sample.max(1);
    let mut episodes = run::plan(&[task.id().to_owned()], wanted, plan.seed)
        .map_err(|error| Failure::usage(error).hint("--sample takes 1 to 10000"))?;
    episodes.retain(|spec| spec.sample == wanted);
    let models = engines::models(&plan, &settings.episode, Budget::UNLIMITED, NonZeroUsize::MIN)?;
    let path = settings.out.clone().unwrap_or_else(|| free_folder(task.id()));
    let record = plan.record(&settings.episode, wanted);
    let mut folder = RunFolder::open(&path, &record, &episodes, false).map_err(run_command::unusable)?;
    if folder.pending().is_empty() {
        return Err(Failure::usage(format!("the episode in {} is already finished", path.display()))
            .hint("choose another folder with --out; `assay trace show` shows what is in this one"));
    }
    let runtime = run_command::runtime()?;
    let stop = Stop::new();
    let asked = stop.clone();
    on_interrupt("\ninterrupted: discarding the episode (press again to stop immediately)", LONG, move || asked.stop());
    let guard = runtime.enter();
    let (at_once, outputs) = (NonZeroUsize::MIN, folder.outputs());
    let bench = engines::bench(machine, &plan, &settings.episode, at_once, &outputs, Waits::default())?;
    drop(guard);
    let Some(python) = engines::python(&runtime, &stop, machine, &plan, at_once)? else {
        return conclude(RunEnd::Stopped, None, None, &path);
    };
    let agents = Some(engines::agents(models, python, &settings.episode)?);
    let shared = Shared::new(&plan, bench, agents, run_command::run_name(&path), |_| {});
    let supervisor: Arc<dyn Supervisor> =
        if settings.interactive { Arc::new(person::Person::new(stop.clone())) } else { Arc::new(Unwatched) };
    let painter: Arc<Painter> = Arc::new(Painter::default());
    let episode = |spec, work, files| {
        let audience =
            Audience { supervisor: Arc::clone(&supervisor), observer: Arc::clone(&painter) as Arc<dyn Observer> };
        Arc::clone(&shared).episode(spec, work, files, audience)
    };
    let schedule = ScheduleSettings { concurrency: NonZeroUsize::MIN, attempts: 1 };
    let end = runtime.block_on(run::run(&mut folder, schedule, episode, &Quiet, &stop));
    run_command::close(runtime, shared);
    let kept = trajectory(&folder, &episodes);
    conclude(end, folder.finished().next(), kept.as_deref(), &path)
}

/// A folder in [`KEPT_IN`] that is not there yet.
fn free_folder(task: &str) -> PathBuf {
    let mut free = (1..).map(|number: u32| Path::new(KEPT_IN).join(format!("{task}.{number}")));
    // There are more numbers than folders.
    free.find(|path| path.symlink_metadata().is_err()).unwrap_or_else(|| PathBuf::from(KEPT_IN))
}

/// Where the episode's record is, whether it came to its end or not.
fn trajectory(folder: &RunFolder, episodes: &[EpisodeSpec]) -> Option<PathBuf> {
    let finished = folder.finished().next().map(|record| record.id.clone());
    let id = finished.or_else(|| episodes.first().map(EpisodeSpec::id))?;
    Some(folder.files(&id).trajectory()).filter(|path| path.exists())
}

fn conclude(end: RunEnd, record: Option<&EpisodeRecord>, kept: Option<&Path>, out: &Path) -> Result<Ending, Failure> {
    if !matches!(end, RunEnd::Complete) {
        kept.into_iter().for_each(show);
    }
    match end {
        RunEnd::Complete => {}
        RunEnd::Stopped => {
            return Err(Failure {
                ending: Ending::Interrupted,
                message: "interrupted; the episode is kept as far as it went".into(),
                hint: None,
            });
        }
        RunEnd::Failed(trouble) => {
            let failure = Failure::usage(trouble.why);
            return Err(match trouble.hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            });
        }
        RunEnd::Unkept(why) => return Err(Failure::infrastructure(why)),
    }
    let Some(record) = record else { return Err(Failure::infrastructure("the episode left no result")) };
    face::out(&format!("\n{} {}", paint::title("result"), face::lines(&words::result(record))));
    kept.into_iter().for_each(show);
    if record.reward().is_none() {
        let message = format!("unscored: {}", record.reason);
        return Err(Failure::infrastructure(message).hint(run_command::hint_for(
            &record.reason,
            out,
            "repeat the command",
        )));
    }
    Ok(Ending::Success)
}

fn show(trajectory: &Path) {
    face::step("Trajectory", &trajectory.display().to_string());
}

/// The painter shows everything already.
struct Quiet;

impl Watch for Quiet {
    fn began(&self, _: &EpisodeSpec) {}
    fn will_retry(&self, _: &EpisodeSpec, _: &Trouble) {}
    fn finished(&self, _: &EpisodeRecord) {}
}

/// Prints the record as it grows.
#[derive(Default)]
struct Painter {
    /// The last phase that was announced.
    last: Mutex<Option<(u32, Phase)>>,
}

impl Observer for Painter {
    fn progress(&self, progress: &Progress) {
        let now = Some((progress.step, progress.phase));
        if std::mem::replace(&mut *self.last.lock().unwrap_or_else(PoisonError::into_inner), now) == now {
            return;
        }
        let what = match progress.phase {
            Phase::Starting => "starting the session",
            Phase::Model => "asking the model",
            Phase::Cell => "running code",
            Phase::Grading => "running the tests",
            Phase::Ended => return,
        };
        let cost = progress.cost_microdollars.map_or_else(|| "cost unknown".to_owned(), words::dollars);
        let tokens = words::count(progress.usage.total());
        face::note(&face::dim(&format!("… step {}: {what} ({tokens} tokens so far, {cost})", progress.step)));
    }

    fn recorded(&self, records: &[Record]) {
        for record in records {
            if let Some(text) = paint::record(record) {
                face::out(&text);
            }
        }
    }
}

/// Whether an event is worth a line; the rest is in the record.
fn is_shown(kind: &EventKind) -> bool {
    !matches!(kind, EventKind::Other(other) if other.kind() == "patch")
}
