//! Times and numbers of runs for people.

use crate::{Failure, face};
use assay_evaluate::Estimate;
pub(super) use assay_results::{estimate_json, spread_json};
use assay_store::{Spread, Time};
use chrono::{DateTime, NaiveDate, NaiveTime};

/// Characters of a name in a table.
const NAME_CHARACTERS: usize = 32;

/// A moment to the second, UTC.
pub(super) fn moment(time: Time) -> String {
    DateTime::from_timestamp_millis(time.0)
        .map_or_else(|| "unknown".to_owned(), |moment| moment.format("%Y-%m-%d %H:%M:%S").to_string())
}

/// A day, or a span back from now.
pub(super) fn since(text: &str) -> Result<Time, Failure> {
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Ok(Time(day.and_time(NaiveTime::MIN).and_utc().timestamp_millis()));
    }
    let span = || {
        let units = [("min", 60), ("s", 1), ("h", 3_600), ("d", 86_400), ("w", 604_800)];
        let (number, seconds) = units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))?;
        number.parse::<u32>().ok().map(|number| i64::from(number) * seconds * 1_000)
    };
    let span = span().ok_or_else(|| {
        Failure::usage(format!("`{text}` is neither a date nor a time span"))
            .hint("use a date such as 2026-05-31 (UTC), or a time span before now such as 30min, 2h, 7d or 4w")
    })?;
    Ok(Time(Time::now().0 - span))
}

/// A name from outside that fits into a table.
pub(super) fn short(name: &str) -> String {
    let name = face::visible(name);
    match name.char_indices().nth(NAME_CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

/// A number with the digits that matter.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (100.0..1e15).contains(&size) => format!("{value:.0}"),
        size if (1.0..100.0).contains(&size) => format!("{value:.2}"),
        size if (1e-3..1.0).contains(&size) => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}

/// A mean with its interval; never without a word about it.
pub(super) fn spread(spread: &Spread) -> String {
    match spread.interval {
        Some((low, high)) => format!("{} [{}, {}]", number(spread.mean), number(low), number(high)),
        None if spread.n == 1 => format!("{} (1 seed)", number(spread.mean)),
        None => format!("{} (no interval)", number(spread.mean)),
    }
}

/// As [`spread`], of cents in dollars.
pub(super) fn dollars(spread: &Spread) -> String {
    let dollars = |cents: f64| format!("{:.2}", cents / 100.0 + 0.0);
    match spread.interval {
        Some((low, high)) => format!("{} [{}, {}]", dollars(spread.mean), dollars(low), dollars(high)),
        None if spread.n == 1 => format!("{} (1 seed)", dollars(spread.mean)),
        None => format!("{} (no interval)", dollars(spread.mean)),
    }
}

/// A difference with its interval.
pub(super) fn estimate(estimate: &Estimate) -> String {
    match estimate.interval {
        Some(interval) => {
            format!("{} [{}, {}]", number(estimate.mean), number(interval.low), number(interval.high))
        }
        None => format!("{} (no interval)", number(estimate.mean)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_that_matter() {
        for (value, expected) in [
            (0.0, "0"),
            (-12345.6, "-12346"),
            (12.345, "12.35"),
            (0.01234, "0.0123"),
            (1e-9, "1.00e-9"),
            (1e20, "1.00e20"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn since_takes_days_and_spans() {
        assert_eq!(since("1970-01-02").ok(), Some(Time(86_400_000)));
        let hour = Time::now().0 - since("1h").ok().unwrap().0;
        assert!((3_600_000..3_660_000).contains(&hour), "{hour}");
        for wrong in ["", "h", "1", "-1h", "1.5h", "yesterday", "2026-13-01"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}
