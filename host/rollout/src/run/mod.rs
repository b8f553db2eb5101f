//! A run: many episodes at once, in a folder that outlives a crash.
//!
//! ```text
//! planned ──► running ──► ended ──► grading ──► scored ──────────────► a line of results.jsonl
//!    ▲           │                     ▲ │ └────► unscored, for good ──► a line of results.jsonl ──┐
//!    │           │                     └─┴─ the engine failed, killed, cancelled, asked to ◄───────┤
//!    └───────────┴─ the provider failed, killed, cancelled, disk full, asked to ◄──────────────────┘
//! ```
//!
//! Invariants: an episode is finished exactly when `results.jsonl` has its line, or its trajectory has its score and only the line was lost; a
//! finished episode never runs again; one whose work ended is graded and never asks the model again; whatever else a crash leaves behind, the next start removes. Figures are computed from trajectories.

mod altered;
mod back;
mod bench;
mod beside;
mod cells;
mod clock;
mod deeds;
mod discarded;
mod doubt;
mod earlier;
mod episode;
mod error;
mod figures;
mod folder;
mod journal;
mod lines;
mod lock;
mod lost;
mod names;
mod progress;
mod record;
mod recovery;
mod runtime;
mod schedule;
mod sink;
mod spending;
mod unlisted;
mod workspaces;

pub use assay_run::{Stop, Trouble, TroubleKind};

pub use altered::{Altered, Stated, stated};
pub use bench::{BenchNews, EpisodeGrader, OUTAGE_MAX, PatientBench};
pub use cells::CellThreads;
pub use clock::WallClock;
pub use deeds::Deeds;
pub use doubt::{Doubt, Proven, lines_in_words};
pub use episode::{EpisodeRecord, EpisodeResult, EpisodeSpec, PlanError, SAMPLES_MAX, episode_seed, plan};
pub use error::FolderError;
pub use figures::{Figures, Interval, PassAt, figures, pass_all};
pub use folder::RunFolder;
pub use journal::{JournalError, read_journal, read_proven_journal_in};
pub use lines::DamagedLine;
pub use names::{JOURNAL_BYTES_MAX, JOURNAL_NAME};
pub use progress::Progress;
pub use record::{RUN_FORMAT, RunRecord};
pub use recovery::{Pending, Work};
pub use runtime::runtime;
pub use schedule::{RunEnd, ScheduleSettings, Watch, run};
pub use sink::{EpisodeFiles, SYNCS_AT_ONCE_MAX};
pub use spending::{Spending, asks_no_model};
pub use unlisted::unlisted;
pub use workspaces::Workspaces;
