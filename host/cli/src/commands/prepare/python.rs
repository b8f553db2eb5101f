//! A Python file: nothing is built. The interpreter reads it in the sandbox, and the validator judges what it found.

use super::{Prepared, Refused, Runnable, refuse_or_fail, warn_of_cache};
use crate::exit::{Failure, chain};
use crate::settings::Machine;
use assay_sandbox::python::{
    OpenError, PYTHON_COMPONENT_HINT, PythonEngine, PythonSettings, SurveyError, locate_component,
};
use assay_validator::{Findings, check_python_survey, check_python_text, limits, python_unreadable};
use std::path::Path;
use std::time::Duration;

/// Computing time of one callback after which the interpreter is taken to hang. Fuel stops strategies within a fraction of a second.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Whether a path is called like Python source.
pub(super) fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py")
}

/// Checks a Python file. The outer error is the user's or ours, the inner one the strategy's.
pub(super) fn prepare(machine: &Machine, path: &Path) -> Result<Result<Prepared, Refused>, Failure> {
    let bytes = match assay_build::read_file(path, limits::PYTHON_SOURCE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(error) => return refuse_or_fail(path, &error).map(Err),
    };
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let shown = path.to_string_lossy();
    let (mut findings, text) = check_python_text(&shown, &bytes);
    let refused =
        |name: &str, findings: Findings| Ok(Err(Refused { name: name.to_owned(), findings, drawings: Vec::new() }));
    let Some(text) = text.filter(|_| !findings.has_errors()) else { return refused(&name, findings) };
    let engine = engine(machine)?;
    match engine.survey(text) {
        Ok(survey) => findings.extend(check_python_survey(&shown, text, &survey)),
        Err(SurveyError::Source(why)) => findings.push(python_unreadable(&shown, &why)),
        Err(error @ SurveyError::Infrastructure(_)) => return Err(Failure::infrastructure(error)),
    }
    if findings.has_errors() {
        return refused(&name, findings);
    }
    Ok(Ok(Prepared { name, code: Runnable::Python { engine, text: text.to_owned() }, findings }))
}

/// The interpreter, compiled at its first use on a machine.
fn engine(machine: &Machine) -> Result<PythonEngine, Failure> {
    let failed = |error: &dyn std::error::Error| {
        Failure::infrastructure(format!("there is no Python to run the strategy: {}", chain(error)))
    };
    let component = locate_component(None, |name| std::env::var(name).ok())
        .map_err(|error| failed(&error).hint(PYTHON_COMPONENT_HINT))?;
    let settings = PythonSettings::new(component, machine.cache.join("artifacts"), machine.helper.clone());
    let engine =
        PythonEngine::open(&PythonSettings { watchdog: WATCHDOG, ..settings }).map_err(|error| match &error {
            OpenError::Guest(_) => failed(&error).hint(PYTHON_COMPONENT_HINT),
            _ => failed(&error),
        })?;
    warn_of_cache(engine.origin(), engine.cache_warning());
    Ok(engine)
}
