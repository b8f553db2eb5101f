//! How values and words stand in a text: dates, numbers, versions and ids in any spelling, what is denied of them, and wrong answers among them.
//!
//! Invariants: there is this one reader for facts, wrong answers, limits and what comes too early; words are found as whole words; a date or a number is the
//! same in each of its spellings; reading is bounded by `MESSAGE_BYTES_MAX`.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::clauses::Clauses;
use crate::fold::fold;
use crate::limits::MESSAGE_BYTES_MAX;
use crate::named_dates::{lone_days, named_dates};
use crate::numbers::{spaced_amounts, told, ungrouped};
use crate::numeric_dates::numeric_dates;
use crate::tokens::words;
use crate::told::{Shape, Told};
use crate::words::cut;

/// Words behind "or" that put another day beside one: "or the day after".
const OTHER_DAYS: &[&str] =
    &["day", "days", "week", "earlier", "later", "sooner", "before", "after", "thereabouts", "next", "following"];
/// Words that take back what was said.
const CORRECTIONS: &[&str] = &[
    "actually",
    "sorry",
    "correction",
    "i was wrong",
    "mistake",
    "mistaken",
    "lied",
    "i meant",
    "rather",
    "instead",
    "misspoke",
];

/// What is looked for in texts: words of a fact, or of a wrong answer.
pub(crate) struct Wanted {
    text: String,
    /// The date, number or version that they are, which is the same in any spelling.
    meant: Option<Told>,
    /// All values in them.
    pub values: Vec<Told>,
}

impl Wanted {
    pub(crate) fn new(words: &str) -> Self {
        let meant = one_value(words).filter(|value| value.shape != Shape::Id);
        Self { text: plain(words), meant, values: values(words) }
    }

    /// Whether it is the day of a full date without its year, which whoever looks for the date finds.
    pub(crate) fn is_short_for(&self, full: &Self) -> bool {
        let (Some(short), Some(full)) = (&self.meant, &full.meant) else { return false };
        full.is_full() && short.shape == Shape::Date && !short.is_full() && !short.is_day() && short.is_same(full)
    }

    /// The shape of those that are one value which somebody can take back.
    fn can_be_taken_back(&self) -> Option<&Told> {
        self.meant.as_ref().filter(|meant| matches!(meant.shape, Shape::Date | Shape::Amount | Shape::Version))
    }
}

/// A text as it was read.
pub(crate) struct Reading {
    text: String,
    pub values: Vec<Told>,
    clauses: Clauses,
}

impl Reading {
    pub(crate) fn new(text: &str) -> Self {
        let text = plain(cut(text, MESSAGE_BYTES_MAX));
        let (values, _) = read(&text);
        let places: Vec<Range<usize>> = values.iter().map(|value| value.place.clone()).collect();
        let clauses = Clauses::new(&text, &places);
        Self { text, values, clauses }
    }

    /// Whether it tells these words: it neither denies them nor asks, and puts no other day beside theirs. A day without its month does not tell a date.
    pub(crate) fn tells(&self, wanted: &Wanted) -> bool {
        let is_date = wanted.meant.as_ref().is_some_and(|meant| meant.shape == Shape::Date);
        let counts = |place: &Range<usize>| {
            let is_open = is_date && is_other_day(&self.text[place.end..]);
            !is_open && !self.clauses.denies(place) && !self.clauses.is_asked(self.clauses.sentence(place.start))
        };
        let is_whole = |value: &&Told| !value.is_day() || wanted.meant.as_ref().is_some_and(Told::is_day);
        places(&self.text, &wanted.text).any(|place| counts(&place))
            || self.meant(wanted).filter(is_whole).any(|value| counts(&value.place))
    }

    /// Whether it leaves open which value is the right one: in a sentence, "or" stands between it and another one of its shape that is neither denied nor
    /// told to the agent.
    pub(crate) fn hedges(&self, wanted: &Wanted, is_own: impl Fn(&Told) -> bool) -> bool {
        let Some(meant) = &wanted.meant else { return false };
        let is_other = |value: &&Told| {
            value.is_kin(meant.shape) && is_own(value) && !value.is_same(meant) && !self.clauses.denies(&value.place)
        };
        let others: Vec<&Told> = self.values.iter().filter(is_other).collect();
        let ours: Vec<&Told> = self.meant(wanted).collect();
        // By each "or", not by each pair of values: a message may repeat them a thousand times.
        places(&self.text, "or").any(|or| {
            let sentence = self.clauses.sentence(or.start);
            let is_here = |value: &&&Told| self.clauses.sentence(value.place.start) == sentence;
            // The place of the 3 in "3 or 9 December" reaches up to the 9, so what counts is where values begin.
            let sides = |values: &[&Told]| {
                let is_before = |value: &&Told| value.place.start < or.start;
                let here = || values.iter().filter(is_here);
                (here().any(is_before), !here().all(is_before))
            };
            let (ours, others) = (sides(&ours), sides(&others));
            ours.0 && others.1 || ours.1 && others.0
        })
    }

    /// Whether it has these words in it, in whatever company and even if it denies them.
    pub(crate) fn names(&self, wanted: &Wanted) -> bool {
        places(&self.text, &wanted.text).next().is_some() || self.meant(wanted).next().is_some()
    }

    /// Whether it says these wrong words, and does not plainly deny them wherever it does.
    fn errs(&self, wrong: &Wanted) -> bool {
        let counts = |place: &Range<usize>| !self.clauses.excuses(place);
        places(&self.text, &wrong.text).any(|place| counts(&place))
            || self.meant(wrong).any(|value| counts(&value.place))
    }

