//! What `assay trace import` does: what others recorded, as trajectory files.
//!
//! Invariants: lines are read one at a time, so that a file of any size can be read; a document is held as a whole, and so is a conversation whose messages
//! come line by line, up to a limit; what a value takes in memory is estimated from its text before it is parsed; a line that cannot be read is named and the
//! others are taken; a file that is already there is never changed.

mod names;

use crate::input::{self, Input};
use crate::output::{self, Placed};
use crate::{Ending, Failure, face};
use assay_files::Links;
use assay_trace::import::{Importer, Taken};
use assay_trace::{Digest, Durable, Trajectory, WriteError, Writer, weight};
use names::{Names, Tried};
use serde_json::Value;
use std::fmt;
use std::io::{self, BufRead, Read as _, Write};
use std::path::{Path, PathBuf};

/// The longest line, and the longest document: an Inspect log of some hundred episodes.
const VALUE_BYTES_MAX: usize = 64 << 20;
/// The most memory that a value, or all lines of one conversation, may take once parsed. A document of the greatest length has room for 300,000 objects and a
/// million members.
const MEMORY_BYTES_MAX: u64 = 384 << 20;
/// Members whose texts may be JSON, a call's arguments or an event's body, and are parsed a second time.
const INNER_TEXTS: [&str; 5] = ["arguments", "arguments_raw", "input", "parse_error", "body_text"];
/// Damaged lines, documents and messages after which nothing more is read: it is another kind of file.
const DAMAGED_MAX: usize = 10_000;
/// Damaged lines that are spelled out.
const DAMAGED_SHOWN_MAX: usize = 10;

/// Files that other tools wrote, and where their episodes go.
#[derive(Clone, Debug)]
pub struct ImportSettings {
    /// The files; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// Folder for the trajectories; created if it does not exist.
    pub out: PathBuf,
}

/// Imports what other tools recorded; each episode becomes a trajectory file.
///
/// # Errors
///
/// Where a file cannot be read, a trajectory cannot be written, or a part of what was read is damaged; all the rest is imported.
pub fn run(settings: &ImportSettings) -> Result<Ending, Failure> {
    input::at_most_one_standard_input(&settings.files)?;
    assay_files::Folder::make(&settings.out).map_err(|error| {
        Failure::usage(format!("failed to make the folder {}: {error}", settings.out.display()))
            .hint("choose another one with --out")
    })?;
    let mut import =
        Import { out: &settings.out, names: Names::default(), made: 0, unchanged: 0, damaged: 0, open_bytes: 0 };
    for path in &settings.files {
        import.file(path)?;
    }
    let Import { made, unchanged, damaged, .. } = import;
    let already = if unchanged == 0 { String::new() } else { format!(", {unchanged} of them already there") };
    face::step("Imported", &format!("{made} episodes into {}{already}", settings.out.display()));
    match damaged {
        0 if made == 0 => {
            Err(Failure::usage("there is nothing to import").hint("name files with at least one message"))
        }
        0 => crate::DONE,
        damaged => Err(Failure::usage(format!("{damaged} lines or documents could not be imported"))
            .hint("everything else is imported; fix what is named above and import again: what is there already is left alone")),
    }
}

/// What became of the files so far.
struct Import<'a> {
    out: &'a Path,
    names: Names,
    made: usize,
    unchanged: usize,
    damaged: usize,
    /// What the lines of the conversation that is open take in memory.
    open_bytes: u64,
}

