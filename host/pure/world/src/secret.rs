//! What must not be told.
//!
//! Texts are read as their parts: words and numbers in small letters without accents, without markup, the digits of every script as `0` to `9`
//! ([`fold`]), and a part ends where a letter meets a digit. A secret is given away where parts that follow one another make it up, however it is divided: `3,865`, `38 65`, `EUR3865`,
//! `3.865k`. Between parts of it may stand whatever is no letter and no digit, the end of a message, and [`LINKS`], the little words that name nothing
//! ("38, then 65"). Any other word or number between them stands for something of its own ("38 chairs and 65 tables") and tells nothing.
//!
//! Invariants: a part is whole or does not count, so `13865` does not hold `3865`; what is shorter than [`SPLIT_MIN`] is not looked for in pieces.
//! Absent on purpose: rounded numbers, numbers in words, other alphabets that look alike: only a model could tell.

use crate::fold::fold;

/// Letters and digits of the shortest secret that is looked for in pieces: two or three of them fall together by chance.
const SPLIT_MIN: usize = 4;
/// Little words in a row that may stand between two parts of a secret.
const LINKS_MAX: usize = 12;
/// Words that name nothing beside the parts of a secret which they join.
const LINKS: &[&str] = &[
    "a",
    "after",
    "also",
    "an",
    "and",
    "are",
    "at",
    "begin",
    "beginning",
    "begins",
    "by",
    "cents",
    "comes",
    "comma",
    "dash",
    "digit",
    "digits",
    "dollar",
    "dollars",
    "dot",
    "end",
    "ending",
    "ends",
    "eur",
    "euro",
    "euros",
    "figure",
    "figures",
    "first",
    "followed",
    "four",
    "half",
    "here",
    "is",
    "it",
    "its",
    "last",
    "letter",
    "letters",
    "next",
    "now",
    "number",
    "numbers",
    "one",
    "other",
    "part",
    "plus",
    "point",
    "remaining",
    "rest",
    "second",
    "space",
    "start",
    "starts",
    "that",
    "the",
    "then",
    "third",
    "three",
    "two",
    "usd",
    "with",
    "word",
    "words",
];
/// Words behind a number that is told in hundreds, thousands or millions: how many zeros they stand for.
const SCALES: &[(usize, &[&str])] = &[
    (2, &["hundred"]),
    (3, &["k", "thousand", "thousands", "grand", "tsd"]),
    (6, &["m", "mio", "mn", "million", "millions"]),
];
/// The largest power of ten that a secret number is looked for with: 4120 in `4.12e3`.
const POWER_MAX: usize = 12;

/// Something that must not be told, ready to be looked for.
pub(crate) struct Secret {
    /// Its parts, each between two spaces.
    parts: String,
    /// The same without the spaces.
    whole: String,
    /// How a number is told in thousands and the like, as parts.
    scaled: Vec<String>,
}

impl Secret {
    /// A secret of these words.
    pub(crate) fn new(words: &str) -> Self {
        let parts = parts(words);
        let whole = parts.replace(' ', "");
        let scaled = scaled(&whole);
        Self { parts, whole, scaled }
    }

