//! Lines by a regular expression.
//!
//! A file is searched in stretches of many lines: the engine looks for the pattern's literals with vector instructions, and a stretch
//! without them is done in one pass.

use super::line_pattern::LinePattern;
use super::{ENTRY_PRICE, Glob, Meter, SEARCHED_BYTES_MAX, SearchError, pay};
use crate::node::Found;
use crate::patch::is_text;
use crate::resolve::Last;
use crate::{Blobs, Content, Tree, Walk};

/// Bytes that are searched at once; the last line of them is searched to its end.
const STRETCH_BYTES: usize = 64 << 10;
/// Bytes of a file for a unit of work: it may have to be loaded and put together before it is searched.
const BYTES_PER_UNIT: u64 = 2;

/// What to look for.
#[derive(Clone, Debug)]
pub struct GrepQuery<'q> {
    /// A regular expression in the syntax of the `regex` crate.
    pub pattern: &'q str,
    /// Take the pattern as plain text.
    pub literal: bool,
    /// Upper and lower case are the same.
    pub ignore_case: bool,
    /// A directory, everything below which is searched, or one file. Paths in the answer are relative to it; a single file's is empty.
    pub root: &'q [u8],
    /// Which files; all without it.
    pub glob: Option<&'q Glob>,
    /// Where to stop.
    pub limits: GrepLimits,
}

/// Where a search stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GrepLimits {
    /// Lines in the answer.
    pub matches_max: usize,
    /// Bytes of the answer's paths and lines.
    pub output_bytes_max: usize,
    /// Bytes shown of one line.
    pub line_bytes_max: usize,
}

/// One line that matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GrepMatch {
    /// The file.
    pub path: Vec<u8>,
    /// From one.
    pub line_number: u64,
    /// The line without its end, cut at the limit.
    pub line: Vec<u8>,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Grepped {
    /// By file, depth first and names in byte order, then by line.
    pub matches: Vec<GrepMatch>,
    /// Files looked into.
    pub files_searched: usize,
    /// Files passed over because they hold a zero byte near their beginning.
    pub binary_files: usize,
    /// Files passed over because they have more than [`SEARCHED_BYTES_MAX`] bytes.
    pub large_files: usize,
    /// A limit ended the search.
    pub truncated: bool,
}

/// Looks through every file below `root`.
///
/// # Errors
/// When the pattern is wrong, `root` leads nowhere, a content cannot be loaded, or the meter ends it.
pub fn grep(tree: &Tree, query: &GrepQuery<'_>, meter: &mut dyn Meter) -> Result<Grepped, SearchError> {
    let pattern = LinePattern::compile(query.pattern, query.literal, query.ignore_case, meter)?;
    let mut search = Search { pattern, limits: query.limits, bytes: 0, found: Grepped::default() };
    match tree.find(query.root, Last::Follow)? {
        Found::Directory(root) => {
            let mut walk = Walk::new(root);
            while let Some((path, node)) = walk.advance() {
                pay(meter, ENTRY_PRICE + query.glob.map_or(0, |glob| glob.price(path)))?;
                let Found::File(file) = node else { continue };
                if query.glob.is_none_or(|glob| glob.matches(path))
                    && !search.file(path, file.content(), &*tree.blobs, meter)?
                {
                    break;
                }
            }
        }
        Found::File(file) => {
            search.file(b"", file.content(), &*tree.blobs, meter)?;
        }
        Found::Symlink(_) => return Err(crate::TreeError::NotFound.into()),
    }
    Ok(search.found)
}

struct Search {
    pattern: LinePattern,
    limits: GrepLimits,
    bytes: usize,
    found: Grepped,
}

impl Search {
    /// Searches a file; `false` when a limit is reached.
    fn file(
        &mut self,
        path: &[u8],
        content: &Content,
        blobs: &dyn Blobs,
        meter: &mut dyn Meter,
    ) -> Result<bool, SearchError> {
        if content.size() > SEARCHED_BYTES_MAX {
            self.found.large_files += 1;
            return Ok(true);
        }
        pay(meter, content.size() / BYTES_PER_UNIT)?;
        let bytes = content.bytes(blobs).map_err(crate::TreeError::from)?;
        if !is_text(&bytes) {
            self.found.binary_files += 1;
            return Ok(true);
        }
        self.found.files_searched += 1;
        let (mut rest, mut line_number) = (&bytes[..], 1);
        while !rest.is_empty() {
            let (stretch, behind) = rest.split_at(stretch_end(rest));
            if !self.stretch(path, stretch, &mut line_number, meter)? {
                return Ok(false);
            }
            rest = behind;
        }
        Ok(true)
    }

    /// Searches whole lines, the first of which has this number; leaves the number of the line behind them.
    fn stretch(
        &mut self,
        path: &[u8],
        text: &[u8],
        line_number: &mut u64,
        meter: &mut dyn Meter,
    ) -> Result<bool, SearchError> {
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count() as u64;
        let (mut at, mut counted) = (0, 0);
        while let Some(found) = self.pattern.find(text, at, meter)? {
            let start = text[..found].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let end = text[found..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| found + end);
            if start == text.len() {
                // Behind the last line end there is no line here, though an empty match may be.
                break;
            }
            *line_number += lines(&text[counted..start]);
            counted = start;
            if !self.take(path, *line_number, &text[start..end]) {
                return Ok(false);
            }
            at = end + 1;
        }
        *line_number += lines(&text[counted..]);
        Ok(true)
    }

    fn take(&mut self, path: &[u8], line_number: u64, line: &[u8]) -> bool {
        let line = &line[..line.len().min(self.limits.line_bytes_max)];
        let bytes = self.bytes + path.len() + line.len();
        if self.found.matches.len() >= self.limits.matches_max || bytes > self.limits.output_bytes_max {
            self.found.truncated = true;
            return false;
        }
        self.bytes = bytes;
        self.found.matches.push(GrepMatch { path: path.to_vec(), line_number, line: line.to_vec() });
        true
    }
}

/// Where the first stretch ends: behind a line end, or at the end.
fn stretch_end(text: &[u8]) -> usize {
    let behind = text.get(STRETCH_BYTES..).unwrap_or_default();
    behind.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| STRETCH_BYTES + end + 1)
}
