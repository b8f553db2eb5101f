//! Why there is no component: the strategy's own fault, or this machine's.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use assay_jail::JailError;
use assay_validator::Findings;

use crate::message::CompileMessage;
use crate::toolchain::ToolchainError;

/// A limit that the compiler ran into. Only hostile or absurd source does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exceeded {
    /// Processor time.
    Time {
        /// The limit.
        limit: Duration,
    },
    /// Address space.
    Memory {
        /// The limit in bytes.
        limit_bytes: u64,
    },
    /// Its own stack: it died of a memory fault instead of answering, for which nesting too deep is nearly always the reason.
    Stack,
    /// Nothing that has a number: it ended without an answer on this source, twice, and compiled the SDK right afterwards.
    Crash,
}

impl std::fmt::Display for Exceeded {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Time { limit } => {
                write!(formatter, "the compiler exceeded {} s of processor time", limit.as_secs_f64())
            }
            Self::Memory { limit_bytes } => write!(formatter, "the compiler exceeded {} MiB", limit_bytes >> 20),
            Self::Stack => formatter.write_str("the compiler exceeded its stack"),
            Self::Crash => formatter.write_str("the compiler crashed on this source, twice"),
        }
    }
}

/// Why there is no component.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The source does not compile. Errors come first; there is at least one message.
    #[error("failed to compile: {}", .0.first().map_or("no message", |message| message.message.as_str()))]
    Compile(Vec<CompileMessage>),
    /// The source brought the compiler to a limit or made it crash.
    #[error("failed to compile: {0}")]
    CompilerExceeded(Exceeded),
    /// The compiler was not done in time, twice, without having computed for long: the machine is busy.
    #[error("failed to compile: the compiler was not done after {} s, in which it was given {} s of processor time", .limit.as_secs_f64(), .processor.as_secs_f64().round())]
    Late {
        /// How long was waited for it.
        limit: Duration,
        /// What it computed.
        processor: Duration,
    },
    /// The compiler was killed, twice, below all of its limits.
    #[error("failed to compile: the compiler was killed after {} s of processor time; the machine may have run out of memory", .processor.as_secs_f64().round())]
    Killed {
        /// What it computed.
        processor: Duration,
    },
    /// The compiler ended without an answer that could be understood, twice, and cannot compile the SDK either: a broken toolchain, or a full disk.
    #[error("failed to run the compiler: it ended with {code}: {message}")]
    CompilerFailed {
        /// Exit code or signal.
        code: i32,
        /// The end of what it said.
        message: String,
    },
    /// The crate asks for something that it may not have; nothing was compiled.
    #[error("failed to accept the crate's manifest: {} findings", .0.count())]
    Dependencies(Findings),
    /// Cargo refused the crate before compiling it.
    #[error("failed to build the crate: {message}")]
    Cargo {
        /// What cargo said.
        message: String,
    },
    /// It compiles, but is not a strategy.
    #[error("failed to make a component: {message}")]
    NotAStrategy {
        /// What is missing or in the way.
        message: String,
    },
    /// There is no usable Rust toolchain.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The embedded SDK does not compile with this toolchain.
    #[error("failed to compile the SDK: {message}")]
    Sdk {
        /// The compiler's words.
        message: String,
    },
    /// The jail could not be set up.
    #[error(transparent)]
    Jail(#[from] JailError),
    /// A folder or file of the build's own failed.
    #[error("failed to {step} {path}: {source}")]
    Io {
        /// What was being done.
        step: &'static str,
        /// To what.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl BuildError {
    /// What to do about it, if there is something to say.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Compile(messages) => return messages.iter().find_map(|message| message.help.clone()),
            Self::CompilerExceeded(Exceeded::Stack) => {
                "deep nesting or recursion in types, macros or expressions makes compilers crash; write flatter code".to_owned()
            }
            Self::CompilerExceeded(Exceeded::Crash) => {
                "a crash is a fault of the compiler, but this source brings it about: run `rustc` on it to see where, and write that part in another way".to_owned()
            }
            Self::CompilerExceeded(Exceeded::Time { .. } | Exceeded::Memory { .. }) => {
                "look for loops in `const` items, huge arrays, and macros or types that grow by themselves".to_owned()
            }
            Self::Late { .. } | Self::Killed { .. } => {
                "this says nothing about the strategy: try again when the machine has less to do, or with fewer --jobs".to_owned()
            }
            Self::Dependencies(findings) => return findings.iter().next().map(|finding| finding.hint.clone()),
            Self::Cargo { .. } => {
                "dependencies are taken only from the local registry cache; run `cargo fetch` once in the crate".to_owned()
            }
            Self::NotAStrategy { .. } => {
                "implement `assay_sdk::Strategy` for a type and add `assay_sdk::export!(TheType);`; use only what the SDK offers".to_owned()
            }
            Self::Toolchain(error) => error.hint(),
            Self::Sdk { .. } | Self::CompilerFailed { .. } => {
                "this is a full disk, or a bug in Assay or in the toolchain: make room, or try the newest stable Rust".to_owned()
            }
            Self::Io { source, .. } if matches!(source.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied) => {
                "name another cache folder with --cache-dir or ASSAY_CACHE_DIR".to_owned()
            }
            Self::Jail(_) | Self::Io { .. } => return None,
        };
        Some(hint)
    }

    /// Whether the strategy is to blame, rather than the machine or this program.
    #[must_use]
    pub fn is_fault_of_source(&self) -> bool {
        match self {
            Self::CompilerExceeded(_)
            | Self::Compile(_)
            | Self::Dependencies(_)
            | Self::Cargo { .. }
            | Self::NotAStrategy { .. } => true,
            Self::Late { .. }
            | Self::Killed { .. }
            | Self::CompilerFailed { .. }
            | Self::Toolchain(_)
            | Self::Sdk { .. }
            | Self::Jail(_)
            | Self::Io { .. } => false,
        }
    }

    pub(crate) fn io(step: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { step, path, source }
    }
}
