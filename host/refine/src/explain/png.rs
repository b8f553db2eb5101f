//! A picture of few colours as PNG (ISO/IEC 15948): a palette, one byte a pixel, deflated.

use miniz_oxide::deflate::compress_to_vec_zlib;

const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// Eight bits a pixel, by palette; the only methods of compression, filter and order.
const KIND: [u8; 5] = [8, 3, 0, 0, 0];
const LEVEL: u8 = 6;

/// The file of a picture with rows of `width` pixels, each the number of a colour.
pub(super) fn written(pixels: &[u8], width: usize, palette: &[[u8; 3]]) -> Vec<u8> {
    let rows = pixels.chunks_exact(width);
    let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    let header = [&size(width)[..], &size(rows.len())[..], &KIND[..]].concat();
    // Each row begins with the number of its filter: none.
    let plain: Vec<u8> = rows.flat_map(|row| std::iter::once(0).chain(row.iter().copied())).collect();
    let mut file = SIGNATURE.to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"PLTE", palette.as_flattened());
    chunk(&mut file, *b"IDAT", &compress_to_vec_zlib(&plain, LEVEL));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) {
    file.extend(u32::try_from(content.len()).unwrap_or(u32::MAX).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(content);
    let checksum = crc(&file[start..]);
    file.extend(checksum.to_be_bytes());
}

/// The checksum of a chunk, as the standard has it.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc));
    !bytes.iter().fold(u32::MAX, byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    #[test]
    fn the_checksum_and_the_pixels_are_as_the_standard_has_them() {
        assert_eq!(crc(b"IEND"), 0xae42_6082, "as in every file");
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        let file = written(&[0, 1, 1, 0, 1, 0], 3, &[[255; 3], [0; 3]]);
        assert!(file.starts_with(&SIGNATURE) && file.ends_with(&[0xae, 0x42, 0x60, 0x82]));
        let at = file.windows(4).position(|name| name == b"IDAT").expect("there");
        let length = u32::from_be_bytes(file[at - 4..at].try_into().expect("four")) as usize;
        let plain = decompress_to_vec_zlib(&file[at + 4..at + 4 + length]).expect("deflated");
        assert_eq!(plain, [0, 0, 1, 1, 0, 0, 1, 0]);
    }
}
