//! Numbers, amounts, versions and ids as they are written.
//!
//! Invariants: the marks that group digits by three say nothing; a number means the same with and without zeros at its ends. Linear in the text's length.

use std::ops::Range;

use crate::fold::JOINT;
use crate::told::{Shape, Told};

/// Currencies that may touch their number.
const CURRENCIES: &[&str] = &["eur", "usd", "chf", "gbp"];

/// The text without the marks that group the digits of a number by three. What remains of narrow spaces becomes plain ones.
pub(crate) fn ungrouped(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let groups = |index: usize, mark: char| {
        let next = index + mark.len_utf8();
        matches!(mark, ',' | '\'' | '_' | JOINT)
            && index > 0
            && is_digit(index - 1)
            && (next..next + 3).all(is_digit)
            && !is_digit(next + 3)
    };
    let kept = text.char_indices().filter(|(index, c)| !groups(*index, *c));
    kept.map(|(_, c)| if c == JOINT { ' ' } else { c }).collect()
}

/// The value that a word is.
pub(crate) fn told(word: &str, place: Range<usize>) -> Option<Told> {
    let (sign, number) = word.strip_prefix('-').map_or(("", word), |number| ("-", number));
    if !number.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let bare = number.strip_prefix('v').filter(|rest| is_number(rest));
    let coined = || CURRENCIES.iter().find_map(|coin| number.strip_prefix(coin).or_else(|| number.strip_suffix(coin)));
    let (is_version, number) = match (bare, coined().filter(|rest| is_number(rest))) {
        (Some(bare), _) => (true, bare),
        (None, coined) => (false, coined.unwrap_or(number)),
    };
    let value = |shape: Shape, meaning: String, written: &str| Told::new(shape, meaning, written.to_owned(), place);
    if let Some(whole) = with_power(number) {
        let shape = if whole.contains('.') { Shape::Amount } else { Shape::Number };
        return Some(value(shape, format!("{sign}{}", significant(&whole)), number));
    }
    if !is_number(number) {
        return Some(value(Shape::Id, number.to_owned(), number));
    }
    let points = number.matches('.').count();
    Some(match points {
        _ if is_version || points > 1 => value(Shape::Version, number.to_owned(), number),
        0 => value(Shape::Number, format!("{sign}{}", number.trim_start_matches('0')), number),
        _ => value(Shape::Amount, format!("{sign}{}", significant(number)), number),
    })
}

/// Whether a word is digits, with points between them or without.
pub(crate) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.split('.').all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A number without the zeros that say nothing.
fn significant(number: &str) -> &str {
    let number = number.trim_start_matches('0');
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// The number that `4.12e3` is.
fn with_power(number: &str) -> Option<String> {
    let (digits, power) = number.split_once('e').filter(|(digits, _)| is_number(digits))?;
    let power: usize = power.parse().ok().filter(|power| *power <= 12)?;
    let (whole, behind) = digits.split_once('.').unwrap_or((digits, ""));
    if behind.contains('.') {
        return None;
    }
    let behind = format!("{behind:0<power$}");
    let (moved, rest) = behind.split_at(power);
    Some(if rest.is_empty() { format!("{whole}{moved}") } else { format!("{whole}{moved}.{rest}") })
}

/// Amounts whose digits are grouped by plain spaces: `7 678.80`. Without their cents they are numbers beside each other.
pub(crate) fn spaced_amounts(text: &str) -> Vec<Told> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let is_free =
        |index: usize| !bytes.get(index).is_some_and(|byte| byte.is_ascii_alphanumeric() || b".,".contains(byte));
    let mut found = Vec::new();
    let mut index = 0;
    while index < bytes.len() {
        let begins = index.checked_sub(1).is_none_or(|before| is_free(before) && bytes[before] != b'-');
        let first = digits(index);
        if first == 0 || !begins {
            index += 1;
            continue;
        }
        let mut end = index + first;
        while first < 4 && bytes.get(end) == Some(&b' ') && digits(end + 1) == 3 {
            end += 4;
        }
        let has_cents = matches!(bytes.get(end), Some(b'.' | b',')) && digits(end + 1) == 2;
        let goes_on = bytes.get(end + 3).is_some_and(u8::is_ascii_alphanumeric);
        if end > index + first && has_cents && !goes_on {
            let written = format!("{}.{}", text[index..end].replace(' ', ""), &text[end + 1..end + 3]);
            found.extend(told(&written, index..end + 3));
        }
        index = end;
    }
    found
}
