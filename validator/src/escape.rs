//! Makes guest text safe to show: control, invisible and direction-changing characters become `\u{…}`, in JSON `\uXXXX`.

use std::fmt::Write as _;
use std::io::{Error, ErrorKind, Result, Write};

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

/// JSON with every hidden character written as `\uXXXX`: the same values. Outside of strings JSON has no hidden characters.
#[must_use]
pub fn escape_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Passes JSON on as [`escape_json`] writes it, in whatever pieces it comes.
#[derive(Debug)]
pub struct JsonEscaper<W> {
    out: W,
    /// The beginning of a character whose rest is still to come.
    cut: Vec<u8>,
}

impl<W: Write> JsonEscaper<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, cut: Vec::new() }
    }
}

impl<W: Write> Write for JsonEscaper<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.cut.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.cut) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(error) => return Err(Error::new(ErrorKind::InvalidData, error)),
        };
        let rest = self.cut.split_off(whole);
        let text = std::mem::replace(&mut self.cut, rest);
        self.out.write_all(escape_json(&String::from_utf8_lossy(&text)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_hides_nothing_and_stays_what_it_is() {
        for (value, expected) in [
            ("plain é \u{4e16}", "\"plain é \u{4e16}\""),
            ("a\u{202e}b", r#""a\u202eb""#),
            ("\u{7f}\u{9b}\u{feff}", r#""\u007f\u009b\ufeff""#),
            // Two units of UTF-16.
            ("\u{e0041}", r#""\udb40\udc41""#),
            ("\u{1b}[31m\n\t\\", r#""\u001b[31m\n\t\\""#),
        ] {
            let json = serde_json::Value::from(value).to_string();
            let safe = escape_json(&json);
            assert_eq!(safe, expected);
            assert_eq!(serde_json::from_str::<String>(&safe).expect("JSON"), value);
            // Byte by byte, as bad as pieces can be.
            let mut escaper = JsonEscaper::new(Vec::<u8>::new());
            json.as_bytes().iter().for_each(|byte| escaper.write_all(&[*byte]).expect("written"));
            assert_eq!(String::from_utf8(escaper.out).expect("text"), safe);
        }
        assert!(JsonEscaper::new(Vec::<u8>::new()).write_all(b"\xff").is_err());
        let indented = format!("{:#}", serde_json::json!({"a": [1, "\u{200b}"]}));
        assert_eq!(escape_json(&indented), "{\n  \"a\": [\n    1,\n    \"\\u200b\"\n  ]\n}");
    }
}
