//! Writes the values of parameters into a source as their new defaults.

use crate::core::plan::Tunable;
use assay_validator::{Parameter, ParameterKind, ParameterScale};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::ops::Range;

/// Why defaults cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SourceError {
    /// The text is not Rust.
    #[error("the source cannot be read: {0}")]
    Unreadable(String),
    /// There is no declaration of this parameter.
    #[error("the source does not declare the parameter `{0}` in `parameters!`")]
    Undeclared(String),
    /// The default is not where the parser of Python found it.
    #[error("the source does not have the default of the parameter `{0}` where it was found")]
    Moved(String),
}

impl From<&Parameter> for Tunable {
    fn from(parameter: &Parameter) -> Self {
        Self {
            name: parameter.name.clone(),
            default: parameter.default,
            low: parameter.low,
            high: parameter.high,
            is_logarithmic: parameter.scale == ParameterScale::Logarithmic,
            is_integer: parameter.kind == ParameterKind::Integer,
            default_at: parameter.default_at,
        }
    }
}

/// The source with these values as the defaults of its parameters. Nothing else changes.
///
/// # Errors
/// [`SourceError`].
pub fn with_defaults(source: &str, tunables: &[Tunable], values: &[f64]) -> Result<String, SourceError> {
    // A Python source is read once, by the interpreter's parser in the sandbox, which said where each default stands.
    let is_python = tunables.iter().any(|tunable| tunable.default_at.is_some());
    let declarations = if is_python { Vec::new() } else { declarations(tokens(source)?) };
    let mut changes: Vec<(Range<usize>, &str, String)> = Vec::new();
    for (tunable, value) in tunables.iter().zip(values) {
        let place = match tunable.default_at {
            Some((start, end)) => {
                let is_there = source.get(start..end).is_some_and(|text| !text.is_empty());
                is_there.then_some(start..end).ok_or_else(|| SourceError::Moved(tunable.name.clone()))?
            }
            None => declarations
                .iter()
                .find_map(|group| default_of(group, &tunable.name))
                .ok_or_else(|| SourceError::Undeclared(tunable.name.clone()))?,
        };
        let text = if tunable.is_integer { format!("{value:.0}") } else { format!("{value:?}") };
        if *value != tunable.default {
            changes.push((place, tunable.name.as_str(), text));
        }
    }
    changes.sort_by_key(|(place, ..)| std::cmp::Reverse(place.start));
    // Where defaults stand may be told by somebody else's log: one within another.
    if let Some(overlap) = changes.windows(2).find(|pair| pair[1].0.end > pair[0].0.start) {
        return Err(SourceError::Moved(overlap[0].1.to_owned()));
    }
    let mut changed = source.to_owned();
    for (place, _, text) in changes {
        changed.replace_range(place, &text);
    }
    Ok(changed)
}

fn tokens(source: &str) -> Result<TokenStream, SourceError> {
    source.parse().map_err(|error: proc_macro2::LexError| SourceError::Unreadable(error.to_string()))
}

/// The fields of every `parameters! { … struct Name { … } }`.
fn declarations(tokens: TokenStream) -> Vec<Group> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for window in trees.windows(3) {
        if let [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(group)] = window
            && name == "parameters"
            && bang.as_char() == '!'
        {
            found.extend(group.stream().into_iter().filter_map(|tree| match tree {
                TokenTree::Group(fields) if fields.delimiter() == Delimiter::Brace => Some(fields),
                _ => None,
            }));
        }
    }
    for tree in trees {
        if let TokenTree::Group(group) = tree {
            found.extend(declarations(group.stream()));
        }
    }
    found
}

/// Where the default of `name: type = default in …` stands.
fn default_of(fields: &Group, name: &str) -> Option<Range<usize>> {
    let trees: Vec<TokenTree> = fields.stream().into_iter().collect();
    let is =
        |tree: Option<&TokenTree>, sign: char| matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
    let at = (0..trees.len())
        .find(|at| matches!(&trees[*at], TokenTree::Ident(word) if word == name) && is(trees.get(at + 1), ':'))?;
    let equals = (at..trees.len()).find(|at| is(trees.get(*at), '='))?;
    let first = trees.get(equals + 1)?;
    let last = if is(Some(first), '-') { trees.get(equals + 2)? } else { first };
    Some(first.span().byte_range().start..last.span().byte_range().end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_defaults_and_nothing_else_changes() {
        let source = "use assay_sdk::*;\n// naïve\nparameters! {\n    /// Of all.\n    struct Settings {\n        /// In cents, a = 3 in all.\n        a: f64 = -2.0 in -8.0..=8.0,\n        b: i64 = 500 in 50..=1_000 log,\n    }\n}\nfn a() {}\n";
        let tunable = |name: &str, default, is_integer| Tunable {
            name: name.to_owned(),
            default,
            low: -8.0,
            high: 1_000.0,
            is_logarithmic: false,
            is_integer,
            default_at: None,
        };
        let tunables = [tunable("a", -2.0, false), tunable("b", 500.0, true)];
        let changed = with_defaults(source, &tunables, &[3.25, 75.0]).expect("both are declared");
        assert_eq!(changed, source.replace("-2.0 in", "3.25 in").replace("500 in", "75 in"));
        assert_eq!(with_defaults(source, &tunables, &[-2.0, 500.0]).as_deref(), Ok(source));
        let undeclared = with_defaults(source, &[tunable("c", 0.0, false)], &[1.0]);
        assert_eq!(undeclared, Err(SourceError::Undeclared("c".to_owned())));

        let python = "class S(Strategy):\n    a = parameter(-2.0, -8.0, 8.0)\n";
        let at = |start: usize, end: usize| [Tunable { default_at: Some((start, end)), ..tunable("a", -2.0, false) }];
        let changed = with_defaults(python, &at(37, 41), &[3.25]).expect("it stands there");
        assert_eq!(changed, python.replace("-2.0", "3.25"));
        let check = |tunables: &[Tunable], values: &[f64], moved: &str| {
            assert_eq!(with_defaults(python, tunables, values), Err(SourceError::Moved(moved.to_owned())));
        };
        check(&at(37, 99), &[3.25], "a");
        check(&at(41, 37), &[3.25], "a");
        let ([first], [inside]) = (at(37, 41), at(38, 52));
        check(&[first, Tunable { name: "b".to_owned(), ..inside }], &[1.0, 2.0], "b");
    }
}
