//! Text of unknown length made short, text of unknown content made harmless.

use std::borrow::Cow;

/// At most about `bytes_max` bytes of a text: its beginning and its end, with a note of how many bytes lie between. Only the note comes on top.
pub(crate) fn cut_middle(text: &str, bytes_max: usize) -> Cow<'_, str> {
    if text.len() <= bytes_max {
        return Cow::Borrowed(text);
    }
    let head = text.floor_char_boundary(bytes_max / 2);
    let tail = text.ceil_char_boundary(text.len() - (bytes_max - bytes_max / 2));
    let left_out = tail - head;
    Cow::Owned(format!("{}\n[... {left_out} bytes left out ...]\n{}", &text[..head], &text[tail..]))
}

/// The text with every control character but line feed and tab replaced: providers refuse some, and none means anything to a model.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_bad = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    let text = if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    if text.contains(is_bad) { Cow::Owned(text.replace(is_bad, "\u{fffd}")) } else { text }
}
