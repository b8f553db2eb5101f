//! Commands of ours as a person types them into a shell: in records, so that they can be done again.

use std::path::Path;

/// A command as a person types it: words in quotes where a shell would take them for something else.
pub(crate) fn command_line(words: &[&str]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=".contains(c);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(is_plain) {
            (*word).to_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// A path as an argument: a name that starts like a flag must not be read as one.
pub(crate) fn path_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.starts_with('-') { format!("./{text}") } else { text.into_owned() }
}
