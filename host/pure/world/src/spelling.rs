//! How values and words stand in a text: dates, numbers, versions and ids in any spelling, and wrong answers among them.
//!
//! Invariants: words are found as whole words; a date or a number is the same in each of its spellings; reading is bounded by `MESSAGE_BYTES_MAX`.

use std::ops::Range;

use crate::limits::MESSAGE_BYTES_MAX;
use crate::words::cut;

/// The names of months; their first three letters are others.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// What a value looks like. Words without a digit have no shape.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Shape {
    /// A number without a point.
    Number,
    /// One with a point, as amounts of money have it.
    Amount,
    /// Several numbers with points between them, as versions have it.
    Version,
    Date,
    Id,
}

/// A value in a text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Told {
    pub shape: Shape,
    /// What it means, whatever its spelling: a number without zeros that say nothing, a date as `2026-12-04`, or `12-04` where no year is told.
    meaning: String,
    /// As it is written, in small letters.
    pub written: String,
}

impl Told {
    /// Whether it counts among the values of a shape: `6.4` may be an amount or a version.
    fn can_be(&self, shape: Shape) -> bool {
        self.shape == shape || (shape, self.shape) == (Shape::Version, Shape::Amount)
    }

    /// Whether it can be read as the same version: `6.4` is `6.4.0`.
    fn is_version(&self, other: &Self) -> bool {
        let parts = |told: &Self| told.written.trim_end_matches(".0").to_owned();
        self.can_be(Shape::Version) && other.can_be(Shape::Version) && parts(self) == parts(other)
    }

    /// Whether it can be read as this value.
    pub(crate) fn means(&self, meant: &Self) -> bool {
        if meant.shape == Shape::Version { self.is_version(meant) } else { self.is_same(meant) }
    }

    /// Whether two spellings mean the same. A date without a year can be that of any year.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.meaning.as_str(), other.meaning.as_str());
        match (self.shape, other.shape) {
            (Shape::Date, Shape::Date) => ours.ends_with(theirs) || theirs.ends_with(ours),
            (Shape::Number | Shape::Amount, Shape::Number | Shape::Amount) => ours == theirs,
            (our, their) => our == their && ours == theirs,
        }
    }
}

/// How many values of a shape mean different things; counting ends beyond `most`.
pub(crate) fn different<'t>(values: impl Iterator<Item = &'t Told>, shape: Shape, most: usize) -> usize {
    let mut found: Vec<&Told> = Vec::new();
    for value in values.filter(|value| value.can_be(shape)) {
        match found.iter().position(|one| one.is_same(value)) {
            // The one with its year says more.
            Some(index) if found[index].meaning.len() < value.meaning.len() => found[index] = value,
            Some(_) => {}
            None => found.push(value),
        }
        if found.len() > most {
            break;
        }
    }
    found.len()
}

/// Whether texts hold one of these wrong answers.
#[must_use]
pub(crate) fn is_denied(wrong: &[String], texts: &[&str]) -> bool {
    if wrong.is_empty() {
        return false;
    }
    let texts: Vec<&str> = texts.iter().map(|text| cut(text, MESSAGE_BYTES_MAX)).collect();
    let told: Vec<Told> = texts.iter().flat_map(|text| values(text)).collect();
    let texts: Vec<String> = texts.into_iter().map(plain).collect();
    let is_wrong = |wrong: &String| {
        let meant = one_value(wrong).filter(|value| value.shape != Shape::Id);
        texts.iter().any(|text| says_plainly(text, &plain(wrong)))
            || meant.is_some_and(|meant| told.iter().any(|value| value.means(&meant)))
    };
    wrong.iter().any(is_wrong)
}

/// The value that a text is, where it is nothing else.
pub(crate) fn one_value(text: &str) -> Option<Told> {
    let (mut values, others) = read(text);
    (values.len() == 1 && others == 0).then(|| values.pop()).flatten()
}

/// The values in a text.
pub(crate) fn values(text: &str) -> Vec<Told> {
    read(text).0
}

