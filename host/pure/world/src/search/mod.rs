//! Searching a tree: lines by a regular expression, entries by a pattern of names.
//!
//! Both take time linear in what they look at, whatever the pattern, follow no symlinks, and stop at named limits, which the answer tells.

mod find;
mod glob;
mod grep;
mod line_pattern;

pub use find::{FindQuery, Found, find};
pub use glob::Glob;
pub use grep::{GrepLimits, GrepMatch, GrepQuery, Grepped, grep};

/// Bytes of a pattern; the compiled one is limited as well.
pub const PATTERN_BYTES_MAX: usize = 4096;
/// Memory of a compiled pattern.
const COMPILED_BYTES_MAX: usize = 4 << 20;

/// Why a search cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SearchError {
    /// The pattern cannot be understood or is too large; the text says where and why.
    #[error("invalid pattern: {0}")]
    Pattern(String),
    /// The place to search cannot be reached, or a content not loaded.
    #[error(transparent)]
    Tree(#[from] crate::TreeError),
}

fn compile(pattern: &str) -> Result<regex::bytes::Regex, SearchError> {
    regex::bytes::RegexBuilder::new(pattern)
        .size_limit(COMPILED_BYTES_MAX)
        .dfa_size_limit(COMPILED_BYTES_MAX)
        .build()
        .map_err(|error| SearchError::Pattern(error.to_string()))
}

fn check_length(pattern: &str) -> Result<(), SearchError> {
    if pattern.len() <= PATTERN_BYTES_MAX {
        return Ok(());
    }
    Err(SearchError::Pattern(format!("it has {} bytes, at most {PATTERN_BYTES_MAX}", pattern.len())))
}
