//! Numbers of a run in words.

pub(super) use assay_model::dollars;
use assay_rollout::run::{EpisodeRecord, EpisodeResult, Interval};
use std::time::Duration;

/// `0.43 [0.21, 0.66]`: never without its interval.
pub(super) fn interval(value: &Interval) -> String {
    format!("{:.2} {}", value.estimate, ends(value))
}

/// `[0.21, 0.66]`.
pub(super) fn ends(value: &Interval) -> String {
    match (value.low, value.high) {
        (Some(low), Some(high)) => format!("[{low:.2}, {high:.2}]"),
        _ => "[unknown]".to_owned(),
    }
}

/// `850`, `12.3k`, `4.5M`.
pub(super) fn count(number: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", number / unit, number % unit * 10 / unit);
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", tenths(1_000)),
        _ => format!("{}M", tenths(1_000_000)),
    }
}

/// `3:20` or `1:03:20`.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// What became of an episode.
pub(super) fn result(record: &EpisodeRecord) -> String {
    let cost = record.cost_microdollars.map_or_else(|| "cost unknown".to_owned(), dollars);
    let tokens =
        record.tokens.map_or_else(|| "tokens unknown".to_owned(), |tokens| format!("{} tokens", count(tokens)));
    let flags: Vec<&str> = record.flags.iter().map(String::as_str).collect();
    let flags = if flags.is_empty() { String::new() } else { format!(", flags: {}", flags.join(" ")) };
    match record.result {
        EpisodeResult::Scored { reward, outcome } => {
            format!(
                "{} reward {reward} ({}), {} steps, {tokens}, {cost}{flags}",
                outcome.name(),
                record.reason,
                record.steps
            )
        }
        EpisodeResult::Unscored => format!("unscored: {}{flags}", record.reason),
    }
}
