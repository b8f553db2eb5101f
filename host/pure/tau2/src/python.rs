//! How Python writes and rounds: `json.dumps` with its standard separators and ASCII escapes, `repr` of floats, `round` to two places.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// Writes a value as `json.dumps(value, sort_keys=True)` does. Numbers under the keys in `floats` are floats, whatever spelling they have here.
pub fn dumps(value: &Value, floats: &[&str], into: &mut String) {
    write(value, floats, false, into);
}

fn write(value: &Value, floats: &[&str], is_float: bool, into: &mut String) {
    match value {
        Value::Null => into.push_str("null"),
        Value::Bool(true) => into.push_str("true"),
        Value::Bool(false) => into.push_str("false"),
        Value::Number(number) => self::number(number, is_float, into),
        Value::String(text) => string(text, into),
        Value::Array(items) => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                into.push_str(if index > 0 { ", " } else { "" });
                write(item, floats, is_float, into);
            }
            into.push(']');
        }
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            keys.sort_unstable();
            into.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                into.push_str(if index > 0 { ", " } else { "" });
                string(key, into);
                into.push_str(": ");
                write(&fields[key], floats, floats.contains(&key.as_str()), into);
            }
            into.push('}');
        }
    }
}

fn number(number: &Number, is_float: bool, into: &mut String) {
    match number.as_f64() {
        Some(float) if is_float || number.is_f64() => into.push_str(&repr(float)),
        // Writing to a text does not fail.
        _ => {
            let _ = write!(into, "{number}");
        }
    }
}

/// Writes a text between quotes, all beyond ASCII as escapes of its UTF-16.
pub fn string(text: &str, into: &mut String) {
    into.push('"');
    for c in text.chars() {
        match c {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '\n' => into.push_str("\\n"),
            '\r' => into.push_str("\\r"),
            '\t' => into.push_str("\\t"),
            '\u{8}' => into.push_str("\\b"),
            '\u{c}' => into.push_str("\\f"),
            ' '..='~' => into.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a text does not fail.
                    let _ = write!(into, "\\u{unit:04x}");
                }
            }
        }
    }
    into.push('"');
}

/// A float as Python writes it: the shortest digits that read back as the same number, with an exponent below 1e-4 and from 1e16 on.
#[must_use]
pub fn repr(float: f64) -> String {
    let size = float.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{float:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(rest) => ('-', rest),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    let text = format!("{float}");
    if text.contains('.') { text } else { text + ".0" }
}

/// `round(float, 2)`: to the nearer hundredth of the exact number, and of two to the one with the even digit.
#[must_use]
pub fn round2(float: f64) -> f64 {
    format!("{float:.2}").parse().unwrap_or(float)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn floats_and_texts_are_written_as_python_writes_them() {
        for (float, expected) in [
            (0.0, "0.0"),
            (25.0, "25.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e16, "1e+16"),
            (1.5e-5, "1.5e-05"),
            (123_456_789_012_345.0, "123456789012345.0"),
            (-1e100, "-1e+100"),
        ] {
            assert_eq!(repr(float), expected);
        }
        for (float, expected) in
            [(2.675, 2.67), (0.125, 0.12), (0.375, 0.38), (-1.005, -1.0), (1e15 + 0.3, 1e15 + 0.25)]
        {
            assert_eq!(round2(float), expected, "{float}");
        }
        let mut text = String::new();
        dumps(&json!({ "b": [1, 2.0, "é\u{1F600}\""], "amount": 5 }), &["amount"], &mut text);
        assert_eq!(text, r#"{"amount": 5.0, "b": [1, 2.0, "\u00e9\ud83d\ude00\""]}"#);
    }
}
