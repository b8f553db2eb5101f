//! Dates that are written in numbers.
//!
//! Invariants: `12/03/2026` means both of what it can mean; whatever may as well be something else is found beside it, not instead. Linear in the
//! text's length: of each number, no more is read than a date has.

use std::ops::Range;

use crate::months::is_year;
use crate::told::{Shape, Told};

/// Words before which `30.12` is a date.
const BEFORE: &[&str] = &["on", "by", "due", "until", "am", "bis"];

/// A date, and whether its numbers can be nothing else.
pub(crate) struct Found {
    pub date: Told,
    pub is_sure: bool,
}

/// A number of a date, or of something else.
struct Part<'t> {
    digits: &'t str,
    end: usize,
}

/// The dates in a text.
pub(crate) fn numeric_dates(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut index = 0;
    while index < bytes.len() {
        if !bytes[index].is_ascii_digit() {
            index += 1;
            continue;
        }
        let run = bytes[index..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let date = if run <= 8 && begins(text, index) { date_at(text, index) } else { None };
        match date {
            Some(date) => {
                index = date.date.place.end.max(index + run);
                found.push(date);
            }
            None => index += run,
        }
    }
    found
}

/// Whether a number begins here that is no part of another one or of a word.
fn begins(text: &str, index: usize) -> bool {
    let mut back = text[..index].chars().rev();
    match back.next() {
        Some('.' | '/' | '-') => !back.next().is_some_and(char::is_alphanumeric),
        other => !other.is_some_and(char::is_alphanumeric),
    }
}

/// The number at a place: of at most eight digits.
fn part(text: &str, at: usize) -> Option<Part<'_>> {
    let length = text.as_bytes().get(at..)?.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    (1..=8).contains(&length).then(|| Part { digits: &text[at..at + length], end: at + length })
}

/// The mark between two numbers, how it is spaced, and where the next number begins.
fn mark(text: &str, at: usize) -> Option<(char, bool, usize)> {
    let rest = text.get(at..)?;
    let is_spaced = rest.starts_with(' ');
    let mark = rest.chars().nth(usize::from(is_spaced)).filter(|c| matches!(c, '-' | '/' | '.'))?;
    let next = at + usize::from(is_spaced) + 1;
    let has_space = text[next..].starts_with(' ');
    let fits = if mark == '.' { !is_spaced } else { is_spaced == has_space };
    fits.then_some((mark, has_space, next + usize::from(has_space)))
}

/// Whether a date can end here: the next character belongs to no word, and no further number follows a mark.
fn ends(text: &str, at: usize) -> bool {
    let mut next = text[at..].chars();
    match (next.next(), next.next()) {
        (Some('.' | '/'), Some(c)) => !c.is_ascii_digit(),
        (Some('-'), after) => after.is_none_or(|c| !c.is_alphanumeric()),
        (Some('t'), Some(c)) => c.is_ascii_digit(),
        (Some(c), _) => !c.is_alphanumeric(),
        (None, _) => true,
    }
}

/// A date's meaning, if there is such a day.
fn meaning(year: &str, month: &str, day: &str) -> Option<String> {
    let (month, day): (u32, u32) = (month.parse().ok()?, day.parse().ok()?);
    let is_day = (1..=12).contains(&month) && (1..=31).contains(&day);
    let year = if year.is_empty() { String::new() } else { format!("{year}-") };
    is_day.then(|| format!("{year}{month:02}-{day:02}"))
}

fn found(text: &str, place: Range<usize>, meanings: [Option<String>; 2], is_sure: bool) -> Option<Found> {
    let [first, second] = meanings;
    let (meaning, other) = match first {
        Some(first) => (first, second),
        None => (second?, None),
    };
    let date = Told::new(Shape::Date, meaning, text[place.clone()].to_owned(), place).or(other);
    Some(Found { date, is_sure })
}