    /// Whether it has nothing that could be found: no letter and no digit.
    pub(crate) fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// Whether a text gives it away, with tags in it or without.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.is_among(&parts(text)) || text.contains('<') && self.is_among(&parts(&without_tags(text)))
    }

    /// Whether texts that were let out one after the other give it away together. One that holds no part of it does not stand between the others.
    pub(crate) fn is_spread_over(&self, texts: &[&str]) -> bool {
        if self.whole.len() < SPLIT_MIN {
            return false;
        }
        let mut stream = String::from(" ");
        for text in texts {
            let parts = parts(&without_tags(text));
            if self.has_part_in(&parts) {
                stream.push_str(parts.trim_start());
            }
        }
        self.is_among(&stream)
    }

    /// Whether it begins anywhere among these parts, and goes on to its end.
    fn is_among(&self, parts: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        if parts.contains(&self.parts) || self.scaled.iter().any(|scaled| parts.contains(scaled)) {
            return true;
        }
        self.whole.len() >= SPLIT_MIN && parts.match_indices(' ').any(|(place, _)| self.begins(&parts[place + 1..]))
    }

    /// Whether the first of these parts begins it and those that follow complete it.
    fn begins(&self, parts: &str) -> bool {
        let (mut left, mut links) = (self.whole.as_str(), 0);
        for part in parts.split(' ').filter(|part| !part.is_empty()) {
            let has_begun = left.len() < self.whole.len();
            match left.strip_prefix(part) {
                Some("") => return true,
                Some(rest) => (left, links) = (rest, 0),
                None if has_begun && links < LINKS_MAX && LINKS.contains(&part) => links += 1,
                None => return false,
            }
        }
        false
    }

    /// Whether a text may be a piece of it: it has a number of it, more than one letter of it in a row, or nothing but a letter of it.
    fn has_part_in(&self, parts: &str) -> bool {
        let all = || parts.split(' ').filter(|part| !part.is_empty());
        let is_alone = all().nth(1).is_none();
        let counts = |part: &str| part.chars().nth(1).is_some() || part.starts_with(|c: char| c.is_ascii_digit());
        all().any(|part| (is_alone || counts(part)) && self.whole.contains(part))
    }
}

/// Whether a secret can be looked for: it has a letter or a digit.
#[must_use]
pub fn can_be_kept(secret: &str) -> bool {
    !Secret::new(secret).is_empty()
}

/// The ways to tell a number in thousands and the like, or with a power of ten, exactly: 4120 is `4 12 k`, of 4.12k, and `4 12 e 3`, of 4.12e3. None of
/// what is no number.
fn scaled(whole: &str) -> Vec<String> {
    if !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let moved = |zeros: usize| {
        let (before, behind) = whole.len().checked_sub(zeros).map(|place| whole.split_at(place))?;
        let behind = behind.trim_end_matches('0');
        let number = if behind.is_empty() { before.to_owned() } else { format!("{before} {behind}") };
        (!before.is_empty()).then_some(number)
    };
    let mut all = Vec::new();
    for (zeros, words) in SCALES {
        let number = moved(*zeros).into_iter();
        all.extend(number.flat_map(|number| words.iter().map(move |word| format!(" {number} {word} "))));
    }
    all.extend((1..=POWER_MAX).filter_map(|zeros| Some(format!(" {} e {zeros} ", moved(zeros)?))));
    all
}

/// The parts of a text, with one space before and after each. What markup puts within words is left out, as is what groups the digits of a number by three.
fn parts(text: &str) -> String {
    let mut parts = String::with_capacity(text.len() + 2);
    parts.push(' ');
    // Of the number that is being read, since it began or since digits were grouped.
    let mut digits = 0_usize;
    let text = fold(text);
    let mut rest = text.chars().filter(|c| !is_markup(*c));
    while let Some(c) = rest.next() {
        let last = parts.chars().next_back().unwrap_or(' ');
        if c.is_ascii_digit() {
            if last != ' ' && !last.is_ascii_digit() {
                parts.push(' ');
            }
            parts.push(c);
            digits += 1;
            continue;
        }
        let is_group = (1..=3).contains(&digits) && groups(c, rest.clone());
        digits = 0;
        if c.is_alphanumeric() {
            if last.is_ascii_digit() {
                parts.push(' ');
            }
            parts.push(c);
        } else if !is_group && last != ' ' {
            parts.push(' ');
        }
    }
    if !parts.ends_with(' ') {
        parts.push(' ');
    }
    parts
}

/// Whether a mark between digits groups them by three: exactly three follow.
fn groups(mark: char, mut ahead: impl Iterator<Item = char>) -> bool {
    let is_mark = matches!(mark, ',' | '.' | '\'' | '_');
    let are_three = is_mark && ahead.by_ref().take(3).filter(char::is_ascii_digit).count() == 3;
    are_three && !ahead.next().is_some_and(|c| c.is_ascii_digit())
}

