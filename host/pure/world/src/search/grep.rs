//! Lines by a regular expression.
//!
//! A file is searched as a whole, not line by line: the engine looks for the pattern's literals with vector instructions, and a file
//! without them is done in one pass.

use super::line_pattern::compile_for_lines;
use super::{Glob, SearchError};
use crate::node::Found;
use crate::patch::is_text;
use crate::resolve::Last;
use crate::{Blobs, Content, Tree, Walk};
use regex::bytes::Regex;

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
    /// A limit ended the search.
    pub truncated: bool,
}

/// Looks through every file below `root`.
///
/// # Errors
/// When the pattern is wrong, `root` leads nowhere, or a content cannot be loaded.
pub fn grep(tree: &Tree, query: &GrepQuery<'_>) -> Result<Grepped, SearchError> {
    let escaped = regex::escape(query.pattern);
    let regex = compile_for_lines(if query.literal { &escaped } else { query.pattern }, query.ignore_case)?;
    let mut search = Search { regex, limits: query.limits, bytes: 0, found: Grepped::default() };
    match tree.find(query.root, Last::Follow)? {
        Found::Directory(root) => {
            let mut walk = Walk::new(root);
            while let Some((path, node)) = walk.advance() {
                let Found::File(file) = node else { continue };
                if query.glob.is_none_or(|glob| glob.matches(path))
                    && !search.file(path, file.content(), &*tree.blobs)?
                {
                    break;
                }
            }
        }
        Found::File(file) => {
            search.file(b"", file.content(), &*tree.blobs)?;
        }
        Found::Symlink(_) => return Err(crate::TreeError::NotFound.into()),
    }
    Ok(search.found)
}

struct Search {
    regex: Regex,
    limits: GrepLimits,
    bytes: usize,
    found: Grepped,
}

impl Search {
    /// Searches a file; `false` when a limit is reached.
    fn file(&mut self, path: &[u8], content: &Content, blobs: &dyn Blobs) -> Result<bool, SearchError> {
        let bytes = content.bytes(blobs).map_err(crate::TreeError::from)?;
        if !is_text(&bytes) {
            self.found.binary_files += 1;
            return Ok(true);
        }
        self.found.files_searched += 1;
        let (mut at, mut line_number, mut counted) = (0, 1, 0);
        while let Some(found) = self.regex.find_at(&bytes, at).map(|found| found.start()) {
            let start = bytes[..found].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let end = bytes[found..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| found + end);
            if start == bytes.len() {
                // Behind the last line end there is no line, though an empty match may be.
                break;
            }
            line_number += bytes[counted..start].iter().filter(|byte| **byte == b'\n').count() as u64;
            counted = start;
            if !self.take(path, line_number, &bytes[start..end]) {
                return Ok(false);
            }
            at = end + 1;
            if at >= bytes.len() {
                break;
            }
        }
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
