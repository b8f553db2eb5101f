//! What was told: facts, and the difference between an answer and a list of all possible answers.
//!
//! Invariants: a fact counts where it stands as whole words in a message that is short enough to be read and does not list several values of its shape,
//! and no wrong answer, in any spelling of its date or number, beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::limits::MESSAGE_BYTES_MAX;
use crate::task::Fact;
use crate::words::cut;

/// Messages longer than this tell nothing: a fact in a heap of data is not told.
pub const TOLD_BYTES_MAX: usize = 2_000;
/// Values of a fact's shape in the message that tells it, its own included: more is a list of guesses. "Frozen from 2026-12-08 to 2026-12-14, so
/// 15 December" is an answer.
pub const VALUES_MAX: usize = 3;
/// Values of a fact's shape in all messages together.
pub const VALUES_IN_ALL_MAX: usize = 6;
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
enum Shape {
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
struct Told {
    shape: Shape,
    /// What it means, whatever its spelling: a number without zeros that say nothing, a date as `2026-12-04`, or `12-04` where no year is told.
    meaning: String,
    /// As it is written, in small letters.
    written: String,
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
    fn means(&self, meant: &Self) -> bool {
        if meant.shape == Shape::Version { self.is_version(meant) } else { self.is_same(meant) }
    }

    /// Whether two spellings mean the same. A date without a year can be that of any year.
    fn is_same(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.meaning.as_str(), other.meaning.as_str());
        match (self.shape, other.shape) {
            (Shape::Date, Shape::Date) => ours.ends_with(theirs) || theirs.ends_with(ours),
            (Shape::Number | Shape::Amount, Shape::Number | Shape::Amount) => ours == theirs,
            (our, their) => our == their && ours == theirs,
        }
    }
}

/// How many values of a shape mean different things; counting ends beyond `most`.
fn different<'t>(values: impl Iterator<Item = &'t Told>, shape: Shape, most: usize) -> usize {
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
    let is_wrong = |wrong: &String| {
        let meant = one_value(wrong).filter(|value| value.shape != Shape::Id);
        texts.iter().any(|text| says(text, wrong))
            || meant.is_some_and(|meant| told.iter().any(|value| value.means(&meant)))
    };
    wrong.iter().any(is_wrong)
}

/// Whether a fact was told, and no wrong answer beside it. `given` is what the agent was told itself: to repeat its values is no guess.
#[must_use]
pub(crate) fn is_told(fact: &Fact, said: &[String], given: &str) -> bool {
    let said: Vec<&str> = said.iter().map(|text| cut(text, MESSAGE_BYTES_MAX)).collect();
    if is_denied(&fact.not, &said) {
        return false;
    }
    let told: Vec<Vec<Told>> = said.iter().map(|text| values(text)).collect();
    let given = values(given);
    let is_own = |value: &&Told| !given.iter().any(|given| given.is_same(value));
    fact.say.iter().any(|words| {
        let own = values(words);
        let mut shapes: BTreeSet<Shape> = own.iter().map(|value| value.shape).collect();
        if shapes.contains(&Shape::Amount) {
            // The parts of an amount with a decimal comma.
            shapes.remove(&Shape::Number);
        }
        // The values of the fact itself do not count against it.
        let are_few = |values: &[&Told], most: usize| {
            let few = |shape: &Shape| {
                let most = different(own.iter(), *shape, usize::MAX) + most - 1;
                different(values.iter().copied().filter(is_own), *shape, most) <= most
            };
            shapes.iter().all(few)
        };
        // A date or a number may be told in any spelling, as a wrong one may.
        let meant = one_value(words).filter(|value| value.shape != Shape::Id);
        let is_meant =
            |told: &Vec<Told>| meant.as_ref().is_some_and(|meant| told.iter().any(|value| value.means(meant)));
        let tells = |(text, told): (&&str, &Vec<Told>)| {
            text.len() <= TOLD_BYTES_MAX
                && (says(text, words) || is_meant(told))
                && are_few(&told.iter().collect::<Vec<_>>(), VALUES_MAX)
        };
        said.iter().zip(&told).any(tells) && are_few(&told.iter().flatten().collect::<Vec<_>>(), VALUES_IN_ALL_MAX)
    })
}

