//! Compilation of hostile input to native code, in a jailed child process.
//!
//! Compilers can be made to take unbounded time and memory, and sometimes to crash, so none runs in this process. The child is
//! an executable of ours that calls [`precompile_main`]: module on standard input, artifact on standard output.
//!
//! Invariant: every compilation ends, within [`CompileLimits::wall`] per attempt and two attempts.

use crate::{engine, python};
use assay_jail::{Ended, Invocation, Jail, JailError, Limits, system_libraries};
use serde::{Deserialize, Serialize};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The hidden first argument with which the helper executable must call [`precompile_main`].
pub const PRECOMPILE_WORD: &str = "precompile";
/// Bytes of module that the child reads; the validator allows far less, the Python interpreter has about 30 MB.
const MODULE_BYTES_MAX: u64 = 128 << 20;
/// Bytes of native code that are accepted: about five times what an honest component of the greatest size compiles to.
pub(crate) const ARTIFACT_BYTES_MAX: usize = 64 << 20;
/// The same for the Python interpreter: about three times what it compiles to.
pub(crate) const PYTHON_ARTIFACT_BYTES_MAX: usize = 256 << 20;
/// Bytes kept of what the compiler says about a component.
const MESSAGE_BYTES_MAX: usize = 2 << 10;
/// The exit code of a child whose compiler refused the component; anything else but 0 is a crash.
const EXIT_REFUSED: u8 = 3;
/// The signal for CPU time, by its number on every Linux architecture that the compiler targets.
const SIGXCPU: i32 = 24;

/// What a compilation may use. An honest component needs about half a CPU second and 50 MB for each megabyte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompileLimits {
    /// Address space, in bytes.
    pub memory_bytes: u64,
    /// CPU time, in seconds. Decides about the component, and is remembered.
    pub cpu_seconds: u64,
    /// Wall-clock time of one attempt. Says something about the machine only, and is not remembered.
    pub wall: Duration,
}

impl CompileLimits {
    /// 1 GiB, 10 CPU seconds, 30 seconds: five times what the largest honest component takes.
    pub const STANDARD: Self = Self { memory_bytes: 1 << 30, cpu_seconds: 10, wall: Duration::from_secs(30) };
}

/// What is wrong with a component that does not compile. The same component fails again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CompileFailure {
    /// Not a component that the engine takes.
    #[error("the compiler refused it: {message}")]
    Refused {
        /// The compiler's words.
        message: String,
    },
    /// Used up its CPU time.
    #[error("it took more than {cpu_seconds} s of CPU time")]
    TooSlow {
        /// The limit.
        cpu_seconds: u64,
    },
    /// Used up its memory.
    #[error("it took more than {memory_bytes} bytes of memory")]
    TooMuchMemory {
        /// The limit.
        memory_bytes: u64,
    },
    /// Compiled to too much native code.
    #[error("it compiled to more than {bytes_max} bytes")]
    TooLarge {
        /// The limit.
        bytes_max: u64,
    },
    /// Crashed the compiler.
    #[error("the compiler crashed: {message}")]
    Crashed {
        /// The last words.
        message: String,
    },
}

