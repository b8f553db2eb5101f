//! Compilation of hostile input to native code, in a jailed child process.
//!
//! Compilers can be made to take unbounded time and memory, and sometimes to crash, so none runs in this process. The child is
//! an executable of ours that calls [`precompile_main`](crate::precompile_main): module on standard input, artifact on standard output.
//!
//! Invariant: every compilation ends, within [`CompileLimits::wall`] per attempt and two attempts.

use assay_jail::{Allowance, Ended, Invocation, Jail, JailError, JailedOutput, Limits, system_libraries};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The hidden first argument with which the helper executable must call [`precompile_main`](crate::precompile_main).
pub const PRECOMPILE_WORD: &str = "precompile";
/// Bytes of native code that are accepted: about five times what an honest component of the greatest size compiles to.
pub(crate) const ARTIFACT_BYTES_MAX: usize = 64 << 20;
/// The same for the Python interpreter: about three times what it compiles to.
pub(crate) const PYTHON_ARTIFACT_BYTES_MAX: usize = 256 << 20;
/// Bytes kept of what the compiler says about a component.
const MESSAGE_BYTES_MAX: usize = 2 << 10;
/// The exit code of a child whose compiler refused the component; anything else but 0 is a crash.
pub(crate) const EXIT_REFUSED: u8 = 3;
/// How long a failure is believed that a machine under pressure can cause as well.
const DOUBTFUL_FAILURE_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

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

impl CompileFailure {
    /// Whether a failure of so long ago decides under these limits. What a larger limit may cure is tried again when there is one; what
    /// a machine under pressure can cause is forgotten after a day.
    pub(crate) fn stands(&self, limits: &CompileLimits, age: Duration) -> bool {
        match self {
            // Whatever could change these is in the cache's fingerprint.
            Self::Refused { .. } | Self::TooLarge { .. } => true,
            Self::TooMuchMemory { memory_bytes } => limits.memory_bytes <= *memory_bytes,
            Self::TooSlow { cpu_seconds } => limits.cpu_seconds <= *cpu_seconds && age < DOUBTFUL_FAILURE_KEPT,
            Self::Crashed { .. } => age < DOUBTFUL_FAILURE_KEPT,
        }
    }
}

/// Why there is no artifact.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The component is to blame.
    #[error("failed to compile the component: {0}")]
    Component(CompileFailure),
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

impl CompileError {
    /// Whether a second attempt may end otherwise: the machine was under pressure, or somebody meddled.
    fn may_be_bad_luck(&self) -> bool {
        match self {
            Self::Component(failure) => matches!(failure, CompileFailure::Crashed { .. }),
            Self::Deadline(_) | Self::Killed(_) | Self::Jail(_) | Self::Folder(_) => true,
        }
    }
}

