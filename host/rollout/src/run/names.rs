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

/// Task, sample and attempt of an episode's name.
pub(super) fn parts_of(id: &str) -> Option<(&str, u32, u32)> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0 && number.to_string() == text);
    let (rest, attempt) = match id.rsplit_once(".a") {
        Some((rest, digits)) if number(digits).is_some() => (rest, number(digits)?),
        _ => (id, 1),
    };
    let (task, sample) = rest.rsplit_once(".s")?;
    Some((task, number(sample)?, attempt))
}
