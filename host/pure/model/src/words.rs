//! Words that somebody got nearly right.

/// The name that whoever wrote `word` most likely meant: at most a third of its letters (two for a short word) are wrong.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let tolerance = (word.chars().count() / 3).max(2);
    let word = word.to_lowercase();
    names
        .map(|name| (strsim::osa_distance(&word, name), name))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}
