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

/// Appends the lowest `width` bits of each number, lowest first: a multiple of eight numbers, so that whole bytes come out.
fn pack(numbers: &[u64], width: u32, out: &mut Vec<u8>) {
    if width > u32::BITS {
        return pack_wide(numbers, width, out);
    }
    let (mut gathered, mut bits) = (0_u64, 0);
    for number in numbers {
        gathered |= number << bits;
        bits += width;
        if bits >= u32::BITS {
            out.extend_from_slice(&(gathered as u32).to_le_bytes());
            gathered >>= u32::BITS;
            bits -= u32::BITS;
        }
    }
    out.extend_from_slice(&gathered.to_le_bytes()[..bits.div_ceil(8) as usize]);
}

/// The same for numbers of which two would not fit a word.
fn pack_wide(numbers: &[u64], width: u32, out: &mut Vec<u8>) {
    let (mut gathered, mut bits) = (0_u128, 0);
    for number in numbers {
        gathered |= u128::from(*number) << bits;
        bits += width;
        if bits >= u64::BITS {
            out.extend_from_slice(&(gathered as u64).to_le_bytes());
            gathered >>= u64::BITS;
            bits -= u64::BITS;
        }
    }
    out.extend_from_slice(&gathered.to_le_bytes()[..bits.div_ceil(8) as usize]);
}

/// The same for a whole miniblock, with the steps laid out for each of the usual widths: most of what is recorded goes through here.
fn pack_miniblock(numbers: &[u64; MINIBLOCK], width: u32, out: &mut Vec<u8>) {
    macro_rules! unrolled {
        ($($width:literal)*) => {
            match width {
                0 => {}
                $($width => pack_fixed::<$width>(numbers, out),)*
                _ => pack(numbers, width, out),
            }
        };
    }
    unrolled!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
}

#[inline(always)]
fn pack_fixed<const WIDTH: usize>(numbers: &[u64; MINIBLOCK], out: &mut Vec<u8>) {
    // As many words as bits a number: there are 32 of both.
    let mut words = [[0; 4]; WIDTH];
    let (mut gathered, mut bits, mut word) = (0_u64, 0, 0);
    for number in numbers {
        gathered |= number << bits;
        bits += WIDTH;
        if bits >= 32 {
            words[word] = (gathered as u32).to_le_bytes();
            word += 1;
            gathered >>= 32;
            bits -= 32;
        }
    }
    out.extend_from_slice(words.as_flattened());
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
    out.reserve(groups * width as usize);
    for numbers in numbers.chunks(MINIBLOCK) {
        let mut wide = [0; MINIBLOCK];
        for (wide, number) in wide.iter_mut().zip(numbers) {
            *wide = u64::from(*number);
        }
        pack(&wide[..numbers.len().next_multiple_of(8)], width, out);
    }
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
    out.reserve(2 * numbers.len());
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
    let widths_at = out.len();
    out.extend_from_slice(&[0; BLOCK / MINIBLOCK]);
    for (index, deltas) in deltas.chunks(MINIBLOCK).enumerate() {
        let mut above = [0; MINIBLOCK];
        let mut all = 0;
        for (above, delta) in above.iter_mut().zip(deltas) {
            *above = delta.wrapping_sub(least) as u64;
            all |= *above;
        }
        let width = width(all);
        out[widths_at + index] = width as u8;
        pack_miniblock(&above, width, out);
    }
}
