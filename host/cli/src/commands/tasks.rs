//! `assay tasks`: rows of data sets become tasks, and test logs become statuses.

mod verify;

use crate::args::{FiguresFormat, ImportArgs, LogRule, ParseLogArgs, TasksCommand};
use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::output::{self, Placed};
use crate::{settings, ui};
use assay_grade::task::{Summary, Task, import_line};
use assay_grade::{Parser, StatusMap, decode_log};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

/// The longest row: R2E-Gym's hold whole files, of a few megabytes.
const ROW_BYTES_MAX: usize = 256 << 20;
/// The longest log.
const LOG_BYTES_MAX: u64 = 256 << 20;
/// Bad rows that are spelled out.
const ERRORS_SHOWN_MAX: usize = 10;
/// The longest name of a file, less `.json`, that every file system takes.
const FILE_NAME_BYTES_MAX: usize = 200;

/// `machine` resolves what only some of the commands need.
pub(crate) fn run(
    command: &TasksCommand,
    machine: impl FnOnce() -> Result<settings::Machine, Failure>,
) -> Result<Exit, Failure> {
    match command {
        TasksCommand::Import(args) => import(args),
        TasksCommand::ParseLog(args) => parse_log(args),
        TasksCommand::Verify(args) => verify::run(&machine()?, args),
    }
}

/// What became of the rows so far.
#[derive(Default)]
struct Progress {
    summary: Summary,
    /// The row that brought each instance.
    rows: BTreeMap<String, usize>,
    unchanged: usize,
    bad: usize,
}

impl Progress {
    fn complain(&mut self, error: &dyn std::fmt::Display) {
        self.bad += 1;
        if self.bad <= ERRORS_SHOWN_MAX {
            ui::warn(&error.to_string());
        }
    }
}

fn import(args: &ImportArgs) -> Result<Exit, Failure> {
    let Input { name, mut source } = Input::open(&args.rows)?;
    refuse_other_formats(&name, source.fill_buf().map_err(|error| input::interrupted(&name, &error))?)?;
    std::fs::create_dir_all(&args.out).map_err(|error| {
        Failure::usage(format!("failed to make the folder {}: {error}", args.out.display()))
            .hint("choose another one with --out")
    })?;
    let mut progress = Progress::default();
    let mut row = 0;
    while let Some(line) =
        input::line(&mut *source, ROW_BYTES_MAX).map_err(|error| input::interrupted(&name, &error))?
    {
        row += 1;
        if !line.trim_ascii().is_empty() {
            take_row(row, &line, &args.out, &mut progress)?;
        }
    }
    ui::out(ui::visible(&progress.summary.to_string()).trim_end());
    let (tasks, folder) = (progress.rows.len(), args.out.display());
    let unchanged = match progress.unchanged {
        0 => String::new(),
        unchanged => format!(", {unchanged} of them there already"),
    };
    ui::step("Imported", &format!("{tasks} tasks into {folder}{unchanged}"));
    match progress.bad {
        0 if tasks == 0 => Err(Failure::usage(format!("{name} has no rows")).hint("rows are JSON objects, one a line")),
        0 => super::DONE,
        bad => Err(Failure::usage(format!("{bad} of {} rows of {name} could not be imported", bad + tasks))
            .hint("mend the rows named above and import again; tasks that are there are left alone")),
    }
}

/// Rows come in other forms as well, and then the first error should say so.
fn refuse_other_formats(name: &str, opening: &[u8]) -> Result<(), Failure> {
    let failure = |what: &str, hint: &str| Err(Failure::usage(format!("{name} is {what}, not JSON lines")).hint(hint));
    if opening.starts_with(b"PAR1") {
        failure(
            "a Parquet file",
            "turn it into JSON lines, for example: duckdb -c \"copy (from 'rows.parquet') to 'rows.jsonl'\"",
        )
    } else if opening.starts_with(&[0x1f, 0x8b]) {
        failure("compressed", "unpack it: zcat rows.jsonl.gz | assay tasks import -")
    } else if opening.trim_ascii_start().starts_with(b"[") {
        failure("one JSON array", "turn it into JSON lines: jq -c '.[]' rows.json | assay tasks import -")
    } else {
        Ok(())
    }
}

