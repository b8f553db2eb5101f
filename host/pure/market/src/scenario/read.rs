//! Reads checked values out of a TOML table and says exactly what is wrong where.
//!
//! Written over the parsed document rather than over `serde`, because a range error must name its line and an unknown key its
//! nearest neighbour.

use std::fmt::Display;
use std::ops::{Range, RangeInclusive};

use assay_model::{Nanos, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::value::{Date, Datetime};

use super::clock::duration_text;
use super::error::{ScenarioError, ScenarioFault};

/// Arrays whose tables have names, and the keys that hold them, the first of which stands. The last is one that a new entry must have.
pub(super) const NAMED: [(&str, &[&str]); 2] = [("agents", &["name", "kind"]), ("symbols", &["symbol"])];
const HINT_DURATION: &str =
    "write a number and a unit, for example \"250us\", \"1.5s\" or \"2min\"; units are ns, us, ms, s, min, h";
const UNITS: [(&str, f64); 6] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("min", 6e10), ("s", 1e9), ("h", 3.6e12)];

const NAME_BYTES_MAX: usize = 40;
/// Longest path of a data file, as on Linux.
const PATH_BYTES_MAX: usize = 4_096;

/// A table of the document.
#[derive(Clone)]
pub(super) struct Section<'d, 'i> {
    text: &'d str,
    /// Where an error about what the text has from its base is said to be.
    base_at: usize,
    path: String,
    at: usize,
    /// None for a table that is not there: none of its keys is.
    table: Option<&'d DeTable<'i>>,
}

type Entry<'d, 'i> = &'d Spanned<DeValue<'i>>;

impl<'d, 'i> Section<'d, 'i> {
    /// The document itself. What lies beyond the text's end is its base's, which it names at `base_at`.
    pub(super) fn root(text: &'d str, table: &'d DeTable<'i>, base_at: usize) -> Self {
        Self { text, base_at, path: String::new(), at: 0, table: Some(table) }
    }

    /// The line of a byte offset, from 1.
    fn line_at(&self, offset: usize) -> usize {
        line_of(self.text, if offset >= self.text.len() { self.base_at } else { offset })
    }

