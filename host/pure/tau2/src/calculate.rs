//! The calculator: expressions of numbers, `+ - * / // **` and parentheses, as Python evaluates them, rounded to two places.
//!
//! Invariants: integers are exact up to 128 bits and floats from there on; depth and length are bounded. What is no expression has one error.

use crate::python::{repr, round2};

/// Levels of parentheses, signs and powers; Python has about 100.
const DEPTH_MAX: usize = 90;
/// Bytes of an expression.
const BYTES_MAX: usize = 2_000;
const SYNTAX: &str = "invalid syntax (<string>, line 1)";

#[derive(Clone, Copy, Debug)]
enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    #[expect(clippy::cast_precision_loss, reason = "as Python's float()")]
    fn float(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Float(float) => float,
        }
    }
}

/// What an expression comes to, as text.
///
/// # Errors
/// Python's words.
pub(crate) fn calculate(expression: &str) -> Result<String, String> {
    if !expression.chars().all(|c| "0123456789+-*/(). ".contains(c)) {
        return Err("Invalid characters in expression".to_owned());
    }
    if expression.len() > BYTES_MAX {
        return Err("too many nested parentheses".to_owned());
    }
    // `eval` takes spaces before an expression away.
    let mut parser = Parser { rest: expression.trim_start(), depth: 0 };
    let number = parser.sum()?;
    parser.space();
    if !parser.rest.is_empty() {
        return Err(SYNTAX.to_owned());
    }
    let float = number.float();
    if float.is_infinite() {
        return Ok(if float > 0.0 { "inf" } else { "-inf" }.to_owned());
    }
    Ok(repr(round2(float)))
}

struct Parser<'e> {
    rest: &'e str,
    depth: usize,
}

impl Parser<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }

    fn take(&mut self, word: &str) -> bool {
        self.space();
        let found = self.rest.strip_prefix(word);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn deeper<T>(&mut self, then: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth >= DEPTH_MAX {
            return Err("too many nested parentheses".to_owned());
        }
        self.depth += 1;
        let done = then(self);
        self.depth -= 1;
        done
    }

    fn sum(&mut self) -> Result<Number, String> {
        let mut sum = self.product()?;
        loop {
            if self.take("+") {
                sum = whole_or(sum, self.product()?, i128::checked_add, |a, b| a + b);
            } else if self.take("-") {
                sum = whole_or(sum, self.product()?, i128::checked_sub, |a, b| a - b);
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<Number, String> {
        let mut product = self.signed()?;
        loop {
            if self.take("//") {
                product = floor(product, self.signed()?)?;
            } else if self.take("/") {
                product = quotient(product, self.signed()?)?;
            } else if self.take("*") {
                product = whole_or(product, self.signed()?, i128::checked_mul, |a, b| a * b);
            } else {
                return Ok(product);
            }
        }
    }

    fn signed(&mut self) -> Result<Number, String> {
        if self.take("-") {
            return self.deeper(|parser| {
                Ok(match parser.signed()? {
                    Number::Whole(whole) => Number::Whole(-whole),
                    Number::Float(float) => Number::Float(-float),
                })
            });
        }
        if self.take("+") {
            return self.deeper(Self::signed);
        }
        let base = self.atom()?;
        if self.take("**") {
            let exponent = self.deeper(Self::signed)?;
            return power(base, exponent);
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Number, String> {
        if self.take("(") {
            let inner = self.deeper(Self::sum)?;
            return if self.take(")") { Ok(inner) } else { Err(SYNTAX.to_owned()) };
        }
        self.space();
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        let points = word.matches('.').count();
        if word.is_empty() || word == "." || points > 1 {
            return Err(SYNTAX.to_owned());
        }
        if points == 1 {
            return word.parse().map(Number::Float).map_err(|_| SYNTAX.to_owned());
        }
        if word.starts_with('0') && word.bytes().any(|byte| byte != b'0') {
            return Err(
                "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers (<string>, line 1)"
                    .to_owned(),
            );
        }
        Ok(match word.parse() {
            Ok(whole) => Number::Whole(whole),
            Err(_) => Number::Float(word.parse().map_err(|_| SYNTAX.to_owned())?),
        })
    }
}

fn whole_or(
    one: Number,
    other: Number,
    whole: impl Fn(i128, i128) -> Option<i128>,
    float: impl Fn(f64, f64) -> f64,
) -> Number {
    if let (Number::Whole(one), Number::Whole(other)) = (one, other)
        && let Some(whole) = whole(one, other)
    {
        return Number::Whole(whole);
    }
    Number::Float(float(one.float(), other.float()))
}

fn quotient(one: Number, other: Number) -> Result<Number, String> {
    if other.float() == 0.0 {
        let is_whole = matches!((one, other), (Number::Whole(_), Number::Whole(_)));
        return Err(if is_whole { "division by zero" } else { "float division by zero" }.to_owned());
    }
    Ok(Number::Float(one.float() / other.float()))
}

fn floor(one: Number, other: Number) -> Result<Number, String> {
    if let (Number::Whole(one), Number::Whole(other)) = (one, other) {
        let quotient = one.checked_div_euclid(other).ok_or("integer division or modulo by zero")?;
        // Python rounds down, whatever the signs.
        let rest = one - quotient * other;
        return Ok(Number::Whole(if other < 0 && rest != 0 { quotient - 1 } else { quotient }));
    }
    if other.float() == 0.0 {
        return Err("float floor division by zero".to_owned());
    }
    Ok(Number::Float((one.float() / other.float()).floor()))
}

fn power(base: Number, exponent: Number) -> Result<Number, String> {
    if let (Number::Whole(base), Number::Whole(exponent)) = (base, exponent)
        && let Some(whole) = u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent))
    {
        return Ok(Number::Whole(whole));
    }
    let (base, exponent) = (base.float(), exponent.float());
    if base == 0.0 && exponent < 0.0 {
        return Err("0.0 cannot be raised to a negative power".to_owned());
    }
    let power = if exponent.fract() == 0.0 && exponent.abs() < 1_000.0 {
        #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
        base.powi(exponent as i32)
    } else {
        return Err("(34, 'Numerical result out of range')".to_owned());
    };
    if power.is_finite() { Ok(Number::Float(power)) } else { Err("int too large to convert to float".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_come_to_what_python_says() {
        for (expression, expected) in [
            ("2 + 2", Ok("4.0")),
            ("(1 + 2) * 3 - 4 / 8", Ok("8.5")),
            ("  -3 ** 2", Ok("-9.0")),
            ("2 ** -1", Ok("0.5")),
            ("7 // -2", Ok("-4.0")),
            ("-7 // 2", Ok("-4.0")),
            ("0.1 + 0.2", Ok("0.3")),
            (".5 + 5.", Ok("5.5")),
            ("1 / 0", Err("division by zero")),
            ("1.0 / 0", Err("float division by zero")),
            ("1 +", Err(SYNTAX)),
            ("", Err(SYNTAX)),
            ("1 2", Err(SYNTAX)),
            ("a", Err("Invalid characters in expression")),
        ] {
            assert_eq!(calculate(expression), expected.map(str::to_owned).map_err(str::to_owned), "{expression}");
        }
    }
}
