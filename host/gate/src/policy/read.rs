//! Reads checked values out of a TOML document and says exactly what is wrong where: every value knows its place.

use super::error::{PolicyError, line_of};
use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;
use toml::de::{DeTable, DeValue};
use toml::value::{Date, Datetime};

/// A table of the document.
#[derive(Clone)]
pub(super) struct Section<'d> {
    text: &'d str,
    path: String,
    span: Range<usize>,
    table: &'d DeTable<'d>,
}

/// A value of a table.
#[derive(Clone)]
pub(super) struct Field<'d> {
    text: &'d str,
    path: String,
    span: Range<usize>,
    value: &'d DeValue<'d>,
}

impl<'d> Section<'d> {
    /// The document itself.
    pub(super) fn root(text: &'d str, table: &'d DeTable<'d>) -> Self {
        Self { text, path: String::new(), span: 0..0, table }
    }

    /// Refuses keys other than `known`, so that a misspelt key is reported as such and not as another one's absence.
    pub(super) fn only(self, known: &[&str]) -> Result<Self, PolicyError> {
        let unknown = self.table.iter().map(|(key, _)| key).filter(|key| !known.contains(&key.get_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(self) };
        let hint = match nearest(key.get_ref(), known.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("known keys here: {}", known.join(", ")),
        };
        Err(PolicyError::new(self.text, &key.span(), &self.inside(key.get_ref()), "unknown key", Some(hint)))
    }

    /// A value, if it is there.
    pub(super) fn get(&self, key: &str) -> Option<Field<'d>> {
        let value = self.table.get(key)?;
        Some(Field { text: self.text, path: self.inside(key), span: value.span(), value: value.get_ref() })
    }

