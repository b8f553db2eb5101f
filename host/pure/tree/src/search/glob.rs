//! Patterns of names, as the shell and `.gitignore` know them.

use super::{GLOB_BYTES_MAX, GLOB_STARS_MAX, SearchError, check_length};
use regex::bytes::{Regex, RegexBuilder};
use std::fmt::Write as _;

/// `*` any bytes but `/`, `?` one such byte, `[a-z]` and `[!a-z]` one of a set, `**` as a whole component any number of components,
/// `\` takes the next byte as it is. A pattern without `/` is of names, one with it of whole paths from where the search begins.
#[derive(Clone, Debug)]
pub struct Glob {
    regex: Regex,
    of_names: bool,
    /// How many places of the pattern a path can be at, at once.
    branches: u64,
}

/// Memory of a compiled pattern and of what its engine remembers. The pattern's length alone makes it a fraction of that.
const COMPILED_BYTES_MAX: usize = 2 << 20;

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// With what is wrong in it.
    pub fn new(pattern: &str) -> Result<Self, SearchError> {
        check_length(pattern, GLOB_BYTES_MAX)?;
        let stars = pattern.matches('*').count();
        if stars > GLOB_STARS_MAX {
            return Err(SearchError::Pattern(format!("it has {stars} `*`, at most {GLOB_STARS_MAX}")));
        }
        let path = pattern.strip_prefix('/').unwrap_or(pattern);
        let regex = RegexBuilder::new(&format!(r"(?s-u)\A{}\z", translate(path.as_bytes())?))
            .size_limit(COMPILED_BYTES_MAX)
            .dfa_size_limit(COMPILED_BYTES_MAX)
            .build()
            .map_err(|error| SearchError::Pattern(error.to_string()))?;
        Ok(Self { regex, of_names: !pattern.contains('/'), branches: 1 + stars as u64 })
    }

    /// What matching this path costs at most.
    pub(super) fn price(&self, path: &[u8]) -> u64 {
        path.len() as u64 * self.branches
    }

    /// Whether it matches this path, which is relative to where the search begins.
    #[must_use]
    pub fn matches(&self, path: &[u8]) -> bool {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        self.regex.is_match(if self.of_names { name } else { path })
    }
}

fn translate(glob: &[u8]) -> Result<String, SearchError> {
    let mut regex = String::new();
    let mut at = 0;
    while let Some(byte) = glob.get(at) {
        let begins = at == 0 || glob[at - 1] == b'/';
        at += 1;
        match byte {
            b'*' if begins && glob[at..] == *b"*" => {
                at += 1;
                regex.push_str(".*");
            }
            b'*' if begins && glob[at..].starts_with(b"*/") => {
                at += 2;
                regex.push_str("(?:[^/]+/)*");
            }
            b'*' => regex.push_str("[^/]*"),
            b'?' => regex.push_str("[^/]"),
            b'[' => at += set(&glob[at..], &mut regex)?,
            b'\\' => {
                let byte = glob.get(at).ok_or_else(|| SearchError::Pattern("it ends in \\".into()))?;
                at += 1;
                literal(*byte, &mut regex);
            }
            byte => literal(*byte, &mut regex),
        }
    }
    Ok(regex)
}

/// What follows `[`, as a class that never holds `/`; returns how many bytes of the pattern it took.
fn set(glob: &[u8], regex: &mut String) -> Result<usize, SearchError> {
    let negated = matches!(glob.first(), Some(b'!' | b'^'));
    let start = usize::from(negated);
    // A `]` that comes first is one of the set.
    let end = glob.iter().skip(start + 1).position(|byte| *byte == b']').map(|end| end + start + 1);
    let end = end.ok_or_else(|| SearchError::Pattern("a [ has no ]".into()))?;
    regex.push_str(if negated { "[^/" } else { "[" });
    let mut rest = &glob[start..end];
    while let [first, after @ ..] = rest {
        literal(*first, regex);
        rest = after;
        if let [b'-', last, after @ ..] = rest {
            if last < first {
                return Err(SearchError::Pattern("a range in [ ] runs backwards".into()));
            }
            regex.push('-');
            literal(*last, regex);
            rest = after;
        }
    }
    regex.push_str(if negated { "]" } else { "&&[^/]]" });
    Ok(end + 1)
}

fn literal(byte: u8, regex: &mut String) {
    // Never fails: this is a String.
    let _ = write!(regex, "\\x{byte:02x}");
}
