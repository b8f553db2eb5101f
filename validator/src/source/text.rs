//! A source text with its line starts: turns spans into places with escaped, clipped excerpts.

use crate::escape::{escape, is_hidden, push_escaped};
use crate::finding::{Excerpt, Place, Position};
use proc_macro2::LineColumn;

/// Characters of one line shown in an excerpt; a file can be one line of a million.
const EXCERPT_COLUMNS: usize = 140;
/// Characters shown before the place when the line has to be clipped.
const EXCERPT_LEAD: usize = 40;

/// The text of one file.
pub(crate) struct SourceText<'a> {
    name: String,
    text: &'a str,
    line_starts: Vec<usize>,
}

impl<'a> SourceText<'a> {
    /// A leading byte order mark is dropped, as the compiler does.
    pub(crate) fn new(name: &str, text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name: escape(name), text, line_starts }
    }

    /// The file's name, escaped.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What the lexer should read: the compiler skips a first line `#!…` unless, comments aside, a `[` follows and makes it an
    /// attribute. Here any `[` in that line does: what is skipped is never checked, so doubt is resolved by reading. The line feed stays,
    /// so that line numbers do.
    pub(super) fn without_shebang(&self) -> &'a str {
        let first = self.text.split('\n').next().unwrap_or_default();
        if first.starts_with("#!") && !first.contains('[') { &self.text[first.len()..] } else { self.text }
    }

    /// Characters that hide or move text, with their offsets; the carriage return of a line end is not one.
    pub(crate) fn hidden_characters(&self) -> impl Iterator<Item = (usize, char)> {
        let text = self.text;
        let ends_line = move |at: usize| text[at..].starts_with("\r\n");
        text.char_indices()
            .filter(move |&(at, character)| is_hidden(character) && !(character == '\r' && ends_line(at)))
    }

    /// The place of `length` bytes at `offset`, which must lie on a character boundary.
    pub(crate) fn place_at(&self, offset: usize, length: usize) -> Place {
        let locate = |offset: usize| {
            let line = self.line_starts.partition_point(|&start| start <= offset).max(1);
            let column = self.text[self.line_starts[line - 1]..offset].chars().count();
            LineColumn { line, column }
        };
        self.place(locate(offset), locate(offset + length))
    }

    /// The place of a span: lines from 1, columns from 0 in characters, as the lexer gives them.
    pub(crate) fn place(&self, start: LineColumn, end: LineColumn) -> Place {
        let start = LineColumn { line: start.line.clamp(1, self.line_starts.len()), column: start.column };
        let position = |at: LineColumn| Position { line: number(at.line), column: number(at.column + 1) };
        let end = end.max(start);
        Place::Source {
            file: self.name.clone(),
            start: position(start),
            end: position(end),
            excerpt: self.excerpt(start, end),
        }
    }

    /// The text, without a byte order mark.
    pub(crate) const fn text(&self) -> &'a str {
        self.text
    }

    /// Where a character stands, in bytes: lines from 1, columns from 0 in characters. `None` for one that is not there.
    pub(crate) fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let text = self.line(line as usize)?;
        let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        Some(self.line_starts.get(line as usize - 1)? + ends.nth(column as usize)?)
    }

    fn line(&self, number: usize) -> Option<&'a str> {
        let start = *self.line_starts.get(number.checked_sub(1)?)?;
        let end = self.line_starts.get(number).map_or(self.text.len(), |next| next - 1);
        let line = &self.text[start..end];
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    fn excerpt(&self, start: LineColumn, end: LineColumn) -> Excerpt {
        let mut text = String::new();
        let mut first_line = start.line;
        if let Some(before) = self.line(start.line - 1) {
            first_line -= 1;
            push_clipped(&mut text, before, 0);
            text.push('\n');
        }
        let line = self.line(start.line).unwrap_or_default();
        let columns = line.chars().count();
        let from = if columns > EXCERPT_COLUMNS { start.column.saturating_sub(EXCERPT_LEAD) } else { 0 };
        if from > 0 {
            text.push('…');
        }
        let last = if end.line == start.line { end.column.max(start.column + 1) } else { columns };
        let (mut mark_start, mut mark_end) = (None, text.len());
        for (column, character) in line.chars().enumerate().skip(from).take(EXCERPT_COLUMNS) {
            if column == start.column {
                mark_start = Some(text.len());
            }
            push_escaped(&mut text, character);
            if column < last {
                mark_end = text.len();
            }
        }
        let mark_start = mark_start.unwrap_or(text.len());
        if columns > from + EXCERPT_COLUMNS {
            text.push('…');
        }
        if let Some(after) = self.line(start.line + 1) {
            text.push('\n');
            push_clipped(&mut text, after, 0);
        }
        Excerpt { first_line: number(first_line), text, start: mark_start, length: mark_end.saturating_sub(mark_start) }
    }
}

fn push_clipped(text: &mut String, line: &str, from: usize) {
    for character in line.chars().skip(from).take(EXCERPT_COLUMNS) {
        push_escaped(text, character);
    }
    if line.chars().nth(from + EXCERPT_COLUMNS).is_some() {
        text.push('…');
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
