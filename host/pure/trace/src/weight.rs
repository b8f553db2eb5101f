//! What JSON takes in memory, estimated from its text before it is parsed.
//!
//! Invariant: the estimate is never too small, so a few bytes cannot become gigabytes; for texts it is little more than their length.

/// The most memory that trajectories which a program holds at the same time may need: 100 MB of short records, or some hundreds of MB of texts and images.
pub const MEMORY_BYTES_MAX: u64 = 1 << 30;
/// What an object takes beside its members, at most: its table and its first places.
const OBJECT_BYTES: u64 = 400;
/// What a member of an object or a list takes beside its text, at most: lists keep up to twice the places that they need.
pub(crate) const MEMBER_BYTES: u64 = 144;

/// What a JSON text takes in memory once it is parsed, at most: from its brackets and commas, outside of texts.
#[must_use]
pub fn weight(text: &[u8]) -> u64 {
    let mut bytes = text.len() as u64;
    let mut is_text = false;
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => is_text = !is_text,
            b'\\' if is_text => {
                rest.next();
            }
            b'{' if !is_text => bytes += OBJECT_BYTES + MEMBER_BYTES,
            b'[' | b',' if !is_text => bytes += MEMBER_BYTES,
            _ => {}
        }
    }
    bytes
}
