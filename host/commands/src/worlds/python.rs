//! The interpreter of worlds whose tools are in Python: opened only where a world has such tools.

use super::MachineOf;
use crate::Failure;
use crate::prepare::warn_of_cache;
use assay_sandbox::python::{OpenError, PYTHON_COMPONENT_HINT, PythonEngine, PythonSettings, locate_component};
use assay_worlds::{LoadError, PYTHON_AT_ONCE};

/// Opens the interpreter.
pub(super) fn open(machine: &MachineOf<'_>) -> Result<PythonEngine, LoadError> {
    let failed = |why: String, hint: Option<String>| LoadError {
        place: "the Python interpreter".to_owned(),
        what: format!("the tools of this world are in Python, and there is no interpreter for them: {why}"),
        hint,
    };
    let machine = machine().map_err(|failure: Failure| failed(failure.to_string(), None))?;
    let missing = || Some(PYTHON_COMPONENT_HINT.to_owned());
    let component = locate_component(None, |name| std::env::var(name).ok())
        .map_err(|error| failed(error.to_string(), missing()))?;
    let mut settings = PythonSettings::new(component, machine.cache.join("artifacts"), machine.helper.clone());
    settings.sessions = PYTHON_AT_ONCE;
    let engine = PythonEngine::open(&settings).map_err(|error| {
        let hint = matches!(error, OpenError::Guest(_)).then(missing).flatten();
        failed(error.to_string(), hint)
    })?;
    warn_of_cache(engine.origin(), engine.cache_warning());
    Ok(engine)
}
