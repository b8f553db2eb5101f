//! Words for people.

/// The name that whoever wrote `word` most likely meant: at most a third of its letters (two for a short word) are wrong.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let tolerance = (word.chars().count() / 3).max(2);
    names
        .map(|name| (strsim::osa_distance(&word.to_lowercase(), name), name))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The text, cut between characters to at most `bytes_max` bytes.
#[must_use]
pub fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}
