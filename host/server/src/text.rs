//! Words, numbers and foreign text for pages.

use chrono::DateTime;
use maud::{Markup, html};

/// Characters of a name.
pub(crate) const NAME_CHARS_MAX: usize = 160;
/// Characters of a line of a text from outside.
const LINE_CHARS_MAX: usize = 4_000;
/// Lines of a text from outside.
const LINES_MAX: usize = 4_000;

/// A name from outside on one line, with every character visible.
pub(crate) fn name(text: &str) -> String {
    assay_report::visible(text, NAME_CHARS_MAX)
}

/// A sentence from outside, an error with its hint say, on one line.
pub(crate) fn words(text: &str) -> String {
    assay_report::visible(text, LINE_CHARS_MAX)
}

/// A text from outside that somebody else has cut, on one line.
pub(crate) fn whole(text: &str) -> String {
    assay_report::visible(text, text.len())
}

/// A text from outside with its lines, as a block; what is too long is cut, and that is said.
pub(crate) fn block(text: &str) -> Markup {
    let lines = text.split('\n').take(LINES_MAX).map(|line| assay_report::visible(line, LINE_CHARS_MAX));
    let shown = lines.collect::<Vec<_>>().join("\n");
    let left_out = text.split('\n').count().saturating_sub(LINES_MAX);
    html! {
        pre tabindex="0" { (shown) }
        @if left_out > 0 { p class="small" { (counted(left_out, "more line", "more lines")) } }
    }
}

/// A text to be changed by a person: what cannot be seen, or shows the rest in another order, is written out. And how many characters that were.
pub(crate) fn editable(text: &str) -> (String, usize) {
    let (mut out, mut hidden) = (String::with_capacity(text.len()), 0_usize);
    for char in text.chars() {
        if matches!(char, '\n' | '\t') || !(char.is_control() || assay_validator::is_hidden(char)) {
            out.push(char);
        } else {
            out.extend(char.escape_unicode());
            hidden += 1;
        }
    }
    (out, hidden)
}

/// A moment of the wall clock to the second, UTC.
pub(crate) fn moment(at_ms: i64) -> String {
    DateTime::from_timestamp_millis(at_ms)
        .map_or_else(|| "unknown".to_owned(), |moment| moment.format("%Y-%m-%d %H:%M:%S").to_string())
}

/// A time of a market, to the nanosecond.
pub(crate) fn clock(at_ns: u64) -> String {
    let at = DateTime::from_timestamp_nanos(i64::try_from(at_ns).unwrap_or(i64::MAX));
    at.format("%H:%M:%S%.9f").to_string()
}

/// Cents as dollars.
pub(crate) fn price(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}${}.{:02}", cents.unsigned_abs() / 100, cents.unsigned_abs() % 100)
}

/// A number with the digits that matter.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => "not a number".to_owned(),
        size if size == 0.0 || (100.0..1e15).contains(&size) => format!("{value:.0}"),
        size if (1.0..100.0).contains(&size) => format!("{value:.2}"),
        size if (1e-3..1.0).contains(&size) => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}

/// A whole number with thousands apart.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `singular` or `plural` after the count.
pub(crate) fn counted(value: impl TryInto<u64>, singular: &str, plural: &str) -> String {
    let value = value.try_into().unwrap_or(u64::MAX);
    format!("{} {}", count(value), if value == 1 { singular } else { plural })
}

/// Micro-dollars as dollars.
pub(crate) fn dollars(microdollars: u64) -> String {
    format!("${:.4}", microdollars as f64 / 1e6)
}

/// A mean with its interval; never without a word about it.
pub(crate) fn spread(mean: f64, interval: Option<(f64, f64)>) -> String {
    match interval {
        Some((low, high)) => format!("{} [{}, {}]", number(mean), number(low), number(high)),
        None => format!("{} (no interval)", number(mean)),
    }
}

/// Seconds for people.
pub(crate) fn duration(milliseconds: u64) -> String {
    match milliseconds / 1_000 {
        0..120 => format!("{:.1} s", milliseconds as f64 / 1e3),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3_600.0),
    }
}
