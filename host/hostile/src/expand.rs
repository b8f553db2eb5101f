//! Text that repeats, so that an attack of megabytes is a line that can be read.
//!
//! ```text
//! ⟦3 × (func)⟧          (func)(func)(func)
//! ⟦3 × (global № )⟧     (global 0 )(global 1 )(global 2 )
//! ⟦3 × №[17%10] ⟧       0 7 4      the index times 17, modulo 10
//! ```
//!
//! Repetitions nest; `№` is the index of the innermost.

/// Bytes that one text may expand to: the largest attack has 50 MB.
pub const EXPANDED_BYTES_MAX: usize = 64 << 20;

/// Why a text does not expand.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExpandError {
    /// A bracket without its partner, or one that does not begin with a number and `×`.
    #[error("a repetition is written ⟦NUMBER × TEXT⟧: {0}")]
    Syntax(String),
    /// More than [`EXPANDED_BYTES_MAX`].
    #[error("it expands to more than {EXPANDED_BYTES_MAX} bytes")]
    TooLarge,
}

/// Writes all repetitions out.
///
/// # Errors
/// See [`ExpandError`].
pub fn expand(text: &str) -> Result<String, ExpandError> {
    let mut out = String::new();
    let rest = write(text, None, &mut out)?;
    if rest.is_empty() { Ok(out) } else { Err(syntax(rest)) }
}

fn syntax(rest: &str) -> ExpandError {
    ExpandError::Syntax(rest.chars().take(40).collect())
}

/// Writes up to the end or to an unpaired `⟧`, and returns what comes from there on.
fn write<'a>(mut text: &'a str, index: Option<usize>, out: &mut String) -> Result<&'a str, ExpandError> {
    while let Some(at) = text.find(['⟦', '⟧', '№']) {
        out.push_str(&text[..at]);
        if out.len() > EXPANDED_BYTES_MAX {
            return Err(ExpandError::TooLarge);
        }
        text = &text[at..];
        if text.starts_with('⟧') {
            return Ok(text);
        }
        text = match text.strip_prefix('№') {
            Some(after) => number(after, index, out)?,
            None => repetition(&text['⟦'.len_utf8()..], out)?,
        };
    }
    out.push_str(text);
    if out.len() > EXPANDED_BYTES_MAX { Err(ExpandError::TooLarge) } else { Ok("") }
}

fn repetition<'a>(text: &'a str, out: &mut String) -> Result<&'a str, ExpandError> {
    let (count, body) = text.split_once(" × ").ok_or_else(|| syntax(text))?;
    let count: usize = count.parse().map_err(|_| syntax(text))?;
    let mut rest = body;
    for index in 0..count {
        rest = write(body, Some(index), out)?;
    }
    rest.strip_prefix('⟧').ok_or_else(|| syntax(text))
}

fn number<'a>(after: &'a str, index: Option<usize>, out: &mut String) -> Result<&'a str, ExpandError> {
    let index = index.ok_or_else(|| syntax(after))?;
    let Some((inside, rest)) = after.strip_prefix('[').and_then(|inside| inside.split_once(']')) else {
        out.push_str(&index.to_string());
        return Ok(after);
    };
    let wrong = || syntax(after);
    let (factor, modulus) = inside.split_once('%').ok_or_else(wrong)?;
    let (factor, modulus): (usize, usize) =
        (factor.parse().map_err(|_| wrong())?, modulus.parse().map_err(|_| wrong())?);
    let value = index.saturating_mul(factor).checked_rem(modulus).ok_or_else(wrong)?;
    out.push_str(&value.to_string());
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::{ExpandError, expand};

    #[test]
    fn repetitions_are_written_out() {
        let cases = [
            ("nothing", "nothing"),
            ("⟦3 × (func)⟧", "(func)(func)(func)"),
            ("a⟦2 × №,⟧b", "a0,1,b"),
            ("⟦3 × №[17%10] ⟧", "0 7 4 "),
            ("⟦2 × [⟦2 × №⟧]№⟧", "[01]0[01]1"),
            ("⟦1 × é⟧", "é"),
        ];
        for (text, expected) in cases {
            assert_eq!(expand(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn mistakes_are_found() {
        for text in ["⟦", "⟧", "⟦3 x⟧", "⟦3 × x", "⟦x × x⟧", "№", "⟦1 × №[1]⟧", "⟦1 × №[1%0]⟧", "⟦0 × x⟧"]
        {
            assert!(matches!(expand(text), Err(ExpandError::Syntax(_))), "{text}");
        }
        let bomb = "⟦9999 × ⟦9999 × ⟦9999 × bomb⟧⟧⟧";
        assert_eq!(expand(bomb), Err(ExpandError::TooLarge));
    }
}