/// The values in a text, and how many words are none.
fn read(text: &str) -> (Vec<Told>, usize) {
    let (words, mut values) = words(text);
    let mut is_read = vec![false; words.len()];
    for (place, word) in words.iter().enumerate() {
        let Some(month) = month(word) else { continue };
        for (date, places) in named_dates(&words, &is_read, place, month) {
            is_read[places].fill(true);
            values.push(date);
        }
    }
    let mut others = 0;
    for (word, _) in words.iter().zip(&is_read).filter(|(_, is_read)| !**is_read) {
        match told(word) {
            Some(value) => values.push(value),
            None => others += 1,
        }
    }
    (values, others)
}

/// The words and numbers of a text. A number keeps the sign before it. One with a decimal comma is an amount, and beside it, for whoever means a list by
/// it, two numbers.
fn words(text: &str) -> (Vec<String>, Vec<Told>) {
    let characters: Vec<char> = plain(text).chars().collect();
    let is =
        |index: Option<usize>, test: fn(&char) -> bool| index.and_then(|index| characters.get(index)).is_some_and(test);
    let is_part = |index: usize| {
        let (before, after) = (index.checked_sub(1), Some(index + 1));
        match characters[index] {
            '.' => is(before, char::is_ascii_digit) && is(after, char::is_ascii_digit),
            '-' | '\u{2212}' if is(after, char::is_ascii_digit) && !is(before, |c| c.is_alphanumeric()) => true,
            '-' => is(before, |c| c.is_alphanumeric()) && is(after, |c| c.is_alphanumeric()),
            other => other.is_alphanumeric(),
        }
    };
    let (mut found, mut amounts) = (Vec::new(), Vec::new());
    let mut token = String::new();
    for index in 0..=characters.len() {
        if index < characters.len() && is_part(index) {
            token.push(if characters[index] == '\u{2212}' { '-' } else { characters[index] });
        } else if !token.is_empty() {
            let mut token = std::mem::take(&mut token);
            let cents = characters.get(index + 1..index + 3).filter(|cents| cents.iter().all(char::is_ascii_digit));
            let goes_on = is(Some(index + 3), |c| *c == ',') && is(Some(index + 4), char::is_ascii_digit);
            let ends = !goes_on && !is(Some(index + 3), |c| c.is_alphanumeric());
            let begins = !is(index.checked_sub(token.chars().count() + 1), |c| *c == ',');
            let whole = token.replace('.', "");
            if is(Some(index), |c| *c == ',')
                && begins
                && ends
                && whole.bytes().all(|byte| byte.is_ascii_digit())
                && let Some(cents) = cents
            {
                let cents: String = cents.iter().collect();
                amounts.extend(told(&format!("{whole}.{cents}")));
                token = whole;
            }
            if token.split('-').any(|part| month(part).is_some()) {
                found.extend(token.split('-').filter(|part| !part.is_empty()).map(str::to_owned));
            } else {
                found.push(token);
            }
        }
    }
    (found, amounts)
}

/// The number of a month, from 1.
fn month(word: &str) -> Option<usize> {
    let is_named = |name: &&str| word == *name || word == &name[..3] || word == "sept" && *name == "september";
    MONTHS.iter().position(is_named).map(|index| index + 1)
}

