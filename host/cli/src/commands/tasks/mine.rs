//! `assay tasks mine`: tasks from a git history.

use super::{parser_named, verify};
use crate::args::{FiguresFormat, GradeRule, MineArgs};
use crate::bench::{self, BenchSetup, Waits};
use crate::commands::interrupt::{LONG, on_interrupt};
use crate::exit::{Exit, Failure};
use crate::settings::Machine;
use crate::{output, ui};
use assay_docker::DockerBench;
use assay_mine::{
    FolderError, History, HistorySettings, Judged, MineError, Reason, Standing, TaskFolder, TaskSettings, Watch,
    WorkSettings, mine, name_of,
};
use assay_rollout::run::{PatientBench, Stop, WallClock, runtime};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Characters of a reason in the table.
const WHY_SHOWN_MAX: usize = 100;

/// What was done, for programs.
#[derive(Serialize)]
struct Report<'a> {
    repository: &'a str,
    commits: usize,
    candidates: usize,
    admitted: usize,
    /// How many commits were refused, by reason.
    refused: BTreeMap<Reason, usize>,
    unknown: usize,
    minutes: f64,
    /// Every commit that was looked at and judged: those that are no candidates first.
    judged: Vec<&'a Judged>,
}

pub(super) fn run(machine: &Machine, args: &MineArgs) -> Result<Exit, Failure> {
    let settings = settings(args)?;
    let history = HistorySettings {
        repository: args.repository.clone(),
        git: "git".into(),
        from: args.from.clone(),
        commits: args.commits,
        merges: args.merges,
    };
    let began = Instant::now();
    let history = History::read(&history, &settings).map_err(failure)?;
    ui::step("Read", &format!("{} commits: {} change code and tests", history.commits, history.candidates()));
    if args.dry_run {
        return list(&history, &settings, args.format, began);
    }
    let folder = TaskFolder::open(&args.out, &settings).map_err(|error| failure(error.into()))?;
    let stop = Stop::new();
    let asked = stop.clone();
    on_interrupt(
        "\ninterrupted: removing the containers, keeping what is known (press again to stop immediately)",
        LONG,
        move || {
            asked.stop();
        },
    );
    let board = Board::new(history.candidates());
    let judged = work(machine, args, &settings, &history, &folder, &board, &stop);
    board.bar.finish_and_clear();
    let judged = judged?;
    show(&history, &settings, &judged, args.format, began)?;
    conclude(args, &judged, &stop)
}

/// What the flags say of tasks.
fn settings(args: &MineArgs) -> Result<TaskSettings, Failure> {
    if let Some(name) = &args.log_parser {
        parser_named(name)?;
    }
    for (flag, texts) in [("--test-command", args.test_command.as_slice()), ("--install", &args.install)] {
        if texts.iter().any(|text| text.trim().is_empty()) {
            return Err(Failure::usage(format!("{flag} is empty"))
                .hint("for example --test-command 'python3 -m pytest -rA {tests}' or --install 'pip install pytest'"));
        }
    }
    if args.image.as_deref().is_some_and(|name| name.is_empty() || name.contains(char::is_whitespace)) {
        return Err(Failure::usage("--image is not the name of an image").hint("for example --image python:3.12-slim"));
    }
    Ok(TaskSettings {
        name: args.name.clone().unwrap_or_else(|| name_of(&args.repository)),
        image: args.image.clone(),
        install: args.install.clone(),
        test_command: args.test_command.clone(),
        log_parser: args.log_parser.clone(),
        seconds: args.seconds,
        repeat: args.repeat,
    })
}

/// Tries the candidates in containers.
fn work(
    machine: &Machine,
    args: &MineArgs,
    settings: &TaskSettings,
    history: &History,
    folder: &TaskFolder,
    board: &Board,
    stop: &Stop,
) -> Result<Vec<Judged>, Failure> {
    let failed = |error: std::io::Error| Failure::infrastructure(format!("failed to start: {error}"));
    let outputs = tempfile::tempdir().map_err(failed)?;
    let concurrency = usize::from(args.concurrency);
    let setup = BenchSetup {
        url: bench::engine(args.docker_url.as_deref())?,
        image_cache: args.image_cache.clone().unwrap_or_else(|| machine.cache.join("images")),
        outputs: outputs.path(),
        jobs: concurrency,
        images: history.images(folder),
        pulled_max: None,
        waits: Waits::default(),
    };
    let work =
        WorkSettings { grading: bench::grading(verify::rule(GradeRule::Strict))?, concurrency, limit: args.limit };
    let runtime = runtime().map_err(failed)?;
    let result = runtime.block_on(async {
        let docker = Arc::new(bench::open_bench(setup)?);
        let judged = on(&docker, args, settings, history, folder, &work, board, stop).await;
        if let Ok(docker) = Arc::try_unwrap(docker) {
            bench::close(docker.close()).await;
        }
        judged
    });
    runtime.shutdown_timeout(bench::SHUTDOWN);
    result
}

