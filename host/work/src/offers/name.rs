//! The name of a strategy that is saved from a page.

use std::fmt::{self, Display};
use std::str::FromStr;

/// Characters of a name without its ending.
const NAME_CHARS_MAX: usize = 64;

/// The name of a strategy that is saved: plain, with its ending.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StrategyName(String);

/// A text that is no name of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a name has 1 to {NAME_CHARS_MAX} letters, digits, `-` or `_`, and ends in .rs or .py")]
pub struct NoName;

impl StrategyName {
    /// With its ending.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Without its ending.
    #[must_use]
    pub fn stem(&self) -> &str {
        self.0.rsplit_once('.').map_or(&self.0, |(stem, _)| stem)
    }

    /// A name like that of a file from anywhere.
    #[must_use]
    pub fn like(file_name: &str) -> Self {
        let (stem, ending) = match file_name.rsplit_once('.') {
            Some((stem, "py")) => (stem, "py"),
            Some((stem, _)) => (stem, "rs"),
            None => (file_name, "rs"),
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
        let stem: String = stem.chars().map(plain).take(NAME_CHARS_MAX).collect();
        let stem = stem.trim_start_matches('-');
        Self(format!("{}.{ending}", if stem.is_empty() { "strategy" } else { stem }))
    }
}

impl Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for StrategyName {
    type Err = NoName;

    fn from_str(text: &str) -> Result<Self, NoName> {
        let (stem, ending) = text.rsplit_once('.').ok_or(NoName)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let fits = (1..=NAME_CHARS_MAX).contains(&stem.len()) && !stem.starts_with('-');
        if fits && stem.chars().all(is_plain) && matches!(ending, "rs" | "py") {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoName)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for (text, is_right) in [
            ("maker.rs", true),
            ("my-strategy_2.py", true),
            ("maker", false),
            (".rs", false),
            ("-x.rs", false),
            ("../x.rs", false),
            ("a/b.rs", false),
            ("a.b.rs", false),
            ("maker.toml", false),
            ("maker.rs\0", false),
            (&format!("{}.rs", "x".repeat(65)), false),
        ] {
            assert_eq!(text.parse::<StrategyName>().is_ok(), is_right, "{text:?}");
        }
        for (from, expected) in [
            ("maker.rs", "maker.rs"),
            ("../über.py", "ber.py"),
            ("", "strategy.rs"),
            ("a b", "a-b.rs"),
            ("..", "strategy.rs"),
        ] {
            assert_eq!(StrategyName::like(from).as_str(), expected, "{from:?}");
        }
    }
}