    /// Whether it takes back what was told before: it has other values of that shape in a sentence with a word that corrects, and not the one that was told.
    /// What the agent was told itself, what is denied and what is asked is no correction.
    pub(crate) fn takes_back(&self, wanted: &Wanted, is_own: impl Fn(&Told) -> bool) -> bool {
        let Some(meant) = wanted.can_be_taken_back() else { return false };
        let mut others = self.values.iter().filter(|value| value.shape == meant.shape && is_own(value));
        let sentences = self.corrections();
        !sentences.is_empty()
            && !self.names(wanted)
            && others.any(|value| {
                !self.clauses.denies(&value.place) && sentences.contains(&self.clauses.sentence(value.place.start))
            })
    }

    /// The sentences that correct something and do not ask.
    fn corrections(&self) -> BTreeSet<usize> {
        let is_other = |place: &Range<usize>| {
            let next = self.text[place.end..].trim_start();
            match &self.text[place.clone()] {
                "rather" => next.starts_with("than"),
                "instead" => next.starts_with("of"),
                _ => false,
            }
        };
        let found = CORRECTIONS.iter().flat_map(|word| places(&self.text, word)).filter(|place| !is_other(place));
        found
            .map(|place| self.clauses.sentence(place.start))
            .filter(|sentence| !self.clauses.is_asked(*sentence))
            .collect()
    }

    /// The values that mean the same as the wanted words.
    fn meant<'r>(&'r self, wanted: &'r Wanted) -> impl Iterator<Item = &'r Told> {
        self.values.iter().filter(|value| wanted.meant.as_ref().is_some_and(|meant| value.means(meant)))
    }
}

/// Whether a text that follows a date puts another day beside it.
fn is_other_day(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '\n');
    let mut words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.next() == Some("or") && words.take(4).any(|word| OTHER_DAYS.contains(&word))
}

/// Whether texts hold one of these wrong answers, and do not plainly deny it.
#[must_use]
pub(crate) fn is_denied(wrong: &[String], texts: &[&str]) -> bool {
    if wrong.is_empty() {
        return false;
    }
    let texts: Vec<Reading> = texts.iter().map(|text| Reading::new(text)).collect();
    errs(wrong, &texts)
}

/// The same of texts that were read.
pub(crate) fn errs(wrong: &[String], texts: &[Reading]) -> bool {
    wrong.iter().map(|wrong| Wanted::new(wrong)).any(|wrong| texts.iter().any(|text| text.errs(&wrong)))
}

/// The value that a text is, where it is nothing else. What can be read as a version is one; else it is what it is first of all.
pub(crate) fn one_value(text: &str) -> Option<Told> {
    let (values, others) = read(&plain(text));
    let first = values.first().filter(|_| others == 0)?;
    let is_one = values.iter().all(|value| value.place.start < first.place.end && first.place.start < value.place.end);
    let version = values.iter().find(|value| value.shape == Shape::Version);
    is_one.then(|| version.unwrap_or(first).clone())
}

/// The values in a text.
pub(crate) fn values(text: &str) -> Vec<Told> {
    read(&plain(text)).0
}

/// The values in a plain text, and how many words are none.
fn read(text: &str) -> (Vec<Told>, usize) {
    let dates = numeric_dates(text);
    let taken: Vec<Range<usize>> =
        dates.iter().filter(|found| found.is_sure).map(|found| found.date.place.clone()).collect();
    let mut values: Vec<Told> = dates.into_iter().map(|found| found.date).collect();
    let (words, amounts) = words(text, &taken);
    let mut is_read = vec![false; words.len()];
    values.extend(named_dates(&words, &mut is_read));
    values.extend(lone_days(text, &words, &mut is_read));
    values.extend(amounts);
    values.extend(spaced_amounts(text));
    let mut others = 0;
    for (word, _) in words.iter().zip(&is_read).filter(|(_, is_read)| !**is_read) {
        match told(&word.text, word.place.clone()) {
            Some(value) => values.push(value),
            None => others += 1,
        }
    }
    (values, others)
}

/// The text in small letters, characters as they are meant, without what groups the digits of a number by three.
fn plain(text: &str) -> String {
    ungrouped(&fold(text))
}

/// Whether a text says some words as whole words: without regard to case and to commas within numbers. A sign, and what stands before or after a point,
/// belong to a number.
#[cfg(test)]
pub(crate) fn says(text: &str, words: &str) -> bool {
    places(&plain(text), &plain(words)).next().is_some()
}

/// Where a plain text says plain words.
fn places<'t>(text: &'t str, words: &'t str) -> impl Iterator<Item = Range<usize>> {
    let is_number = words.starts_with(|c: char| c.is_ascii_digit());
    let (has_dash, ends_in_digit) = (words.contains('-'), words.ends_with(|c: char| c.is_ascii_digit()));
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let comes_from = move |before: &str| {
        let mut back = before.chars().rev();
        match back.next() {
            Some('.') => is_number,
            Some('-') => is_number || has_dash && is_part(back.next()),
            other => words.starts_with(char::is_alphanumeric) && is_part(other),
        }
    };
    let goes_on = move |rest: &str| {
        let mut next = rest.chars();
        match (next.next(), next.next()) {
            (Some('.'), Some(next)) => ends_in_digit && next.is_ascii_digit(),
            (Some('-'), Some(next)) => ends_in_digit && (next.is_ascii_digit() || has_dash && next.is_alphanumeric()),
            (other, _) => words.ends_with(char::is_alphanumeric) && is_part(other),
        }
    };
    let found =
        text.match_indices(words).filter(|_| !words.is_empty()).map(|(place, found)| place..place + found.len());
    found.filter(move |place| !comes_from(&text[..place.start]) && !goes_on(&text[place.end..]))
}