/// Why there is no artifact.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The component is to blame.
    #[error("failed to compile the component: {0}")]
    Component(#[source] CompileFailure),
    /// The machine was too slow; worth trying again.
    #[error("failed to compile the component within {0:?}")]
    Deadline(Duration),
    /// The child was killed long before any limit of its own: the machine is short of memory, or somebody meddled.
    #[error("failed to compile the component: the compiler was killed after {0:?}")]
    Killed(Duration),
    /// The child could not be run.
    #[error("failed to run the compiler")]
    Jail(#[from] JailError),
    /// There was no folder for the child.
    #[error("failed to make a folder for the compiler")]
    Folder(#[source] std::io::Error),
}

/// Compiles a component's module in a child process. Takes any bytes: whether they may run is not decided here.
///
/// # Errors
/// See [`CompileError`].
pub fn compile(helper: &Path, limits: &CompileLimits, module: &[u8]) -> Result<Vec<u8>, CompileError> {
    compile_as(Artifact::Strategy, helper, limits, module)
}

/// What is compiled, and so for which engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Artifact {
    /// A strategy's module.
    Strategy,
    /// The component with the Python interpreter.
    Python,
}

/// The second argument of a child that compiles the interpreter.
const PYTHON_WORD: &str = "python";

pub(crate) fn compile_as(
    kind: Artifact,
    helper: &Path,
    limits: &CompileLimits,
    wasm: &[u8],
) -> Result<Vec<u8>, CompileError> {
    match attempt(kind, helper, limits, wasm) {
        // These say the same thing every time.
        Err(CompileError::Component(
            failure @ (CompileFailure::Refused { .. }
            | CompileFailure::TooMuchMemory { .. }
            | CompileFailure::TooLarge { .. }),
        )) => Err(CompileError::Component(failure)),
        // A crash, a kill or a deadline may be bad luck on a machine under pressure.
        Err(_) => attempt(kind, helper, limits, wasm),
        artifact => artifact,
    }
}

fn attempt(kind: Artifact, helper: &Path, limits: &CompileLimits, wasm: &[u8]) -> Result<Vec<u8>, CompileError> {
    let folder = tempfile::tempdir().map_err(CompileError::Folder)?;
    let bytes_max = match kind {
        Artifact::Strategy => ARTIFACT_BYTES_MAX,
        Artifact::Python => PYTHON_ARTIFACT_BYTES_MAX,
    };
    let mut read_only = system_libraries();
    read_only.push(helper.to_path_buf());
    let jail = Jail {
        helper: helper.to_path_buf(),
        read_only,
        writable: folder.path().to_path_buf(),
        limits: Limits {
            memory_bytes: limits.memory_bytes,
            cpu_seconds: limits.cpu_seconds,
            wall: limits.wall,
            // The compiler is built without threads.
            processes: 4,
            // Everything goes through pipes.
            file_bytes: 0,
            open_files: 32,
            output_bytes: bytes_max,
        },
    };
    let invocation = Invocation {
        program: helper.to_path_buf(),
        args: match kind {
            Artifact::Strategy => vec![PRECOMPILE_WORD.into()],
            Artifact::Python => vec![PRECOMPILE_WORD.into(), PYTHON_WORD.into()],
        },
        env: Vec::new(),
        stdin: wasm.to_vec(),
    };
    let output = jail.run(&invocation)?;
    let failure = match output.ended {
        Ended::Exited(0) if output.stdout.dropped_bytes == 0 => return Ok(output.stdout.bytes),
        Ended::Exited(0) => CompileFailure::TooLarge { bytes_max: bytes_max as u64 },
        Ended::Exited(code) if code == i32::from(EXIT_REFUSED) => {
            CompileFailure::Refused { message: message(&output.stderr.bytes) }
        }
        Ended::OutOfMemory => CompileFailure::TooMuchMemory { memory_bytes: limits.memory_bytes },
        // One thread cannot have used more CPU time than has passed.
        Ended::KilledByKernel if output.elapsed < Duration::from_secs(limits.cpu_seconds) => {
            return Err(CompileError::Killed(output.elapsed));
        }
        Ended::KilledByKernel | Ended::Signalled(SIGXCPU) => {
            CompileFailure::TooSlow { cpu_seconds: limits.cpu_seconds }
        }
        Ended::Exited(_) | Ended::Signalled(_) => CompileFailure::Crashed { message: message(&output.stderr.bytes) },
        Ended::Deadline => return Err(CompileError::Deadline(limits.wall)),
    };
    Err(CompileError::Component(failure))
}

fn message(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    text[..text.floor_char_boundary(MESSAGE_BYTES_MAX)].to_owned()
}

/// The whole life of a compile child. An executable calls this when its first argument is [`PRECOMPILE_WORD`] and returns the code
/// as its own.
#[must_use]
pub fn precompile_main() -> ExitCode {
    match precompile() {
        Ok(artifact) => match std::io::stdout().write_all(&artifact) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(error) => {
            // The caller reads it from the pipe; if that is gone, nobody does.
            let _ = write!(std::io::stderr(), "{error:#}");
            ExitCode::from(EXIT_REFUSED)
        }
    }
}

fn precompile() -> wasmtime::Result<Vec<u8>> {
    let mut wasm = Vec::new();
    std::io::stdin().take(MODULE_BYTES_MAX).read_to_end(&mut wasm)?;
    if std::env::args().nth(2).is_some_and(|word| word == PYTHON_WORD) {
        return python::compile(&wasm);
    }
    engine::compiler()?.precompile_module(&wasm)
}

/// Where the helper executable is, as a path that a jail can open from anywhere.
pub(crate) fn resolve_helper(helper: &Path) -> std::io::Result<PathBuf> {
    helper.canonicalize()
}
