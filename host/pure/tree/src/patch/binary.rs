//! Binary contents in a patch: git's base 85 of zlib, whole (`literal`) or as edits of the old (`delta`), and git's object ids.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use sha1::{Digest as _, Sha1};

const ALPHABET: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const LINE_BYTES: usize = 52;
const COMPRESSION_LEVEL: u8 = 6;

/// What git calls a file with these bytes: 40 hexadecimal digits.
pub(super) fn object_id(bytes: &[u8]) -> String {
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {}\0", bytes.len()));
    hasher.update(bytes);
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn write_literal(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(format!("literal {}\n", bytes.len()).as_bytes());
    for line in compress_to_vec_zlib(bytes, COMPRESSION_LEVEL).chunks(LINE_BYTES) {
        let length = line.len() as u8;
        out.push(if length <= 26 { b'A' + length - 1 } else { b'a' + length - 27 });
        for group in line.chunks(4) {
            let mut value =
                (0..4).fold(0, |value, index| value << 8 | u32::from(group.get(index).copied().unwrap_or(0)));
            let mut letters = [0; 5];
            for letter in letters.iter_mut().rev() {
                *letter = ALPHABET[(value % 85) as usize];
                value /= 85;
            }
            out.extend_from_slice(&letters);
        }
        out.push(b'\n');
    }
    out.push(b'\n');
}

/// The bytes of one line, appended to `out`; `None` if it is not well formed.
pub(super) fn decode_line(line: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (first, groups) = line.split_first()?;
    let length = match first {
        b'A'..=b'Z' => first - b'A' + 1,
        b'a'..=b'z' => first - b'a' + 27,
        _ => return None,
    };
    let length = usize::from(length);
    if groups.len() != length.div_ceil(4) * 5 {
        return None;
    }
    let end = out.len() + length;
    for group in groups.chunks(5) {
        let mut value = 0_u32;
        for letter in group {
            let digit = ALPHABET.iter().position(|known| known == letter)? as u32;
            value = value.checked_mul(85)?.checked_add(digit)?;
        }
        out.extend_from_slice(&value.to_be_bytes());
    }
    out.truncate(end);
    Some(())
}

/// Undoes zlib; `None` unless exactly `size` bytes come out.
pub(super) fn inflate(deflated: &[u8], size: usize) -> Option<Vec<u8>> {
    decompress_to_vec_zlib_with_limit(deflated, size).ok().filter(|bytes| bytes.len() == size)
}

/// Applies git's delta to what it was made from; `None` if it was not made from that. What comes out has at most `bytes_max` bytes.
pub(super) fn apply_delta(base: &[u8], delta: &[u8], bytes_max: u64) -> Option<Vec<u8>> {
    let mut rest = delta;
    if size(&mut rest)? != base.len() as u64 {
        return None;
    }
    let wanted = size(&mut rest)?;
    if wanted > bytes_max {
        return None;
    }
    let mut out = Vec::new();
    while let Some((op, after)) = rest.split_first() {
        rest = after;
        let piece = if op & 0x80 == 0 {
            let (piece, after) = rest.split_at_checked(usize::from(*op)).filter(|_| *op != 0)?;
            rest = after;
            piece
        } else {
            let mut number = |bits: std::ops::Range<u8>| -> Option<usize> {
                let mut value = 0;
                for (shift, bit) in bits.enumerate() {
                    if op & (1 << bit) != 0 {
                        let (byte, after) = rest.split_first()?;
                        rest = after;
                        value |= usize::from(*byte) << (8 * shift);
                    }
                }
                Some(value)
            };
            let (start, length) = (number(0..4)?, number(4..7)?);
            base.get(start..start + if length == 0 { 0x10000 } else { length })?
        };
        if (out.len() + piece.len()) as u64 > wanted {
            return None;
        }
        out.extend_from_slice(piece);
    }
    (out.len() as u64 == wanted).then_some(out)
}

/// A number of seven bits a byte, the lowest first.
fn size(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
