//! What commands read: a file by its name, or `-` for standard input.

use crate::exit::Failure;
use std::io::{BufRead, BufReader, Error, ErrorKind};
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
        let unreadable = |error: Error| {
            Failure::usage(format!("failed to read {name}: {error}"))
                .hint("name a file that is there and that you may read; `-` is standard input")
        };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        // A folder can be opened, and only then fails to be read.
        if file.metadata().map_err(unreadable)?.is_dir() {
            return Err(Failure::usage(format!("{name} is a folder"))
                .hint(format!("name the files in it, such as {}/*.jsonl", name.trim_end_matches('/'))));
        }
        Ok(Self { name, source: Box::new(BufReader::with_capacity(BUFFER_BYTES, file)) })
    }
}

/// What to say when a file could be opened, but not read to its end.
pub(crate) fn interrupted(name: &str, error: &Error) -> Failure {
    let message = format!("failed to read {name}: {error}");
    match error.kind() {
        ErrorKind::FileTooLarge => {
            Failure::usage(message).hint("is it the right file, with a line end after each row?")
        }
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => {
            Failure::usage(message).hint("is the file whole? It cannot be unpacked to its end")
        }
        _ => Failure::infrastructure(message),
    }
}

/// Refuses to read standard input more than once.
pub(crate) fn at_most_one_standard_input<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    if paths.into_iter().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::usage("standard input can be read only once").hint("name `-` once, and files otherwise"));
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
        return Err(Error::new(ErrorKind::FileTooLarge, format!("a line of it has more than {bytes_max} bytes")));
    }
    Ok((read > 0).then_some(line))
}
