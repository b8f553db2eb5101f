//! What commands read: a file by its name, or `-` for standard input; packed files, as far as they do not expand beyond all reason.

use crate::Failure;
use assay_files::Links;
use flate2::bufread::MultiGzDecoder;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Bytes read at once.
const BUFFER_BYTES: usize = 1 << 18;

/// Something to read.
pub(crate) struct Input {
    /// What to call it in messages.
    pub name: String,
    /// Its bytes.
    pub source: Box<dyn BufRead>,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if is_standard_input(path) {
            return Ok(Self { name: "standard input".to_owned(), source: Box::new(std::io::stdin().lock()) });
        }
        let name = path.display().to_string();
        if path.is_dir() {
            // Runs keep their trajectories there.
            let inside = if path.join("episodes").is_dir() { "episodes/" } else { "" };
            return Err(Failure::usage(format!("{name} is a folder"))
                .hint(format!("name the files in it, such as {}/{inside}*.jsonl", name.trim_end_matches('/'))));
        }
        let file = assay_files::open(path, Links::Followed).map_err(|error| {
            Failure::usage(format!("failed to read {name}: {error}"))
                .hint("name an existing file that you can read; `-` is standard input")
        })?;
        Ok(Self { name, source: Box::new(BufReader::with_capacity(BUFFER_BYTES, file)) })
    }
}

/// What to say when a file could be opened, but not read to its end.
pub(crate) fn interrupted(name: &str, error: &Error) -> Failure {
    let message = format!("failed to read {name}: {error}");
    match error.kind() {
        ErrorKind::FileTooLarge => {
            Failure::usage(message).hint("check that it is the right file, with a newline after each row")
        }
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => {
            Failure::usage(message).hint("check that the file is complete: it cannot be unpacked to the end")
        }
        _ => Failure::infrastructure(message),
    }
}

/// Refuses to read standard input more than once.
pub(crate) fn at_most_one_standard_input<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    if paths.into_iter().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(
            Failure::usage("standard input can be read only once").hint("use `-` only once, and name files otherwise")
        );
    }
    Ok(())
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// One line without its line feed, of which no more than `bytes_max` are held; `None` at the end.
pub(crate) fn line(source: &mut dyn BufRead, bytes_max: usize) -> Result<Option<Vec<u8>>, Error> {
    let mut line = Vec::new();
    let read = std::io::Read::take(&mut *source, bytes_max as u64 + 1).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    if line.len() > bytes_max {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("one of its lines has more than {bytes_max} bytes")));
    }
    Ok((read > 0).then_some(line))
}

/// Bytes that anything may expand to, however small it is.
const EXPANDED_BYTES_MIN: u64 = 64 << 20;
/// Times its size that it may expand to beyond that. Texts of tests and markets are packed five to twenty times.
const EXPANSION_MAX: u64 = 200;

/// The most that may come out of a number of packed bytes.
pub(crate) fn expanded_max(packed: u64) -> u64 {
    packed.saturating_mul(EXPANSION_MAX).saturating_add(EXPANDED_BYTES_MIN)
}

/// What is said of more.
pub(crate) fn expands_too_far() -> Error {
    Error::new(ErrorKind::FileTooLarge, format!("it expands to more than {EXPANSION_MAX} times its size"))
}

/// A gzip file, unpacked: no more than `bytes_max`, and at no time more than [`expanded_max`] of what has been read.
pub(crate) struct Unpacked<R> {
    decoder: MultiGzDecoder<Counted<R>>,
    bytes: u64,
    bytes_max: u64,
}

impl<R: BufRead> Unpacked<R> {
    pub(crate) fn new(packed: R, bytes_max: u64) -> Self {
        Self { decoder: MultiGzDecoder::new(Counted { source: packed, bytes: 0 }), bytes: 0, bytes_max }
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        let read = self.decoder.read(into)?;
        self.bytes += read as u64;
        if self.bytes > self.bytes_max {
            let limit = self.bytes_max;
            return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} bytes, unpacked")));
        }
        if self.bytes > expanded_max(self.decoder.get_ref().bytes) { Err(expands_too_far()) } else { Ok(read) }
    }
}

/// Counts what is taken from it.
struct Counted<R> {
    source: R,
    bytes: u64,
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> Result<&[u8], Error> {
        self.source.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.source.consume(bytes);
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        let read = self.source.read(into)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write as _;

    fn packed(bytes: &[u8], times: usize) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        for _ in 0..times {
            encoder.write_all(bytes).unwrap();
        }
        encoder.finish().unwrap()
    }

    fn unpacked(file: &[u8], bytes_max: u64) -> Result<u64, Error> {
        std::io::copy(&mut Unpacked::new(file, bytes_max), &mut std::io::sink())
    }

    #[test]
    fn bombs_are_stopped_and_honest_files_are_not() {
        let mebibyte = vec![b'\n'; 1 << 20];
        // Well below the least that anything may expand to.
        assert_eq!(unpacked(&packed(&mebibyte, 20), u64::MAX).unwrap(), 20 << 20);
        let bomb = packed(&mebibyte, 200);
        assert!(bomb.len() < 300_000);
        assert_eq!(unpacked(&bomb, u64::MAX).unwrap_err().kind(), ErrorKind::FileTooLarge);
        // Many members, each small: they count together.
        let members = packed(&mebibyte, 1).repeat(200);
        assert_eq!(unpacked(&members, u64::MAX).unwrap_err().kind(), ErrorKind::FileTooLarge);
        // A bound on the whole holds whatever the ratio is.
        assert_eq!(unpacked(&packed(b"abc", 1), 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(unpacked(&packed(b"abc", 1), 3).unwrap(), 3);
        // What packs like text does, though there is much of it.
        let mut random = 1_u64;
        let text: Vec<u8> = (0..1 << 20)
            .map(|_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                b"etaoin shrdlu\n\""[(random >> 60) as usize % 15]
            })
            .collect();
        assert_eq!(unpacked(&packed(&text, 80), u64::MAX).unwrap(), 80 << 20);
    }
}
