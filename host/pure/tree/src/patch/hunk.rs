//! Lines: from two texts to hunks, and from hunks and the old text to the new one.

use super::error::Problem;
use imara_diff::{Algorithm, Diff, InternedInput};
use std::ops::Range;

/// Unchanged lines shown around a change.
const CONTEXT_LINES: u32 = 3;
/// A zero byte within this many leading bytes makes a file binary, as in git.
const BINARY_PROBE_BYTES: usize = 8000;
/// Larger files are written as binary, whatever they hold: lines are numbered with 31 bits.
const TEXT_BYTES_MAX: usize = 256 << 20;
const NO_NEWLINE: &[u8] = b"\n\\ No newline at end of file\n";

/// What every search and diff here holds to be a text.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    bytes.len() <= TEXT_BYTES_MAX && !bytes[..bytes.len().min(BINARY_PROBE_BYTES)].contains(&0)
}

/// Lines with their ends; a last one may have none.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// What the better of two ways to compare lines may still cost in one patch. It shows changes as people see them and takes, at worst, a step
/// for each pair of lines; once that is too much, the other one goes on, whose steps are bounded for each line.
pub(super) struct Patience(u64);

impl Patience {
    /// Pairs of lines: a second's work at worst.
    const PAIRS_MAX: u64 = 500_000_000;

    pub(super) const fn new() -> Self {
        Self(Self::PAIRS_MAX)
    }

    fn algorithm(&mut self, old: usize, new: usize) -> Algorithm {
        match self.0.checked_sub((old.min(new) as u64).saturating_mul((old + new) as u64)) {
            Some(left) => {
                self.0 = left;
                Algorithm::Histogram
            }
            None => Algorithm::Myers,
        }
    }
}

pub(super) fn write_hunks(out: &mut Vec<u8>, old: &[u8], new: &[u8], patience: &mut Patience) {
    let (old, new): (Vec<&[u8]>, Vec<&[u8]>) = (lines(old).collect(), lines(new).collect());
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(patience.algorithm(old.len(), new.len()), &input);
    diff.postprocess_no_heuristic(&input);
    let changes: Vec<(Range<u32>, Range<u32>)> = diff.hunks().map(|hunk| (hunk.before, hunk.after)).collect();
    let together = |one: &(Range<u32>, _), next: &(Range<u32>, _)| next.0.start - one.0.end <= 2 * CONTEXT_LINES;
    for group in changes.chunk_by(together) {
        write_hunk(out, group, &old, &new);
    }
}

fn write_hunk(out: &mut Vec<u8>, group: &[(Range<u32>, Range<u32>)], old: &[&[u8]], new: &[&[u8]]) {
    let (Some((first_old, first_new)), Some((last_old, last_new))) = (group.first(), group.last()) else { return };
    let before = CONTEXT_LINES.min(first_old.start);
    let after = CONTEXT_LINES.min(old.len() as u32 - last_old.end);
    let old_range = first_old.start - before..last_old.end + after;
    let new_range = first_new.start - before..last_new.end + after;
    out.extend_from_slice(format!("@@ -{} +{} @@\n", place(&old_range), place(&new_range)).as_bytes());
    let mut position = old_range.start;
    for (old_change, new_change) in group {
        write_lines(out, b' ', old, position..old_change.start);
        write_lines(out, b'-', old, old_change.clone());
        write_lines(out, b'+', new, new_change.clone());
        position = old_change.end;
    }
    write_lines(out, b' ', old, position..old_range.end);
}

/// Lines count from one; an empty range is named by the line before it.
fn place(range: &Range<u32>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        length => format!("{},{length}", range.start + 1),
    }
}

fn write_lines(out: &mut Vec<u8>, tag: u8, lines: &[&[u8]], range: Range<u32>) {
    for line in &lines[range.start as usize..range.end as usize] {
        out.push(tag);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(NO_NEWLINE);
        }
    }
}

/// A hunk as it was read.
pub(super) struct Hunk<'p> {
    /// Where it is in the patch, from one.
    pub(super) line_number: usize,
    /// The index of its first old line, from zero.
    pub(super) old_start: usize,
    pub(super) lines: Vec<HunkLine<'p>>,
}

pub(super) struct HunkLine<'p> {
    pub(super) line_number: usize,
    pub(super) tag: Tag,
    /// With its end, if it has one.
    pub(super) text: &'p [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Context,
    Delete,
    Insert,
}

/// Where in a patch something is wrong: hunk from one, line of the patch, what.
pub(super) type HunkError = (usize, usize, Problem);

/// The new text. Every context and deleted line must be where the hunk says it is.
pub(super) fn apply_hunks(old: &[u8], hunks: &[Hunk<'_>]) -> Result<Vec<u8>, HunkError> {
    let old: Vec<&[u8]> = lines(old).collect();
    let mut new = Vec::new();
    let mut position = 0;
    for (number, hunk) in (1..).zip(hunks) {
        let at_hunk = |problem| (number, hunk.line_number, problem);
        if hunk.old_start < position {
            return Err(at_hunk(Problem::Malformed("the hunk begins before the end of the one above")));
        }
        let kept = old.get(position..hunk.old_start).ok_or_else(|| at_hunk(Problem::BeyondEnd { lines: old.len() }))?;
        new.extend(kept.iter().copied().flatten());
        position = hunk.old_start;
        for HunkLine { line_number, tag, text } in &hunk.lines {
            let at_line = |problem| (number, *line_number, problem);
            if *tag != Tag::Insert {
                let found = old.get(position).copied();
                if found != Some(*text) {
                    let wanted = text.escape_ascii().to_string();
                    let found = found.map(|line| line.escape_ascii().to_string());
                    return Err(at_line(Problem::Differs { file_line: position + 1, wanted, found }));
                }
                position += 1;
            }
            if *tag != Tag::Delete {
                if new.last().is_some_and(|byte| *byte != b'\n') {
                    return Err(at_line(Problem::Malformed("a line follows one that has no newline at its end")));
                }
                new.extend_from_slice(text);
            }
        }
    }
    let rest = &old[position..];
    if let (Some(last), false, Some(hunk)) = (new.last(), rest.is_empty(), hunks.last())
        && *last != b'\n'
    {
        let problem = Problem::Malformed("the file goes on after a line that has no newline at its end");
        return Err((hunks.len(), hunk.line_number, problem));
    }
    new.extend(rest.iter().copied().flatten());
    Ok(new)
}
