//! Words that are not trusted, in a cell of a table of Markdown.

const CHARS_MAX: usize = 200;

/// On one line, without marks that would end the cell or begin anything, and not long.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        '|' | '<' | '>' | '`' | '[' | ']' => '\'',
        c if c.is_control() || assay_validator::is_hidden(c) => '\u{fffd}',
        c => c,
    };
    text.chars().take(CHARS_MAX).map(plain).collect()
}
