//! What a strategy was compared with, in words, and how far its own figures are known.

use crate::format::visible;
use assay_evaluate::{EpisodeRecord, Interval, RunRecord, Sample};

/// Characters shown of the name of a baseline.
const NAME_CHARS_MAX: usize = 60;

/// The strategy that somebody chose as the baseline, as a page names it; none for the trader that does nothing.
pub(crate) fn chosen(record: &RunRecord) -> Option<String> {
    record.baseline.as_ref().map(|baseline| visible(&baseline.file_name, NAME_CHARS_MAX))
}

/// What stood in the place of the strategy, as a page names it.
pub(crate) fn stand_in(record: &RunRecord) -> String {
    chosen(record).unwrap_or_else(|| "a trader that does nothing".to_owned())
}

/// The 95% interval of the mean of a measure of the strategy itself. A record has only that of the difference to the baseline.
pub(crate) fn own_interval(record: &RunRecord, key: &str) -> Option<Interval> {
    let valued = record.episodes.iter().filter_map(|episode| Some((episode.path(), value(episode, key)?)));
    Sample::of_paths(valued).estimate()?.interval
}

/// The value of a measure in a seed.
pub(crate) fn value(episode: &EpisodeRecord, key: &str) -> Option<f64> {
    episode.measures.get(key)?.value
}
