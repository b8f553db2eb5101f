//! The names of days and months.
//!
//! Invariant: names are without accents, as folded texts have them.

/// The names of months in English, German, French, Spanish, Italian and Dutch, and short ones.
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "janner", "janvier", "enero", "gennaio", "januari"],
    &["february", "feb", "februar", "fevrier", "febrero", "febbraio", "februari"],
    &["march", "mar", "marz", "maerz", "mrz", "mars", "marzo", "maart"],
    &["april", "apr", "avril", "abril", "aprile"],
    &["may", "mai", "mayo", "maggio", "mei"],
    &["june", "jun", "juni", "juin", "junio", "giugno"],
    &["july", "jul", "juli", "juillet", "julio", "luglio"],
    &["august", "aug", "aout", "agosto", "augustus"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre"],
    &["november", "nov", "novembre", "noviembre"],
    &["december", "dec", "dezember", "dez", "decembre", "diciembre", "dicembre"],
];
const ORDINALS: [&str; 20] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
];
const WEEKDAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "tues",
    "wed",
    "thu",
    "thur",
    "thurs",
    "fri",
    "sat",
    "sun",
];

/// The number of a month, from 1.
pub(crate) fn month(word: &str) -> Option<usize> {
    let may_be = word.starts_with(|c: char| c.is_ascii_lowercase()) && (3..=10).contains(&word.len());
    MONTHS.iter().position(|names| may_be && names.contains(&word)).map(|index| index + 1)
}

/// Whether a word is one that is more often none: "you may first check".
pub(crate) fn is_shy(month: &str) -> bool {
    month == "may"
}

pub(crate) fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

/// The day that a word is: `4`, `04`, `4th`, `fourth`, `twenty-first`.
pub(crate) fn day(word: &str) -> Option<u32> {
    let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (digits, rest) = word.split_at(end);
    if digits.is_empty() {
        return ordinal(word);
    }
    let is_day = digits.len() <= 2 && matches!(rest, "" | "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| is_day && (1..=31).contains(day))
}

/// The day that an ordinal in words is.
pub(crate) fn ordinal(word: &str) -> Option<u32> {
    let place = |word: &str| ORDINALS.iter().zip(1_u32..).find(|(name, _)| **name == word).map(|(_, day)| day);
    match word.split_once('-') {
        Some((tens, unit)) => joined(tens, place(unit)?),
        None if word == "thirtieth" => Some(30),
        None => place(word),
    }
}

/// The day that tens before an ordinal make: `twenty`, `first`.
pub(crate) fn joined(tens: &str, unit: u32) -> Option<u32> {
    let tens = match tens {
        "twenty" => 20,
        "thirty" => 30,
        _ => return None,
    };
    (1..=9).contains(&unit).then_some(tens + unit).filter(|day| *day <= 31)
}

pub(crate) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()) && word.starts_with(['1', '2'])
}
