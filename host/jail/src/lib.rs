//! Runs a tool on hostile input with no network, little memory and one writable folder.
//!
//! Three processes take part, so that no code has to run between `fork` and `exec`:
//!
//! ```text
//! caller ──spawns──► helper (our own binary, `jail` word) ──spawns──► tool
//!        ◄─ socket ─  restricts itself, watches the tool    inherits every restriction
//! ```
//!
//! The helper enters namespaces, moves into a file tree of the named paths only, gives up its user id, sets resource limits and a
//! Landlock domain, and only then starts the tool, which inherits all of it. It kills the tool at the deadline and also when its
//! socket closes, so a jail never outlives its caller. Where the kernel allows a process-id namespace, killing the tool kills
//! everything it started; the tool is then process 1 there, which a signal from inside does not end: `abort` shows as a fault.
//!
//! Invariants: the tool sees no environment, argument or file descriptor that the caller did not name; every wait has an end;
//! captured output is bounded. What the kernel could not enforce is reported in [`Protections`], never assumed.
//!
//! Absent on purpose: system-call filters. A tool that finds a hole in the kernel is not contained.

mod allowance;
mod confine;
mod helper;
mod root;
mod run;
mod wire;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use allowance::Allowance;
pub use helper::helper_main;
use serde::{Deserialize, Serialize};

/// The hidden first argument with which the helper executable must call [`helper_main`].
pub const HELPER_WORD: &str = "jail";

/// Where the writable folder lies in a private root ([`Protections::private_root`]): tools that print, hash or embed where they work
/// give the same output wherever that is outside. Mentions of the outer path in arguments and environment are renamed.
pub const PRIVATE_WRITABLE: &str = "/assay-work";

/// What a jailed tool may use. Every limit is per jail unless it says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Address space of each process, in bytes.
    pub memory_bytes: u64,
    /// Processor time of each process, in seconds.
    pub cpu_seconds: u64,
    /// Wall-clock time of the whole run. It passes faster for the tool the busier the machine is.
    pub wall: Duration,
    /// Processes and threads together. Enforced where [`Protections::processes`] says so.
    pub processes: u64,
    /// Largest file that may be written, in bytes.
    pub file_bytes: u64,
    /// Open file descriptors of each process.
    pub open_files: u64,
    /// Bytes kept of each of standard output and standard error; the rest is counted and dropped.
    pub output_bytes: usize,
}

impl Limits {
    /// [`Limits::cpu_seconds`].
    #[must_use]
    pub const fn processor_time(&self) -> Duration {
        Duration::from_secs(self.cpu_seconds)
    }
}

/// A place to run tools: who enforces it, what can be reached, how much can be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jail {
    /// An executable that calls [`helper_main`] when its first argument is [`HELPER_WORD`].
    pub helper: PathBuf,
    /// Files and folders that may be read and executed. Paths that do not exist are passed over.
    pub read_only: Vec<PathBuf>,
    /// The one folder that may be read and written, never executed from.
    pub writable: PathBuf,
    /// Limits.
    pub limits: Limits,
}

/// A tool and what it is given. It starts in the writable folder with exactly this environment, the
/// writable folder's path renamed to [`PRIVATE_WRITABLE`] where that is its name. There is no `/proc`: a program that finds
/// its libraries next to itself needs them named in `LD_LIBRARY_PATH`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invocation {
    /// Executable, as an absolute path.
    pub program: PathBuf,
    /// Arguments without the program's own name.
    pub args: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// What standard input holds.
    pub stdin: Vec<u8>,
}

/// How a jailed run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The tool returned this exit code.
    Exited(i32),
    /// The tool died of this signal.
    Signalled(i32),
    /// The tool died complaining about memory: the address-space limit, as far as can be told from outside.
    OutOfMemory,
    /// The tool used up [`Limits::cpu_seconds`].
    ProcessorTime,
    /// The tool was killed long before it had used that: the machine ran out of memory, or somebody meddled.
    KilledByKernel,
    /// The wall-clock limit was reached and everything was killed.
    Deadline,
}

/// One captured output stream.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Captured {
    /// The first [`Limits::output_bytes`] bytes.
    pub bytes: Vec<u8>,
    /// How many more there were.
    pub dropped_bytes: u64,
}

/// File protection by Landlock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Landlock {
    /// Files, TCP, abstract sockets and signals are confined (kernel ABI 6 or later).
    Full,
    /// Files are confined, some of the rest is not.
    Partial,
    /// The kernel offers no Landlock: the tool reads what its user can read.
    None,
}

/// What stops the tool from reaching the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Network {
    /// A network namespace of its own without any interface: nothing leaves, of any protocol.
    Namespace,
    /// Landlock refuses TCP; other protocols are open.
    Landlock,
    /// Nothing.
    None,
}

/// Which protections held, as reported by the helper after it applied them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Protections {
    /// File protection.
    pub landlock: Landlock,
    /// The version of Landlock's interface that both sides know; 0 without it.
    pub landlock_abi: u32,
    /// Network protection.
    pub network: Network,
    /// Only the named paths exist. Where this is false, a tool sees which files there are and, before Landlock ABI 9, can connect
    /// to UNIX sockets by path.
    pub private_root: bool,
    /// The tool has a process-id namespace: killing it kills all that it started.
    pub process_tree: bool,
    /// [`Limits::processes`] is enforced.
    pub processes: bool,
}

/// What came out of a jailed run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JailedOutput {
    /// How it ended.
    pub ended: Ended,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// Which protections held.
    pub protections: Protections,
    /// What the tool and all that it waited for have computed.
    pub processor: Duration,
    /// Wall-clock time from start to end.
    pub elapsed: Duration,
}

/// Why a tool could not be run in a jail at all. What the tool itself did is never an error.
#[derive(Debug, thiserror::Error)]
pub enum JailError {
    /// The helper executable did not start.
    #[error("failed to start the jail helper {helper}: {source}")]
    Helper {
        /// The executable.
        helper: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The helper could not set the jail up, or could not start the tool in it.
    #[error("failed to {step}: {message}")]
    Setup {
        /// What was being done.
        step: String,
        /// The system's words.
        message: String,
    },
    /// The helper ended without saying how the tool ended.
    #[error(
        "no answer from the jail helper {helper}: it exited early; check that it is an executable that supports `{HELPER_WORD}`"
    )]
    Silent {
        /// The executable.
        helper: PathBuf,
    },
    /// A pipe, socket or temporary file failed.
    #[error("failed to {step}: {source}")]
    Io {
        /// What was being done.
        step: &'static str,
        /// Why.
        source: std::io::Error,
    },
}

impl Jail {
    /// Runs a tool to its end or to the limits.
    ///
    /// # Errors
    /// When the jail could not be set up; see [`JailError`].
    pub fn run(&self, invocation: &Invocation) -> Result<JailedOutput, JailError> {
        run::run(self, invocation)
    }
}

/// The folders and files a dynamically linked program needs to start: the loader, its cache and the system's libraries.
#[must_use]
pub fn system_libraries() -> Vec<PathBuf> {
    // /nix/store is where every library lives on NixOS and Guix-like systems; absent paths are passed over.
    [
        "/lib",
        "/lib32",
        "/lib64",
        "/usr/lib",
        "/usr/lib32",
        "/usr/lib64",
        "/usr/local/lib",
        "/etc/ld.so.cache",
        "/nix/store",
    ]
    .iter()
    .map(Path::new)
    .filter(|path| path.exists())
    .map(Path::to_path_buf)
    .collect()
}
