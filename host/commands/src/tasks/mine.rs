//! What `assay tasks mine` does: tasks from a git history.
//!
//! Invariant: what is judged is kept as soon as it is known, so that an interrupted command is resumed and not repeated.

use super::{parser_named, rule};
use crate::bench::{self, BenchSetup, Waits};
use crate::face::Bar;
use crate::interrupt::{LONG, on_interrupt};
use crate::settings::{FiguresFormat, GradeRule, Machine};
use crate::{Ending, Failure, face, output};
use assay_docker::DockerBench;
use assay_mine::{
    FolderError, History, HistorySettings, Judged, MineError, Reason, Standing, TaskFolder, TaskSettings, Watch,
    WorkSettings, mine, name_of,
};
use assay_rollout::run::{PatientBench, Stop, WallClock, runtime};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Characters of a reason in the table.
const WHY_SHOWN_MAX: usize = 100;

/// A history that tasks are looked for in, and how they are made.
#[derive(Clone, Debug)]
pub struct MineSettings {
    /// The git repository: a working copy or a bare one.
    pub repository: PathBuf,
    /// Folder for the tasks; created if it does not exist, resumed if it does.
    pub out: PathBuf,
    /// Only the history is read; no container is started.
    pub dry_run: bool,
    /// Number of commits to look at, newest first.
    pub commits: usize,
    /// The branch, tag or full commit id to start from; otherwise `HEAD`.
    pub from: Option<String>,
    /// A merge is one change against its first parent; otherwise merges are skipped.
    pub merges: bool,
    /// Stop after this many tasks.
    pub limit: Option<usize>,
    /// What the repository is called in tasks; otherwise by its folder.
    pub name: Option<String>,
    /// The image that the tests run in; with `install`, the one that theirs is built from.
    pub image: Option<String>,
    /// Commands that install what the tests need while the image is built.
    pub install: Vec<String>,
    /// Runs the tests; `{tests}` stands for the files of tests that the commit changes.
    pub test_command: Option<String>,
    /// Reads the logs of the tests: the parser's name.
    pub log_parser: Option<String>,
    /// Time limit of a task's tests, in seconds.
    pub seconds: u32,
    /// How often the right fix and the untouched files are graded.
    pub repeat: u32,
    /// Number of commits to try in parallel.
    pub concurrency: u16,
    /// The container engine; otherwise the local one.
    pub docker_url: Option<String>,
    /// Cache for repositories taken from images; otherwise in the machine's.
    pub image_cache: Option<PathBuf>,
    /// How the report is written.
    pub format: FiguresFormat,
}

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

/// Makes tasks from a git history: commits that change code and tests, tried in containers before and after.
///
/// # Errors
///
/// Where the repository or the folder cannot be used, the machine fails, some commits could not be judged, or somebody interrupts.
pub fn run(machine: &Machine, settings: &MineSettings) -> Result<Ending, Failure> {
    let tasks = task_settings(settings)?;
    let history = HistorySettings {
        repository: settings.repository.clone(),
        git: "git".into(),
        from: settings.from.clone(),
        commits: settings.commits,
        merges: settings.merges,
    };
    let began = Instant::now();
    let history = History::read(&history, &tasks).map_err(failure)?;
    face::step("Read", &format!("{} commits: {} change code and tests", history.commits, history.candidates()));
    if settings.dry_run {
        return list(&history, &tasks, settings.format, began);
    }
    let folder = TaskFolder::open(&settings.out, &tasks).map_err(|error| failure(error.into()))?;
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
    let judged = work(machine, settings, &tasks, &history, &folder, &board, &stop);
    board.bar.finish_and_clear();
    let judged = judged?;
    show(&history, &tasks, &judged, settings.format, began)?;
    conclude(settings, &judged, &stop)
}

/// How tasks are made.
fn task_settings(settings: &MineSettings) -> Result<TaskSettings, Failure> {
    if let Some(name) = &settings.log_parser {
        parser_named(name)?;
    }
    for (flag, texts) in [("--test-command", settings.test_command.as_slice()), ("--install", &settings.install)] {
        if texts.iter().any(|text| text.trim().is_empty()) {
            return Err(Failure::usage(format!("{flag} is empty"))
                .hint("for example --test-command 'python3 -m pytest -rA {tests}' or --install 'pip install pytest'"));
        }
    }
    if settings.image.as_deref().is_some_and(|name| name.is_empty() || name.contains(char::is_whitespace)) {
        return Err(Failure::usage("--image is not the name of an image").hint("for example --image python:3.12-slim"));
    }
    Ok(TaskSettings {
        name: settings.name.clone().unwrap_or_else(|| name_of(&settings.repository)),
        image: settings.image.clone(),
        install: settings.install.clone(),
        test_command: settings.test_command.clone(),
        log_parser: settings.log_parser.clone(),
        seconds: settings.seconds,
        repeat: settings.repeat,
    })
}

