//! What has been run: runs, iterations, scenarios, trajectories, KPIs and artifacts.
//!
//! One [`Store`] speaks to SQLite, a file in the project, and to PostgreSQL, for teams, with the same statements. Large things are
//! [`Artifacts`]: files named by the BLAKE3 of their content, in a folder or in an S3-compatible bucket.
//!
//! Invariants: a run is written whole or not at all, as often as one likes, by its id; a finished run is never opened again; what is
//! read from artifacts is what was written, or an error. Nothing here prints, waits without a bound, or deletes what it does not understand.

mod artifacts;
mod backend;
mod error;
mod guard;
mod id;
mod journal;
mod list;
mod location;
mod open;
mod owner;
mod read;
mod record;
mod schema;
mod write;

pub use artifacts::{ARTIFACT_BYTES_MAX, ArtifactError, ArtifactHash, ArtifactPlace, Artifacts};
pub use backend::{Access, Limits, Store};
pub use error::StoreError;
pub use id::{IdError, RunId};
pub use journal::{Journal, Readers};
pub use list::{COUNTED_MAX, Filter, Page, RESULTS_MAX, Total};
pub use location::{FOLDER, Location, LocationError, own_folder};
pub use owner::{Owner, Presence};
pub use read::BOARD_RUNS_MAX;
pub use record::{
    Artifact, Better, Iteration, Kind, Kpi, Run, RunDetail, RunEntry, RunRow, Scenario, Spread, Status, Time,
    Trajectory, Trouble,
};
pub use write::Known;