    /// A value that must be there.
    pub(super) fn need(&self, key: &str, hint: &str) -> Result<Field<'d>, PolicyError> {
        self.get(key).ok_or_else(|| self.fail(format!("`{key}` is missing"), hint))
    }

    /// An error about the table as a whole.
    pub(super) fn fail(&self, what: impl Display, hint: impl Display) -> PolicyError {
        PolicyError::new(self.text, &self.span, &self.path, what, Some(hint.to_string()))
    }

    /// Where it begins.
    pub(super) fn line(&self) -> u32 {
        line_of(self.text, self.span.start)
    }

    fn inside(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

impl<'d> Field<'d> {
    /// An error about this value.
    pub(super) fn fail(&self, what: impl Display, hint: impl Display) -> PolicyError {
        PolicyError::new(self.text, &self.span, &self.path, what, Some(hint.to_string()))
    }

    /// Where it stands.
    pub(super) fn line(&self) -> u32 {
        line_of(self.text, self.span.start)
    }

    fn wrong_type(&self, expected: &str) -> PolicyError {
        let found = self.value.type_str();
        self.fail(format!("expected {expected}, found {}{found}", article(found)), format!("write {expected} here"))
    }

    pub(super) fn text(&self) -> Result<&'d str, PolicyError> {
        self.value.as_str().ok_or_else(|| self.wrong_type("a string"))
    }

    /// A string, where other types are allowed too.
    pub(super) fn as_text(&self) -> Option<&'d str> {
        self.value.as_str()
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.as_table().is_some()
    }

    pub(super) fn flag(&self) -> Result<bool, PolicyError> {
        self.value.as_bool().ok_or_else(|| self.wrong_type("true or false"))
    }

    pub(super) fn whole(&self, range: RangeInclusive<u64>) -> Result<u64, PolicyError> {
        let integer = self.value.as_integer().ok_or_else(|| self.wrong_type("a whole number"))?;
        let value = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        value.filter(|value| range.contains(value)).ok_or_else(|| {
            self.fail(
                format!("{} is out of range", integer.as_str()),
                format!("use {} to {}", range.start(), range.end()),
            )
        })
    }

    /// A finite number, whole or not.
    pub(super) fn number(&self) -> Result<f64, PolicyError> {
        let value = match self.value {
            DeValue::Float(float) => float.as_str().parse().unwrap_or(f64::NAN),
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).map_or(f64::NAN, |whole| whole as f64)
            }
            _ => return Err(self.wrong_type("a number")),
        };
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.fail("this is not a finite number", "write a plain number"))
        }
    }

    /// One of `names`, by which it is looked up; `what` says what they are names of.
    pub(super) fn one_of<T: Copy>(&self, what: &str, names: &[(&str, T)]) -> Result<T, PolicyError> {
        let found = self.text()?;
        if let Some((_, value)) = names.iter().find(|(name, _)| *name == found) {
            return Ok(*value);
        }
        let all = || names.iter().map(|(name, _)| *name);
        let hint = match nearest(found, all()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("use one of: {}", all().collect::<Vec<_>>().join(", ")),
        };
        Err(self.fail(format!("there is no {what} `{found}`"), hint))
    }

    pub(super) fn list(&self) -> Result<Vec<Self>, PolicyError> {
        let array = self.value.as_array().ok_or_else(|| self.wrong_type("a list"))?;
        let item = |(index, item): (usize, &'d toml::Spanned<DeValue<'d>>)| Self {
            text: self.text,
            path: format!("{}[{index}]", self.path),
            span: item.span(),
            value: item.get_ref(),
        };
        Ok(array.iter().enumerate().map(item).collect())
    }

    pub(super) fn table(&self, known: &[&str]) -> Result<Section<'d>, PolicyError> {
        let table = self.value.as_table().ok_or_else(|| self.wrong_type("a table"))?;
        Section { text: self.text, path: self.path.clone(), span: self.span.clone(), table }.only(known)
    }

    /// The tables of an array of tables.
    pub(super) fn tables(&self, known: &[&str]) -> Result<Vec<Section<'d>>, PolicyError> {
        let header = format!("write [[{}]] above it", self.path);
        let tables = self.list().map_err(|error| PolicyError { hint: Some(header), ..error })?;
        tables.iter().map(|table| table.table(known)).collect()
    }

    /// A length of time such as `"10s"`.
    pub(super) fn duration(&self, range: RangeInclusive<Duration>) -> Result<Duration, PolicyError> {
        let hint = "write a number and a unit: \"500ms\", \"10s\", \"5min\"";
        let text = self.value.as_str().ok_or_else(|| self.fail("expected a duration", hint))?;
        let units = [("ms", 0.001), ("min", 60.0), ("s", 1.0), ("h", 3600.0)];
        let seconds = units.iter().find_map(|(unit, seconds)| {
            text.strip_suffix(unit)?.trim_end().parse::<f64>().ok().map(|number| number * seconds)
        });
        let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let duration = duration.ok_or_else(|| self.fail(format!("`{text}` is not a duration"), hint))?;
        if range.contains(&duration) {
            return Ok(duration);
        }
        Err(self.fail(format!("{text} is out of range"), format!("use {:?} to {:?}", range.start(), range.end())))
    }

    pub(super) fn date(&self) -> Result<Date, PolicyError> {
        match self.value.as_datetime() {
            Some(Datetime { date: Some(date), time: None, offset: None }) => Ok(*date),
            _ => Err(self.wrong_type("a date such as 2030-12-31, without quotes")),
        }
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an " } else { "a " }
}

/// The name that a person who wrote `word` most likely meant: at most a third of its letters (two for a short word) are wrong.
pub(super) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let tolerance = (word.chars().count() / 3).max(2);
    names
        .map(|name| (strsim::osa_distance(&word.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Characters of a name: it stands in tables.
const NAME_CHARS_MAX: usize = 100;
/// Characters of a reason, or of who gives it.
const REASON_CHARS_MAX: usize = 1_000;

/// A short text on one line.
pub(super) fn name(field: &Field<'_>) -> Result<String, PolicyError> {
    line_of_text(field, NAME_CHARS_MAX)
}

/// A reason for people, on one line.
pub(super) fn sentence(field: &Field<'_>) -> Result<String, PolicyError> {
    line_of_text(field, REASON_CHARS_MAX)
}

fn line_of_text(field: &Field<'_>, chars_max: usize) -> Result<String, PolicyError> {
    let text = field.text()?.trim();
    let is_shown = |c: char| !c.is_control() && !assay_validator::is_hidden(c);
    if text.is_empty() || text.chars().count() > chars_max || !text.chars().all(is_shown) {
        let hint = format!("write 1 to {chars_max} visible characters on one line");
        return Err(field.fail("this text cannot be used", hint));
    }
    Ok(text.to_owned())
}
