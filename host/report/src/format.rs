//! Numbers and untrusted text for people.

use std::fmt::Write as _;

/// The typographic minus sign: as wide as a digit, unlike the hyphen.
const MINUS: char = '\u{2212}';
/// Stands where there is no value.
pub(crate) const NO_VALUE: &str = "\u{2013}";

/// How values of a unit are shown: factor, decimals, sign of the unit.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    factor: f64,
    decimals: usize,
    /// What the number is in, for a column of its own.
    pub(crate) unit: &'static str,
}

/// How the record's unit of that name is shown. Money is shown in dollars.
pub(crate) fn shown(unit: &str) -> Shown {
    let (factor, decimals, unit) = match unit {
        "cents" => (0.01, 2, "$"),
        "cents_per_share" => (1.0, 2, "\u{a2}"),
        "shares" => (1.0, 1, "shares"),
        "count" => (1.0, 1, ""),
        "fraction" => (100.0, 2, "%"),
        "basis_points" => (1.0, 2, "bp"),
        "seconds" => (1.0, 2, "s"),
        _ => (1.0, 2, ""),
    };
    Shown { factor, decimals, unit }
}

impl Shown {
    /// The number alone.
    pub(crate) fn number(self, value: f64) -> String {
        let value = value * self.factor;
        // Whole shares and counts need no decimals; their means do.
        let decimals = if self.decimals == 1 && value.fract() == 0.0 { 0 } else { self.decimals };
        grouped(value, decimals)
    }

    /// The number, or a dash.
    pub(crate) fn number_or_dash(self, value: Option<f64>) -> String {
        value.map_or_else(|| NO_VALUE.to_owned(), |value| self.number(value))
    }

    /// The number with its unit, for running text.
    pub(crate) fn with_unit(self, value: f64) -> String {
        match self.unit {
            "" => self.number(value),
            "$" => {
                let number = self.number(value);
                number.strip_prefix(MINUS).map_or_else(|| format!("${number}"), |digits| format!("{MINUS}${digits}"))
            }
            unit => format!("{}\u{a0}{unit}", self.number(value)),
        }
    }
}

/// A number with `decimals` decimals and separated thousands.
pub(crate) fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::new();
    // What rounds to zero has no sign.
    if value < 0.0 && text.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        out.push(MINUS);
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        let _infallible = write!(out, ".{fraction}");
    }
    out
}

/// A whole number with thousands apart.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes in the largest binary unit that leaves at least one.
pub(crate) fn bytes(value: u64) -> String {
    match value {
        0..1_024 => format!("{} B", count(value)),
        1_024..1_048_576 => format!("{} KiB", grouped(value as f64 / 1_024.0, 1)),
        _ => format!("{} MiB", grouped(value as f64 / 1_048_576.0, 1)),
    }
}

/// The time of day of nanoseconds since the epoch, to the millisecond or as coarse as asked.
pub(crate) fn clock(at_ns: u64, milliseconds: bool) -> String {
    let (second, rest) = (at_ns / 1_000_000_000, at_ns % 1_000_000_000);
    let (hours, minutes, seconds) = (second / 3_600 % 24, second / 60 % 60, second % 60);
    match (milliseconds, seconds) {
        (true, _) => format!("{hours:02}:{minutes:02}:{seconds:02}.{:03}", rest / 1_000_000),
        (false, 0) => format!("{hours:02}:{minutes:02}"),
        (false, _) => format!("{hours:02}:{minutes:02}:{seconds:02}"),
    }
}

/// `singular` or `plural` after the count.
pub(crate) fn counted(value: usize, singular: &str, plural: &str) -> String {
    format!("{} {}", count(value as u64), if value == 1 { singular } else { plural })
}

/// Untrusted text made safe to look at: control characters as their pictures, invisible and direction-changing ones by number,
/// at most `chars_max` characters.
#[must_use]
pub fn visible(text: &str, chars_max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(4 * chars_max));
    for (index, char) in text.chars().enumerate() {
        if index == chars_max {
            out.push('\u{2026}');
            break;
        }
        match char {
            '\t' => out.push_str("    "),
            '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + char as u32).unwrap_or('\u{fffd}')),
            '\u{7f}' => out.push('\u{2421}'),
            '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}' => {
                let _infallible = write!(out, "\u{27e8}U+{:04X}\u{27e9}", char as u32);
            }
            char => out.push(char),
        }
    }
    out
}
