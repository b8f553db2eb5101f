//! Candidates made ready to run: checked, built and loaded as any strategy is.

use super::failed;
use crate::prepare::{self, Runnable};
use crate::settings::Machine;
use crate::{Ending, Failure, chain, check, face, run};
use assay_refine::core::event::Program;
use assay_refine::core::plan::{Tunable, WriterPlan};
use assay_refine::core::state::State;
use assay_refine::core::tuner;
use assay_refine::journal;
use assay_refine::market::Loaded;
use assay_refine::session::Trouble;
use assay_refine::source::with_defaults;
use assay_sandbox::Sandbox;
use assay_sandbox::python::PythonProgram;
use assay_validator::Parameter;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Programs that stay loaded; others are loaded again when they are needed.
const LOADED_MAX: usize = 64;
/// Bytes of findings that a model is told.
const FINDINGS_BYTES_MAX: usize = 6_000;

/// See the module documentation.
pub(super) struct Workshop {
    machine: Machine,
    threads: NonZeroUsize,
    sandbox: Sandbox,
    name: String,
    source: String,
    parameters: Vec<Parameter>,
    loaded: RefCell<BTreeMap<String, Loaded>>,
}

/// A strategy that passed.
struct Made {
    loaded: Loaded,
    parameters: Vec<Parameter>,
}