/// Tries the candidates in containers.
fn work(
    machine: &Machine,
    settings: &MineSettings,
    tasks: &TaskSettings,
    history: &History,
    folder: &TaskFolder,
    board: &Board,
    stop: &Stop,
) -> Result<Vec<Judged>, Failure> {
    let failed = |error: std::io::Error| Failure::infrastructure(format!("failed to start: {error}"));
    let outputs = tempfile::tempdir().map_err(failed)?;
    let concurrency = usize::from(settings.concurrency);
    let setup = BenchSetup {
        url: bench::engine(settings.docker_url.as_deref())?,
        image_cache: settings.image_cache.clone().unwrap_or_else(|| machine.cache.join("images")),
        outputs: outputs.path(),
        jobs: concurrency,
        images: history.images(folder),
        pulled_max: None,
        waits: Waits::default(),
    };
    let work = WorkSettings { grading: bench::grading(rule(GradeRule::Strict))?, concurrency, limit: settings.limit };
    let runtime = runtime().map_err(failed)?;
    let result = runtime.block_on(async {
        let docker = Arc::new(bench::open_bench(setup)?);
        let judged = on(&docker, settings, tasks, history, folder, &work, board, stop).await;
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
    settings: &MineSettings,
    tasks: &TaskSettings,
    history: &History,
    folder: &TaskFolder,
    work: &WorkSettings,
    board: &Board,
    stop: &Stop,
) -> Result<Vec<Judged>, Failure> {
    if history.candidates() > 0 {
        docker.check().await.map_err(|error| failure(error.into()))?;
        if let (Some(image), []) = (&settings.image, &settings.install[..]) {
            docker.prepare(image).await.map_err(|error| {
                Failure::usage(error).hint("pull or build it first, or pass --install to have one built from it")
            })?;
        }
    }
    let patient = PatientBench::new(docker.clone(), Arc::new(WallClock), |_| ());
    mine(&patient, history, folder, tasks, work, board, stop).await.map_err(failure)
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
    bar: Bar,
}

impl Board {
    fn new(candidates: usize) -> Self {
        let bar = face::bar("    Mining {bar:24.cyan/dim} {pos}/{len}  {elapsed}  {msg}", Some(candidates as u64));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar }
    }
}

impl Watch for Board {
    fn began(&self, task: &str) {
        self.bar.set_message(face::visible(task));
    }

    fn ended(&self, judged: &Judged) {
        self.bar.inc(1);
        self.bar.suspend(|| face::step(verb(judged.standing), &sentence(judged)));
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
    face::visible(&format!("{} ({:.0} s) {reason}{what}", judged.task, judged.seconds))
}

fn list(history: &History, tasks: &TaskSettings, format: FiguresFormat, began: Instant) -> Result<Ending, Failure> {
    let listed = history.listed(tasks).map_err(failure)?;
    let judged: Vec<Judged> = listed.iter().map(|listed| listed.judged.clone()).collect();
    if format == FiguresFormat::Table {
        for listed in listed.iter().filter(|listed| listed.judged.reason.is_none()) {
            let said = listed.described.as_deref().unwrap_or("(no description without the fix)");
            face::out(&format!("{}  {}", face::visible(&listed.judged.task), face::visible(said)));
        }
    }
    show(history, tasks, &judged, format, began)?;
    crate::DONE
}

fn show(
    history: &History,
    tasks: &TaskSettings,
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
        repository: &tasks.name,
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
        return output::json(&report);
    }
    face::out(&face::table(&["commits", "number"], &report.rows()));
    let shown: Vec<Vec<String>> = judged.iter().filter(|judged| !judged.why.is_empty()).map(row).collect();
    if !shown.is_empty() {
        face::out(&face::left_table(&["commit", "reason", "why"], &shown, 3));
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
    [judged.task.as_str(), &reason, &why].map(face::visible).to_vec()
}

fn conclude(settings: &MineSettings, judged: &[Judged], stop: &Stop) -> Result<Ending, Failure> {
    let count = |standing| judged.iter().filter(|judged| judged.standing == standing).count();
    let (admitted, unknown) = (count(Standing::Admitted), count(Standing::Unknown));
    face::step("Mined", &format!("{admitted} tasks into {}", settings.out.display()));
    if stop.is_asked() {
        return Err(Failure {
            ending: Ending::Interrupted,
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
        face::warn("no commit became a task; the table says why");
        face::hint(
            "look at more of the history with --commits N, at merged branches with --merges, or say how the tests run with --image, --install and --test-command",
        );
        return Ok(Ending::Rejected);
    }
    crate::DONE
}
