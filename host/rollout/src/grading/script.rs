//! The script that runs a task's tests.
//!
//! Sources: the commands and the environment of Django are those of SWE-bench 4's `constants/python.py`, of SWE-Gym's fork of it,
//! and of SWE-smith's profiles; the test files are the ones that the row's
//! test patch touches, as in SWE-bench's `get_test_directives`; the environment of those images is conda's `testbed`.

use std::collections::BTreeSet;

use assay_grade::patch::{Change, touched_files};
use assay_grade::rule::Expected;
use assay_grade::task::{Kind, Task, Tests};
use assay_grade::{Parser, shell_words};

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
    match (task.kind, &task.bench.test_command) {
        (Kind::R2eGym, _) => Ok((format!("{ask}{R2E_TESTS}{}\n", command(task)?), welcome)),
        (Kind::Native, _) => Ok((format!("{ask}{}", marked(command(task)?)), required)),
        (_, Some(command)) => {
            let report = if is_plain_pytest(command) { required } else { welcome };
            Ok((format!("{ENVIRONMENT}{ask}{}", marked(command)), report))
        }
        (Kind::SweBench5 | Kind::SweBench | Kind::SweGym | Kind::SweRebench, None) => match &task.secret.eval_script {
            Some(script) => Ok((format!("{ask}{}\n", with_exit(script)), welcome)),
            None => {
                let (environment, command) = by_repository(task, parser)?;
                let report = if is_plain_pytest(&command) { required } else { welcome };
                Ok((format!("{ENVIRONMENT}{environment}{ask}{}", marked(&command)), report))
            }
        },
        (Kind::SweSmith, None) => {
            let files = files_of_ids(&task.secret.expected);
            if !parser.is_pytest() || files.is_empty() {
                return Err(format!("no test command is known for {}", task.public.repository));
            }
            let command = format!("pytest --disable-warnings --color=no --tb=no --verbose {}", shell_words(&files));
            Ok((format!("{ENVIRONMENT}{ask}{}", marked(&command)), required))
        }
        (Kind::MultiSwe, None) => Err("Multi-SWE-bench rows do not name a test command".to_owned()),
    }
}

fn command(task: &Task) -> Result<&str, String> {
    task.bench.test_command.as_deref().ok_or_else(|| "it does not name a test command".to_owned())
}

/// Between SWE-bench's markers, so that its rule can be applied as well, and with the exit code of the command itself.
fn marked(command: &str) -> String {
    format!("echo '>>>>> Start Test Output'\n(\n{command}\n)\nstatus=$?\necho '>>>>> End Test Output'\nexit $status\n")
}

/// Whether pytest is sure to find our request for a report: a runner in between may drop the environment, and a report of the command's own takes its place.
fn is_plain_pytest(command: &str) -> bool {
    command.contains("pytest") && !["tox", "nox", "junit"].iter().any(|other| command.contains(other))
}

/// How a row's own script prints the end of the tests' output.
const END: &str = ">>>>> End Test Output";
/// How a row's own script prints the exit code of the tests, where it does.
const EXIT: &str = ">>>>> Test Exit Code:";

/// Whose the exit code of a row's own script is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScriptExit {
    /// The tests', by [`with_exit`].
    OfTests,
    /// The last command's; that of the tests is printed after [`EXIT`].
    Printed,
    /// The last command's, whatever that is.
    OfLast,
}

impl ScriptExit {
    /// The mark behind which the script prints the exit code.
    pub(super) const MARK: &'static str = EXIT;

    pub(super) fn of(script: &str) -> Self {
        match end_of_tests(script) {
            _ if script.contains(EXIT) => Self::Printed,
            Some(_) => Self::OfTests,
            None => Self::OfLast,
        }
    }
}

/// The command of a script that prints the mark of the end: where it begins. The last one, for a test patch in the script may show another.
fn end_of_tests(script: &str) -> Option<usize> {
    let mut found = None;
    let mut before = "";
    let mut at = 0;
    for line in script.split_inclusive('\n') {
        let command = line.trim_start();
        let prints = [":", "echo", "printf"].iter().any(|word| command.starts_with(word));
        // A line that goes on from the last one is no place for another command.
        if prints && command.contains(END) && !before.trim_end().ends_with(['\\', '|', '&']) {
            found = Some(at);
        }
        (before, at) = (line, at + line.len());
    }
    found
}

/// The script with the exit code of its tests as its own: what follows them says nothing about them.
fn with_exit(script: &str) -> String {
    match (ScriptExit::of(script), end_of_tests(script)) {
        (ScriptExit::OfTests, Some(place)) => {
            let (tests, rest) = script.split_at(place);
            format!("{tests}assay_exit=$?\n{rest}\nexit \"${{assay_exit-$?}}\"")
        }
        _ => script.to_owned(),
    }
}

/// What goes before the command, and the command.
fn by_repository(task: &Task, parser: Parser) -> Result<(&'static str, String), String> {
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
            let (environment, settings) = django(task.bench.version.as_deref().unwrap_or_default());
            Ok((environment, format!("./tests/runtests.py {settings} {}", shell_words(&labels))))
        }
        Parser::Sympy => Ok((
            "export PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning'\n",
            format!("bin/test -C --verbose {}", shell_words(&files)),
        )),
        _ if parser.is_pytest() => Ok(("", format!("{} {}", pytest(task), shell_words(&files)))),
        _ => Err(format!("no test command is known for {}", task.public.repository)),
    }
}

/// How pytest is called for a repository. `--no-header` is an error before pytest 6.0, so only the repositories of the lists that have it get it.
fn pytest(task: &Task) -> &'static str {
    const OLD_ASTROPY: [&str; 7] = ["0.1", "0.2", "0.3", "0.4", "1.1", "1.2", "1.3"];
    let is_old = task.bench.version.as_deref().is_some_and(|version| OLD_ASTROPY.contains(&version));
    match task.public.repository.to_lowercase().as_str() {
        "mwaskom/seaborn" => "pytest --no-header -rA",
        // Its images' `tox.ini` asks for the summary, and warns of what plain pytest does not.
        "sphinx-doc/sphinx" => "tox --current-env -epy39 -v --",
        "astropy/astropy" if is_old => "pytest -rA -vv -o console_output_style=classic --tb=no",
        "pydantic/pydantic" => "pytest -rA --tb=short -vv -o console_output_style=classic --no-header",
        _ => "pytest -rA",
    }
}

/// What Django's tests need in the environment, and the settings of their runner, by its version. Python before 3.7 fails on output and paths that are
/// not ASCII where the locale is POSIX's, as in a bare container.
fn django(version: &str) -> (&'static str, &'static str) {
    const OLD: [&str; 8] = ["1.7", "1.8", "1.9", "1.10", "1.11", "2.0", "2.1", "2.2"];
    const MIDDLE: [&str; 3] = ["3.0", "3.1", "3.2"];
    let environment = if OLD.contains(&version) {
        "export LANG=en_US.UTF-8\nexport LC_ALL=en_US.UTF-8\nexport PYTHONIOENCODING=utf8\nexport LANGUAGE=en_US:en\n"
    } else if MIDDLE.contains(&version) {
        "sed -i '/en_US.UTF-8/s/^# //g' /etc/locale.gen && locale-gen\nexport LANG=en_US.UTF-8\nexport LANGUAGE=en_US:en\nexport LC_ALL=en_US.UTF-8\n"
    } else {
        ""
    };
    let settings = if version == "1.9" { "--verbosity 2" } else { "--verbosity 2 --settings=test_sqlite --parallel 1" };
    (environment, settings)
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
