//! What must not be told.
//!
//! Invariant: a secret is found whatever markup, spaces and punctuation stand between its words.

/// Something that must not be told, ready to be looked for.
pub(crate) struct Secret(String);

impl Secret {
    /// A secret of these words.
    pub(crate) fn new(words: &str) -> Self {
        Self(folded(words))
    }

    /// Whether it has nothing that could be found: no letter and no digit.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }

    /// Whether a text gives it away, with tags in it or without.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        !self.is_empty() && (folded(text).contains(&self.0) || folded(&without_tags(text)).contains(&self.0))
    }
}

/// Whether a secret can be looked for: it has a letter or a digit.
#[must_use]
pub fn can_be_kept(secret: &str) -> bool {
    !Secret::new(secret).is_empty()
}

/// The words of a text with one space before and after each: letters and digits only. What markup puts within words is left out.
fn folded(text: &str) -> String {
    let mut folded = String::from(" ");
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            folded.push(c);
        } else if !is_unseen(c) && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    if !folded.ends_with(' ') {
        folded.push(' ');
    }
    folded
}

/// Marks that a reader does not see between two letters.
const fn is_unseen(c: char) -> bool {
    matches!(c, '*' | '`' | '~' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// The text without what stands between `<` and `>`.
fn without_tags(text: &str) -> String {
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('<') {
        whole.push_str(before);
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    whole.push_str(rest);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_behind_markup() {
        let secret = Secret::new("9 Oak Alley");
        for text in [
            "9  Oak\nAlley",
            "**9 Oak** Alley",
            "9_Oak_Alley",
            "9 O<b>a</b>k Alley",
            "<9 Oak Alley>",
            "9 O\u{200b}ak alley!",
        ] {
            assert!(secret.is_in(text), "{text:?}");
        }
        for text in ["19 Oak Alley", "9 Oak Alleys", "9 Elm Alley"] {
            assert!(!secret.is_in(text), "{text:?}");
        }
    }
}
