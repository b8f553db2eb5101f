//! What `assay tasks` does: rows of data sets and commits become tasks, tasks are checked, and test logs become statuses.
//!
//! Invariant: a row that is bad, or an id that names a place outside the folder, does not affect the others.

mod mine;
mod verify;

use crate::input::{self, Input, Unpacked};
use crate::output::{self, Placed};
use crate::settings::FiguresFormat;
use crate::{Ending, Failure, face};
use assay_grade::task::{Summary, Task, import_line};
use assay_grade::{Parser, StatusMap, decode_log};
use assay_model::nearest;
use assay_rollout::task::{TASK_ID_RULE, is_task_id};
pub use mine::{MineSettings, run as mine};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
pub use verify::{VerifySettings, run as verify};
pub(crate) use verify::{load, rule};

/// The longest row: R2E-Gym's hold whole files, of a few megabytes.
const ROW_BYTES_MAX: usize = 256 << 20;
/// All rows of one file, unpacked: several times the largest data set.
const ROWS_BYTES_MAX: u64 = 64 << 30;
/// The longest log.
const LOG_BYTES_MAX: u64 = 256 << 20;
/// Bad rows that are spelled out.
const ERRORS_SHOWN_MAX: usize = 10;

/// Rows that become tasks.
#[derive(Clone, Debug)]
pub struct ImportSettings {
    /// The rows, as Parquet or one JSON object per line, gzipped or not; `-` is standard input.
    pub rows: PathBuf,
    /// Folder for the tasks; created if it does not exist.
    pub out: PathBuf,
    /// Runs the tests, whatever the rows say.
    pub test_command: Option<String>,
    /// Reads the logs of the tests, whatever the rows say: the parser's name.
    pub log_parser: Option<String>,
}

/// A log that is read.
#[derive(Clone, Debug)]
pub struct ParseLogSettings {
    /// The log; `-` is standard input.
    pub log: PathBuf,
    /// The rule for reading it.
    pub rule: LogRule,
    /// How the statuses are written.
    pub format: FiguresFormat,
}

/// The rule for reading a log: one of the two; the repository's, if both are there.
#[derive(Clone, Debug, Default)]
pub struct LogRule {
    /// The rule that the data sets use for this repository, `owner/name`.
    pub repo: Option<String>,
    /// The rule with this name.
    pub parser: Option<String>,
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
            face::warn(&error.to_string());
        }
    }
}

/// What the user says of the tests of all rows.
struct Said<'a> {
    command: Option<&'a str>,
    parser: Option<Parser>,
}

impl<'a> Said<'a> {
    fn of(settings: &'a ImportSettings) -> Result<Self, Failure> {
        let command = settings.test_command.as_deref();
        if command.is_some_and(|command| command.trim().is_empty()) {
            return Err(Failure::usage("--test-command is empty").hint("for example --test-command 'pytest -rA tests'"));
        }
        Ok(Self { command, parser: settings.log_parser.as_deref().map(parser_named).transpose()? })
    }
}

/// Turns rows of a data set into tasks, one file each, and reports what was read.
///
/// # Errors
///
/// Where the rows cannot be read, some of them cannot be imported, or a task cannot be written.
pub fn import(settings: &ImportSettings) -> Result<Ending, Failure> {
    let said = Said::of(settings)?;
    let Input { name, mut source } = Input::open(&settings.rows)?;
    let form = Form::of(source.fill_buf().map_err(|error| input::interrupted(&name, &error))?);
    let lines: Lines = match form {
        Form::Parquet if settings.rows == Path::new("-") => {
            return Err(Failure::usage("a Parquet file cannot be read from standard input").hint("name the file"));
        }
        Form::Parquet => {
            let unreadable = |error: assay_data::RowsError| {
                Failure::usage(error).hint("check that the file is complete and that other tools can read it")
            };
            Box::new(assay_data::read_rows(&settings.rows).map_err(unreadable)?.map(move |row| row.map_err(unreadable)))
        }
        Form::Gzip => json_lines(name.clone(), Box::new(BufReader::new(Unpacked::new(source, ROWS_BYTES_MAX)))),
        Form::Array => {
            return Err(Failure::usage(format!("{name} is one JSON array, not JSON lines"))
                .hint("turn it into JSON lines: jq -c '.[]' rows.json | assay tasks import -"));
        }
        Form::Lines => json_lines(name.clone(), source),
    };
    assay_files::Folder::make(&settings.out).map_err(|error| {
        Failure::usage(format!("failed to make the folder {}: {error}", settings.out.display()))
            .hint("choose another one with --out")
    })?;
    let mut progress = Progress::default();
    // The form of the file bounds what lines of text are unpacked from. Rows of Parquet are packed by page.
    let packed = (form == Form::Parquet).then(|| settings.rows.metadata().map_or(0, |file| file.len()));
    let mut left = packed.map_or(u64::MAX, input::expanded_max);
    for (index, line) in lines.enumerate() {
        let line = line?;
        let Some(rest) = left.checked_sub(line.len() as u64 + 1) else {
            return Err(input::interrupted(&name, &input::expands_too_far()));
        };
        left = rest;
        if !line.trim_ascii().is_empty() {
            take_row(index + 1, &line, &settings.out, &said, &mut progress)?;
        }
    }
    face::out(face::lines(&progress.summary.to_string()).trim_end());
    let (tasks, folder) = (progress.rows.len(), settings.out.display());
    let unchanged = match progress.unchanged {
        0 => String::new(),
        unchanged => format!(", {unchanged} of them already there"),
    };
    face::step("Imported", &format!("{tasks} tasks into {folder}{unchanged}"));
    match progress.bad {
        0 if tasks == 0 => {
            Err(Failure::usage(format!("{name} has no rows")).hint("rows are JSON objects, one per line"))
        }
        0 => crate::DONE,
        bad => Err(Failure::usage(format!("{bad} of {} rows of {name} could not be imported", bad + tasks))
            .hint("fix the rows named above and import again; existing tasks are left alone")),
    }
}

