//! The parameters that a strategy declares: what a tuner may set, and within which range.
//!
//! The declaration is text that a stranger wrote. Invariants: it is bounded before it is read; every number in it is finite; a default lies within its
//! range; names are short ASCII words and differ, so they may be shown as they are.

use crate::limits;
use std::fmt;

/// The custom section of a module that declares them.
pub const PARAMETERS_SECTION: &str = "assay-parameters";

/// What values a parameter can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Any number of the range.
    Number,
    /// Whole numbers only.
    Integer,
}

/// How a range is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterScale {
    /// Equal steps are equal differences.
    Linear,
    /// Equal steps are equal factors.
    Logarithmic,
}

/// One parameter, as declared.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in the source.
    pub name: String,
    /// What values it can have.
    pub kind: ParameterKind,
    /// Its value unless it is set.
    pub default: f64,
    /// The least value that it may be set to.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// How its range is walked.
    pub scale: ParameterScale,
    /// Where its default stands in the source, in bytes from start to end, if it is read from there: a Python file. Components do not say.
    pub default_at: Option<(usize, usize)>,
}

/// Why a parameter cannot have a value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{value} is not a valid {name}: it takes {kind} from {low} to {high}")]
pub struct NotInRange {
    name: String,
    kind: &'static str,
    value: f64,
    low: f64,
    high: f64,
}

impl Parameter {
    /// `value`, if the parameter can have it.
    ///
    /// # Errors
    /// [`NotInRange`].
    pub fn check(&self, value: f64) -> Result<f64, NotInRange> {
        let (is_whole, kind) = match self.kind {
            ParameterKind::Number => (true, "a number"),
            ParameterKind::Integer => (value.trunc() == value, "a whole number"),
        };
        if is_whole && (self.low..=self.high).contains(&value) {
            return Ok(value);
        }
        Err(NotInRange { name: self.name.clone(), kind, value, low: self.low, high: self.high })
    }
}

/// What is wrong with a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) String);

impl fmt::Display for Malformed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Reads a declaration: a line for each parameter.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Parameter>, Malformed> {
    if bytes.len() as u64 > limits::PARAMETERS_BYTES_MAX {
        return Err(Malformed(format!("the declaration of the parameters has {} bytes", bytes.len())));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Malformed("the declaration of the parameters is not text".to_owned()))?;
    all(text.lines().map(parameter))
}

/// Every parameter, if each is one and they may stand together.
pub(crate) fn all(declared: impl IntoIterator<Item = Option<Parameter>>) -> Result<Vec<Parameter>, Malformed> {
    let mut found: Vec<Parameter> = Vec::new();
    for parameter in declared {
        if found.len() as u64 == limits::TUNABLE_MAX {
            return Err(Malformed("there are too many parameters".to_owned()));
        }
        let number = found.len() + 1;
        let parameter = parameter.ok_or_else(|| Malformed(format!("parameter {number} is not a valid one")))?;
        if found.iter().any(|other| other.name == parameter.name) {
            return Err(Malformed(format!("the parameter `{}` is declared twice", parameter.name)));
        }
        found.push(parameter);
    }
    Ok(found)
}

fn parameter(line: &str) -> Option<Parameter> {
    let words: Vec<&str> = line.split(' ').collect();
    let (name, kind, numbers, scale) = match words.as_slice() {
        [name, kind, default, low, high] => (name, kind, [default, low, high], ParameterScale::Linear),
        [name, kind, default, low, high, "log"] => (name, kind, [default, low, high], ParameterScale::Logarithmic),
        _ => return None,
    };
    let kind = match *kind {
        "f64" | "float" => ParameterKind::Number,
        "i64" | "u64" | "int" => ParameterKind::Integer,
        _ => return None,
    };
    let read = |text: &&str| text.replace('_', "").parse::<f64>().ok().filter(|number| number.is_finite());
    let (default, low, high) = (read(numbers[0])?, read(numbers[1])?, read(numbers[2])?);
    Parameter { name: (*name).to_owned(), kind, default, low, high, scale, default_at: None }.valid()
}

impl Parameter {
    /// Itself, if its name is a short word, its numbers are finite and in order, and its range can be walked.
    pub(crate) fn valid(self) -> Option<Self> {
        let is_name = self.name.len() as u64 <= limits::PARAMETER_NAME_BYTES_MAX
            && self.name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && self.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let numbers = [self.default, self.low, self.high];
        let ends = numbers.into_iter().all(|number| number.is_finite() && self.check(number).is_ok());
        let walks = self.scale == ParameterScale::Linear || self.low > 0.0;
        (is_name && self.low < self.high && ends && walks).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[&str], &str>) {
        let found = read(text.as_bytes());
        match (&found, expected) {
            (Ok(found), Ok(names)) => {
                assert_eq!(found.iter().map(|parameter| parameter.name.as_str()).collect::<Vec<_>>(), names, "{text}");
            }
            (Err(found), Err(part)) => assert!(found.0.contains(part), "{text}: {found}"),
            _ => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn a_declaration_is_read_or_refused() {
        check("", Ok(&[]));
        check("a f64 2.0 0.5 20.0 log\nb i64 1_000 -5 10_000\n", Ok(&["a", "b"]));
        check("a f64 2.0 0.5", Err("parameter 1"));
        check("a f64 2.0 0.5 8.0 cubic", Err("parameter 1"));
        check("a f64 9.0 0.5 8.0", Err("parameter 1"));
        check("a f64 1 0 8 log", Err("parameter 1"));
        check("a f64 1 8 0", Err("parameter 1"));
        check("a f64 NaN 0 8", Err("parameter 1"));
        check("a f64 1 0 inf", Err("parameter 1"));
        check("a i64 1.5 0 8", Err("parameter 1"));
        check("a\u{1b} f64 1 0 8", Err("parameter 1"));
        check("a f64 1 0 8\na f64 1 0 8", Err("twice"));
        check(&"a f64 1 0 8\n".repeat(9_999), Err("bytes"));
        let many: String = (0..65).map(|number| format!("p{number} f64 1 0 8\n")).collect();
        check(&many, Err("too many"));
    }
}