/// The day that a word is: `4`, `04`, `4th`.
fn day(word: &str) -> Option<u32> {
    let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (digits, rest) = word.split_at(end);
    let is_day = digits.len() <= 2 && matches!(rest, "" | "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| is_day && (1..=31).contains(day))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()) && word.starts_with(['1', '2'])
}

/// The dates whose month is the word at a place, with the places of their words: `4 December`, `4th of December 2026`, `2, 3 or 4 December`,
/// `December 4, 2026`.
fn named_dates(words: &[String], is_read: &[bool], place: usize, month: usize) -> Vec<(Told, Range<usize>)> {
    let date = |day: u32, year: Option<&String>, places: Range<usize>| {
        let year = year.map(|year| format!("{year}-")).unwrap_or_default();
        let written = words[places.clone()].join(" ");
        (Told { shape: Shape::Date, meaning: format!("{year}{month:02}-{day:02}"), written }, places)
    };
    let is_free = |index: &usize| !is_read[*index];
    let year_at = |index: usize| words.get(index).filter(|word| is_year(word));
    let mut dates = Vec::new();
    let (mut end, year) = match year_at(place + 1) {
        Some(year) => (place + 2, Some(year)),
        None => (place + 1, None),
    };
    let mut first = place;
    while let Some(before) = first.checked_sub(1).filter(is_free) {
        let joins: &[&str] = if dates.is_empty() { &["of"] } else { &["and", "or", "to"] };
        let index = if joins.contains(&words[before].as_str()) { before.checked_sub(1) } else { Some(before) };
        let Some((index, day)) = index.filter(is_free).and_then(|index| Some((index, day(&words[index])?))) else {
            break;
        };
        dates.push(date(day, year, index..end));
        (first, end) = (index, index);
    }
    if dates.is_empty()
        && let Some(day) = words.get(place + 1).and_then(|word| day(word))
    {
        let year = year_at(place + 2);
        dates.push(date(day, year, place..place + 2 + usize::from(year.is_some())));
    }
    dates
}

/// The value that a word is.
fn told(word: &str) -> Option<Told> {
    let (sign, number) = word.strip_prefix('-').map_or(("", word), |number| ("-", number));
    if !number.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lengths = |at: char| -> Vec<Option<usize>> {
        let length = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then_some(part.len());
        number.split(at).map(length).collect()
    };
    let (dashes, points) = (lengths('-'), lengths('.'));
    let (shape, meaning) = if dashes == [Some(4), Some(2), Some(2)] {
        (Shape::Date, number.to_owned())
    } else if let Some(date) = pointed_date(number) {
        (Shape::Date, date)
    } else if points.contains(&None) {
        (Shape::Id, number.to_owned())
    } else {
        let whole = number.trim_start_matches('0');
        match points.len() {
            1 => (Shape::Number, format!("{sign}{whole}")),
            2 => (Shape::Amount, format!("{sign}{}", whole.trim_end_matches('0').trim_end_matches('.'))),
            _ => (Shape::Version, number.to_owned()),
        }
    };
    Some(Told { shape, meaning, written: number.to_owned() })
}

/// The date that `4.12.2026` is.
fn pointed_date(number: &str) -> Option<String> {
    let mut parts = number.split('.');
    let (day_of, month_of, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month_of: usize = month_of.parse().ok().filter(|month| (1..=MONTHS.len()).contains(month))?;
    let day_of = day(day_of)?;
    (is_year(year) && parts.next().is_none()).then(|| format!("{year}-{month_of:02}-{day_of:02}"))
}

/// The text in small letters, without the commas that group the digits of a number by three.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let bytes = lower.as_bytes();
    let is_digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let groups = |index: usize| {
        index > 0 && is_digit(index - 1) && (1..=3).all(|next| is_digit(index + next)) && !is_digit(index + 4)
    };
    lower.char_indices().filter(|(index, c)| *c != ',' || !groups(*index)).map(|(_, c)| c).collect()
}

/// Whether a text says some words as whole words: without regard to case and to commas within numbers. A sign, and what stands before or after a point,
/// belong to a number.
pub(crate) fn says(text: &str, words: &str) -> bool {
    says_plainly(&plain(text), &plain(words))
}

fn says_plainly(text: &str, words: &str) -> bool {
    if words.is_empty() {
        return false;
    }
    let is_number = words.starts_with(|c: char| c.is_ascii_digit());
    let (has_dash, ends_in_digit) = (words.contains('-'), words.ends_with(|c: char| c.is_ascii_digit()));
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let comes_from = |before: &str| {
        let mut back = before.chars().rev();
        match back.next() {
            Some('.' | '\u{2212}') => is_number,
            Some('-') => is_number || has_dash && is_part(back.next()),
            other => words.starts_with(char::is_alphanumeric) && is_part(other),
        }
    };
    let goes_on = |rest: &str| {
        let mut next = rest.chars();
        match (next.next(), next.next()) {
            (Some('.'), Some(next)) => ends_in_digit && next.is_ascii_digit(),
            (Some('-'), Some(next)) => ends_in_digit && (next.is_ascii_digit() || has_dash && next.is_alphanumeric()),
            (other, _) => words.ends_with(char::is_alphanumeric) && is_part(other),
        }
    };
    text.match_indices(words)
        .any(|(place, found)| !comes_from(&text[..place]) && !goes_on(&text[place + found.len()..]))
}
