//! What ran and what runs, as pages in a browser.
//!
//! ```text
//! connection ──► listen ──► safety ──► router ──► library, index ──► pages ──► HTML
//!               (limits)   (Host, Origin, token)   (store, folders)  (escaped)
//! ```
//!
//! Invariants: a request reaches a page only through [`safety`]; a GET changes nothing but a cache of our own; everything that is read from stores and
//! folders is text from strangers, and is only ever shown as text; what is in an address is parsed into an id and never used as a path; every wait, body,
//! list and stream has a named limit; pages load nothing from elsewhere and work without script.
//!
//! Absent on purpose: printing, and how work is done: [`Work`] brings that. `docs/pages.md` describes it for users.

mod address;
mod api;
mod app;
mod chain;
mod charts;
mod code;
mod desk;
mod export;
mod form;
mod host;
mod id;
mod impatient;
mod index;
mod kind;
mod library;
mod lines;
mod listen;
mod live;
mod pages;
mod parameter;
mod place;
mod prefix;
mod query;
mod recording;
mod router;
mod safety;
mod spending;
mod starting;
mod tables;
mod text;
mod topic;
mod turn;
mod views;
mod watch;
mod words;
mod worlds;

use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

pub use assay_store::{ArtifactPlace, Location};
pub use export::{Exported, export};
pub use host::{Host, HostError};
pub use safety::{Secret, SecretError};
pub use starting::{CheckStrategy, Checked, Work};
pub use worlds::{WORLDS_PORT, WorldsAt, serve_worlds};

/// The port where none is named.
pub const PORT: u16 = 7_117;

/// What there is to show.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The record of runs; it need not be there yet.
    pub store: Location,
    /// Where the store's files are.
    pub artifacts: ArtifactPlace,
    /// Folders with results of runs, at any depth up to a limit. Nothing outside of them is read.
    pub folders: Vec<PathBuf>,
    /// The folder of all boards, if there may be one.
    pub boards: Option<PathBuf>,
    /// A folder of our own, for indexes of long files. It is made if it is not there.
    pub cache: PathBuf,
}

/// How to serve it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is shown.
    pub sources: Sources,
    /// Where to listen. Other addresses than this machine's own need a name in `hosts` and a secret that was chosen beforehand.
    pub address: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// Names, with or without a port, under which browsers may ask for pages, beside `localhost` and its addresses.
    pub hosts: Vec<Host>,
    /// The secret of the link; a new one if there is none.
    pub secret: Option<Secret>,
    /// Whether pages offer nothing that changes anything.
    pub read_only: bool,
    /// What looks at this machine for the page about it.
    pub examine: Option<Examine>,
    /// What starts work; without it, or where nothing may be changed, pages start none.
    pub work: Option<Work>,
}

impl Settings {
    /// Pages for whoever sits at this machine.
    #[must_use]
    pub const fn local(sources: Sources) -> Self {
        Self {
            sources,
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: PORT,
            hosts: Vec::new(),
            secret: None,
            read_only: false,
            examine: None,
            work: None,
        }
    }
}

/// How it is with one thing that Assay needs of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// There, and as it should be.
    Ok,
    /// There, with less than could be.
    Limited,
    /// Not there, and needed.
    Missing,
}

/// One thing that was looked at on this machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Check {
    /// What.
    pub name: String,
    /// How it is.
    pub condition: Condition,
    /// What was found.
    pub found: String,
    /// What mends it: a command where there is one.
    pub hint: Option<String>,
}

/// Looks at this machine. It must not attack anything, nor take long: it runs for each visit.
#[derive(Clone)]
pub struct Examine(pub Arc<dyn Fn() -> Vec<Check> + Send + Sync>);

impl std::fmt::Debug for Examine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Examine")
    }
}

/// Why there are no pages.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another process listens there.
    #[error("the port {0} is in use")]
    PortInUse(u16),
    /// It cannot be listened to.
    #[error("failed to listen on {address}: {why}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        why: std::io::Error,
    },
    /// Anybody on the network could ask, and there is no name by which to tell a browser's honest question from another page's.
    #[error("{0} can be reached from other machines, and that needs a host name and a token file")]
    Open(IpAddr),
    /// A folder cannot be used.
    #[error("failed to use the folder {}: {why}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// What happened.
        why: String,
    },
    /// The system gives no randomness, or no threads.
    #[error("failed to start the server: {0}")]
    Start(String),
}

impl ServeError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::PortInUse(_) => Some("name another one with --port, or use --port 0 for any that is free"),
            Self::Listen { .. } => Some("name another address with --listen, or another port with --port"),
            Self::Open(_) => Some(
                "give the name that people will type with --host, and a file with a token with --token-file; or leave out --listen",
            ),
            Self::Folder { .. } => Some("name a folder that exists"),
            Self::Start(_) => None,
        }
    }
}

/// Asks a server to end.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<tokio::sync::Notify>);

impl Stop {
    /// Ends it now, or as soon as it has started.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}

/// Serves pages until it is stopped. Once it listens, `ready` is told the link that lets a browser in.
///
/// # Errors
/// It cannot begin.
pub fn serve(settings: Settings, stop: &Stop, ready: impl FnOnce(&str)) -> Result<(), ServeError> {
    let runtime = listen::runtime()?;
    let jobs = settings.work.as_ref().map(|work| Arc::clone(&work.jobs));
    let served = runtime.block_on(listen::serve(settings, &stop.0, ready));
    runtime.shutdown_timeout(listen::END_WAIT);
    if let Some(jobs) = jobs {
        jobs.close();
    }
    served
}