/// The same of a fact that may wait for something of the user (`after`): who tells it before has told it to nobody knows whom. `slots` says how many
/// messages the agent had said when the user told each of theirs.
#[must_use]
pub(crate) fn is_told_in_time(fact: &Fact, said: &[String], given: &str, slots: &BTreeMap<String, usize>) -> bool {
    let Some(slot) = &fact.after else { return is_told(fact, said, given) };
    let early = slots.get(slot).and_then(|count| said.get(..*count));
    early.is_some_and(|early| !early.iter().any(|text| names(fact, text)) && is_told(fact, said, given))
}

/// Whether a text has a fact in it, however many others are beside it.
fn names(fact: &Fact, text: &str) -> bool {
    let text = cut(text, MESSAGE_BYTES_MAX);
    let told = values(text);
    fact.say.iter().any(|words| {
        let meant = one_value(words).filter(|value| value.shape != Shape::Id);
        says(text, words) || meant.is_some_and(|meant| told.iter().any(|value| value.means(&meant)))
    })
}

/// What somebody would say who tries every value that a fact could be: those of its shape among the `known` words, and small numbers. Empty for facts
/// that are more than one value.
#[must_use]
pub fn guesses(fact: &Fact, known: &BTreeSet<String>) -> BTreeSet<String> {
    let Some(value) = fact.say.first().and_then(|words| one_value(words)) else { return BTreeSet::new() };
    let found = known.iter().flat_map(|word| values(word)).filter(|found| found.shape == value.shape);
    let mut guesses: BTreeSet<String> = found.map(|found| found.written).collect();
    if value.shape == Shape::Number && guesses.len() < VALUES_IN_ALL_MAX {
        let small = (0_u32..).map(|number| number.to_string()).take(VALUES_IN_ALL_MAX - guesses.len());
        guesses.extend(small);
    }
    guesses
}

/// The value that a text is, where it is nothing else.
fn one_value(text: &str) -> Option<Told> {
    let (mut values, others) = read(text);
    (values.len() == 1 && others == 0).then(|| values.pop()).flatten()
}

