//! `assay tasks verify`: is each task any good?

use crate::args::{FiguresFormat, GradeRule, VerifyTasksArgs};
use crate::bench::{self, BenchSetup, Waits};
use crate::commands::interrupt::{LONG, on_interrupt};
use crate::exit::{Exit, Failure};
use crate::settings::Machine;
use crate::{output, ui};
use assay_grade::rule::Rule;
use assay_rollout::grading::GradeSettings;
use assay_rollout::ports::TestBench;
use assay_rollout::run::Stop;
use assay_rollout::task::{LoadedTask, load_tasks};
use assay_rollout::verify::{Report, Standing, verify};
use futures::stream::{self, StreamExt as _};

/// Tests of a task that a table names.
const NAMES_SHOWN_MAX: usize = 5;

pub(super) fn run(machine: &Machine, args: &VerifyTasksArgs) -> Result<Exit, Failure> {
    let tasks = load(&args.path)?;
    let outputs = tempfile::tempdir()
        .map_err(|error| Failure::infrastructure(format!("failed to make a temporary folder: {error}")))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::infrastructure(format!("failed to start: {error}")))?;
    let settings = bench::grading(rule(args.rule))?;
    let concurrency = usize::from(args.concurrency);
    let setup = BenchSetup {
        url: bench::engine(args.docker_url.as_deref())?,
        image_cache: args.image_cache.clone().unwrap_or_else(|| machine.cache.join("images")),
        outputs: outputs.path(),
        jobs: concurrency,
        images: bench::images(&tasks),
        pulled_max: args.images_max,
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
            () = verify_all(&bench, &tasks, args.repeat, &settings, concurrency, &mut reports) => {}
            // What ran is dropped, and its containers with it.
            () = stop.asked() => {}
        }
        bench::close(bench.close()).await;
        Ok(())
    })?;
    runtime.shutdown_timeout(bench::SHUTDOWN);
    show(&reports, args.format)?;
    if stop.is_asked() && reports.len() < tasks.len() {
        let message = format!("interrupted: {} of {} tasks were checked", reports.len(), tasks.len());
        return Err(Failure { exit: Exit::Interrupted, message, hint: None });
    }
    Ok(exit(&reports))
}

/// Tasks from a path.
pub(crate) fn load(path: &std::path::Path) -> Result<Vec<LoadedTask>, Failure> {
    load_tasks(path).map_err(|error| {
        let failure = Failure::usage(&error);
        match &error.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

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
    settings: &GradeSettings,
    concurrency: usize,
    reports: &mut Vec<Report>,
) {
    let mut found = stream::iter(tasks.iter().map(|task| verify(bench, task, repeat, settings))).buffered(concurrency);
    while let Some(report) = found.next().await {
        ui::step(
            verb(report.standing),
            &format!("{} ({} of {})", ui::visible(&report.instance_id), reports.len() + 1, tasks.len()),
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
        return output::to_stdout(|out| {
            serde_json::to_writer_pretty(&mut *out, reports)?;
            Ok(writeln!(out)?)
        });
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
        cells.map(|cell| ui::visible(&cell)).to_vec()
    };
    ui::out(&ui::table(
        &["task", "standing", "fix", "untouched", "controls", "2nd opinion", "flaky tests"],
        &reports.iter().map(row).collect::<Vec<_>>(),
    ));
    for report in reports.iter().filter(|report| report.standing != Standing::Good || report.hint.is_some()) {
        let what = if report.why.is_empty() { verb(report.standing).to_lowercase() } else { report.why.clone() };
        ui::warn(&format!("{}: {what}", ui::visible(&report.instance_id)));
        if let Some(hint) = &report.hint {
            ui::hint(hint);
        }
    }
    Ok(())
}

fn exit(reports: &[Report]) -> Exit {
    let any = |wanted: &[Standing]| reports.iter().any(|report| wanted.contains(&report.standing));
    if any(&[Standing::Bad, Standing::Flaky]) {
        Exit::Rejected
    } else if any(&[Standing::Unknown]) {
        Exit::Infrastructure
    } else {
        Exit::Success
    }
}
