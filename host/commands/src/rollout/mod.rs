//! What `assay rollout` does: a model repairs repositories, their tests decide.

mod board;
mod debug;
mod engines;
mod episode;
mod estimate;
mod events;
mod grade;
mod ledger;
mod plan;
mod run;
mod settings;
mod summary;
mod words;

use crate::Failure;
pub use debug::debug;
pub(crate) use engines::{PYTHON_HASH, open_bench, open_sessions, prices};
pub(crate) use estimate::Estimate;
pub use grade::grade;
pub(crate) use plan::budget;
pub use run::run;
pub(crate) use run::{conclude, runtime, schedule_settings, stop_on_interrupt, unusable};
pub use settings::{DebugSettings, EpisodeSettings, GradeSettings, RunSettings};

/// A library's error with its hint as one of ours.
fn usage(error: &dyn std::fmt::Display, hint: Option<&str>) -> Failure {
    let failure = Failure::usage(error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
