//! Foreign text made fit for a terminal.

/// The text with every character that could steer a terminal or turn its reading direction written out instead: all control characters
/// but line feed and tab, and the bidirectional controls.
pub(crate) fn harmless(text: &str) -> String {
    let steers = |character: char| match character {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => true,
        _ => character.is_control(),
    };
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}
