//! What the files of a run are called in its folder, and how large they may be.

/// The journal's name in its folder.
pub const JOURNAL_NAME: &str = "results.jsonl";
/// Bytes of a journal that is read for somebody who waits, on a page say.
pub const JOURNAL_BYTES_MAX: u64 = 64 << 20;
/// The folder of the trajectories, beside it.
pub(super) const EPISODES: &str = "episodes";
/// The name of the run's record in its folder.
pub(super) const RECORD_NAME: &str = "run.json";
/// The largest `run.json`: a line for each task.
pub(super) const RECORD_BYTES_MAX: u64 = 256 << 20;
/// The longest line: reasons and flags are short texts.
pub(super) const LINE_BYTES_MAX: u64 = 1 << 20;
