//! Values as they stand in texts, and which of them mean the same.
//!
//! Invariants: a value means the same in each of its spellings; one that can be read in two ways means both.

use std::ops::Range;

/// What a value looks like. Words without a digit have no shape, but for days.
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

/// A word or number of a text, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub text: String,
    pub place: Range<usize>,
}

/// A value in a text.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub shape: Shape,
    /// What it means, whatever its spelling: a number without zeros that say nothing, a date as `2026-12-04`, `12-04` where no year is told, or `04` where
    /// no month is.
    meaning: String,
    /// What it means to somebody else: `03/12/2026` is a day of December or of March.
    other: Option<String>,
    /// As it is written, in small letters.
    pub written: String,
    /// Where it stands.
    pub place: Range<usize>,
}

impl Told {
    pub(crate) fn new(shape: Shape, meaning: String, written: String, place: Range<usize>) -> Self {
        Self { shape, meaning, other: None, written, place }
    }

    /// The same, which may mean something else as well.
    pub(crate) fn or(mut self, other: Option<String>) -> Self {
        self.other = other;
        self
    }

    /// Whether it is a day of a month that is not told: `the 15th`.
    pub(crate) fn is_day(&self) -> bool {
        self.shape == Shape::Date && self.meaning.len() == 2
    }

    /// Whether it is a date with its year.
    pub(crate) fn is_full(&self) -> bool {
        self.shape == Shape::Date && self.meaning.len() == "2026-12-04".len()
    }

    /// Whether it counts among the values of a shape: `6.4` may be an amount or a version.
    pub(crate) fn can_be(&self, shape: Shape) -> bool {
        self.shape == shape || (shape, self.shape) == (Shape::Version, Shape::Amount)
    }

    /// Whether it could stand where a value of a shape stands: a whole number is an amount, too.
    pub(crate) fn is_kin(&self, shape: Shape) -> bool {
        let is_number = |shape| matches!(shape, Shape::Number | Shape::Amount);
        self.can_be(shape) || is_number(self.shape) && is_number(shape)
    }

    /// Whether it can be read as the same version: `6.4` is `6.4.0`.
    fn is_version(&self, other: &Self) -> bool {
        let parts = |told: &Self| told.written.trim_end_matches(".0").to_owned();
        self.can_be(Shape::Version) && other.can_be(Shape::Version) && parts(self) == parts(other)
    }

    /// Whether it can be read as this value. Only another day of which the month is not told is one.
    pub(crate) fn means(&self, meant: &Self) -> bool {
        match meant.shape {
            Shape::Version => self.is_version(meant),
            Shape::Date if meant.is_day() => self.is_day() && self.is_same(meant),
            _ => self.is_same(meant),
        }
    }

    /// Whether two spellings mean the same. A date without a year can be that of any year, and one without a month that of any month.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self.shape, other.shape) {
            (Shape::Date, Shape::Date) => {
                let mut pairs = self.meanings().flat_map(|ours| other.meanings().map(move |theirs| (ours, theirs)));
                pairs.any(|(ours, theirs)| ours.ends_with(theirs) || theirs.ends_with(ours))
            }
            (Shape::Number | Shape::Amount, Shape::Number | Shape::Amount) => self.meaning == other.meaning,
            (Shape::Version, _) | (_, Shape::Version) => self.is_version(other),
            (ours, theirs) => ours == theirs && self.meaning == other.meaning,
        }
    }

    fn meanings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.meaning.as_str()).chain(self.other.as_deref())
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
