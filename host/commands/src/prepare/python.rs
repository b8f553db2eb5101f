//! A Python file: nothing is built. The interpreter reads it in the sandbox, and the validator judges what it found.

use super::{Prepared, Refused, Runnable, refuse_or_fail, warn_of_cache};
use crate::settings::Machine;
use crate::{Failure, chain, face};
use assay_files::Links;
use assay_sandbox::Origin;
use assay_sandbox::python::{
    OpenError, PYTHON_COMPONENT_HINT, PythonEngine, PythonSettings, SurveyError, locate_component,
};
use assay_validator::{Findings, check_python_survey, check_python_text, limits, python_parameters, python_unreadable};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Computing time of one callback after which the interpreter is taken to hang. Fuel stops strategies within a fraction of a second.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Whether a path is called like Python source.
pub(super) fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py")
}

/// A Python file that has been read: what is judged and run is what was read.
pub(crate) struct PythonFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl PythonFile {
    /// Reads it. The outer error is the user's, the inner one the strategy's.
    pub(crate) fn open(path: &Path, links: Links) -> Result<Result<Self, Refused>, Failure> {
        match assay_compile::read_file(path, links, limits::PYTHON_SOURCE_BYTES_MAX) {
            Ok(bytes) => Ok(Ok(Self { path: path.to_owned(), bytes })),
            Err(error) => refuse_or_fail(path, &error).map(Err),
        }
    }

    /// BLAKE3 of its bytes.
    pub(crate) fn hash(&self) -> blake3::Hash {
        blake3::hash(&self.bytes)
    }

    /// Checks it in `interpreter`. Whether findings end it is asked of `refuses`: they are advice, the sandbox holds without them. The outer
    /// error is ours, the inner one the strategy's.
    pub(crate) fn check(
        &self,
        interpreter: &Interpreter,
        refuses: &dyn Fn(&Findings) -> bool,
    ) -> Result<Result<Prepared, Refused>, Failure> {
        let name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let shown = self.path.to_string_lossy();
        let (mut findings, text) = check_python_text(&shown, &self.bytes);
        let Some(text) = text.filter(|_| !refuses(&findings)) else {
            return Ok(Err(Refused { name, findings, drawings: Vec::new() }));
        };
        let engine = interpreter.get()?.clone();
        let mut parameters = Vec::new();
        match engine.survey(text) {
            Ok(survey) => {
                findings.extend(check_python_survey(&shown, text, &survey));
                parameters = python_parameters(text, &survey);
            }
            Err(SurveyError::Source(why)) => findings.push(python_unreadable(&shown, &why)),
            Err(error @ SurveyError::Infrastructure(_)) => return Err(Failure::infrastructure(error)),
        }
        if refuses(&findings) {
            return Ok(Err(Refused { name, findings, drawings: Vec::new() }));
        }
        Ok(Ok(Prepared { name, code: Runnable::Python { engine, text: text.to_owned(), parameters }, findings }))
    }
}

/// The interpreter of Python strategies: compiled at its first use on a machine, opened at its first use in a process.
pub(crate) struct Interpreter {
    machine: Machine,
    watchdog: Duration,
    sessions: u32,
    opened: OnceLock<Result<PythonEngine, Failure>>,
}

impl Interpreter {
    /// For `sessions` sessions at once. `watchdog`: computing time after which a callback is taken to hang, where it is to be shorter than usual.
    pub(crate) fn new(machine: &Machine, watchdog: Option<Duration>, sessions: usize) -> Self {
        let watchdog = watchdog.map_or(WATCHDOG, |watchdog| watchdog.min(WATCHDOG));
        let sessions = u32::try_from(sessions).unwrap_or(u32::MAX);
        Self { machine: machine.clone(), watchdog, sessions, opened: OnceLock::new() }
    }

    /// It, or why there is none. Takes half a minute or more the first time on a machine.
    pub(crate) fn get(&self) -> Result<&PythonEngine, Failure> {
        self.opened.get_or_init(|| self.open()).as_ref().map_err(Failure::clone)
    }

    fn open(&self) -> Result<PythonEngine, Failure> {
        let failed = |error: &dyn std::error::Error| {
            Failure::infrastructure(format!("there is no Python interpreter to run the strategy: {}", chain(error)))
        };
        let component = locate_component(None, |name| std::env::var(name).ok())
            .map_err(|error| failed(&error).hint(PYTHON_COMPONENT_HINT))?;
        let mut settings =
            PythonSettings::new(component, self.machine.cache.join("artifacts"), self.machine.helper.clone());
        settings.watchdog = self.watchdog;
        settings.sessions = settings.sessions.max(self.sessions);
        let started = Instant::now();
        let engine = PythonEngine::open(&settings).map_err(|error| match &error {
            OpenError::Guest(_) => failed(&error).hint(PYTHON_COMPONENT_HINT),
            _ => failed(&error),
        })?;
        if engine.origin() != Origin::Cached {
            let seconds = started.elapsed().as_secs_f64();
            face::step("Compiled", &format!("the Python interpreter in {seconds:.0} s (once per machine)"));
        }
        warn_of_cache(engine.origin(), engine.cache_warning());
        Ok(engine)
    }
}
