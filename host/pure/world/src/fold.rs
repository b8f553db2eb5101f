//! What characters mean, whatever script or type they are set in: the one reading of characters for facts and for secrets.
//!
//! Invariants: letters become small ones without accents, digits of every script `0` to `9`, wide marks narrow ones; what cannot be seen is left out;
//! every space but the plain one becomes [`JOINT`], which may group digits. Folding a text twice changes nothing. The work is linear in its length.
//! Absent on purpose: letters of other alphabets that look alike.

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
    0x16a60, 0x16ac0, 0x16b50, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e950, 0x1fbf0,
];
/// Small letters with accents, raised, lowered or of mathematics, by the plain letter.
const LETTERS: &[(char, &str)] = &[
    ('a', "àáâãäåāăąǎǟǡǻȁȃȧᴬᵃḁạảấầẩẫậắằẳẵặₐ"),
    ('b', "ᴮᵇḃḅḇℬ"),
    ('c', "çćĉċčᶜḉℂℭⅽꟲ"),
    ('d', "ďᴰᵈḋḍḏḑḓⅅⅆⅾđ"),
    ('e', "èéêëēĕėęěȅȇȩᴱᵉḕḗḙḛḝẹẻẽếềểễệₑℯℰⅇ"),
    ('f', "ᶠḟℱꟳ"),
    ('g', "ĝğġģǧǵᴳᵍḡℊ"),
    ('h', "ĥȟʰᴴḣḥḧḩḫẖₕℋℌℍℎħ"),
    ('i', "ìíîïĩīĭįǐȉȋᴵᵢḭḯỉịⁱℐℑℹⅈⅰı"),
    ('j', "ĵǰʲᴶⅉⱼ"),
    ('k', "ķǩᴷᵏḱḳḵₖ"),
    ('l', "ĺļľˡᴸḷḹḻḽₗℒℓⅼł"),
    ('m', "ᴹᵐḿṁṃₘℳⅿ"),
    ('n', "ñńņňǹᴺṅṇṉṋⁿₙℕ"),
    ('o', "òóôõöōŏőơǒǫǭȍȏȫȭȯȱᴼᵒṍṏṑṓọỏốồổỗộớờởỡợₒℴø"),
    ('p', "ᴾᵖṕṗₚℙ"),
    ('q', "ℚꟴ"),
    ('r', "ŕŗřȑȓʳᴿᵣṙṛṝṟℛℜℝ"),
    ('s', "śŝşšſșˢṡṣṥṧṩẛₛ"),
    ('t', "ţťțᵀᵗṫṭṯṱẗₜŧ"),
    ('u', "ùúûüũūŭůűųưǔǖǘǚǜȕȗᵁᵘᵤṳṵṷṹṻụủứừửữự"),
    ('v', "ᵛᵥṽṿⅴⱽ"),
    ('w', "ŵʷᵂẁẃẅẇẉẘ"),
    ('x', "ˣẋẍₓⅹ"),
    ('y', "ýÿŷȳʸẏẙỳỵỷỹ"),
    ('z', "źżžᶻẑẓẕℤℨ"),
];
/// The first capital or small letters of alphabets in circles and squares.
const ALPHABETS: &[u32] = &[0x249c, 0x24b6, 0x24d0, 0x1f130, 0x1f150, 0x1f170, 0x1f1e6];
/// Letters that stand for several.
const LIGATURES: &[(char, &str)] = &[
    ('\u{df}', "ss"),
    ('\u{e6}', "ae"),
    ('\u{153}', "oe"),
    ('\u{fb00}', "ff"),
    ('\u{fb01}', "fi"),
    ('\u{fb02}', "fl"),
    ('\u{fb03}', "ffi"),
    ('\u{fb04}', "ffl"),
    ('\u{fb05}', "st"),
    ('\u{fb06}', "st"),
];

/// The text as it is meant.
#[must_use]
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut characters = text.chars().map(plain).flat_map(char::to_lowercase).filter(|c| !is_unseen(*c)).peekable();
    while let Some(c) = characters.next() {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        match c {
            ' '..='~' => folded.push(c),
            // Within a date; elsewhere they stand between two thoughts.
            '\u{2012}'..='\u{2015}' => {
                let is_joint = is_digit(folded.chars().next_back()) && is_digit(characters.peek().copied());
                folded.push(if is_joint { '-' } else { DASH });
            }
            _ => match LIGATURES.iter().find(|(ligature, _)| *ligature == c) {
                Some((_, letters)) => folded.push_str(letters),
                None => folded.push(letter(c)),
            },
        }
    }
    folded
}

/// The plain letter of a small one.
fn letter(c: char) -> char {
    let may_be = matches!(
        c,
        '\u{e0}'..='\u{2ff}' | '\u{1d00}'..='\u{1eff}' | '\u{2070}'..='\u{218f}' | '\u{2c7c}' | '\u{2c7d}' | '\u{a7f2}'..='\u{a7f4}'
    );
    if !may_be {
        return c;
    }
    LETTERS.iter().find(|(_, others)| others.contains(c)).map_or(c, |(plain, _)| *plain)
}

/// The character that is meant: digits of every script, raised, lowered and circled ones as `0` to `9`, letters of mathematics and in circles, wide letters
/// and marks as plain ones.
fn plain(c: char) -> char {
    let code = u32::from(c);
    let digit = match code {
        0..=0x9f => return c,
        0xa0 | 0x2000..=0x200a | 0x202f | 0x205f | 0x3000 => return JOINT,
        0x2010 | 0x2011 | 0x2212 | 0xfe63 => return '-',
        0x2018 | 0x2019 | 0x2bc => return '\'',
        0x66b => return '.',
        0x66c => return ',',
        0xff01..=0xff5e => return char::from_u32(code - 0xfee0).unwrap_or(c),
        0x1d400..=0x1d6a3 => return nth_letter((code - 0x1d400) % 26),
        0xb2 | 0xb3 => Some(code - 0xb0),
        0xb9 => Some(1),
        0x2070 | 0x2074..=0x2079 => Some(code - 0x2070),
        0x2080..=0x2089 => Some(code - 0x2080),
        0x2460..=0x2468 => Some(code - 0x245f),
        0x24ea => Some(0),
        0x1d7ce..=0x1d7ff => Some((code - 0x1d7ce) % 10),
        _ => {
            if let Some(first) = ALPHABETS.iter().find(|first| (**first..**first + 26).contains(&code)) {
                return nth_letter(code - first);
            }
            let next = ZEROS.partition_point(|zero| *zero <= code);
            next.checked_sub(1).and_then(|index| ZEROS.get(index)).map(|zero| code - zero)
        }
    };
    digit.and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c)
}

/// The small letter at a place of the alphabet, from 0.
fn nth_letter(place: u32) -> char {
    char::from_u32(u32::from('a') + place).unwrap_or('a')
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
        ] {
            assert_eq!(fold(text), expected, "{text:?}");
            assert_eq!(fold(&fold(text)), expected, "{text:?} twice");
        }
    }
}
