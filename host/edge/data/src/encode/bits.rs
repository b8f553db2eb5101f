//! The encodings of Parquet that we write, as bytes: little-endian varints, the RLE and bit-packing hybrid, and packed differences.
//!
//! Source of the layouts: "Parquet encodings", <https://parquet.apache.org/docs/file-format/data-pages/encodings/>. Decoding is left to the
//! `parquet` crate, and a test reads back whatever is written here.

/// Values in one block of differences.
const BLOCK: usize = 128;
/// Values that share a width.
const MINIBLOCK: usize = 32;

/// Appends an unsigned LEB128 number.
pub(crate) fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Small magnitudes of either sign as small numbers.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Bits that hold every number up to `most`.
pub(crate) fn width(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// Appends the lowest `width` bits of each number, lowest first, filled up to a whole byte.
fn pack(numbers: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut gathered, mut bits) = (0_u128, 0);
    for number in numbers {
        gathered |= u128::from(number) << bits;
        bits += width;
        if bits >= u64::BITS {
            out.extend_from_slice(&(gathered as u64).to_le_bytes());
            gathered >>= u64::BITS;
            bits -= u64::BITS;
        }
    }
    let rest = gathered.to_le_bytes();
    out.extend_from_slice(&rest[..bits.div_ceil(8) as usize]);
}

/// Appends one run of the hybrid: `count` times the same number below 2^`width`.
pub(crate) fn run(number: u64, count: usize, width: u32, out: &mut Vec<u8>) {
    varint((count as u64) << 1, out);
    out.extend_from_slice(&number.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Appends numbers below 2^`width` as one run of the hybrid: repeated if they are all the same, else packed.
pub(crate) fn hybrid(numbers: &[u8], width: u32, out: &mut Vec<u8>) {
    let Some((first, rest)) = numbers.split_first() else { return };
    if rest.iter().all(|number| number == first) {
        return run(u64::from(*first), numbers.len(), width, out);
    }
    let groups = numbers.len().div_ceil(8);
    varint((groups as u64) << 1 | 1, out);
    let padding = std::iter::repeat_n(0, groups * 8 - numbers.len());
    pack(numbers.iter().map(|number| u64::from(*number)).chain(padding), width, out);
}

/// Appends one bit a row as a run of the hybrid of width 1. Bits beyond `rows` are clear.
pub(crate) fn bitmap(words: &[u64], rows: usize, set: usize, out: &mut Vec<u8>) {
    if set == 0 || set == rows {
        return run(u64::from(set > 0), rows, 1, out);
    }
    let groups = rows.div_ceil(8);
    varint((groups as u64) << 1 | 1, out);
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).chain(std::iter::repeat(0));
    out.extend(bytes.take(groups));
}

/// Appends numbers as `DELTA_BINARY_PACKED`.
pub(crate) fn deltas(numbers: &[i64], out: &mut Vec<u8>) {
    varint(BLOCK as u64, out);
    varint((BLOCK / MINIBLOCK) as u64, out);
    varint(numbers.len() as u64, out);
    let Some((first, rest)) = numbers.split_first() else { return varint(0, out) };
    varint(zigzag(*first), out);
    let mut before = *first;
    let mut block = [0_i64; BLOCK];
    for numbers in rest.chunks(BLOCK) {
        for (delta, number) in block.iter_mut().zip(numbers) {
            *delta = number.wrapping_sub(before);
            before = *number;
        }
        delta_block(&block[..numbers.len()], out);
    }
}

fn delta_block(deltas: &[i64], out: &mut Vec<u8>) {
    let least = deltas.iter().copied().min().unwrap_or(0);
    varint(zigzag(least), out);
    let above = |delta: &i64| delta.wrapping_sub(least) as u64;
    let widths_at = out.len();
    out.extend_from_slice(&[0; BLOCK / MINIBLOCK]);
    for (index, miniblock) in deltas.chunks(MINIBLOCK).enumerate() {
        let width = width(miniblock.iter().map(above).fold(0, |all, number| all | number));
        out[widths_at + index] = width as u8;
        let padding = std::iter::repeat_n(0, MINIBLOCK - miniblock.len());
        pack(miniblock.iter().map(above).chain(padding), width, out);
    }
}
