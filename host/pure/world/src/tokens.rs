//! The words and numbers of a text, each with its place.
//!
//! Invariant: what belongs to a date in numbers is no word. Linear in the text's length.

use std::ops::Range;

use crate::months::month;
use crate::numbers::{is_number, told};
use crate::told::{Told, Word};

/// The words and numbers of a text, in small letters, outside of what is `taken`: places in order. A number keeps the sign before it. One with a decimal comma
/// is an amount, and beside it, for whoever means a list by it, two numbers.
pub(crate) fn words(text: &str, taken: &[Range<usize>]) -> (Vec<Word>, Vec<Told>) {
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let start = |index: usize| characters.get(index).map_or(text.len(), |(start, _)| *start);
    let (mut found, mut amounts) = (Vec::new(), Vec::new());
    let mut taken = taken.iter().peekable();
    let mut begin = None;
    for index in 0..=characters.len() {
        while taken.next_if(|taken| taken.end <= start(index)).is_some() {}
        let is_free = !taken.peek().is_some_and(|taken| taken.contains(&start(index)));
        if index < characters.len() && is_free && is_part(&characters, index) {
            begin.get_or_insert(index);
        } else if let Some(begin) = begin.take() {
            let place = start(begin)..start(index);
            let mut word = text[place.clone()].to_owned();
            if let Some(cents) = cents(&characters, begin, index) {
                let whole = word.replace('.', "");
                if whole.bytes().all(|byte| byte.is_ascii_digit()) {
                    amounts.extend(told(&format!("{whole}.{cents}"), start(begin)..start(index + 3)));
                    word = whole;
                }
            }
            split(word, place, &mut found);
        }
    }
    (found, amounts)
}

/// Whether a character belongs to a word or number.
fn is_part(characters: &[(usize, char)], index: usize) -> bool {
    let is = |index: Option<usize>, test: fn(char) -> bool| {
        index.and_then(|index| characters.get(index)).is_some_and(|(_, c)| test(*c))
    };
    let is_digit: fn(char) -> bool = |c| c.is_ascii_digit();
    let (before, after) = (index.checked_sub(1), Some(index + 1));
    match characters[index].1 {
        '.' => is(before, is_digit) && is(after, is_digit),
        '-' if is(after, is_digit) && !is(before, char::is_alphanumeric) => true,
        '-' => is(before, char::is_alphanumeric) && is(after, char::is_alphanumeric),
        other => other.is_alphanumeric(),
    }
}

/// The two digits behind a decimal comma at `index`, where a number ends that began at `begin`. A list of numbers has none.
fn cents(characters: &[(usize, char)], begin: usize, index: usize) -> Option<String> {
    let at = |index: usize| characters.get(index).map(|(_, c)| *c);
    let goes_on = at(index + 3) == Some(',') && at(index + 4).is_some_and(|c| c.is_ascii_digit());
    let ends = !goes_on && !at(index + 3).is_some_and(char::is_alphanumeric);
    let begins = begin.checked_sub(1).and_then(at) != Some(',');
    let cents: String = characters.get(index + 1..index + 3)?.iter().map(|(_, c)| *c).collect();
    let are_digits = cents.bytes().all(|byte| byte.is_ascii_digit());
    (at(index) == Some(',') && begins && ends && are_digits).then_some(cents)
}

/// A word, or several: the parts of a date with the name of its month, and both ends of `8-14`.
fn split(word: String, place: Range<usize>, found: &mut Vec<Word>) {
    let parts: Vec<&str> = word.split('-').collect();
    let is_range = parts.len() == 2 && parts.iter().all(|part| is_number(part.strip_prefix('v').unwrap_or(part)));
    if !is_range && !parts.iter().any(|part| month(part).is_some()) {
        found.push(Word { text: word, place });
        return;
    }
    let mut start = place.start;
    for (number, part) in parts.iter().enumerate() {
        if is_range && number == 1 {
            found.push(Word { text: "to".to_owned(), place: start - 1..start });
        }
        if !part.is_empty() {
            found.push(Word { text: (*part).to_owned(), place: start..start + part.len() });
        }
        start += part.len() + 1;
    }
}
