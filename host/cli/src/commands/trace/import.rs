//! `assay trace import`: what others recorded, as trajectory files.
//!
//! Invariants: lines are read one at a time, so that a file of any size can be read; a document is held as a whole, up to a limit; a line that cannot
//! be read is named and the others are taken; a file that is already there is never changed.

use crate::args::TraceImportArgs;
use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::output::{self, Placed};
use crate::ui;
use assay_trace::import::{Importer, Taken};
use assay_trace::{Durable, Trajectory, WriteError, Writer};
use serde_json::Value;
use std::io::{self, BufRead, Read as _, Write};
use std::path::Path;

/// The longest line, and the longest document: an Inspect log of a thousand episodes has some hundred megabytes.
const VALUE_BYTES_MAX: usize = 1 << 30;
/// Damaged lines that are spelled out.
const DAMAGED_SHOWN_MAX: usize = 10;
/// The longest name of a file, without its ending.
const NAME_BYTES_MAX: usize = 200;

pub(super) fn run(args: &TraceImportArgs) -> Result<Exit, Failure> {
    input::at_most_one_standard_input(&args.files)?;
    assay_files::Folder::make(&args.out).map_err(|error| {
        Failure::usage(format!("failed to make the folder {}: {error}", args.out.display()))
            .hint("choose another one with --out")
    })?;
    let mut import = Import { out: &args.out, made: 0, unchanged: 0, damaged: 0 };
    for path in &args.files {
        import.file(path)?;
    }
    let Import { made, unchanged, damaged, .. } = import;
    let already = if unchanged == 0 { String::new() } else { format!(", {unchanged} of them there already") };
    ui::step("Imported", &format!("{made} episodes into {}{already}", args.out.display()));
    match damaged {
        0 if made == 0 => {
            Err(Failure::usage("there is nothing to import").hint("name files with at least one message"))
        }
        0 => super::super::DONE,
        damaged => Err(Failure::usage(format!("{damaged} lines or documents could not be imported"))
            .hint("everything else is imported; fix what is named above and import again: what is there already is left alone")),
    }
}

/// What became of the files so far.
struct Import<'a> {
    out: &'a Path,
    made: usize,
    unchanged: usize,
    damaged: usize,
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
            let value = match serde_json::from_slice::<Value>(&line) {
                // A document over several lines begins with half a value.
                Err(error) if is_first && error.is_eof() => document(&name, line, &mut *source)?,
                value => value,
            };
            is_first = false;
            match value.map_err(|error| error.to_string()) {
                Ok(value) => self.value(&name, number, &mut importer, value)?,
                Err(why) => self.complain(&name, number, &why),
            }
        }
        match importer.end() {
            Some(trajectory) => self.keep(&name, number, &trajectory),
            None => Ok(()),
        }
    }

    fn value(&mut self, name: &str, line: usize, importer: &mut Importer, value: Value) -> Result<(), Failure> {
        let Taken { made, damaged } = importer.take(value);
        for error in damaged {
            self.complain(name, line, &error.to_string());
        }
        made.iter().try_for_each(|trajectory| self.keep(name, line, trajectory))
    }

    fn complain(&mut self, name: &str, line: usize, why: &str) {
        self.damaged += 1;
        if self.damaged <= DAMAGED_SHOWN_MAX {
            ui::warn(&ui::visible(&format!("{name}: line {line}: {why}")));
        }
    }

    /// Writes a trajectory into a file of its own.
    fn keep(&mut self, name: &str, line: usize, trajectory: &Trajectory) -> Result<(), Failure> {
        let (bytes, unstorable) = match file_of(trajectory) {
            Ok(made) => made,
            Err(why) => {
                self.complain(name, line, &why);
                return Ok(());
            }
        };
        for why in unstorable {
            self.complain(name, line, &why);
        }
        let stem = file_name(trajectory.metadata().id.as_str());
        for number in 1..u32::MAX {
            let suffix = if number == 1 { String::new() } else { format!("-{number}") };
            let path = self.out.join(format!("{stem}{suffix}.jsonl"));
            match output::place(&path, &bytes) {
                Ok(placed) => {
                    self.made += 1;
                    self.unchanged += usize::from(placed == Placed::Unchanged);
                    return Ok(());
                }
                // Another episode has the name.
                Err(failure) if failure.exit == Exit::Usage && path.exists() => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }
}

/// The rest of a document whose first line has been read.
fn document(name: &str, mut text: Vec<u8>, source: &mut dyn BufRead) -> Result<serde_json::Result<Value>, Failure> {
    text.push(b'\n');
    let room = (VALUE_BYTES_MAX + 1).saturating_sub(text.len()) as u64;
    source.take(room).read_to_end(&mut text).map_err(|error| input::interrupted(name, &error))?;
    if text.len() > VALUE_BYTES_MAX {
        return Err(Failure::usage(format!("{name} is a document of more than {VALUE_BYTES_MAX} bytes"))
            .hint("split it, or write one JSON value per line"));
    }
    Ok(serde_json::from_slice(&text))
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

/// An id as the name of a file: what has another meaning there becomes `_`.
fn file_name(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+') { c } else { '_' };
    let mut name: String = id.chars().map(plain).take(NAME_BYTES_MAX).collect();
    if name.starts_with('.') {
        name.insert(0, '_');
    }
    name
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

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_stay_in_the_folder() {
        for (id, expected) in [
            ("a__b-1", "a__b-1"),
            ("../../etc/passwd", "_.._.._etc_passwd"),
            (".hidden", "_.hidden"),
            ("a b\u{e4}", "a_b_"),
            (&"x".repeat(300), &"x".repeat(200)),
        ] {
            assert_eq!(file_name(id), expected, "{id}");
        }
    }
}
