//! Makes guest text safe to show: control, invisible and direction-changing characters become `\u{…}`.

use std::fmt::Write as _;

/// Whether a character may hide, move or colour what a reader sees. Line feed and tab are not such.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Zero width space, direction marks and overrides, isolates, invisible operators, byte order mark, tag characters.
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

/// The text with every hidden character written as an escape.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        push_escaped(&mut safe, character);
    }
    safe
}

/// Appends one character, escaped if it is hidden.
pub(crate) fn push_escaped(safe: &mut String, character: char) {
    if is_hidden(character) {
        // Writing to a string cannot fail.
        let _ = write!(safe, "\\u{{{:x}}}", u32::from(character));
    } else {
        safe.push(character);
    }
}
