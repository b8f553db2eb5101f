//! Which numbers of an explanation are the record's: those that it was told, however they are written.
//!
//! Invariant: what looks like a number and was not told does not reach the reader. Digits of any script, exponents, hexadecimals and numbers from eleven on in
//! English words look like one; digits within a name do if there are more than two of them and the name was not told.

/// Bytes of an explanation that are kept.
const BYTES_MAX: usize = 16 << 10;
/// What stands in the place of a number that the run does not have.
const STRUCK: &str = "[struck out: not in the data]";
/// Digits of a name that nobody takes for a number: `p99`.
const NAME_DIGITS_MAX: usize = 2;
/// Numbers in words. Those up to ten may count things, as digits may.
const WORDS: [(&str, &str); 24] = [
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("hundreds", "100"),
    ("thousand", "1000"),
    ("thousands", "1000"),
    ("million", "1000000"),
    ("millions", "1000000"),
    ("billion", "1000000000"),
];

/// An explanation with every number struck out that does not stand in `told`, and how many those were. Signs, thousands separators and zeros at the
/// end of a fraction make no difference; whole numbers below 11 may count things and stay.
#[must_use]
pub fn grounded(text: &str, told: &str) -> (String, usize) {
    let known: Vec<String> = numbers(told).into_iter().map(|(start, end)| plain(&told[start..end])).collect();
    let text = &text[..text.floor_char_boundary(BYTES_MAX)];
    let mut claims: Vec<(usize, usize)> = numbers(text)
        .into_iter()
        .filter(|(start, end)| {
            let number = plain(&text[*start..*end]);
            !number.parse::<u8>().is_ok_and(|number| number <= 10) && !known.contains(&number)
        })
        .collect();
    claims.extend(words(text, |word| match WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)) {
        Some((_, value)) => !known.iter().any(|known| known == value) && !holds_word(told, word),
        None => is_made_up(word) && !holds_word(told, word),
    }));
    claims.sort_unstable();
    let (mut shown, mut from, mut struck) = (String::new(), 0, 0);
    for (start, end) in claims {
        shown.push_str(&text[from..start]);
        shown.push_str(STRUCK);
        from = end;
        struck += 1;
    }
    shown.push_str(&text[from..]);
    (shown, struck)
}

/// Whether a name has more digits than names have. One that begins with a digit is a number, and told as such.
fn is_made_up(word: &str) -> bool {
    let begins = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    begins && word.chars().filter(|c| c.is_numeric()).count() > NAME_DIGITS_MAX
}

fn holds_word(text: &str, wanted: &str) -> bool {
    !words(text, |word| word.eq_ignore_ascii_case(wanted)).is_empty()
}

/// Where words stand that fit: letters, digits and `_` in a row.
fn words(text: &str, fits: impl Fn(&str) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_inside = c.is_alphanumeric() || c == '_';
        match (start, is_inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.extend(Some((from, at)).filter(|_| fits(&text[from..at])));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Where numbers stand: digits of any script, with single `,`, `.`, `_` and `'` between digits, an exponent after them, or `0x` before. Digits within a
/// word are part of a name.
pub(super) fn numbers(text: &str) -> Vec<(usize, usize)> {
    let chars: Vec<(usize, char)> = text.char_indices().chain([(text.len(), '\0')]).collect();
    let is_digit = |at: usize| chars.get(at).is_some_and(|(_, c)| c.is_numeric());
    let is = |at: usize, marks: &[char]| chars.get(at).is_some_and(|(_, c)| marks.contains(c));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let start = at;
        if is(at, &['0']) && is(at + 1, &['x', 'X']) && chars.get(at + 2).is_some_and(|(_, c)| c.is_ascii_hexdigit()) {
            at += 2;
            while chars.get(at).is_some_and(|(_, c)| c.is_ascii_hexdigit()) {
                at += 1;
            }
        }
        while is_digit(at) || (is(at, &[',', '.', '_', '\'']) && is_digit(at + 1)) {
            at += 1;
        }
        let sign = usize::from(is(at + 1, &['+', '-']));
        if is(at, &['e', 'E']) && is_digit(at + 1 + sign) {
            at += 1 + sign;
            while is_digit(at) {
                at += 1;
            }
        }
        let in_word = start > 0 && (chars[start - 1].1.is_alphabetic() || chars[start - 1].1 == '_');
        if !in_word {
            found.push((chars[start].0, chars[at].0));
        }
    }
    found
}

/// `1,234.50` as `1234.5`.
pub(super) fn plain(number: &str) -> String {
    let number = number.replace([',', '_', '\''], "");
    match number.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => {
            let fraction = fraction.trim_end_matches('0');
            if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
        }
        _ => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_in_the_data_are_struck_out() {
        let summary = "PnL $1,234.50 over 20 seeds; capture 0.70%, p50 3";
        let check = |text: &str, expected: &str, count: usize| {
            assert_eq!(grounded(text, summary), (expected.to_owned(), count), "{text}");
        };
        check("It earned 1234.5 in 20 seeds, 0.7%.", "It earned 1234.5 in 20 seeds, 0.7%.", 0);
        check("It earned 1,234.51.", &format!("It earned {STRUCK}."), 1);
        check("Two of 3 causes; p99 in volatility_10s.", "Two of 3 causes; p99 in volatility_10s.", 0);
        check("−15% and 11", &format!("−{STRUCK}% and {STRUCK}"), 2);
        check("1.2.3 €5", &format!("{STRUCK} €5"), 1);
        check("", "", 0);
        for made_up in ["9e9", "1_234_567", "0x7fff", "１２３４", "٣٤٥", "½", "Ⅷ", "x98765", "ninety", "Thousands"]
        {
            check(&format!("So {made_up}, it says."), &format!("So {STRUCK}, it says."), 1);
        }
        check("Over twenty seeds it earned 1_234.5.", "Over twenty seeds it earned 1_234.5.", 0);
        check("It lost ninety-nine.", &format!("It lost {STRUCK}-nine."), 1);
    }
}