fn date_at(text: &str, start: usize) -> Option<Found> {
    let first = part(text, start)?;
    if first.digits.len() == 8 {
        let is_meant = first.digits.starts_with("19") || first.digits.starts_with("20");
        let meant = meaning(&first.digits[..4], &first.digits[4..6], &first.digits[6..]);
        return (is_meant && ends(text, first.end))
            .then(|| found(text, start..first.end, [meant, None], false))
            .flatten();
    }
    let (between, is_spaced, next) = mark(text, first.end)?;
    let second = part(text, next)?;
    let third = mark(text, second.end)
        .filter(|(mark, spaced, _)| (*mark, *spaced) == (between, is_spaced))
        .and_then(|(_, _, next)| part(text, next));
    match third {
        Some(third) => of_three(text, start, between, [&first, &second, &third]),
        None if !is_spaced => of_two(text, start, between, &first, &second),
        None => None,
    }
}

/// `2026-12-03`, `2026/12/3`, `3.12.2026`, `12/03/2026`, `03-12-26`, and the time behind it.
fn of_three(text: &str, start: usize, mark: char, parts: [&Part<'_>; 3]) -> Option<Found> {
    let [first, second, third] = parts;
    if !ends(text, third.end) {
        return None;
    }
    let lengths = [first.digits.len(), second.digits.len(), third.digits.len()];
    let are_two = lengths == [2, 2, 2];
    let (meanings, is_sure) = match lengths {
        [4, 1..=2, 1..=2] if is_year(first.digits) => {
            let is_sure = mark != '.' || lengths == [4, 2, 2];
            ([meaning(first.digits, second.digits, third.digits), None], is_sure)
        }
        [1..=2, 1..=2, 4] | [2, 2, 2] if are_two || is_year(third.digits) => {
            let year = if are_two { format!("20{}", third.digits) } else { third.digits.to_owned() };
            let [day_first, month_first] =
                [(second, first), (first, second)].map(|(month, day)| meaning(&year, month.digits, day.digits));
            let is_one = mark == '.' && day_first.is_some() || day_first == month_first;
            ([day_first, month_first.filter(|_| !is_one)], !are_two || mark != '.')
        }
        _ => return None,
    };
    let end = if is_sure { time_end(text, third.end) } else { third.end };
    found(text, start..end, meanings, is_sure)
}

/// `3/12`, `30.12.`, `due 30.12`.
fn of_two(text: &str, start: usize, mark: char, first: &Part<'_>, second: &Part<'_>) -> Option<Found> {
    if first.digits.len() > 2 || second.digits.len() > 2 || !ends(text, second.end) {
        return None;
    }
    let day_first = meaning("", second.digits, first.digits);
    let month_first = meaning("", first.digits, second.digits).filter(|other| Some(other) != day_first.as_ref());
    let has_point = text[second.end..].starts_with('.');
    let comes_after = || text[..start].trim_end().rsplit(|c: char| !c.is_alphabetic()).next();
    match mark {
        '/' => found(text, start..second.end, [day_first, month_first], false),
        '.' if has_point => found(text, start..second.end + 1, [day_first, None], false),
        '.' if comes_after().is_some_and(|word| BEFORE.contains(&word)) => {
            found(text, start..second.end, [day_first, None], false)
        }
        _ => None,
    }
}

/// Where the time behind a date ends: `T00:00:00Z`, ` 14:30`.
fn time_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let two = |index: usize| (index..index + 2).all(|index| bytes.get(index).is_some_and(u8::is_ascii_digit));
    if !matches!(bytes.get(at), Some(b't' | b' ')) || !two(at + 1) || bytes.get(at + 3) != Some(&b':') || !two(at + 4) {
        return at;
    }
    let mut end = at + 6;
    if bytes.get(end) == Some(&b':') && two(end + 1) {
        end += 3;
        if bytes.get(end) == Some(&b'.') {
            let digits = bytes[end + 1..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
            end += if digits == 0 { 0 } else { digits + 1 };
        }
    }
    if bytes.get(end) == Some(&b'z') {
        return end + 1;
    }
    let has_offset = matches!(bytes.get(end), Some(b'+' | b'-')) && two(end + 1) && bytes.get(end + 3) == Some(&b':');
    if has_offset && two(end + 4) { end + 6 } else { end }
}
