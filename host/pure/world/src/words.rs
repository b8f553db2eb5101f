//! Words for people.

pub use assay_model::nearest;

/// The text, cut between characters to at most `bytes_max` bytes.
#[must_use]
pub fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}
