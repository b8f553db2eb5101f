//! What a job prints: head and tail in memory, all of it on disk up to a limit.

use assay_rollout::owner::unfinished_file;
use std::collections::VecDeque;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Jobs with the same label: a rollout's tests run some dozens of times.
const SAME_LABEL_MAX: u32 = 100_000;

/// The output so far.
pub(crate) struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_max: usize,
    tail_max: usize,
    total: u64,
    artifact_max: u64,
    artifact: BufWriter<NamedTempFile>,
}

impl Output {
    /// Nothing yet. A third of what is kept is the beginning, the rest the end, where a summary stands.
    pub(crate) fn new(unfinished: &Path, log_bytes: usize, artifact_max: u64) -> io::Result<Self> {
        let artifact = BufWriter::new(unfinished_file(unfinished)?);
        let head_max = log_bytes / 3;
        Ok(Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_max,
            tail_max: log_bytes - head_max,
            total: 0,
            artifact_max,
            artifact,
        })
    }

    /// Takes more; false if it is now more than may be kept on disk.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> io::Result<bool> {
        // The file holds `artifact_max` bytes at most, whatever the size of the last piece.
        let room = usize::try_from(self.artifact_max.saturating_sub(self.total)).unwrap_or(usize::MAX);
        self.artifact.write_all(&bytes[..bytes.len().min(room)])?;
        self.total += bytes.len() as u64;
        let (now, later) = bytes.split_at(bytes.len().min(self.head_max - self.head.len()));
        self.head.extend_from_slice(now);
        self.tail.extend(&later[later.len().saturating_sub(self.tail_max)..]);
        let excess = self.tail.len().saturating_sub(self.tail_max);
        self.tail.drain(..excess);
        Ok(bytes.len() <= room)
    }

    /// The log, the number of bytes that it lacks, and the artifact under its final name, which is `LABEL.log` or `LABEL.N.log`.
    pub(crate) fn finish(self, folder: &Path, label: &str) -> io::Result<(Vec<u8>, u64, PathBuf)> {
        let mut log = self.head;
        let dropped = self.total - (log.len() + self.tail.len()) as u64;
        if dropped > 0 {
            // On lines of its own: two halves of lines that happen to meet must not read as one.
            log.extend_from_slice(format!("\n[{dropped} bytes are left out here]\n").as_bytes());
        }
        log.extend(self.tail);
        let mut file = self.artifact.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.flush()?;
        for number in 1..SAME_LABEL_MAX {
            let name = if number == 1 { format!("{label}.log") } else { format!("{label}.{number}.log") };
            let path = folder.join(name);
            match file.persist_noclobber(&path) {
                Ok(_) => return Ok((log, dropped, path)),
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => file = error.file,
                Err(error) => return Err(error.error),
            }
        }
        Err(io::Error::other(format!("{SAME_LABEL_MAX} artifacts are already named {label}")))
    }
}

#[cfg(test)]
mod tests {
    use super::Output;

    #[test]
    fn head_and_tail_are_kept_and_the_file_is_whole_up_to_its_limit() {
        let check = |pieces: &[&str], limits: (usize, u64), log: &str, dropped: u64, file: &str, fits: bool| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut output = Output::new(folder.path(), limits.0, limits.1).expect("a file");
            let fitted = pieces.iter().all(|piece| output.take(piece.as_bytes()).expect("it is written"));
            let (kept, lacks, path) = output.finish(folder.path(), "job").expect("it is named");
            assert_eq!((String::from_utf8_lossy(&kept).as_ref(), lacks), (log, dropped), "{pieces:?}");
            assert_eq!(std::fs::read_to_string(path).expect("it is there"), file, "{pieces:?}");
            assert_eq!(fitted, fits, "{pieces:?}");
        };
        check(&[], (9, 100), "", 0, "", true);
        check(&["abc", "def", "ghi"], (9, 100), "abcdefghi", 0, "abcdefghi", true);
        check(&["abcdefghi"], (9, 100), "abcdefghi", 0, "abcdefghi", true);
        check(&["abcd", "e", "fghij"], (9, 100), "abc\n[1 bytes are left out here]\nefghij", 1, "abcdefghij", true);
        check(
            &["abcdefghijklmnopqrst"],
            (9, 20),
            "abc\n[11 bytes are left out here]\nopqrst",
            11,
            "abcdefghijklmnopqrst",
            true,
        );
        check(&["abcdefghij", "k"], (9, 10), "abc\n[2 bytes are left out here]\nfghijk", 2, "abcdefghij", false);
        check(&["abc"], (0, 10), "\n[3 bytes are left out here]\n", 3, "abc", true);
    }
}