impl Workshop {
    /// With the strategy of this name and source, which must pass, as the origin.
    pub(super) fn new(machine: &Machine, name: &str, source: &str, threads: NonZeroUsize) -> Result<Self, Failure> {
        let sandbox = run::sandbox(machine, threads)?;
        let mut workshop = Self {
            machine: machine.clone(),
            threads,
            sandbox,
            name: name.to_owned(),
            source: source.to_owned(),
            parameters: Vec::new(),
            loaded: RefCell::default(),
        };
        let folder = moment()?;
        let made = workshop.make(source, folder.path())?.map_err(|refused| {
            face::out(&plain(&check::text(&refused.findings, &refused.drawings), folder.path()));
            Failure { ending: Ending::Rejected, message: format!("{name} was refused"), hint: None }
        })?;
        workshop.parameters = made.parameters;
        workshop.keep(source, made.loaded);
        Ok(workshop)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Whether candidates are Python files.
    pub(super) fn is_python(&self) -> bool {
        is_python(&self.name)
    }

    /// What is wrong with a program, if anything is.
    pub(super) fn check(&self, source: &str) -> Result<Result<(), String>, Trouble> {
        let ours = |failure: Failure| Trouble::Infrastructure(failure.message);
        let folder = moment().map_err(ours)?;
        let made = self.make(source, folder.path()).map_err(ours)?;
        Ok(match made {
            Ok(made) => {
                self.keep(source, made.loaded);
                Ok(())
            }
            Err(refused) => {
                let mut text = plain(&refused.findings.to_string(), folder.path());
                text.truncate(text.floor_char_boundary(FINDINGS_BYTES_MAX));
                Err(text)
            }
        })
    }

    /// A candidate of the session in `path`.
    pub(super) fn load(&self, path: &Path, program: &Program) -> Result<Loaded, Trouble> {
        match program {
            Program::Settings(values) => Ok(match self.get(&hash(&self.source))? {
                Loaded::Compiled(origin) => {
                    let values: Arc<[Option<f64>]> = values.iter().copied().map(Some).collect();
                    Loaded::Compiled(origin.with_parameters(values))
                }
                // Nothing is compiled: each episode reads the file anew, and this one has other numbers in it.
                Loaded::Python(origin) => {
                    let tunables: Vec<Tunable> = self.parameters.iter().map(Tunable::from).collect();
                    let text = with_defaults(&self.source, &tunables, values)
                        .map_err(|error| Trouble::Infrastructure(error.to_string()))?;
                    Loaded::Python(origin.with_source(&text))
                }
            }),
            Program::Source(hash) => match self.get(hash) {
                Ok(loaded) => Ok(loaded),
                Err(_) => {
                    let text = journal::program(path, hash)?;
                    self.check(&text)?.map_err(|why| {
                        Trouble::Infrastructure(format!("a stored program is refused now, but was not before: {why}"))
                    })?;
                    self.get(hash)
                }
            },
        }
    }

    /// A program that was checked, if it is still loaded.
    #[cfg(feature = "rollouts")]
    pub(super) fn loaded(&self, hash: &str) -> Option<Loaded> {
        self.loaded.borrow().get(hash).cloned()
    }

    fn get(&self, hash: &str) -> Result<Loaded, Trouble> {
        let loaded = self.loaded.borrow();
        loaded.get(hash).cloned().ok_or_else(|| Trouble::Infrastructure(format!("the program {hash} is not loaded")))
    }

    fn keep(&self, source: &str, program: Loaded) {
        let origin = hash(&self.source);
        let mut loaded = self.loaded.borrow_mut();
        if loaded.len() >= LOADED_MAX {
            loaded.retain(|hash, _| *hash == origin);
        }
        loaded.insert(hash(source), program);
    }

    /// The outer error is ours, the inner one the strategy's. The source is kept in `folder` meanwhile.
    fn make(&self, source: &str, folder: &Path) -> Result<Result<Made, prepare::Refused>, Failure> {
        // Findings name the file as the session does.
        let path: PathBuf = folder.join(Path::new(&self.name).file_name().unwrap_or_default());
        std::fs::File::create_new(&path)
            .and_then(|mut file| file.write_all(source.as_bytes()))
            .map_err(|error| not_kept(&error))?;
        let prepared = match prepare::prepare(&self.machine, &path, self.threads.get())? {
            Ok(prepared) => prepared,
            Err(refused) => return Ok(Err(refused)),
        };
        let (loaded, parameters) = match &prepared.code {
            Runnable::Compiled { checked, .. } => {
                let program = self.sandbox.load(checked).map_err(|error| Failure::infrastructure(chain(&error)))?;
                (Loaded::Compiled(program), checked.parameters().to_vec())
            }
            Runnable::Python { engine, text, parameters } => {
                (Loaded::Python(PythonProgram::new(engine.clone(), &prepared.name, text)), parameters.clone())
            }
        };
        Ok(Ok(Made { loaded, parameters }))
    }
}

/// A folder for a source while it is checked.
fn moment() -> Result<tempfile::TempDir, Failure> {
    tempfile::tempdir().map_err(|error| not_kept(&error))
}

/// Findings without where the file was for a moment, which says nothing and differs each time.
fn plain(findings: &str, folder: &Path) -> String {
    findings.replace(&format!("{}/", folder.display()), "")
}

fn not_kept(error: &std::io::Error) -> Failure {
    Failure::infrastructure(format!("failed to keep a source for a moment: {error}"))
}

fn hash(source: &str) -> String {
    blake3::hash(source.as_bytes()).to_hex().to_string()
}

/// Whether a file is called like Python source.
pub(super) fn is_python(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "py")
}

/// The champion's source.
pub(super) fn champion(path: &Path, state: &State) -> Result<String, Failure> {
    let stored = |hash: &str| journal::program(path, hash).map_err(|error| failed(path, &error));
    let best = state.candidates().get(&state.champion()).and_then(|candidate| candidate.program.as_ref());
    match (&state.plan().writer, best) {
        (WriterPlan::Tuner { parameters }, _) => {
            let values = tuner::settings(state, state.champion(), parameters);
            with_defaults(&stored(&state.plan().source_hash)?, parameters, &values).map_err(Failure::infrastructure)
        }
        (WriterPlan::Model(_), Some(Program::Source(hash))) => stored(hash),
        (WriterPlan::Model(_), _) => stored(&state.plan().source_hash),
    }
}
