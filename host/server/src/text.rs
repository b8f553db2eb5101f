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

/// The same without the folders of this machine, for whoever reads an export: of a path from the root on, the last name; of `--dir` with such a path, nothing.
pub(crate) fn placeless(text: &str) -> String {
    let (mut out, mut rest, mut before) = (String::with_capacity(text.len()), text, None);
    while let Some(next) = rest.chars().next() {
        let can_begin = before.is_none_or(|c: char| c.is_whitespace() || "\"'`=(:,<[".contains(c));
        // `file:///x` names a path, `https://host/x` does not.
        let is_of_host = before == Some(':') && rest.starts_with("//") && !rest.starts_with("///");
        if next != '/' || !can_begin || is_of_host {
            out.push(next);
            (rest, before) = (&rest[next.len_utf8()..], Some(next));
            continue;
        }
        let quote = before.filter(|c| matches!(c, '\'' | '"' | '`'));
        let is_end = |c: char| match quote {
            Some(quote) => c == quote || c == '\n',
            None => c.is_whitespace() || "\"'`),;:<>]".contains(c),
        };
        let (path, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        (rest, before) = (after, Some('/'));
        let opening = quote.and_then(|quote| out.strip_suffix(quote)).unwrap_or(&out);
        let kept = opening.strip_suffix(" --dir ").or_else(|| opening.strip_suffix(" --dir="));
        match kept.map(str::len) {
            Some(kept) => {
                out.truncate(kept);
                rest = quote.and_then(|quote| rest.strip_prefix(quote)).unwrap_or(rest);
            }
            None => out.push_str(if last.is_empty() { "/" } else { last }),
        }
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_has_names_and_no_folders() {
        for (text, expected) in [
            ("assay refine resume one --dir /home/ada/refine", "assay refine resume one"),
            ("assay refine resume one --dir '/home/ada/my refine' --jobs 2", "assay refine resume one --jobs 2"),
            ("refine resume --dir=/home/ada/refine -- one", "refine resume -- one"),
            ("assay run /home/ada/a.rs --out=/tmp/x/ --seeds 2", "assay run a.rs --out=x --seeds 2"),
            ("assay run '/home/ada/my own/a.rs' src/b.rs", "assay run 'a.rs' src/b.rs"),
            ("scripted:/home/ada/model.jsonl, file:///home/x", "scripted:model.jsonl, file:x"),
            (
                "there is none at `/home/ada/x`: a / b, 1/2 of https://host/x",
                "there is none at `x`: a / b, 1/2 of https://host/x",
            ),
            ("/", "/"),
            ("é /é/ü", "é ü"),
            ("", ""),
        ] {
            assert_eq!(placeless(text), expected);
        }
    }
}
