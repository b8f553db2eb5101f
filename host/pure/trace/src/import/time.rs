//! Times as others write them: ISO 8601, or a number since 1970.

use assay_model::Time;
use serde_json::Value;

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;
/// From here on a number counts milliseconds: as seconds it would be after the year 5000. Each unit is a thousand times finer than the last.
const MILLIS_MIN: f64 = 1e11;

/// The time of a value; none where it is none, or before 1970.
pub(super) fn time(value: &Value) -> Option<Time> {
    match value {
        Value::String(text) => iso8601(text),
        Value::Number(number) => match number.as_u64() {
            // Exact where it is nanoseconds already.
            Some(nanos) if nanos as f64 >= MILLIS_MIN * 1e6 => Some(Time(nanos)),
            _ => since_1970(number.as_f64()?),
        },
        _ => None,
    }
}

fn since_1970(number: f64) -> Option<Time> {
    let (mut unit, mut least) = (1e9, MILLIS_MIN);
    while number >= least && unit > 1.0 {
        (unit, least) = (unit / 1e3, least * 1e3);
    }
    let nanos = number * unit;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    (0.0..1.8e19).contains(&nanos).then_some(Time(nanos as u64))
}

/// `2026-01-02T03:04:05.678+01:00`; without a zone it is UTC.
fn iso8601(text: &str) -> Option<Time> {
    let (date, clock) = text.trim().split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (clock, offset_minutes) = zone(clock)?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut clock = clock.splitn(3, ':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next().unwrap_or(Some(0))?);
    let is_valid = (1970..=2500).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_valid || hour > 23 || minute > 59 || second > 60 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanos: u64 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    let seconds = seconds.checked_add_signed(-offset_minutes * 60)?;
    Some(Time(seconds.checked_mul(SECOND)?.checked_add(nanos)?))
}

/// The time of day without its zone, and by how many minutes the zone is before UTC.
fn zone(clock: &str) -> Option<(&str, i64)> {
    if let Some(clock) = clock.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(place) = clock.rfind(['+', '-']) else { return Some((clock, 0)) };
    let (clock, zone) = clock.split_at(place);
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) =
        (digits.get(..2)?.parse::<i64>().ok()?, digits.get(2..4).unwrap_or("0").parse::<i64>().ok()?);
    let minutes = hours * 60 + minutes;
    Some((clock, if zone.starts_with('-') { -minutes } else { minutes }))
}

/// Days since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`).
const fn days_from_civil(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::iso8601 as written;
    use serde_json::json;

    #[test]
    fn times_of_others() {
        let start = 1_767_323_045 * SECOND;
        for (value, expected) in [
            (json!("2026-01-02T03:04:05Z"), Some(start)),
            (json!("2026-01-02T04:04:05.25+01:00"), Some(start + SECOND / 4)),
            (json!("2026-01-01 22:04:05-0500"), Some(start)),
            (json!("2026-01-02T03:04:05.123456789"), Some(start + 123_456_789)),
            (json!(1_767_323_045), Some(start)),
            (json!(1_767_323_045.5), Some(start + SECOND / 2)),
            (json!(1_767_323_045_000_u64), Some(start)),
            (json!(start + 7), Some(start + 7)),
            (json!("yesterday"), None),
            (json!("1969-12-31T00:00:00Z"), None),
            (json!("1970-01-01T00:00:00+23:00"), None),
            (json!(-3), None),
            (json!(null), None),
        ] {
            assert_eq!(time(&value), expected.map(Time), "{value}");
        }
        let day = Time(1_709_164_800 * SECOND);
        assert_eq!(time(&json!(written(day))), Some(day), "a leap day, there and back");
    }
}
