//! Text as Python sees it, because the rules reproduced here were written in Python: what counts as a space, how a log file is decoded,
//! and which bytes a terminal would swallow.
//!
//! Invariant: everything here is linear in its input.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// A pattern that is compiled once, at first use.
pub(crate) type Pattern = LazyLock<Regex>;

/// Compiles a pattern written in Python's dialect: `\s` there also takes U+001C to U+001F.
pub(crate) fn python_pattern(pattern: &str) -> Regex {
    let widened = pattern.replace(r"\s", r"[\s\x1c-\x1f]").replace(r"\S", r"[^\s\x1c-\x1f]");
    Regex::new(&widened).expect("patterns are constants and a test compiles every one")
}

/// Python's `str.isspace` for one character: Unicode white space and the four information separators.
pub(crate) fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// Python's `str.strip()`.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Python's `str.split()`.
pub(crate) fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// What stands before the first `mark`, or everything.
pub(crate) fn before<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split_once(mark).map_or(text, |(head, _)| head)
}

/// A log file's bytes as text, the way Python's `open()` in text mode reads it: UTF-8, and `\r\n` or a lone `\r` is a line end.
///
/// Bytes that are not UTF-8 become U+FFFD; the reference would stop there with an error.
#[must_use]
pub fn decode_log(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.contains('\r') {
        return text.into_owned();
    }
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Words for a shell, none of which it can read as anything but a word.
#[must_use]
pub fn shell_words(words: &BTreeSet<String>) -> String {
    words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect::<Vec<_>>().join(" ")
}

/// Removes colour and cursor sequences (ECMA-48 CSI), so that a status can be looked for at the start of a line.
pub(crate) fn without_colour(text: &str) -> Cow<'_, str> {
    static SEQUENCE: Pattern = LazyLock::new(|| python_pattern(r"\x1b\[[0-?]*[ -/]*[@-~]"));
    if text.contains('\u{1b}') { SEQUENCE.replace_all(text, "") } else { Cow::Borrowed(text) }
}