    /// Refuses keys other than `known`, so that a misspelt key is reported as such and not as another one's absence.
    pub(super) fn only(self, known: &[&str]) -> Result<Self, ScenarioError> {
        let unknown =
            self.table.into_iter().flatten().map(|(key, _)| key).filter(|key| !known.contains(&key.get_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(self) };
        let hint = match nearest(key.get_ref(), known.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("known keys here: {}", known.join(", ")),
        };
        Err(self.error(key.get_ref(), &key.span(), ScenarioFault::UnknownKey, Some(hint)))
    }

    fn get(&self, key: &str) -> Option<Entry<'d, 'i>> {
        self.table?.get(key)
    }

    /// An error about `key`, which stands at `span`.
    fn error(&self, key: &str, span: &Range<usize>, what: ScenarioFault, hint: Option<String>) -> ScenarioError {
        let key = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        ScenarioError { key, line: self.line_at(span.start), what, hint }
    }

    /// An error about `key`, which stands where the document has it, or else where the table begins.
    pub(super) fn fault(&self, key: &str, what: ScenarioFault, hint: Option<String>) -> ScenarioError {
        let span = self.get(key).map_or(self.at..self.at, Spanned::span);
        self.error(key, &span, what, hint)
    }

    fn missing(&self, key: &str) -> ScenarioError {
        self.fault(key, ScenarioFault::Missing, None)
    }

    fn wrong_type(&self, key: &str, expected: &'static str, entry: Entry<'d, 'i>) -> ScenarioError {
        self.fault(key, ScenarioFault::WrongType { expected, found: entry.get_ref().type_str() }, None)
    }

    fn within<T: PartialOrd + Display>(
        &self,
        key: &str,
        value: T,
        range: &RangeInclusive<T>,
    ) -> Result<T, ScenarioError> {
        if range.contains(&value) {
            return Ok(value);
        }
        let range = format!("{} to {}", range.start(), range.end());
        Err(self.fault(key, ScenarioFault::OutOfRange { found: value.to_string(), range }, None))
    }

    /// A whole number.
    pub(super) fn integer(
        &self,
        key: &str,
        range: RangeInclusive<i64>,
        default: Option<i64>,
    ) -> Result<i64, ScenarioError> {
        let Some(entry) = self.get(key) else { return default.ok_or_else(|| self.missing(key)) };
        let Some(integer) = entry.get_ref().as_integer() else {
            return Err(self.wrong_type(key, "a whole number", entry));
        };
        // What does not even fit 64 bits is outside every range.
        let value = i64::from_str_radix(integer.as_str(), integer.radix()).unwrap_or(i64::MAX);
        self.within(key, value, &range)
    }

    /// A number, whole or not. Infinities and NaN are outside every range.
    pub(super) fn number(
        &self,
        key: &str,
        range: RangeInclusive<f64>,
        default: Option<f64>,
    ) -> Result<f64, ScenarioError> {
        let Some(entry) = self.get(key) else { return default.ok_or_else(|| self.missing(key)) };
        let value = match entry.get_ref() {
            DeValue::Float(float) => float.as_str().parse().unwrap_or(f64::NAN),
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).map_or(f64::NAN, |whole| whole as f64)
            }
            _ => return Err(self.wrong_type(key, "a number", entry)),
        };
        self.within(key, value, &range)
    }

    /// Text.
    pub(super) fn text(&self, key: &str, default: Option<&str>) -> Result<String, ScenarioError> {
        let Some(entry) = self.get(key) else { return default.map(str::to_owned).ok_or_else(|| self.missing(key)) };
        entry.get_ref().as_str().map(str::to_owned).ok_or_else(|| self.wrong_type(key, "a string", entry))
    }

    /// `true` or `false`.
    pub(super) fn boolean(&self, key: &str, default: bool) -> Result<bool, ScenarioError> {
        let Some(entry) = self.get(key) else { return Ok(default) };
        entry.get_ref().as_bool().ok_or_else(|| self.wrong_type(key, "true or false", entry))
    }

    /// One of `allowed`; returns its index.
    pub(super) fn word(&self, key: &str, allowed: &[&str]) -> Result<usize, ScenarioError> {
        let found = self.text(key, None)?;
        allowed.iter().position(|word| *word == found).ok_or_else(|| {
            let hint = nearest(&found, allowed.iter().copied()).map(|nearest| format!("did you mean `{nearest}`?"));
            self.fault(key, ScenarioFault::UnknownWord { found, allowed: allowed.join(", ") }, hint)
        })
    }

    /// A duration such as `"1.5ms"`.
    pub(super) fn duration(
        &self,
        key: &str,
        range: RangeInclusive<Nanos>,
        default: Option<Nanos>,
    ) -> Result<Nanos, ScenarioError> {
        let Some(entry) = self.get(key) else { return default.ok_or_else(|| self.missing(key)) };
        let Some(text) = entry.get_ref().as_str() else {
            let found = entry.get_ref().type_str();
            return Err(self.fault(
                key,
                ScenarioFault::WrongType { expected: "a duration", found },
                Some(HINT_DURATION.to_owned()),
            ));
        };
        let nanos = UNITS
            .iter()
            .find_map(|(unit, nanos)| text.strip_suffix(unit)?.trim_end().parse::<f64>().ok().map(|n| n * nanos));
        let Some(nanos) = nanos.filter(|nanos| nanos.is_finite()) else {
            return Err(self.fault(key, ScenarioFault::NotADuration(text.to_owned()), Some(HINT_DURATION.to_owned())));
        };
        let value = Nanos(nanos.round() as u64);
        if nanos < 0.0 || !range.contains(&value) {
            let range = format!("{} to {}", duration_text(*range.start()), duration_text(*range.end()));
            return Err(self.fault(key, ScenarioFault::OutOfRange { found: text.to_owned(), range }, None));
        }
        Ok(value)
    }

    /// A date such as `2021-02-05`.
    pub(super) fn date(&self, key: &str) -> Result<Date, ScenarioError> {
        let entry = self.get(key).ok_or_else(|| self.missing(key))?;
        match entry.get_ref().as_datetime() {
            Some(Datetime { date: Some(date), time: None, offset: None }) => Ok(*date),
            _ => Err(self.wrong_type(key, "a date such as 2021-02-05", entry)),
        }
    }

    /// A time of day such as `09:30:00`, as nanoseconds since midnight.
    pub(super) fn time_of_day(&self, key: &str, default: Option<Nanos>) -> Result<Nanos, ScenarioError> {
        let Some(entry) = self.get(key) else { return default.ok_or_else(|| self.missing(key)) };
        let Some(Datetime { date: None, time: Some(time), offset: None }) = entry.get_ref().as_datetime() else {
            return Err(self.wrong_type(key, "a time of day such as 09:30:00", entry));
        };
        let minutes = u64::from(time.hour) * 60 + u64::from(time.minute);
        let seconds = minutes * 60 + u64::from(time.second.unwrap_or(0));
        Ok(Nanos(Nanos::from_secs(seconds).0 + u64::from(time.nanosecond.unwrap_or(0))))
    }

    /// The line on which `key` stands, or else where the table begins.
    pub(super) fn line(&self, key: &str) -> usize {
        self.line_at(self.get(key).map_or(self.at, |entry| entry.span().start))
    }

    /// Whether there is such a key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// A table inside this one whose keys are among `known`; as good as empty if it is not there.
    pub(super) fn section(&self, key: &str, known: &[&str]) -> Result<Self, ScenarioError> {
        let Some(entry) = self.get(key) else { return Ok(self.inside(key.to_owned(), self.at, None)) };
        let Some(table) = entry.get_ref().as_table() else { return Err(self.wrong_type(key, "a table", entry)) };
        self.inside(key.to_owned(), entry.span().start, Some(table)).only(known)
    }

    /// Whether the key holds a table.
    pub(super) fn is_table(&self, key: &str) -> bool {
        self.get(key).is_some_and(|entry| entry.get_ref().as_table().is_some())
    }

    /// A number, or `{ least = …, most = … }`: both ends.
    pub(super) fn numbers(&self, key: &str, range: RangeInclusive<f64>) -> Result<(f64, f64), ScenarioError> {
        if !self.is_table(key) {
            let value = self.number(key, range, None)?;
            return Ok((value, value));
        }
        let section = self.section(key, &["least", "most"])?;
        let (least, most) = (section.number("least", range.clone(), None)?, section.number("most", range, None)?);
        section.ordered("least", least, "most", most)
    }

    /// A whole number, or `{ least = …, most = … }`: both ends.
    pub(super) fn integers(&self, key: &str, range: RangeInclusive<i64>) -> Result<(i64, i64), ScenarioError> {
        if !self.is_table(key) {
            let value = self.integer(key, range, None)?;
            return Ok((value, value));
        }
        let section = self.section(key, &["least", "most"])?;
        let (least, most) = (section.integer("least", range.clone(), None)?, section.integer("most", range, None)?);
        section.ordered("least", least, "most", most)
    }

    /// A time of day, or `{ earliest = …, latest = … }`: both ends.
    pub(super) fn times_of_day(&self, key: &str) -> Result<(Nanos, Nanos), ScenarioError> {
        if !self.is_table(key) {
            let value = self.time_of_day(key, None)?;
            return Ok((value, value));
        }
        let section = self.section(key, &["earliest", "latest"])?;
        let (earliest, latest) = (section.time_of_day("earliest", None)?, section.time_of_day("latest", None)?);
        section.ordered("earliest", earliest, "latest", latest)
    }

    /// The two values, unless the first is greater.
    fn ordered<T: PartialOrd>(
        &self,
        low: &str,
        least: T,
        high: &'static str,
        most: T,
    ) -> Result<(T, T), ScenarioError> {
        if least > most {
            return Err(self.fault(low, ScenarioFault::Greater { other: high }, None));
        }
        Ok((least, most))
    }

    /// The tables of an array inside this one.
    pub(super) fn sections(&self, key: &str) -> Result<Vec<Self>, ScenarioError> {
        let entry = self.get(key).ok_or_else(|| self.missing(key))?;
        let Some(array) = entry.get_ref().as_array() else {
            return Err(self.wrong_type(key, "an array of tables", entry));
        };
        let tables = array.iter().enumerate().map(|(index, item)| match item.get_ref().as_table() {
            Some(table) => Ok(self.inside(self.entry(key, index, item.get_ref()), item.span().start, Some(table))),
            None => Err(self.wrong_type(key, "an array of tables", item)),
        });
        tables.collect()
    }

    /// What an entry of an array is called. Over a base by its name, as the text calls it, because its number is that of the merged array.
    fn entry(&self, key: &str, index: usize, item: &DeValue<'_>) -> String {
        let has_base = self.base_at < self.text.len();
        let ways = NAMED.iter().find(|(named, _)| has_base && *named == key).map(|(_, ways)| *ways);
        match ways.and_then(|ways| name_of(item, ways)) {
            Some(name) => format!("{key}.{}", name.escape_debug()),
            None => format!("{key}[{index}]"),
        }
    }

    fn inside(&self, name: String, at: usize, table: Option<&'d DeTable<'i>>) -> Self {
        let path = if self.path.is_empty() { name } else { format!("{}.{name}", self.path) };
        Self { text: self.text, base_at: self.base_at, path, at, table }
    }
}

