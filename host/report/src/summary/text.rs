//! Text of the summary: lines within a budget, short numbers, and quotations that cannot get out of their quotes.

use crate::tokens::tokens_at_most;

/// Kept free for the last line, which says what found no room.
const RESERVE: usize = 30;

/// Lines as long as they fit.
pub(crate) struct Page {
    text: String,
    tokens_left: usize,
    left_out: usize,
}

impl Page {
    pub(crate) fn new(tokens_max: usize) -> Self {
        Self { text: String::new(), tokens_left: tokens_max - RESERVE, left_out: 0 }
    }

    /// Adds a line if there is room for it.
    pub(crate) fn line(&mut self, line: &str) {
        match self.tokens_left.checked_sub(tokens_at_most(line) + 1) {
            Some(left) => {
                self.tokens_left = left;
                self.text.push_str(line);
                self.text.push('\n');
            }
            None => self.left_out += 1,
        }
    }

    /// A heading with a list below; nothing for a list of which no line fits.
    pub(crate) fn section(&mut self, title: &str, lines: &[String]) {
        let mut heading = format!("\n## {title}\n\n");
        for line in lines {
            let left_out = self.left_out;
            self.line(&format!("{heading}- {line}"));
            if self.left_out == left_out {
                heading.clear();
            }
        }
    }

    pub(crate) fn finish(mut self) -> String {
        if self.left_out > 0 {
            self.text.push_str(&format!("\n{} lines did not fit; run.json has everything.\n", self.left_out));
        }
        self.text
    }
}

/// A number in about three digits, never longer than ten characters.
pub(super) fn number(value: f64) -> String {
    let text = match value.abs() {
        0.0 => return "0".to_owned(),
        size if !(0.000_5..999_999.5).contains(&size) => return format!("{value:.2e}"),
        99.95.. => format!("{value:.0}"),
        9.995.. => format!("{value:.1}"),
        0.095.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    };
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole.to_owned(),
        _ => text,
    }
}

/// A share of one in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", number(share * 100.0))
}

/// How a unit of the record is written after a title, and the factor that goes with it.
pub(super) fn unit(unit: &str) -> (&'static str, f64) {
    match unit {
        "cents" => (", $", 0.01),
        "cents_per_share" => (", cents a share", 1.0),
        "shares" => (", shares", 1.0),
        "fraction" => (", %", 100.0),
        "basis_points" => (", bp", 1.0),
        "seconds" => (", s", 1.0),
        _ => ("", 1.0),
    }
}

/// Text of others between backticks: one line, at most `chars_max` characters, nothing in it but letters, digits, spaces and ASCII
/// punctuation; a backtick becomes an apostrophe, anything else a question mark.
pub(crate) fn quoted(text: &str, chars_max: usize) -> String {
    let mut chars = text.trim().chars();
    let kept = chars.by_ref().take(chars_max).map(|char| match char {
        '`' => '\'',
        '\n' | '\t' => ' ',
        char if char.is_ascii_graphic() || char == ' ' || char.is_alphanumeric() => char,
        _ => '?',
    });
    let kept: String = kept.collect();
    let more = if chars.next().is_some() { "..." } else { "" };
    format!("`{kept}{more}`")
}