/// A bad row is counted; only trouble with this machine ends the import.
fn take_row(row: usize, line: &[u8], folder: &Path, progress: &mut Progress) -> Result<(), Failure> {
    let task = match import_line(row, line) {
        Ok(task) => task,
        Err(error) => {
            progress.complain(&error);
            return Ok(());
        }
    };
    let id = &task.public.instance_id;
    if !is_file_name(id) {
        progress.complain(&format!("row {row}: key `instance_id`: `{id}` is no name for a file"));
    } else if let Some(first) = progress.rows.get(id) {
        progress.complain(&format!("row {row}: key `instance_id`: `{id}` is that of row {first} as well"));
    } else {
        match output::place(&folder.join(format!("{id}.json")), &as_file(&task)?) {
            Ok(placed) => {
                progress.unchanged += usize::from(placed == Placed::Unchanged);
                progress.summary.add(&task);
                progress.rows.insert(id.clone(), row);
            }
            Err(failure) if failure.exit == Exit::Usage => progress.complain(&format!("row {row}: {failure}")),
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

/// An id from a stranger's row must not name a place outside the folder, nor a hidden file.
fn is_file_name(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    (1..=FILE_NAME_BYTES_MAX).contains(&id.len()) && !id.starts_with(['.', '-']) && id.chars().all(is_plain)
}

fn as_file(task: &Task) -> Result<Vec<u8>, Failure> {
    let mut bytes = serde_json::to_vec_pretty(task)
        .map_err(|error| Failure::infrastructure(format!("failed to write {}: {error}", task.public.instance_id)))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn parse_log(args: &ParseLogArgs) -> Result<Exit, Failure> {
    let parser = parser(&args.rule)?;
    let Input { name, source } = Input::open(&args.log)?;
    let mut bytes = Vec::new();
    source.take(LOG_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| input::interrupted(&name, &error))?;
    if bytes.len() as u64 > LOG_BYTES_MAX {
        return Err(Failure::usage(format!("{name} has more than {LOG_BYTES_MAX} bytes"))
            .hint("that is no log of a test run: cut it down to the part with the results"));
    }
    let statuses = parser.parse(&decode_log(&bytes));
    match args.format {
        FiguresFormat::Json => output::to_stdout(|out| {
            serde_json::to_writer_pretty(&mut *out, &statuses)?;
            Ok(writeln!(out)?)
        })?,
        FiguresFormat::Table => show(&statuses)?,
    }
    if statuses.is_empty() {
        ui::warn(&format!(
            "{name}: no test found by the parser {parser}; is it the right one, and the log of a test run?"
        ));
    }
    super::DONE
}

fn show(statuses: &StatusMap) -> Result<(), Failure> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    output::to_stdout(|out| {
        for (name, status) in statuses.iter() {
            *counts.entry(status.as_str()).or_default() += 1;
            writeln!(out, "{:<7}  {}", ui::visible(status.as_str()), ui::visible(name).replace(['\n', '\t'], " "))?;
        }
        Ok(())
    })?;
    let counts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    ui::step("Tests", &format!("{}: {}", statuses.len(), counts.join(", ")));
    Ok(())
}

fn parser(rule: &LogRule) -> Result<Parser, Failure> {
    let unknown = |what: &str, name: &str, known: &mut dyn Iterator<Item = &'static str>, otherwise: String| {
        let failure = Failure::usage(format!("{what} `{name}`"));
        match settings::nearest(name, known) {
            Some(nearest) => failure.hint(format!("did you mean `{nearest}`?")),
            None => failure.hint(otherwise),
        }
    };
    match (&rule.repo, &rule.parser) {
        (Some(repository), _) => Parser::for_repository(repository).ok_or_else(|| {
            let hint = "name the parser instead, for example --parser pytest".to_owned();
            unknown("no log parser is known for the repository", repository, &mut Parser::repositories(), hint)
        }),
        (None, name) => {
            let name = name.as_deref().unwrap_or_default();
            name.parse().map_err(|_| {
                let hint = format!("there are: {}", Parser::names().collect::<Vec<_>>().join(", "));
                unknown("there is no log parser", name, &mut Parser::names(), hint)
            })
        }
    }
}
