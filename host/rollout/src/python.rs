//! The Python engine of `assay-sandbox` behind the port [`Sessions`].
//!
//! Invariant: an interpreter that died is replaced only when the next cell comes, so that a session that ends with a death starts nothing.

use assay_sandbox::python::{
    self, CellOutcome, HostCalls, PythonEngine, PythonError, PythonLimits, PythonSession, SessionConfig, TOOLS_HELP,
};
use assay_tree::Tree;
use futures::future::BoxFuture;

use crate::ports::{Cell, CellError, Death, Host, HostCall, Session, SessionError, SessionStart, Sessions};

/// Sessions of one engine.
pub struct PythonSessions(PythonEngine);

impl PythonSessions {
    /// Sessions of this engine.
    #[must_use]
    pub const fn new(engine: PythonEngine) -> Self {
        Self(engine)
    }
}

impl Sessions for PythonSessions {
    fn start(&self, start: SessionStart) -> BoxFuture<'_, Result<Box<dyn Session>, SessionError>> {
        Box::pin(async move {
            let limits = PythonLimits {
                fuel_cell: start.limits.fuel_per_cell,
                fuel_episode: start.limits.fuel,
                memory_bytes: start.limits.memory_bytes,
                output_bytes: start.limits.output_bytes_per_cell,
                host_calls_cell: start.limits.host_calls_per_cell,
                ..PythonLimits::STANDARD
            };
            let SessionStart { tree, folder, seed, time, .. } = start;
            let config = SessionConfig { tree, folder, seed, start_time: time, limits };
            let session = self.0.start(config).await.map_err(|error| failed(&error))?;
            Ok(Box::new(Interpreter(session)) as Box<dyn Session>)
        })
    }

    fn help(&self) -> &str {
        TOOLS_HELP
    }
}

fn failed(error: &PythonError) -> SessionError {
    let hint = matches!(error, PythonError::PoolFull).then(|| "run fewer episodes in parallel".to_owned());
    SessionError { why: error.to_string(), hint }
}

struct Interpreter(PythonSession);

impl Session for Interpreter {
    fn run<'a>(&'a mut self, code: &'a str, host: &'a dyn Host) -> BoxFuture<'a, Result<Cell, SessionError>> {
        Box::pin(async move {
            if !self.0.is_alive() {
                self.0.restart().await.map_err(|error| failed(&error))?;
            }
            let outcome = self.0.run(code, &Calls(host)).await.map_err(|error| failed(&error))?;
            if let Some(summary) = &outcome.finished {
                // Whether the loop takes it is its own business; the cell is over.
                let _ = host.call(HostCall::Finish { summary: summary.clone() }, self.0.tree()).await;
            }
            Ok(cell(outcome))
        })
    }

    fn tree(&self) -> Tree {
        self.0.tree()
    }
}

fn cell(outcome: CellOutcome) -> Cell {
    let CellOutcome { stdout, mut stderr, dropped_bytes, error, restored, fuel, .. } = outcome;
    if !restored.is_empty() {
        stderr.push_str(&format!("note: these names are tools and have been restored: {}\n", restored.join(", ")));
    }
    Cell { stdout, stderr, dropped_bytes, error: error.map(cell_error), fuel }
}

fn cell_error(error: python::CellError) -> CellError {
    let reason = match error {
        python::CellError::Exception { summary, traceback } => return CellError::Exception { summary, traceback },
        python::CellError::TooLong { .. } => {
            return CellError::Exception { summary: error.to_string(), traceback: error.to_string() };
        }
        python::CellError::OutOfFuel | python::CellError::Slow => Death::OutOfFuel,
        python::CellError::OutOfMemory => Death::OutOfMemory,
        python::CellError::StackOverflow => Death::StackOverflow,
        python::CellError::Exited { .. } | python::CellError::Limit { .. } | python::CellError::Trap { .. } => {
            Death::Trap(error.to_string())
        }
    };
    CellError::Died { reason }
}

/// The loop's host as the engine's.
struct Calls<'a>(&'a dyn Host);

impl HostCalls for Calls<'_> {
    fn call<'a>(&'a self, call: python::HostCall, tree: Tree) -> BoxFuture<'a, python::HostAnswer> {
        let call = match call {
            python::HostCall::RunTests => HostCall::RunTests { tests: Vec::new() },
            python::HostCall::Shell { command } => HostCall::Shell { command },
            python::HostCall::LlmQuery { prompt } => HostCall::Ask { prompt },
            python::HostCall::SubAgent { task } => HostCall::SubAgent { task },
        };
        Box::pin(async move {
            match self.0.call(call, tree).await {
                Ok(text) => python::HostAnswer::Text(text),
                Err(why) => python::HostAnswer::Refused(why),
            }
        })
    }
}