/// Compiles a component's module in a child process. Takes any bytes: whether they may run is not decided here.
///
/// # Errors
/// See [`CompileError`].
pub fn compile(helper: &Path, limits: &CompileLimits, module: &[u8]) -> Result<Vec<u8>, CompileError> {
    compile_as(Artifact::Strategy, helper, limits, module, None)
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
pub(crate) const PYTHON_WORD: &str = "python";

/// What the child computes, in every attempt, is taken from the `allowance`.
pub(crate) fn compile_as(
    kind: Artifact,
    helper: &Path,
    limits: &CompileLimits,
    wasm: &[u8],
    allowance: Option<&Allowance>,
) -> Result<Vec<u8>, CompileError> {
    retried(|| {
        let (processor, compiled) = attempt(kind, helper, limits, wasm)?;
        if let Some(allowance) = allowance {
            allowance.spend(processor);
        }
        compiled
    })
}

/// One retry, for what may be bad luck. A compilation that met a limit of its own does so again.
fn retried<T>(mut attempt: impl FnMut() -> Result<T, CompileError>) -> Result<T, CompileError> {
    match attempt() {
        Err(error) if error.may_be_bad_luck() => attempt(),
        result => result,
    }
}

/// The child's processor time, and what came of it.
type Attempted = (Duration, Result<Vec<u8>, CompileError>);

fn attempt(kind: Artifact, helper: &Path, limits: &CompileLimits, wasm: &[u8]) -> Result<Attempted, CompileError> {
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
    Ok((output.processor, conclude(output, limits, bytes_max)))
}

/// What the child's end means.
fn conclude(output: JailedOutput, limits: &CompileLimits, bytes_max: usize) -> Result<Vec<u8>, CompileError> {
    let failure = match output.ended {
        Ended::Exited(0) if output.stdout.dropped_bytes == 0 => return Ok(output.stdout.bytes),
        Ended::Exited(0) => CompileFailure::TooLarge { bytes_max: bytes_max as u64 },
        Ended::Exited(code) if code == i32::from(EXIT_REFUSED) => {
            CompileFailure::Refused { message: message(&output.stderr.bytes) }
        }
        Ended::OutOfMemory => CompileFailure::TooMuchMemory { memory_bytes: limits.memory_bytes },
        Ended::KilledByKernel => return Err(CompileError::Killed(output.elapsed)),
        Ended::ProcessorTime => CompileFailure::TooSlow { cpu_seconds: limits.cpu_seconds },
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

/// Where the helper executable is, as a path that a jail can open from anywhere.
pub(crate) fn resolve_helper(helper: &Path) -> std::io::Result<PathBuf> {
    helper.canonicalize()
}

#[cfg(test)]
mod tests {
    use super::{CompileError, CompileFailure, CompileLimits, retried};
    use std::time::Duration;

    const HOUR: Duration = Duration::from_secs(60 * 60);

    fn crashed() -> CompileFailure {
        CompileFailure::Crashed { message: "signal 11".to_owned() }
    }

    fn refused() -> CompileFailure {
        CompileFailure::Refused { message: "no".to_owned() }
    }

    #[test]
    fn bad_luck_gets_one_retry_and_a_limit_none() {
        let folder = || CompileError::Folder(std::io::Error::other("full"));
        let cases: [(&dyn Fn() -> CompileError, u32); 8] = [
            (&|| CompileError::Deadline(HOUR), 2),
            (&|| CompileError::Killed(HOUR), 2),
            (&folder, 2),
            (&|| CompileError::Component(crashed()), 2),
            (&|| CompileError::Component(refused()), 1),
            (&|| CompileError::Component(CompileFailure::TooSlow { cpu_seconds: 1 }), 1),
            (&|| CompileError::Component(CompileFailure::TooMuchMemory { memory_bytes: 1 }), 1),
            (&|| CompileError::Component(CompileFailure::TooLarge { bytes_max: 1 }), 1),
        ];
        for (error, expected) in cases {
            let mut attempts = 0;
            let ended = retried::<()>(|| {
                attempts += 1;
                Err(error())
            });
            assert_eq!((attempts, ended.is_err()), (expected, true), "{}", error());
        }
        let mut attempts = 0;
        let ended = retried(|| {
            attempts += 1;
            if attempts == 1 { Err(CompileError::Killed(HOUR)) } else { Ok(attempts) }
        });
        assert!(matches!(ended, Ok(2)));
    }

    #[test]
    fn a_failure_stands_as_long_as_it_would_happen_again() {
        let limits = CompileLimits { memory_bytes: 100, cpu_seconds: 10, wall: HOUR };
        let memory = |memory_bytes| CompileFailure::TooMuchMemory { memory_bytes };
        let slow = |cpu_seconds| CompileFailure::TooSlow { cpu_seconds };
        let cases = [
            (refused(), 10_000, true),
            (CompileFailure::TooLarge { bytes_max: 1 }, 10_000, true),
            (memory(100), 10_000, true),
            (memory(200), 10_000, true),
            (memory(99), 0, false),
            (slow(10), 23, true),
            (slow(10), 24, false),
            (slow(9), 0, false),
            (crashed(), 23, true),
            (crashed(), 24, false),
        ];
        for (failure, hours, stands) in cases {
            assert_eq!(failure.stands(&limits, HOUR * hours), stands, "{failure} after {hours} hours");
        }
    }
}
