//! What is fuzzed: one function for each reader of foreign bytes. It takes any bytes, and panics if a promise of that reader is broken.
//!
//! The targets of libFuzzer call these functions, and so does a test of the main workspace, over the whole corpus: what fuzzing has found once stays
//! found, without libFuzzer. Invariants: the same bytes do the same each time; nothing is written but into a temporary folder of one call.

#[cfg(feature = "engine")]
mod calls;
#[cfg(feature = "engine")]
mod cells;
#[cfg(feature = "engine")]
mod gate;
#[cfg(feature = "engine")]
mod generated;
mod market;
mod records;
#[cfg(feature = "engine")]
mod refine;
#[cfg(feature = "engine")]
mod rollout;
mod search;
mod source;
#[cfg(feature = "engine")]
mod sql;
#[cfg(feature = "engine")]
mod strangers;
#[cfg(feature = "engine")]
mod strategy;
#[cfg(feature = "engine")]
mod world;

#[cfg(feature = "engine")]
pub use calls::{calls, names};
#[cfg(feature = "engine")]
pub use cells::cells;
#[cfg(feature = "engine")]
pub use gate::{policy, verdict};
#[cfg(feature = "engine")]
pub use generated::generated;
pub use market::{event_log, exchange, lobster, scenario};
pub use records::{foreign_trace, patch, task_row, test_log, trajectory};
#[cfg(feature = "engine")]
pub use refine::refine_log;
#[cfg(feature = "engine")]
pub use rollout::{reply, tarball};
pub use search::search;
pub use source::source;
#[cfg(feature = "engine")]
pub use sql::{database, sql};
#[cfg(feature = "engine")]
pub use strangers::folder;
#[cfg(feature = "engine")]
pub use strategy::{component, module, use_helper};
#[cfg(feature = "engine")]
pub use world::world;

/// Where this process was started as a helper for jailed compilation: does that and ends.
#[cfg(feature = "engine")]
pub fn answer_as_helper() {
    let code = match std::env::args().nth(1).as_deref() {
        Some(assay_jail::HELPER_WORD) => assay_jail::helper_main(),
        Some(assay_sandbox::PRECOMPILE_WORD) => assay_sandbox::precompile_main(),
        _ => return,
    };
    std::process::exit(if code == std::process::ExitCode::SUCCESS { 0 } else { 3 });
}