/// The line of a byte offset, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// A name that file names and tables can carry.
pub(super) fn name(section: &Section<'_, '_>, key: &str, default: Option<&str>) -> Result<String, ScenarioError> {
    let text = section.text(key, default)?;
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if text.is_empty() || text.len() > NAME_BYTES_MAX || !text.bytes().all(sound) {
        let hint = format!("use 1 to {NAME_BYTES_MAX} of the characters a-z, A-Z, 0-9, `-`, `_` and `.`");
        return Err(section.fault(key, ScenarioFault::NotAName(text), Some(hint)));
    }
    Ok(text)
}

/// The path of a data file.
pub(super) fn path(section: &Section<'_, '_>, key: &str) -> Result<String, ScenarioError> {
    let text = section.text(key, None)?;
    if text.is_empty() || text.len() > PATH_BYTES_MAX || text.chars().any(char::is_control) {
        let hint = format!("a path relative to the scenario's file, of 1 to {PATH_BYTES_MAX} bytes");
        return Err(section.fault(key, ScenarioFault::NotAPath(text.chars().take(100).collect()), Some(hint)));
    }
    Ok(text)
}

/// What an entry of a named array is called.
pub(super) fn name_of<'v>(entry: &'v DeValue<'_>, ways: &[&str]) -> Option<&'v str> {
    let table = entry.as_table()?;
    ways.iter().find_map(|key| table.get(*key)?.get_ref().as_str())
}
