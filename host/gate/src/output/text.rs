//! Text of verdicts as something that is safe to put anywhere: no control characters, nothing invisible, of bounded length.

use assay_validator::escape;

/// Bytes of a path: no longer one can be opened on Linux.
const PATH_BYTES_MAX: usize = 4096;

/// The text on one line, hidden characters visible, at most `bytes_max` bytes and then an ellipsis.
pub(super) fn line(text: &str, bytes_max: usize) -> String {
    clip(&plain(text).split_whitespace().collect::<Vec<_>>().join(" "), bytes_max)
}

/// The text with its line ends, hidden characters visible, at most `bytes_max` bytes and then an ellipsis.
pub(super) fn lines(text: &str, bytes_max: usize) -> String {
    clip(plain(text).replace('\t', "    ").trim(), bytes_max)
}

/// Escaped by the rules of the validator, and so are the characters that no XML document may hold.
fn plain(text: &str) -> String {
    escape(text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}

fn clip(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(bytes_max)])
}

/// A relative URI reference: everything outside the unreserved characters and the slash is percent-encoded.
pub(super) fn uri(path: &str) -> String {
    path.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

/// A path below a folder, as one relative path with single slashes and without `./`, on one line, hidden characters visible.
pub(super) fn join(folder: &str, path: &str) -> String {
    let path = plain(path).replace('\n', "\\u{a}").replace('\t', "\\u{9}");
    let all = if path.starts_with('/') { path.clone() } else { format!("{folder}/{path}") };
    let root = if path.starts_with('/') || folder.starts_with('/') { "/" } else { "" };
    let parts: Vec<&str> = all.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    clip(&format!("{root}{}", parts.join("/")), PATH_BYTES_MAX)
}

/// "1 rule", "2 rules".
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
