//! What `assay tasks verify` does: is each task any good?
//!
//! Invariant: a task that the infrastructure failed is unknown, never bad.

use crate::bench::{self, BenchSetup, Waits};
use crate::interrupt::{LONG, on_interrupt};
use crate::settings::{FiguresFormat, GradeRule, Machine};
use crate::{Ending, Failure, face, output};
use assay_docker::DockerBench;
use assay_grade::rule::Rule;
use assay_rollout::grading::GradeSettings;
use assay_rollout::task::{LoadedTask, load_tasks};
use assay_rollout::verify::{Report, Standing, verify};
use assay_run::{Attempt, BoxFuture, Stop, Tasks, Trouble, Unit, run_tasks};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tests of a task that a table names.
const NAMES_SHOWN_MAX: usize = 5;

/// Tasks that are checked, and how.
#[derive(Clone, Debug)]
pub struct VerifySettings {
    /// The tasks: a task folder, a folder of tasks, an imported task, or rows of a data set.
    pub path: PathBuf,
    /// How many times to run each.
    pub repeat: u32,
    /// Number of tasks to check in parallel.
    pub concurrency: u16,
    /// The rule for scoring tests.
    pub rule: GradeRule,
    /// The container engine; otherwise the local one.
    pub docker_url: Option<String>,
    /// Cache for repositories taken from images; otherwise in the machine's.
    pub image_cache: Option<PathBuf>,
    /// Number of images that this command pulled to keep; otherwise all.
    pub images_max: Option<NonZeroUsize>,
    /// How the report is written.
    pub format: FiguresFormat,
}

/// Checks tasks: the right fix must score 1, the untouched files 0, each time.
///
/// # Errors
///
/// Where the tasks cannot be read, the machine fails, or somebody interrupts.
pub fn run(machine: &Machine, settings: &VerifySettings) -> Result<Ending, Failure> {
    let tasks = load(&settings.path)?;
    let outputs = tempfile::tempdir()
        .map_err(|error| Failure::infrastructure(format!("failed to make a temporary folder: {error}")))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::infrastructure(format!("failed to start: {error}")))?;
    let grading = bench::grading(rule(settings.rule))?;
    let concurrency = usize::from(settings.concurrency);
    let setup = BenchSetup {
        url: bench::engine(settings.docker_url.as_deref())?,
        image_cache: settings.image_cache.clone().unwrap_or_else(|| machine.cache.join("images")),
        outputs: outputs.path(),
        jobs: concurrency,
        images: bench::images(&tasks),
        pulled_max: settings.images_max,
        waits: Waits::default(),
    };
    let stop = Stop::new();
    let asked = stop.clone();
    on_interrupt("\ninterrupted: removing the containers (press again to stop immediately)", LONG, move || {
        asked.stop();
    });
    let planned = tasks.len();
    let reports = runtime.block_on(async {
        let bench = Arc::new(bench::open_bench(setup)?);
        let unit = |(sample, task): (u32, &LoadedTask)| Unit { sample, ..Unit::new(task.id()) };
        let units: Vec<Unit> = (1..).zip(&tasks).map(unit).collect();
        let tasks = tasks.into_iter().map(Arc::new).collect();
        let (repeat, grading) = (settings.repeat, Arc::new(grading));
        let mut checks = Checks { bench, tasks, repeat, grading, early: BTreeMap::new(), reports: Vec::new() };
        let at_once = NonZeroUsize::new(concurrency).unwrap_or(NonZeroUsize::MIN);
        // At a stop, what runs is dropped, and its containers with it.
        run_tasks::<Report, (), Infallible>(units.into_iter(), &mut checks, at_once, 1, &stop).await;
        let Checks { bench, reports, .. } = checks;
        if let Some(bench) = Arc::into_inner(bench) {
            bench::close(bench.close()).await;
        }
        Ok::<Vec<Report>, Failure>(reports)
    })?;
    runtime.shutdown_timeout(bench::SHUTDOWN);
    show(&reports, settings.format)?;
    if stop.is_asked() && reports.len() < planned {
        let message = format!("interrupted: {} of {planned} tasks were checked", reports.len());
        return Err(Failure { ending: Ending::Interrupted, message, hint: None });
    }
    Ok(ending(&reports))
}

