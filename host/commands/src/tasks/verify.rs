//! What `assay tasks verify` does: is each task any good?
//!
//! Invariant: a task that the infrastructure failed is unknown, never bad.

use crate::bench::{self, BenchSetup, Waits};
use crate::interrupt::{LONG, on_interrupt};
use crate::settings::{FiguresFormat, GradeRule, Machine};
use crate::{Ending, Failure, face, output};
use assay_grade::rule::Rule;
use assay_rollout::grading::GradeSettings;
use assay_rollout::ports::TestBench;
use assay_rollout::task::{LoadedTask, load_tasks};
use assay_rollout::verify::{Report, Standing, verify};
use assay_run::Stop;
use futures::stream::{self, StreamExt as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

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
    let mut reports = Vec::with_capacity(tasks.len());
    runtime.block_on(async {
        let bench = bench::open_bench(setup)?;
        tokio::select! {
            () = verify_all(&bench, &tasks, settings.repeat, &grading, concurrency, &mut reports) => {}
            // What ran is dropped, and its containers with it.
            () = stop.asked() => {}
        }
        bench::close(bench.close()).await;
        Ok(())
    })?;
    runtime.shutdown_timeout(bench::SHUTDOWN);
    show(&reports, settings.format)?;
    if stop.is_asked() && reports.len() < tasks.len() {
        let message = format!("interrupted: {} of {} tasks were checked", reports.len(), tasks.len());
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

async fn verify_all(
    bench: &dyn TestBench,
    tasks: &[LoadedTask],
    repeat: u32,
    grading: &GradeSettings,
    concurrency: usize,
    reports: &mut Vec<Report>,
) {
    let mut found = stream::iter(tasks.iter().map(|task| verify(bench, task, repeat, grading))).buffered(concurrency);
    while let Some(report) = found.next().await {
        face::step(
            verb(report.standing),
            &format!("{} ({} of {})", face::visible(&report.instance_id), reports.len() + 1, tasks.len()),
        );
        reports.push(report);
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
