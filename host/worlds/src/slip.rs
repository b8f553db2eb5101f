//! One slip of a task's author: what is wrong, and by which words its line is found.

use assay_world::words::nearest;

/// A slip: words that stand together in its line, what is wrong, and what to do.
pub(crate) struct Slip {
    pub(crate) words: Vec<String>,
    pub(crate) what: String,
    pub(crate) hint: Option<String>,
}

impl Slip {
    pub(crate) fn new(word: &str, what: String) -> Self {
        Self { words: vec![quoted(word)], what, hint: None }
    }

    pub(crate) fn unknown<'a>(kind: &str, word: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let hint = nearest(word, known).map(|near| format!("did you mean `{near}`?"));
        Self { hint, ..Self::new(word, format!("there is no {kind} {word:?}")) }
    }

    /// The same, in the line in which these words stand.
    pub(crate) fn with(self, words: Vec<String>) -> Self {
        Self { words, ..self }
    }
}

/// A word as a file has it where it is a value.
pub(crate) fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}
