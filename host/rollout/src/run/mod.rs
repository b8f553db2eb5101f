//! A run: many episodes at once, in a folder that outlives a crash.
//!
//! ```text
//! planned ──► running ──► scored ───────────────► a line of results.jsonl
//!    ▲           │  └───► unscored, for good ───► a line of results.jsonl ──┐ --retry-unscored
//!    │           ├─ infrastructure, attempts left ──┐                       │
//!    └───────────┴─ killed, cancelled, disk full ───┴───────────────────────┘
//! ```
//!
//! Invariants: an episode is finished exactly when `results.jsonl` has its line, or its trajectory has its score and only the line was lost; a
//! finished episode never runs again; whatever else a crash leaves behind, the next start removes. Figures are computed from trajectories.

mod cells;
mod clock;
mod episode;
mod figures;
mod folder;
mod journal;
mod lock;
mod schedule;
mod sink;

pub use cells::CellThreads;
pub use clock::WallClock;
pub use episode::{
    EpisodeRecord, EpisodeResult, EpisodeSpec, PlanError, SAMPLES_MAX, Trouble, TroubleKind, episode_seed, plan,
};
pub use figures::{Figures, Interval, PassAt, figures};
pub use folder::{FolderError, RunFolder, RunRecord};
pub use journal::{JOURNAL_NAME, JournalError, read_journal};
pub use schedule::{RunEnd, ScheduleSettings, Stop, Watch, run};
pub use sink::{EpisodeFiles, SYNCS_AT_ONCE_MAX};