/// Rows, each as the bytes of a JSON object, or nothing for an empty line.
type Lines = Box<dyn Iterator<Item = Result<Vec<u8>, Failure>>>;

/// The forms in which rows come, told by how a file begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Lines,
    Gzip,
    Parquet,
    Array,
}

impl Form {
    fn of(opening: &[u8]) -> Self {
        if opening.starts_with(b"PAR1") {
            Self::Parquet
        } else if opening.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if opening.trim_ascii_start().starts_with(b"[") {
            Self::Array
        } else {
            Self::Lines
        }
    }
}

fn json_lines(name: String, mut source: Box<dyn BufRead>) -> Lines {
    Box::new(std::iter::from_fn(move || {
        let line = input::line(&mut *source, ROW_BYTES_MAX).map_err(|error| input::interrupted(&name, &error));
        line.transpose()
    }))
}

/// A bad row is counted; only trouble with this machine ends the import.
fn take_row(row: usize, line: &[u8], folder: &Path, said: &Said<'_>, progress: &mut Progress) -> Result<(), Failure> {
    let task = match import_line(row, line) {
        Ok(task) => task.with_tests(said.command, said.parser),
        Err(error) => {
            progress.complain(&error);
            return Ok(());
        }
    };
    let id = &task.public.instance_id;
    if !is_task_id(id) {
        // An id from a stranger's row must not name a place outside the folder, nor a hidden file.
        progress
            .complain(&format!("row {row}: key `instance_id`: `{id}` is not a valid file name: it has {TASK_ID_RULE}"));
    } else if let Some(first) = progress.rows.get(id) {
        progress.complain(&format!("row {row}: key `instance_id`: `{id}` is already used by row {first}"));
    } else {
        match output::place(&folder.join(format!("{id}.json")), &as_file(&task)?) {
            Ok(placed) => {
                progress.unchanged += usize::from(placed == Placed::Unchanged);
                progress.summary.add(&task);
                progress.rows.insert(id.clone(), row);
            }
            Err(failure) if failure.ending == Ending::Usage => progress.complain(&format!("row {row}: {failure}")),
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

fn as_file(task: &Task) -> Result<Vec<u8>, Failure> {
    let mut bytes = serde_json::to_vec_pretty(task)
        .map_err(|error| Failure::infrastructure(format!("failed to write {}: {error}", task.public.instance_id)))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Reads a test log: which test passed, which failed.
///
/// # Errors
///
/// Where there is no such parser, the log cannot be read, or the statuses cannot be written.
pub fn parse_log(settings: &ParseLogSettings) -> Result<Ending, Failure> {
    let parser = parser(&settings.rule)?;
    let Input { name, source } = Input::open(&settings.log)?;
    let mut bytes = Vec::new();
    source.take(LOG_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| input::interrupted(&name, &error))?;
    if bytes.len() as u64 > LOG_BYTES_MAX {
        return Err(Failure::usage(format!("{name} has more than {LOG_BYTES_MAX} bytes"))
            .hint("that is too large for the log of a test run: cut it down to the part with the results"));
    }
    let statuses = parser.parse(&decode_log(&bytes));
    match settings.format {
        FiguresFormat::Json => output::json(&statuses)?,
        FiguresFormat::Table => show(&statuses)?,
    }
    if statuses.is_empty() {
        face::warn(&format!(
            "{name}: no test found by the parser {parser}; check the parser, and that this is the log of a test run"
        ));
    }
    crate::DONE
}

fn show(statuses: &StatusMap) -> Result<(), Failure> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    output::to_stdout(|out| {
        for (name, status) in statuses.iter() {
            *counts.entry(status.as_str()).or_default() += 1;
            writeln!(out, "{:<7}  {}", face::visible(status.as_str()), face::visible(name))?;
        }
        Ok(())
    })?;
    let counts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    face::step("Tests", &format!("{}: {}", statuses.len(), counts.join(", ")));
    Ok(())
}

/// A name that nothing has.
fn unknown(what: &str, name: &str, known: &mut dyn Iterator<Item = &'static str>, otherwise: String) -> Failure {
    let failure = Failure::usage(format!("{what} `{name}`"));
    match nearest(name, known) {
        Some(nearest) => failure.hint(format!("did you mean `{nearest}`?")),
        None => failure.hint(otherwise),
    }
}

fn parser_named(name: &str) -> Result<Parser, Failure> {
    name.parse().map_err(|_| {
        let hint = format!("there are: {}", Parser::names().collect::<Vec<_>>().join(", "));
        unknown("there is no log parser", name, &mut Parser::names(), hint)
    })
}

fn parser(rule: &LogRule) -> Result<Parser, Failure> {
    match (&rule.repo, &rule.parser) {
        (Some(repository), _) => Parser::for_repository(repository).ok_or_else(|| {
            let hint = "name the parser instead, for example --parser pytest".to_owned();
            unknown("no log parser is known for the repository", repository, &mut Parser::repositories(), hint)
        }),
        (None, name) => parser_named(name.as_deref().unwrap_or_default()),
    }
}
