//! The parameters of a Python strategy, as the interpreter's parser found them: `name = parameter(default, low, high)` in the body of a class.
//!
//! The interpreter's answer is not trusted. Invariants: what a declaration can be is what it can be in Rust ([`parameters::all`]); where a default
//! is said to stand, the text has that very number, so writing another one there changes nothing else.

use super::{Span, Survey};
use crate::limits;
use crate::parameters::{self, Malformed, Parameter, ParameterKind, ParameterScale};
use crate::source::text::SourceText;
use serde::Deserialize;

/// One declaration.
#[derive(Deserialize)]
pub(super) struct Declared {
    pub(super) name: String,
    /// All its numbers are written as whole ones.
    whole: bool,
    /// Default, low and high end.
    numbers: (f64, f64, f64),
    log: bool,
    /// Where the default stands.
    #[serde(rename = "default")]
    pub(super) place: Span,
}

impl Declared {
    fn parameter(&self, text: &SourceText<'_>) -> Option<Parameter> {
        let (line, column, end_line, end_column) = self.place;
        let at = (text.offset(line, column)?, text.offset(end_line, end_column)?);
        let (default, low, high) = self.numbers;
        let written: f64 = text.text().get(at.0..at.1)?.replace('_', "").parse().ok()?;
        let parameter = Parameter {
            name: self.name.clone(),
            kind: if self.whole { ParameterKind::Integer } else { ParameterKind::Number },
            default,
            low,
            high,
            scale: if self.log { ParameterScale::Logarithmic } else { ParameterScale::Linear },
            default_at: Some(at),
        };
        (written == default).then_some(parameter)?.valid()
    }
}

/// One more than there may be are looked at.
fn some(survey: &Survey) -> impl Iterator<Item = &Declared> {
    survey.parameters.iter().take(limits::TUNABLE_MAX as usize + 1)
}

/// Declarations that are none of a parameter.
pub(super) fn invalid<'a>(text: &SourceText<'_>, survey: &'a Survey) -> Vec<&'a Declared> {
    some(survey).filter(|declared| declared.parameter(text).is_none()).collect()
}

/// The parameters, in the order of the text.
pub(super) fn read(text: &SourceText<'_>, survey: &Survey) -> Result<Vec<Parameter>, Malformed> {
    let mut found: Vec<Option<Parameter>> = some(survey).map(|declared| declared.parameter(text)).collect();
    found.sort_by_key(|parameter| parameter.as_ref().and_then(|parameter| parameter.default_at));
    parameters::all(found)
}

/// The parameters that a Python strategy declares. `survey` is the interpreter's answer for `text`, and has passed
/// [`check_python_survey`](crate::check_python_survey); of one that has not, there are none.
#[must_use]
pub fn python_parameters(text: &str, survey: &str) -> Vec<Parameter> {
    let survey: Survey = serde_json::from_str(survey).unwrap_or_default();
    read(&SourceText::new("", text), &survey).unwrap_or_default()
}
