//! The beginning of a JSON value as a value of its own: what is open is closed, and what has only half arrived is left out.
//!
//! Invariants: takes one pass and a copy; what it returns may still be no JSON, if the beginning was none, so whoever asks parses it.

/// What may come next in the innermost list or object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The name of a field.
    Name,
    /// Its colon.
    Colon,
    Value,
    /// A comma, or the end.
    Comma,
}

/// The beginning of a JSON value as JSON. A text that is cut in its middle is kept as far as it goes.
pub(crate) fn completed(start: &[u8]) -> String {
    let start = without_half_a_character(start);
    // What closes everything that is open at `cut`, the innermost last: whatever changes it moves the cut too.
    let (mut closers, mut next): (Vec<u8>, Next) = (Vec::new(), Next::Value);
    let (mut at, mut cut) = (0, 0);
    while at < start.len() {
        match start[at] {
            b'"' => match end_of_text(start, at + 1) {
                Ok(end) => {
                    at = end;
                    next = if next == Next::Name { Next::Colon } else { Next::Comma };
                    if next == Next::Comma {
                        cut = at + 1;
                    }
                }
                // A text that ends here, unless it is only a name.
                Err(end) if next == Next::Value => {
                    closers.push(b'"');
                    return joined(&start[..end], &closers);
                }
                Err(_) => break,
            },
            open @ (b'{' | b'[') => {
                closers.push(if open == b'{' { b'}' } else { b']' });
                next = if open == b'{' { Next::Name } else { Next::Value };
                cut = at + 1;
            }
            b'}' | b']' => {
                closers.pop();
                next = Next::Comma;
                cut = at + 1;
            }
            b':' => next = Next::Value,
            b',' => {
                // Whatever came before it is whole: a number does not say so itself.
                cut = at;
                next = if closers.last() == Some(&b'}') { Next::Name } else { Next::Value };
            }
            _ => {}
        }
        at += 1;
    }
    joined(&start[..cut], &closers)
}

fn joined(start: &[u8], closers: &[u8]) -> String {
    let mut out = String::from_utf8_lossy(start).into_owned();
    out.extend(closers.iter().rev().map(|byte| char::from(*byte)));
    out
}

/// Where the quotation mark is that ends a text which begins at `from`; or where it can be cut, if none is there.
fn end_of_text(bytes: &[u8], from: usize) -> Result<usize, usize> {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return Ok(at),
            b'\\' => {
                let length = escape(&bytes[at..]).ok_or(at)?;
                at += length;
            }
            _ => at += 1,
        }
    }
    Err(bytes.len())
}

/// The length of an escape, both halves of a pair together; `None` if it is not all there.
fn escape(bytes: &[u8]) -> Option<usize> {
    if *bytes.get(1)? != b'u' {
        return Some(2);
    }
    let is_first_of_pair =
        matches!((bytes.get(2)?, bytes.get(3)?), (b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B'));
    let length = if is_first_of_pair { 12 } else { 6 };
    (bytes.len() >= length).then_some(length)
}

fn without_half_a_character(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn beginnings_are_completed() {
        for (start, expected) in [
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":12"#, "{}"),
            (r#"{"a":12,"#, r#"{"a":12}"#),
            (r#"{"a":"wor"#, r#"{"a":"wor"}"#),
            (r#"{"a":"wor\"#, r#"{"a":"wor"}"#),
            (r#"{"a":"wor\u00e"#, r#"{"a":"wor"}"#),
            (r#"{"a":"wor\ud83d\ude0"#, r#"{"a":"wor"}"#),
            (r#"{"a":"wor\ud83d\ude00 x"#, r#"{"a":"wor😀 x"}"#),
            (r#"{"a":"b","na"#, r#"{"a":"b"}"#),
            (r#"{"a":"b","name""#, r#"{"a":"b"}"#),
            (r#"{"a":"b","name":"#, r#"{"a":"b"}"#),
            (r#"{"a":"b","name":tr"#, r#"{"a":"b"}"#),
            (r#"{"a":[1,{"b":"}]"}, [tru"#, r#"{"a":[1,{"b":"}]"},[]]}"#),
            (r#"{"a":[{"b":"\\"#, r#"{"a":[{"b":"\\"}]}"#),
            ("[", "[]"),
        ] {
            let seen: Value = serde_json::from_str(&completed(start.as_bytes())).expect(start);
            assert_eq!(seen, serde_json::from_str::<Value>(expected).expect(expected), "{start}");
        }
        // Half a character at the end.
        assert_eq!(completed(b"[\"x\xf0\x9f"), "[\"x\"]");
    }

    #[test]
    fn every_beginning_of_a_value_is_a_value() {
        let whole = r#"{"_type":"message","parts":[{"type":"text","text":"a\n\"é😀\u00e9"}],"n":-1.5e3,"t":true,"o":{},"e":[[],null]}"#;
        for end in 1..=whole.len() {
            let text = completed(&whole.as_bytes()[..end]);
            assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        }
    }
}
