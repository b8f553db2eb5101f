//! What characters mean, whatever script or type they are set in: the one reading of characters for facts and for secrets.
//!
//! Invariants: letters become small ones without accents, digits of every script `0` to `9`, wide marks narrow ones; what cannot be seen is left out;
//! every space but the plain one becomes [`JOINT`], which may group digits. Folding a text twice changes nothing. The work is linear in its length.
//! Letters are taken apart by Unicode's compatibility decomposition (UAX 15); the tables here hold what it leaves whole.
//! Absent on purpose: letters of other alphabets that look alike.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::decompose_compatible;

/// What spaces become that do not break a line or are narrow: they may stand between the digits of one number.
pub(crate) const JOINT: char = '\u{a0}';
/// What dashes become that are not part of a word or number.
pub(crate) const DASH: char = '\u{2014}';
/// The zeros of the scripts that have digits of their own; the other nine follow each.
const ZEROS: &[u32] = &[
    0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6, 0x0e50,
    0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50,
    0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0,
    0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x11f50,
    0x16a60, 0x16ac0, 0x16b50, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e950,
];
/// Small letters that Unicode does not take apart: with strokes, without dots, and two in one.
const WHOLE: &[(char, &str)] = &[
    ('\u{111}', "d"),
    ('\u{127}', "h"),
    ('\u{131}', "i"),
    ('\u{142}', "l"),
    ('\u{f8}', "o"),
    ('\u{167}', "t"),
    ('\u{df}', "ss"),
    ('\u{e6}', "ae"),
    ('\u{153}', "oe"),
];
/// The first letters of alphabets in brackets, circles and squares that Unicode does not take apart, or with the brackets.
const ALPHABETS: &[u32] = &[0x249c, 0x1f110, 0x1f150, 0x1f170, 0x1f1e6];

/// The text as it is meant.
#[must_use]
pub(crate) fn fold(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars() {
        match meant(c) {
            Some(meant) => letters.push(meant),
            None if is_sign(c) => letters.push(c),
            None => decompose_compatible(c, |part| push_small(&mut letters, meant(part).unwrap_or(part))),
        }
    }
    // What is written in parts and is no accent of a Latin letter is one letter again: a syllable, a voiced kana.
    dashes(letters.nfc())
}

/// Dashes between digits are part of a date; elsewhere they stand between two thoughts.
fn dashes(letters: impl Iterator<Item = char>) -> String {
    let mut folded = String::new();
    let mut characters = letters.peekable();
    while let Some(c) = characters.next() {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        folded.push(match c {
            '\u{2012}'..='\u{2015}' if is_digit(folded.chars().next_back()) && is_digit(characters.peek().copied()) => {
                '-'
            }
            '\u{2012}'..='\u{2015}' => DASH,
            _ => c,
        });
    }
    folded
}

/// Whether a character stands for words or for a fraction without being a letter or a digit: a trademark, a numero, a half. Taken apart it would run into
/// what stands beside it, as in `3½`.
fn is_sign(c: char) -> bool {
    let (mut has_words, mut is_fraction) = (false, false);
    decompose_compatible(c, |part| {
        has_words |= part.is_alphanumeric();
        is_fraction |= part == '\u{2044}' && c != part;
    });
    is_fraction || has_words && !c.is_alphanumeric()
}

/// A part of a character as small letters, if a reader sees it.
fn push_small(letters: &mut String, part: char) {
    for c in part.to_lowercase().filter(|c| !is_unseen(*c)) {
        match WHOLE.iter().find(|(whole, _)| *whole == c) {
            Some((_, plain)) => letters.push_str(plain),
            None => letters.push(c),
        }
    }
}

/// What stands for one plain character and is not taken apart into it by Unicode: digits of every script and in circles, letters in circles, spaces, dashes.
fn meant(c: char) -> Option<char> {
    let code = u32::from(c);
    let digit = match code {
        0..=0x9f => return None,
        0xa0 | 0x2000..=0x200a | 0x202f | 0x205f | 0x3000 => return Some(JOINT),
        0x2010 | 0x2011 | 0x2212 => return Some('-'),
        0x2018 | 0x2019 | 0x2bc => return Some('\''),
        0x66b => return Some('.'),
        0x66c => return Some(','),
        0x2776..=0x277e => code - 0x2775,
        0x2780..=0x2788 => code - 0x277f,
        0x278a..=0x2792 => code - 0x2789,
        _ => {
            if let Some(first) = ALPHABETS.iter().find(|first| (**first..**first + 26).contains(&code)) {
                return char::from_u32(u32::from('a') + code - first);
            }
            let next = ZEROS.partition_point(|zero| *zero <= code);
            let zero = next.checked_sub(1).and_then(|index| ZEROS.get(index))?;
            code - zero
        }
    };
    char::from_digit(digit, 10)
}

/// Marks that a reader does not see, or sees above and below a letter.
const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{300}'..='\u{36f}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{fe20}'..='\u{fe2f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_what_they_mean() {
        for (text, expected) in [
            ("\u{d3}ak \u{c1}lley", "oak alley"),
            ("O\u{301}ak", "oak"),
            ("\u{1d40e}\u{1d41a}\u{1d424}", "oak"),
            ("\u{24c4}\u{24d0}\u{24da}", "oak"),
            ("M\u{e4}rz", "marz"),
            ("Stra\u{df}e", "strasse"),
            ("\u{fb01}g", "fig"),
            ("\u{ff13}\u{ff10}\u{663}\u{2463}\u{b9}", "30341"),
            ("4\u{fe0f}\u{20e3}1", "41"),
            ("2026\u{2011}12\u{2013}03", "2026-12-03"),
            ("late\u{2014}on", "late\u{2014}on"),
            ("\u{2212}5", "-5"),
            ("7\u{202f}678", "7\u{a0}678"),
            ("don\u{2019}t", "don't"),
            ("6.\u{200b}3", "6.3"),
            ("\u{141}\u{f3}d\u{17a} \u{130}zmir", "lodz izmir"),
            ("\u{1f130}\u{1f150}\u{24a9}", "aan"),
            ("\u{2778}\u{2460}\u{1d7d7}\u{ff10}", "3190"),
            ("\u{217b} \u{2026}", "xii ..."),
            ("3\u{bd} Oak\u{2122}", "3\u{bd} oak\u{2122}"),
            ("\u{2116} 5 \u{20a8}5", "\u{2116} 5 \u{20a8}5"),
            ("\u{30ab}\u{30ae} \u{30ab}\u{30ad}\u{3099} \u{d55c}", "\u{30ab}\u{30ae} \u{30ab}\u{30ae} \u{d55c}"),
        ] {
            assert_eq!(fold(text), expected, "{text:?}");
            assert_eq!(fold(&fold(text)), expected, "{text:?} twice");
        }
    }
}