#[expect(clippy::too_many_arguments, reason = "what a run consists of, once")]
async fn on(
    docker: &Arc<DockerBench>,
    args: &MineArgs,
    settings: &TaskSettings,
    history: &History,
    folder: &TaskFolder,
    work: &WorkSettings,
    board: &Board,
    stop: &Stop,
) -> Result<Vec<Judged>, Failure> {
    if history.candidates() > 0 {
        docker.check().await.map_err(|error| failure(error.into()))?;
        if let (Some(image), []) = (&args.image, &args.install[..]) {
            docker.prepare(image).await.map_err(|error| {
                Failure::usage(error).hint("pull or build it first, or pass --install to have one built from it")
            })?;
        }
    }
    let patient = PatientBench::new(docker.clone(), Arc::new(WallClock), |_| ());
    mine(&patient, history, folder, settings, work, board, stop).await.map_err(failure)
}

fn failure(error: MineError) -> Failure {
    match &error {
        MineError::Place(place) => Failure::usage(place).hint(place.hint),
        MineError::Git(_) => Failure::infrastructure(&error)
            .hint("check that git 2.36 or later is installed and that `git fsck` finds nothing"),
        MineError::Bench(bench) => match bench.hint() {
            Some(hint) => Failure::infrastructure(bench).hint(hint),
            None => Failure::infrastructure(bench),
        },
        MineError::Folder(FolderError::Io { .. }) => Failure::infrastructure(&error)
            .hint("check that the disk is not full and that you can write there, or name another --out"),
        MineError::Folder(FolderError::Taken { .. }) => {
            Failure::usage(&error).hint("wait for it, or name another --out")
        }
        MineError::Folder(_) => {
            Failure::usage(error).hint("name another --out, or use the settings that it was begun with")
        }
    }
}

/// Progress: a bar on a terminal, a line for each commit elsewhere.
struct Board {
    bar: ProgressBar,
}

impl Board {
    fn new(candidates: usize) -> Self {
        let target = if ui::is_interactive() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(candidates as u64), target);
        // The template is a constant; should it not parse, the plain default bar serves.
        let style = ProgressStyle::with_template("    Mining {bar:24.cyan/dim} {pos}/{len}  {elapsed}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar }
    }
}

impl Watch for Board {
    fn began(&self, task: &str) {
        self.bar.set_message(ui::visible(task));
    }

    fn ended(&self, judged: &Judged) {
        self.bar.inc(1);
        self.bar.suspend(|| ui::step(verb(judged.standing), &sentence(judged)));
    }
}

const fn verb(standing: Standing) -> &'static str {
    match standing {
        Standing::Admitted => "Admitted",
        Standing::Refused => "Refused",
        Standing::Unknown => "Unknown",
    }
}

/// What became of a commit, in a line.
fn sentence(judged: &Judged) -> String {
    let what = match judged.standing {
        Standing::Admitted => format!(
            "{} tests fail before, {} pass in both, {} controls, 2nd opinion: {}",
            judged.fail_to_pass,
            judged.pass_to_pass,
            judged.controls.unwrap_or_default(),
            if judged.second_opinion { "yes" } else { "no" },
        ),
        Standing::Refused | Standing::Unknown => judged.why.clone(),
    };
    let reason = judged.reason.map_or_else(String::new, |reason| format!("{reason}: "));
    ui::visible(&format!("{} ({:.0} s) {reason}{what}", judged.task, judged.seconds))
}