impl Import<'_> {
    fn file(&mut self, path: &Path) -> Result<(), Failure> {
        let Input { name, mut source } = Input::open(path)?;
        let stem = path.file_stem().map_or_else(|| "import".into(), |stem| stem.to_string_lossy().into_owned());
        let stem = if stem == "-" { "import".to_owned() } else { stem };
        let mut importer = Importer::new(stem);
        let next = |source: &mut dyn BufRead| {
            input::line(source, VALUE_BYTES_MAX).map_err(|error| input::interrupted(&name, &error))
        };
        let mut number = 0;
        let mut is_first = true;
        while let Some(line) = next(&mut *source)? {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let value = match parse(&line) {
                // A document over several lines begins with half a value.
                Err(Unread::Damaged(error)) if is_first && error.is_eof() => {
                    parse(&document(&name, line, &mut *source)?)
                }
                value => value,
            };
            is_first = false;
            match value {
                Ok((value, bytes)) => self.value(&name, number, &mut importer, value, bytes)?,
                Err(why) => self.complain(&name, number, &why.to_string())?,
            }
        }
        self.open_bytes = 0;
        match importer.end() {
            Some(trajectory) => self.keep(&name, number, &trajectory),
            None => Ok(()),
        }
    }

    fn value(
        &mut self,
        name: &str,
        line: usize,
        importer: &mut Importer,
        value: Value,
        bytes: u64,
    ) -> Result<(), Failure> {
        let Taken { made, damaged } = importer.take(value);
        // What was open is among what is made.
        self.open_bytes = if importer.is_open() && made.is_empty() { self.open_bytes + bytes } else { bytes };
        for error in damaged {
            self.complain(name, line, &error.to_string())?;
        }
        made.iter().try_for_each(|trajectory| self.keep(name, line, trajectory))?;
        if importer.is_open() && self.open_bytes > MEMORY_BYTES_MAX {
            let message = format!(
                "{name}: line {line}: the lines of one conversation need more than {} MiB of memory",
                MEMORY_BYTES_MAX >> 20
            );
            return Err(
                Failure::usage(message).hint("split the file where an episode ends; what came before is imported")
            );
        }
        Ok(())
    }

    fn complain(&mut self, name: &str, line: usize, why: &str) -> Result<(), Failure> {
        self.damaged += 1;
        if self.damaged <= DAMAGED_SHOWN_MAX {
            face::warn(&face::visible(&format!("{name}: line {line}: {why}")));
        }
        if self.damaged >= DAMAGED_MAX {
            let message = format!("{name}: line {line}: {DAMAGED_MAX} lines, documents or messages are damaged");
            return Err(
                Failure::usage(message).hint("check that these are the right files; nothing more of them is read")
            );
        }
        Ok(())
    }

    /// Writes a trajectory into a file of its own.
    fn keep(&mut self, name: &str, line: usize, trajectory: &Trajectory) -> Result<(), Failure> {
        let (bytes, unstorable) = match file_of(trajectory) {
            Ok(made) => made,
            Err(why) => {
                return self.complain(name, line, &why);
            }
        };
        for why in unstorable {
            self.complain(name, line, &why)?;
        }
        let (out, stem) = (self.out, names::stem(trajectory.metadata().id.as_str()));
        let placed = self.names.place(&stem, Digest::of(&bytes), |number| {
            let path = out.join(names::file_name(&stem, number));
            match output::place(&path, &bytes) {
                Ok(placed) => Ok(Tried::Placed(placed)),
                // Another episode has the name.
                Err(failure) if failure.ending == Ending::Usage && path.exists() => Ok(Tried::Taken(digest_of(&path))),
                Err(failure) => Err(failure),
            }
        })?;
        self.made += 1;
        self.unchanged += usize::from(placed == Placed::Unchanged);
        Ok(())
    }
}

/// The digest of a file, where it can be read.
fn digest_of(path: &Path) -> Option<Digest> {
    let file = assay_files::open(path, Links::Followed).ok()?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).ok()?;
    Some(Digest::from_bytes(*hasher.finalize().as_bytes()))
}

/// The rest of a document whose first line has been read.
fn document(name: &str, mut text: Vec<u8>, source: &mut dyn BufRead) -> Result<Vec<u8>, Failure> {
    text.push(b'\n');
    let room = (VALUE_BYTES_MAX + 1).saturating_sub(text.len()) as u64;
    source.take(room).read_to_end(&mut text).map_err(|error| input::interrupted(name, &error))?;
    if text.len() > VALUE_BYTES_MAX {
        return Err(Failure::usage(format!("{name} is a document of more than {VALUE_BYTES_MAX} bytes"))
            .hint("split it, or write one JSON value per line"));
    }
    Ok(text)
}

/// Why a value was not read.
enum Unread {
    Damaged(serde_json::Error),
    TooLarge,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(error) => error.fmt(f),
            Self::TooLarge => write!(
                f,
                "the value needs more than {} MiB of memory; split it, or write one JSON value per line",
                MEMORY_BYTES_MAX >> 20
            ),
        }
    }
}

/// A value and what it takes in memory, if there is room for it.
fn parse(text: &[u8]) -> Result<(Value, u64), Unread> {
    let bytes = weight(text);
    if bytes > MEMORY_BYTES_MAX {
        return Err(Unread::TooLarge);
    }
    let value: Value = serde_json::from_slice(text).map_err(Unread::Damaged)?;
    let bytes = bytes + inner_weight(&value);
    if bytes > MEMORY_BYTES_MAX { Err(Unread::TooLarge) } else { Ok((value, bytes)) }
}

/// What those texts in a value take that are parsed a second time.
fn inner_weight(value: &Value) -> u64 {
    let of_member = |(name, value): (&String, &Value)| match value {
        Value::String(text) if INNER_TEXTS.contains(&name.as_str()) => weight(text.as_bytes()),
        value => inner_weight(value),
    };
    match value {
        Value::Array(items) => items.iter().map(inner_weight).sum(),
        Value::Object(members) => members.iter().map(of_member).sum(),
        _ => 0,
    }
}

/// A trajectory's file, and what of it cannot be stored.
fn file_of(trajectory: &Trajectory) -> Result<(Vec<u8>, Vec<String>), String> {
    let mut writer = Writer::create(InMemory(Vec::new()), trajectory.metadata()).map_err(|error| error.to_string())?;
    let mut unstorable = Vec::new();
    for record in trajectory.records() {
        match writer.append(std::slice::from_ref(record)) {
            Ok(()) => {}
            Err(error @ WriteError::Unstorable { .. }) => unstorable.push(error.to_string()),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok((writer.into_sink().0, unstorable))
}

/// A file that is not on a disk yet.
struct InMemory(Vec<u8>);

impl Write for InMemory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Durable for InMemory {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.0.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
        Ok(())
    }
}