/// The values in a text.
fn values(text: &str) -> Vec<Told> {
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
fn says(text: &str, words: &str) -> bool {
    let (text, words) = (plain(text), plain(words));
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
    text.match_indices(&words)
        .any(|(place, found)| !comes_from(&text[..place]) && !goes_on(&text[place + found.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_and_numbers_have_signs_and_points() {
        for (text, words, expected) in [
            ("It is 1,250 cents.", "1250", true),
            ("A-1,1250", "1250", true),
            ("-1250", "1250", false),
            ("0.5", "5", false),
            ("5.5", "5", false),
            ("It is 5.", "5", true),
            ("5,000", "5", false),
            ("a 5-cent coin", "5", true),
            ("4-5-6", "5", false),
            ("O-1 is late", "o-1", true),
            ("O-1-O-2", "O-2", false),
            ("O-10", "O-1", false),
            ("** refused **", "refused", true),
        ] {
            assert_eq!(says(text, words), expected, "{text:?} {words:?}");
        }
    }

    #[test]
    fn a_list_of_versions_tells_nothing() {
        let fact = Fact { say: vec!["6.3.2".to_owned()], not: vec!["6.4.0".to_owned()], after: None };
        for (said, expected) in [
            ("It is 6.3.2, for 12.50 EUR.", true),
            ("6.3.2, not 6.4.0", false),
            ("6.3.2 or 6.4", false),
            ("6.3.2 or 6.3.0 or 6.2", true),
            ("6.3.2 or 6.3.0, 6.3.3, 6.2", false),
        ] {
            assert_eq!(is_told(&fact, &[said.to_owned()], ""), expected, "{said}");
        }
    }

    #[test]
    fn a_list_of_guesses_tells_nothing() {
        let say = vec!["1250".to_owned(), "twelve fifty".to_owned()];
        let fact = Fact { say, not: vec!["90".to_owned()], after: None };
        let numbers = |range: std::ops::Range<u32>| range.map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        for (said, expected) in [
            (vec!["There are 1250 cents.".to_owned()], true),
            (vec!["Twelve fifty.".to_owned()], true),
            (vec!["1250, not 90".to_owned()], false),
            (vec![numbers(1_000..1_395)], false),
            ((0..80).map(|five| numbers(1_000 + 5 * five..1_005 + 5 * five)).collect(), false),
            (vec!["1250 of 3 of them".to_owned()], true),
            (vec!["1250 of 1 2".to_owned()], true),
            (vec!["1250 of 1 2 3".to_owned()], false),
            (vec!["1250 or 1".to_owned(), numbers(2..6)], true),
            (vec!["1250 or 1".to_owned(), numbers(2..7)], false),
            // What has another shape is no guess: amounts, ids, dates.
            (vec!["1250 on 2 November, for O-1 and O-2: 7.50 EUR".to_owned()], true),
        ] {
            assert_eq!(is_told(&fact, &said, "What is in account 7?"), expected, "{said:?}");
        }
        assert!(is_told(&fact, &["1250 1 2 7".to_owned()], "What is in account 7?"));
    }

    #[test]
    fn a_fact_that_waits_for_the_user_is_not_told_before() {
        let fact = Fact { say: vec!["2026-12-30".to_owned()], not: Vec::new(), after: Some("email".to_owned()) };
        for (said, asked_after, expected) in [
            (vec!["Who are you?", "It is due on 30 December."], Some(1), true),
            (vec!["It is due on 30 December. Who are you?"], Some(1), false),
            (vec!["Due on 2026-12-29, 2026-12-30 or 2026-12-31?", "On 2026-12-30."], Some(1), false),
            (vec!["It is due on 30 December."], None, false),
            (vec!["It is due on 30 December."], Some(0), true),
        ] {
            let said: Vec<String> = said.into_iter().map(str::to_owned).collect();
            let slots = asked_after.map(|count| ("email".to_owned(), count)).into_iter().collect();
            assert_eq!(is_told_in_time(&fact, &said, "", &slots), expected, "{said:?}");
        }
    }

    #[test]
    fn wrong_answers_are_wrong_in_any_spelling() {
        let fact = |say: &[&str], not: &[&str]| {
            let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            Fact { say: all(say), not: all(not), after: None }
        };
        let date = fact(&["2026-12-03", "3 December", "December 3"], &["2026-12-04"]);
        let amount = fact(&["7678.80", "7.678,80"], &["8785.80", "1083240"]);
        for (fact, said, expected) in [
            (&date, "It comes on 3 December.", true),
            (&date, "It comes on 2026-12-03, that is December 3.", true),
            (&date, "It comes on 3 December, not on 2 December.", true),
            (&date, "It comes on 3 December or on 4 December.", false),
            (&date, "2026-12-03, or the 4th of December, 2026", false),
            (&date, "2026-12-03 or Dec. 4", false),
            (&date, "2026-12-03 or 04.12.2026", false),
            (&date, "2026-12-03 or 4-Dec-2026", false),
            (&date, "2026-12-03, and 4 December 2027 is another", true),
            (&date, "Not on 1 or 2 December, on 3 December.", true),
            (&date, "On 30 November, 1, 2 or 3 December.", false),
            (&date, "2026-11-30, 2026-12-01, 2026-12-02, 2026-12-03", false),
            (&amount, "We owe 7,678.80.", true),
            (&amount, "We owe 7.678,80, of 9.000,00.", true),
            (&amount, "We owe 7,678.80 or 8,785.8.", false),
            (&amount, "We owe 7,678.80 or 8.785,80", false),
            (&amount, "We owe 7,678.80 or 1083240.00", false),
            (&amount, "We owe 7,678.80; booked: -8785.80", true),
            (&amount, "We owe 7,678.80, 7,678.81, 7,678.82 or 7,678.83.", false),
            (&amount, "3 of 12 invoices of 2 people are open: 7,678.80", true),
        ] {
            assert_eq!(is_told(fact, &[said.to_owned()], ""), expected, "{said:?}");
        }
    }
}