fn list(history: &History, settings: &TaskSettings, format: FiguresFormat, began: Instant) -> Result<Exit, Failure> {
    let listed = history.listed(settings).map_err(failure)?;
    let judged: Vec<Judged> = listed.iter().map(|listed| listed.judged.clone()).collect();
    if format == FiguresFormat::Table {
        for listed in listed.iter().filter(|listed| listed.judged.reason.is_none()) {
            let said = listed.described.as_deref().unwrap_or("(no description without the fix)");
            ui::out(&format!("{}  {}", ui::visible(&listed.judged.task), ui::visible(said)));
        }
    }
    show(history, settings, &judged, format, began)?;
    super::super::DONE
}

fn show(
    history: &History,
    settings: &TaskSettings,
    judged: &[Judged],
    format: FiguresFormat,
    began: Instant,
) -> Result<(), Failure> {
    let count = |standing| judged.iter().filter(|judged| judged.standing == standing).count();
    let mut refused: BTreeMap<Reason, usize> = BTreeMap::new();
    for reason in history.refused.iter().chain(judged).filter_map(|judged| judged.reason) {
        *refused.entry(reason).or_default() += 1;
    }
    // A commit that changes code and tests, but cannot be a task, is a candidate all the same.
    let early = history.refused.iter().filter(|judged| !judged.reason.is_some_and(Reason::is_no_candidate)).count();
    let report = Report {
        repository: &settings.name,
        commits: history.commits,
        candidates: history.candidates() + early,
        admitted: count(Standing::Admitted),
        refused,
        // What was only listed was never tried.
        unknown: judged.iter().filter(|judged| judged.standing == Standing::Unknown && !judged.why.is_empty()).count(),
        minutes: began.elapsed().as_secs_f64() / 60.0,
        judged: history.refused.iter().chain(judged).collect(),
    };
    if format == FiguresFormat::Json {
        return output::to_stdout(|out| {
            serde_json::to_writer_pretty(&mut *out, &report)?;
            Ok(writeln!(out)?)
        });
    }
    ui::out(&ui::table(&["commits", "number"], &report.rows()));
    let shown: Vec<Vec<String>> = judged.iter().filter(|judged| !judged.why.is_empty()).map(row).collect();
    if !shown.is_empty() {
        ui::out(&ui::left_table(&["commit", "reason", "why"], &shown, 3));
    }
    Ok(())
}

impl Report<'_> {
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |name: String, number: usize| vec![name, number.to_string()];
        let mut rows = vec![
            row("looked at".to_owned(), self.commits),
            row("candidates".to_owned(), self.candidates),
            row("admitted".to_owned(), self.admitted),
        ];
        rows.extend(self.refused.iter().map(|(reason, number)| row(format!("refused: {reason}"), *number)));
        if self.unknown > 0 {
            rows.push(row("unknown".to_owned(), self.unknown));
        }
        rows.push(vec!["minutes".to_owned(), format!("{:.1}", self.minutes)]);
        rows
    }
}

fn row(judged: &Judged) -> Vec<String> {
    let why: String = judged.why.chars().take(WHY_SHOWN_MAX).collect();
    let reason = judged.reason.map_or_else(|| "-".to_owned(), |reason| reason.to_string());
    [judged.task.as_str(), &reason, &why].map(ui::visible).to_vec()
}

fn conclude(args: &MineArgs, judged: &[Judged], stop: &Stop) -> Result<Exit, Failure> {
    let count = |standing| judged.iter().filter(|judged| judged.standing == standing).count();
    let (admitted, unknown) = (count(Standing::Admitted), count(Standing::Unknown));
    ui::step("Mined", &format!("{admitted} tasks into {}", args.out.display()));
    if stop.is_asked() {
        return Err(Failure {
            exit: Exit::Interrupted,
            message: format!("interrupted: {} commits are judged and kept", judged.len() - unknown),
            hint: Some("repeat the command to resume".to_owned()),
        });
    }
    if unknown > 0 {
        let first = judged.iter().find(|judged| judged.standing == Standing::Unknown);
        let why = first.map(|judged| judged.why.clone()).unwrap_or_default();
        return Err(Failure::infrastructure(format!("{unknown} commits could not be judged: {why}"))
            .hint("mend this, then repeat the command: only these are run again"));
    }
    if admitted == 0 {
        ui::warn("no commit became a task; the table says why");
        ui::hint(
            "look at more of the history with --commits N, at merged branches with --merges, or say how the tests run with --image, --install and --test-command",
        );
        return Ok(Exit::Rejected);
    }
    super::super::DONE
}