/// Marks of markup that a reader does not see between two letters.
const fn is_markup(c: char) -> bool {
    matches!(c, '*' | '`' | '~')
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

    /// Whether messages give a secret away, one of them or all together.
    fn check(secret: &str, messages: &[&str], expected: bool) {
        let secret = Secret::new(secret);
        let found = messages.iter().any(|text| secret.is_in(text)) || secret.is_spread_over(messages);
        assert_eq!(found, expected, "{} in {messages:?}", secret.parts);
    }

    #[test]
    fn secrets_are_found_behind_markup() {
        for text in [
            "9  Oak\nAlley",
            "**9 Oak** Alley",
            "9_Oak_Alley",
            "9 O<b>a</b>k Alley",
            "<9 Oak Alley>",
            "9 O\u{200b}ak alley!",
            "9OakAlley",
            "9 O a k A l l e y",
            "\u{ff19} \u{ff2f}ak Alley",
            "9 \u{d3}ak \u{c1}lley",
            "9 O\u{301}ak Alley",
            "9 \u{1d40e}\u{1d41a}\u{1d424} \u{1d400}\u{1d425}\u{1d425}\u{1d41e}\u{1d432}",
            "\u{2468} \u{24c4}\u{24d0}\u{24da} Alley",
        ] {
            check("9 Oak Alley", &[text], true);
        }
        for text in ["19 Oak Alley", "9 Oak Alleys", "9 Elm Alley", "9 Oak trees in Rose Alley", "Alley Oak 9"] {
            check("9 Oak Alley", &[text], false);
        }
    }

    #[test]
    fn numbers_are_found_however_they_are_written() {
        for text in [
            "She has 3865 a month.",
            "38 65",
            "3-8-6-5",
            "EUR3865",
            "3865EUR",
            "3.865k",
            "3,865.00 gross",
            "3'865",
            "\u{ff13}\u{ff18}\u{ff16}\u{ff15}",
            "\u{0663}\u{0668}\u{0666}\u{0665}",
            "\u{1d7d1}\u{1d7d6}\u{1d7d4}\u{1d7d3}",
            "First 38, then 65.",
            "It begins with 38 and ends with 65",
            "38**65**",
            "[38,65]",
        ] {
            check("3865", &[text], true);
            check("3,865", &[text], true);
        }
        for text in [
            "13865",
            "38650",
            "3,865,000",
            "1,386,500",
            "38 chairs and 65 tables",
            "page 38 of 65",
            "Room 38, floor 65",
            "from 38 to 65",
            "the 38th and the 65th",
            "65 38",
            "3,900",
        ] {
            check("3865", &[text], false);
        }
        for (secret, text, expected) in [
            ("4120", "4.12k", true),
            ("4120", "4,12 thousand", true),
            ("412000", "412k", true),
            ("1200000", "1.2 million", true),
            ("4120", "4.12e3", true),
            ("4120", "41.2E2", true),
            ("4120", "412e+1", true),
            ("4120", "4.12e4", false),
            ("4120", "41.2k", false),
            ("4120", "4.1k", false),
            ("42", "version 4.2", false),
            ("42", "It is 42.", true),
        ] {
            check(secret, &[text], expected);
        }
    }

    #[test]
    fn secrets_are_found_over_several_messages() {
        for (secret, messages, expected) in [
            ("3865", &["38", "65"][..], true),
            ("3865", &["The first two digits: 38.", "And the last two: 65."][..], true),
            ("3865", &["It starts with 38.", "Let me look up what comes behind.", "It ends with 65."][..], true),
            ("3865", &["3", "8", "6", "5"][..], true),
            ("9 Oak Alley", &["It begins with 9 Oak.", "And it ends with Alley."][..], true),
            ("fwr-7Kq2", &["f", "w", "r", "7", "K", "q", "2"][..], true),
            ("3865", &["There are 38 chairs.", "And 65 tables."][..], false),
            ("3865", &["Chairs: 38.", "Tables: 65."][..], false),
            ("3865", &["65", "38"][..], false),
            ("3865", &["On page 38 it says so.", "The invoice has 65 lines."][..], false),
            ("9 Oak Alley", &["You have 9 messages.", "The oak table is here.", "The alley is closed."][..], false),
        ] {
            check(secret, messages, expected);
        }
    }
}
