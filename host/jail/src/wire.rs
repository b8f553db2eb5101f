//! What caller and helper say to each other: one JSON line of settings there, one JSON line of result back.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Limits, Protections};

/// Longest settings line the helper reads. Arguments and environments of compilers are a few KiB.
pub(crate) const SETTINGS_BYTES_MAX: u64 = 4 << 20;

/// Everything the helper needs to know.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) read_only: Vec<PathBuf>,
    pub(crate) writable: PathBuf,
    /// An empty folder on which a private file tree can be mounted.
    pub(crate) root: PathBuf,
    pub(crate) limits: Limits,
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    /// File that becomes standard input; `None` is an empty input.
    pub(crate) stdin: Option<PathBuf>,
}

/// The helper's one answer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The jail could not be built or the tool could not be started.
    Failed { step: String, message: String },
    /// The tool ran and ended.
    Ended { end: End, protections: Protections, processor: Duration },
}

/// How the tool ended, as the helper saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum End {
    Exited(i32),
    Signalled(i32),
    Deadline,
    /// The caller hung up.
    Abandoned,
}
