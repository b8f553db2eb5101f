//! Bytes as base64 text (RFC 4648 §4, with padding).
//!
//! Invariant: the text is the one canonical spelling of its bytes, so that equal images are equal texts.

use serde::{Deserialize, Serialize};
use thiserror::Error;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64 text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Base64(String);

/// The text is not base64 as it must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the data is not padded base64 of the standard alphabet")]
pub struct Base64Error;

impl Base64 {
    /// Checked text.
    ///
    /// # Errors
    /// It is not padded base64 of the standard alphabet, or not spelled canonically.
    pub fn new(text: impl Into<String>) -> Result<Self, Base64Error> {
        let text = text.into();
        let bytes = decode(text.as_bytes()).ok_or(Base64Error)?;
        if encode(&bytes) == text { Ok(Self(text)) } else { Err(Base64Error) }
    }

    /// The text of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(encode(bytes))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        decode(self.0.as_bytes()).unwrap_or_default()
    }
}

impl TryFrom<String> for Base64 {
    type Error = Base64Error;

    fn try_from(text: String) -> Result<Self, Base64Error> {
        Self::new(text)
    }
}

impl From<Base64> for String {
    fn from(base64: Base64) -> Self {
        base64.0
    }
}

fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |place: usize| u32::from(chunk.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let sextet = (bits >> (18 - 6 * digit)) as usize & 63;
            out.push(if digit <= chunk.len() { ALPHABET[sextet] as char } else { '=' });
        }
    }
    out
}

/// The bytes of padded base64; bits that padding leaves over are not looked at.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let sextet = |digit: u8| match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for chunk in digits.chunks(4) {
        let bits = chunk.iter().try_fold(0u32, |bits, digit| Some(bits << 6 | u32::from(sextet(*digit)?)))?;
        let [_, first, second, third] = (bits << (6 * (4 - chunk.len()))).to_be_bytes();
        out.extend_from_slice(&[first, second, third][..chunk.len() - 1]);
    }
    Some(out)
}