/// Tasks from a path.
pub(crate) fn load(path: &Path) -> Result<Vec<LoadedTask>, Failure> {
    load_tasks(path).map_err(|error| {
        let failure = Failure::usage(&error);
        match &error.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

/// The rule that a choice stands for.
pub(crate) const fn rule(rule: GradeRule) -> Rule {
    match rule {
        GradeRule::Strict => Rule::Strict,
        GradeRule::R2eCompat => Rule::R2eCompat,
        GradeRule::SweBench => Rule::SweBench,
    }
}

/// Tasks that are checked, and what was found.
struct Checks {
    bench: Arc<DockerBench>,
    /// The sample of a task's unit is its place, from 1.
    tasks: Vec<Arc<LoadedTask>>,
    repeat: u32,
    grading: Arc<GradeSettings>,
    /// By place from 0: what waits for a task before it.
    early: BTreeMap<usize, Report>,
    /// What was told, in the order of the tasks.
    reports: Vec<Report>,
}

impl Tasks<Report, (), Infallible> for Checks {
    fn begin(&mut self, unit: &Unit) -> BoxFuture<'static, Attempt<Report, ()>> {
        let (bench, grading, repeat) = (Arc::clone(&self.bench), Arc::clone(&self.grading), self.repeat);
        let task = Arc::clone(&self.tasks[unit.sample as usize - 1]);
        Box::pin(async move { Ok(verify(&*bench, &task, repeat, &grading).await) })
    }

    fn keep(
        &mut self,
        results: Vec<(Unit, Attempt<Report, ()>)>,
        _: Vec<(Unit, Trouble, Option<()>)>,
    ) -> BoxFuture<'_, Result<(), Infallible>> {
        for (Unit { key, sample, .. }, found) in results {
            let fallen = |(Trouble { why, .. }, _)| Report { instance_id: key, why, ..Report::default() };
            self.early.insert(sample as usize - 1, found.unwrap_or_else(fallen));
        }
        while let Some(report) = self.early.remove(&self.reports.len()) {
            let (name, number) = (face::visible(&report.instance_id), self.reports.len() + 1);
            face::step(verb(report.standing), &format!("{name} ({number} of {})", self.tasks.len()));
            self.reports.push(report);
        }
        Box::pin(std::future::ready(Ok(())))
    }
}

const fn verb(standing: Standing) -> &'static str {
    match standing {
        Standing::Good => "Good",
        Standing::Flaky => "Flaky",
        Standing::Bad => "Bad",
        Standing::Unknown => "Unknown",
    }
}

fn rewards(rewards: &[Option<f64>]) -> String {
    if rewards.is_empty() {
        return "-".to_owned();
    }
    rewards
        .iter()
        .map(|reward| reward.map_or("?".to_owned(), |reward| reward.to_string()))
        .collect::<Vec<_>>()
        .join(" ")
}

fn show(reports: &[Report], format: FiguresFormat) -> Result<(), Failure> {
    if format == FiguresFormat::Json {
        return output::json(reports);
    }
    let row = |report: &Report| {
        let names: Vec<String> = report
            .flaky
            .iter()
            .take(NAMES_SHOWN_MAX)
            .map(|test| {
                format!("{} ({})", test.name, test.statuses.iter().map(String::as_str).collect::<Vec<_>>().join("/"))
            })
            .collect();
        let cells = [
            report.instance_id.clone(),
            verb(report.standing).to_lowercase(),
            rewards(&report.gold),
            rewards(&report.untouched),
            report.controls.map_or("-".to_owned(), |count| count.to_string()),
            report.no_second_opinion.as_ref().map_or("-", |why| if why.is_empty() { "yes" } else { "no" }).to_owned(),
            names.join(", "),
        ];
        cells.map(|cell| face::visible(&cell)).to_vec()
    };
    face::out(&face::table(
        &["task", "standing", "fix", "untouched", "controls", "2nd opinion", "flaky tests"],
        &reports.iter().map(row).collect::<Vec<_>>(),
    ));
    for report in reports.iter().filter(|report| report.standing != Standing::Good || report.hint.is_some()) {
        let what = if report.why.is_empty() { verb(report.standing).to_lowercase() } else { report.why.clone() };
        face::warn(&format!("{}: {what}", face::visible(&report.instance_id)));
        if let Some(hint) = &report.hint {
            face::hint(hint);
        }
    }
    Ok(())
}

fn ending(reports: &[Report]) -> Ending {
    let any = |wanted: &[Standing]| reports.iter().any(|report| wanted.contains(&report.standing));
    if any(&[Standing::Bad, Standing::Flaky]) {
        Ending::Rejected
    } else if any(&[Standing::Unknown]) {
        Ending::Infrastructure
    } else {
        Ending::Success
    }
}
