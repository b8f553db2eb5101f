//! How many tokens a language model makes of a text, at most: an estimate that errs on the high side.
//!
//! Tokenizers differ, so none is asked. Byte-pair encodings keep common words whole, split digits into groups of at most three, and give
//! punctuation mostly a token of its own. Counted are therefore: four letters or two digits a token, begun ones whole; every other
//! ASCII character one, but for a space before a letter, which belongs to the word; what is quoted between backticks, and all that is
//! not ASCII, a token a byte, which no byte-level encoding exceeds.

const LETTERS_A_TOKEN: usize = 4;
const DIGITS_A_TOKEN: usize = 2;

/// The estimate for `text`.
#[must_use]
pub fn tokens_at_most(text: &str) -> usize {
    text.split('`').enumerate().map(|(part, text)| if part % 2 == 1 { text.len() + 2 } else { plain(text) }).sum()
}

fn plain(text: &str) -> usize {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' => LETTERS_A_TOKEN,
        b'0'..=b'9' => DIGITS_A_TOKEN,
        _ => 1,
    };
    let runs = text.as_bytes().chunk_by(|a, b| kind(*a) > 1 && kind(*a) == kind(*b));
    let tokens: usize = runs.map(|run| run.len().div_ceil(kind(run[0]))).sum();
    let free = text.as_bytes().windows(2).filter(|pair| pair[0] == b' ' && pair[1].is_ascii_alphabetic()).count();
    tokens - free
}
