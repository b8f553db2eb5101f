//! Dates that are told with the name of their month, and days of which the month is not told.
//!
//! Invariants: a word belongs to at most one date; "the 15th" is a day only where no thing follows that it counts ("the third call"). Linear in the words.

use std::ops::Range;

use crate::months::{day, is_shy, is_weekday, is_year, joined, month, ordinal};
use crate::told::{Shape, Told, Word};

/// Words before "the third" that say that it is a day.
const LEADS: &[&str] = &["on", "by", "until", "till", "before", "after", "from", "to", "since"];
/// Words that may stand behind "the 15th"; any other is a thing that it counts.
const FOLLOWERS: &[&str] = &[
    "and", "are", "as", "at", "but", "can", "cannot", "for", "if", "in", "instead", "is", "it", "may", "might", "not",
    "now", "of", "on", "or", "should", "so", "then", "to", "too", "until", "was", "we", "will", "with", "works",
    "would", "you",
];
/// What of "the first of …" means a month.
const OF_MONTHS: &[&str] = &["this", "next", "the", "that"];

type Dated = (Told, Range<usize>);

/// The dates whose month is named. Their words are marked as read.
pub(crate) fn named_dates(words: &[Word], is_read: &mut [bool]) -> Vec<Told> {
    let mut all = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let Some(month) = month(&word.text) else { continue };
        for (date, places) in dates_of(words, is_read, place, month) {
            is_read[places].fill(true);
            all.push(date);
        }
    }
    all
}

/// The dates whose month is the word at a place, with the places of their words: `4 December`, `the third of December 2026`, `2, 3 or 4 December`,
/// `December 4, 2026`, `December the 3rd or 4th`.
fn dates_of(words: &[Word], is_read: &[bool], place: usize, month: usize) -> Vec<Dated> {
    let date = |day: u32, year: Option<&Word>, places: Range<usize>| {
        let year = year.map(|year| format!("{}-", year.text)).unwrap_or_default();
        (told(words, format!("{year}{month:02}-{day:02}"), places.clone()), places)
    };
    let year_at = |index: usize| words.get(index).filter(|word| is_year(&word.text));
    let mut dates = Vec::new();
    let year = year_at(place + 1);
    let (mut first, mut end) = (place, place + 1 + usize::from(year.is_some()));
    while let Some((index, day)) = day_before(words, is_read, place, first) {
        dates.push(date(day, year, index..end));
        (first, end) = (index, index);
    }
    if !dates.is_empty() {
        return dates;
    }
    let begin = place + 1 + usize::from(is_word(words, place + 1, &["the"]));
    let is_shy = begin == place + 1 && is_shy(&words[place].text);
    let Some((day, behind)) = day_at(words, begin).filter(|_| !is_shy || !is_in_words(words, begin)) else {
        return dates;
    };
    let year = year_at(behind);
    let mut end = behind + usize::from(year.is_some());
    dates.push(date(day, year, place..end));
    while is_word(words, end, &["or", "to"]) {
        let begin = end + 1 + usize::from(is_word(words, end + 1, &["the"]));
        let next = day_at(words, begin)
            .filter(|(_, behind)| !words.get(*behind).is_some_and(|word| word.text == "of" || month_of(word)));
        let Some((day, behind)) = next else { break };
        dates.push(date(day, year, end..behind));
        end = behind;
    }
    dates
}

fn month_of(word: &Word) -> bool {
    month(&word.text).is_some()
}

fn told(words: &[Word], meaning: String, places: Range<usize>) -> Told {
    let texts: Vec<&str> = words[places.clone()].iter().map(|word| word.text.as_str()).collect();
    let place = words[places.start].place.start..words[places.end - 1].place.end;
    Told::new(Shape::Date, meaning, texts.join(" "), place)
}

fn is_word(words: &[Word], index: usize, among: &[&str]) -> bool {
    words.get(index).is_some_and(|word| among.contains(&word.text.as_str()))
}

fn is_in_words(words: &[Word], index: usize) -> bool {
    words.get(index).is_some_and(|word| ordinal(&word.text).is_some())
}

/// The day that ends right before `first`, of the month at `place` or of the day that is nearer to it; and where it begins.
fn day_before(words: &[Word], is_read: &[bool], place: usize, first: usize) -> Option<(usize, u32)> {
    let free = |index: usize| index.checked_sub(1).filter(|index| !is_read[*index]);
    let mut index = free(first)?;
    let is_nearest = first == place;
    if !is_nearest && is_word(words, index, &["the"]) {
        index = free(index)?;
    }
    let joins: &[&str] = if is_nearest { &["of", "de"] } else { &["and", "or", "to"] };
    let is_joined = is_word(words, index, joins);
    if is_joined {
        index = free(index)?;
    }
    let day = day(&words[index].text)?;
    if is_nearest && !is_joined && is_shy(&words[place].text) && is_in_words(words, index) {
        return None;
    }
    let tens = free(index).filter(|_| is_in_words(words, index));
    let whole = tens.and_then(|tens| Some((tens, joined(&words[tens].text, day)?)));
    Some(whole.unwrap_or((index, day)))
}

/// The day that begins at a place, and where it ends.
fn day_at(words: &[Word], index: usize) -> Option<(u32, usize)> {
    let word = words.get(index)?;
    let unit = words.get(index + 1).and_then(|next| ordinal(&next.text));
    match unit.and_then(|unit| joined(&word.text, unit)) {
        Some(day) => Some((day, index + 2)),
        None => Some((day(&word.text)?, index + 1)),
    }
}

/// The days of which the month is not told: `on the 15th`, `the fourteenth or fifteenth`. Their words are marked as read.
pub(crate) fn lone_days(text: &str, words: &[Word], is_read: &mut [bool]) -> Vec<Told> {
    let mut all = Vec::new();
    let mut last_end = None;
    let mut place = 0;
    while place < words.len() {
        let day = day_at(words, place).filter(|_| words[place].text.parse::<u32>().is_err());
        let Some((day, end)) = day.filter(|(_, end)| !is_read[place..*end].contains(&true)) else {
            place += 1;
            continue;
        };
        let has_the = place > 0 && is_word(words, place - 1, &["the"]);
        let lead = place.checked_sub(1 + usize::from(has_the)).map(|index| words[index].text.as_str());
        let is_led = lead.is_some_and(|lead| LEADS.contains(&lead) || is_weekday(lead));
        let goes_on = place > 0 && last_end == Some(place - 1) && is_word(words, place - 1, &["or", "and", "to"]);
        let is_small = day < 4 && is_in_words(words, place);
        if (goes_on || is_led || has_the && !is_small) && is_alone(text, words, end) {
            let begin = place - usize::from(has_the);
            is_read[begin..end].fill(true);
            all.push(told(words, format!("{day:02}"), begin..end));
            last_end = Some(end);
        }
        place = end;
    }
    all
}

/// Whether no thing follows that an ordinal before it would count.
fn is_alone(text: &str, words: &[Word], end: usize) -> bool {
    let Some(next) = words.get(end) else { return true };
    let gap = &text[words[end - 1].place.end..next.place.start];
    let is_follower = FOLLOWERS.contains(&next.text.as_str()) || is_weekday(&next.text);
    let counts_things = next.text == "of" && !is_word(words, end + 1, OF_MONTHS);
    !gap.trim().is_empty() || gap.contains('\n') || is_follower && !counts_things
}
