//! The script that runs a task's tests.
//!
//! Sources: the commands are those of SWE-bench 4's `constants/python.py` and of SWE-smith's profiles; the test files are the ones that the row's
//! test patch touches, as in SWE-bench's `get_test_directives`; the environment of those images is conda's `testbed`.

use std::collections::BTreeSet;

use assay_grade::Parser;
use assay_grade::patch::{Change, touched_files};
use assay_grade::rule::Expected;
use assay_grade::task::{Kind, Task, Tests};

/// Where pytest is asked to leave its report.
pub(super) const JUNIT: &str = "/tmp/assay-junit.xml";

/// The environment of SWE-bench's images and those made after them.
const ENVIRONMENT: &str = "\
if [ -f /opt/miniconda3/bin/activate ]; then
  . /opt/miniconda3/bin/activate
  conda activate testbed
fi
";

/// What R2E-Gym does before it runs the tests: its images keep them outside of the repository.
const R2E_TESTS: &str = "if [ ! -e r2e_tests ] && [ -d /r2e_tests ]; then ln -s /r2e_tests r2e_tests; fi\n";

/// Whether the script makes a report at [`JUNIT`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Report {
    /// It does not.
    None,
    /// It may: a row's own script need not run pytest, whatever its log looks like.
    Welcome,
    /// It does, unless the runner was ended before its time.
    Required,
}

/// A script for `bash`. The error says why there is none.
pub(super) fn script(task: &Task, with_report: bool) -> Result<(String, Report), String> {
    let parser = task.parser().ok_or_else(|| "no log parser is known for its repository".to_owned())?;
    // Runs of pytest within the tests would write to the same report.
    let is_nested = task.public.repository.ends_with("pytest-dev/pytest");
    let report = with_report && parser.is_pytest() && !is_nested;
    // A confirming run has a plugin beside pytest, and its name in a variable.
    let watch = "${assay_watch:+ -p $assay_watch}";
    let ask = if report { format!("export PYTEST_ADDOPTS=\"--junitxml={JUNIT}{watch}\"\n") } else { String::new() };
    let (welcome, required) = if report { (Report::Welcome, Report::Required) } else { (Report::None, Report::None) };
    match task.kind {
        Kind::R2eGym => Ok((format!("{ask}{R2E_TESTS}{}\n", command(task)?), welcome)),
        Kind::Native => Ok((format!("{ask}{}", marked(command(task)?)), required)),
        Kind::SweBench5 | Kind::SweBench | Kind::SweGym => match &task.secret.eval_script {
            Some(script) => Ok((format!("{ask}{script}\n"), welcome)),
            None => Ok((format!("{ENVIRONMENT}{ask}{}", marked(&by_repository(task, parser)?)), required)),
        },
        Kind::SweSmith => {
            let files = files_of_ids(&task.secret.expected);
            if !parser.is_pytest() || files.is_empty() {
                return Err(format!("no test command is known for {}", task.public.repository));
            }
            let command = format!("pytest --disable-warnings --color=no --tb=no --verbose {}", quoted(&files));
            Ok((format!("{ENVIRONMENT}{ask}{}", marked(&command)), required))
        }
        Kind::MultiSwe => Err("Multi-SWE-bench rows do not name a test command".to_owned()),
    }
}

fn command(task: &Task) -> Result<&str, String> {
    task.bench.test_command.as_deref().ok_or_else(|| "it does not name a test command".to_owned())
}

/// Between SWE-bench's markers, so that its rule can be applied as well, and with the exit code of the command itself.
fn marked(command: &str) -> String {
    format!("echo '>>>>> Start Test Output'\n(\n{command}\n)\nstatus=$?\necho '>>>>> End Test Output'\nexit $status\n")
}

fn by_repository(task: &Task, parser: Parser) -> Result<String, String> {
    let Tests::Patch(patch) = &task.secret.tests else { return Err("it has no test patch".to_owned()) };
    let files: BTreeSet<String> = touched_files(patch)
        .into_iter()
        .filter(|file| file.change != Change::Deleted && file.path.ends_with(".py"))
        .map(|file| file.path)
        .collect();
    if files.is_empty() {
        return Err("its test patch touches no Python file".to_owned());
    }
    match parser {
        Parser::Django => {
            let labels: BTreeSet<String> = files.iter().map(|file| django_label(file)).collect();
            let settings = "--verbosity 2 --settings=test_sqlite --parallel 1";
            Ok(format!("./tests/runtests.py {settings} {}", quoted(&labels)))
        }
        Parser::Sympy => Ok(format!(
            "export PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning'\nbin/test -C --verbose {}",
            quoted(&files)
        )),
        Parser::PytestV2 if task.public.repository == "astropy/astropy" => {
            Ok(format!("pytest -rA -vv -o console_output_style=classic --tb=no {}", quoted(&files)))
        }
        _ if parser.is_pytest() => Ok(format!("pytest --no-header -rA {}", quoted(&files))),
        _ => Err(format!("no test command is known for {}", task.public.repository)),
    }
}

/// `tests/admin_views/tests.py` as Django's runner calls it: `admin_views.tests`.
fn django_label(file: &str) -> String {
    let file = file.strip_suffix(".py").unwrap_or(file);
    file.strip_prefix("tests/").unwrap_or(file).replace('/', ".")
}

/// The files that pytest ids begin with.
fn files_of_ids(expected: &Expected) -> BTreeSet<String> {
    match expected {
        Expected::Lists { fail_to_pass, pass_to_pass, .. } => {
            let ids = fail_to_pass.iter().chain(pass_to_pass).filter_map(|id| id.split_once(".py::"));
            ids.map(|(stem, _)| format!("{stem}.py")).collect()
        }
        Expected::Map { .. } => BTreeSet::new(),
    }
}

/// Words for a shell, none of which it can read as anything but a word.
fn quoted(words: &BTreeSet<String>) -> String {
    words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect::<Vec<_>>().join(" ")
}
