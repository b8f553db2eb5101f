//! Names as git writes them: plain, or in double quotes with C escapes if a byte is special, as with `core.quotePath`.

/// `prefix` and `path`, quoted as one if need be.
pub(super) fn quote(prefix: &str, path: &[u8]) -> Vec<u8> {
    let mut quoted = prefix.as_bytes().to_vec();
    if !path.iter().any(|byte| is_special(*byte)) {
        quoted.extend_from_slice(path);
        return quoted;
    }
    quoted.insert(0, b'"');
    for byte in path {
        match *byte {
            b'"' => quoted.extend_from_slice(b"\\\""),
            b'\\' => quoted.extend_from_slice(b"\\\\"),
            byte if is_special(byte) => match ESCAPES.iter().find(|(_, escaped)| *escaped == byte) {
                Some((letter, _)) => quoted.extend_from_slice(&[b'\\', *letter]),
                None => quoted.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            },
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted
}

/// What a quoted name at the beginning of `text` means, and what follows it.
pub(super) fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (letter, after) = rest.split_first()?;
                rest = after;
                name.push(match letter {
                    b'"' | b'\\' => *letter,
                    b'0'..=b'3' => {
                        let digits =
                            after.get(..2).filter(|two| two.iter().all(|digit| (b'0'..=b'7').contains(digit)))?;
                        rest = &after[2..];
                        (letter - b'0') * 64 + (digits[0] - b'0') * 8 + (digits[1] - b'0')
                    }
                    _ => ESCAPES.iter().find(|(known, _)| known == letter)?.1,
                });
            }
            byte => name.push(*byte),
        }
    }
}

const ESCAPES: [(u8, u8); 7] =
    [(b'a', 7), (b'b', 8), (b't', b'\t'), (b'n', b'\n'), (b'v', 11), (b'f', 12), (b'r', b'\r')];

const fn is_special(byte: u8) -> bool {
    byte < b' ' || byte >= 0x7f || byte == b'"' || byte == b'\\'
}
