//! The body of a section: hunks of lines, or a binary edit.

use super::binary::{decode_line, inflate};
use super::error::Problem;
use super::hunk::{Hunk, HunkError, HunkLine, Tag};
use super::lines::Lines;

/// The larger side of a binary edit; a few bytes of zlib can claim any size.
const BINARY_BYTES_MAX: usize = 256 << 20;

/// How the new content follows from the old.
pub(super) enum Binary {
    Literal(Vec<u8>),
    Delta(Vec<u8>),
}

/// All hunks that follow.
pub(super) fn hunks<'p>(lines: &mut Lines<'p>) -> Result<Vec<Hunk<'p>>, HunkError> {
    let mut hunks = Vec::new();
    while let Some(line) = lines.peek().filter(|line| line.starts_with(b"@@ ")) {
        let (number, line_number) = (hunks.len() + 1, lines.number);
        let malformed = |line, what| (number, line, Problem::Malformed(what));
        let Some([old, new]) = ranges(line) else {
            return Err(malformed(line_number, "a hunk begins with @@ -LINE,LINES +LINE,LINES @@"));
        };
        lines.next();
        // Lines count from one; an empty range is named by the line before it.
        let old_start = if old.1 == 0 { old.0 } else { old.0.wrapping_sub(1) };
        let mut hunk = Hunk { line_number, old_start, lines: Vec::new() };
        let (mut old_left, mut new_left) = (old.1, new.1);
        while old_left > 0 || new_left > 0 {
            let line_number = lines.number;
            let (tag, text) = hunk_line(lines).map_err(|what| malformed(line_number, what))?;
            let (in_old, in_new) = (usize::from(tag != Tag::Insert), usize::from(tag != Tag::Delete));
            let more = "the hunk has more lines than its head says";
            old_left = old_left.checked_sub(in_old).ok_or_else(|| malformed(line_number, more))?;
            new_left = new_left.checked_sub(in_new).ok_or_else(|| malformed(line_number, more))?;
            hunk.lines.push(HunkLine { line_number, tag, text });
        }
        if hunk.lines.is_empty() {
            return Err(malformed(line_number, "the hunk is empty"));
        }
        hunks.push(hunk);
    }
    Ok(hunks)
}

/// One line of a hunk, and the remark behind it that it has no end.
fn hunk_line<'p>(lines: &mut Lines<'p>) -> Result<(Tag, &'p [u8]), &'static str> {
    let line = lines.next().ok_or("the patch ends within a hunk")?;
    let text = line.strip_suffix(b"\n").ok_or("the patch ends in the middle of a line")?;
    let (tag, text) = match text.first() {
        Some(b' ') => (Tag::Context, &line[1..]),
        Some(b'-') => (Tag::Delete, &line[1..]),
        Some(b'+') => (Tag::Insert, &line[1..]),
        // Mail programs cut the space off an empty line; git takes it so.
        None => (Tag::Context, line),
        _ => return Err("a line of a hunk begins with a space, - or +; the hunk has fewer than its head says"),
    };
    if lines.peek().is_some_and(|next| next.starts_with(b"\\ ")) {
        lines.next();
        return Ok((tag, text.strip_suffix(b"\n").unwrap_or(text)));
    }
    Ok((tag, text))
}

/// Start and length of the old and the new side.
fn ranges(line: &[u8]) -> Option<[(usize, usize); 2]> {
    let text = line.strip_prefix(b"@@ -")?;
    let end = text.windows(3).position(|three| three == b" @@")?;
    let (old, new) = std::str::from_utf8(&text[..end]).ok()?.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, length) = text.split_once(',').unwrap_or((text, "1"));
        // 32 bits, so that nothing that is added to them overflows.
        let (start, length): (u32, u32) = (start.parse().ok()?, length.parse().ok()?);
        (start > 0 || length == 0).then_some((start as usize, length as usize))
    };
    Some([range(old)?, range(new)?])
}

/// The edit from old to new; the one back, which follows, is checked for form and dropped.
pub(super) fn binary(lines: &mut Lines<'_>) -> Result<Binary, (usize, Problem)> {
    let forward = binary_hunk(lines)?;
    if lines.peek().is_some_and(|line| line.starts_with(b"literal ") || line.starts_with(b"delta ")) {
        binary_hunk(lines)?;
    }
    Ok(forward)
}

fn binary_hunk(lines: &mut Lines<'_>) -> Result<Binary, (usize, Problem)> {
    let line_number = lines.number;
    let malformed = |line, what| (line, Problem::Malformed(what));
    let head = lines.next().and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
    let (word, size) = head.trim_end().split_once(' ').unwrap_or_default();
    let size: usize = match size.parse() {
        Ok(size) if word == "literal" || word == "delta" => size,
        _ => return Err(malformed(line_number, "a binary edit begins with literal SIZE or delta SIZE")),
    };
    if size > BINARY_BYTES_MAX {
        return Err((line_number, Problem::Unsupported("a binary edit of more than 256 MiB")));
    }
    let mut deflated = Vec::new();
    loop {
        let number = lines.number;
        match lines.next().and_then(|line| line.strip_suffix(b"\n")) {
            Some(b"") => break,
            Some(line) if decode_line(line, &mut deflated).is_some() => {}
            Some(_) => return Err(malformed(number, "this is not base 85 as git writes it")),
            None => return Err(malformed(number, "the patch ends within a binary edit")),
        }
    }
    let bytes = inflate(&deflated, size)
        .ok_or_else(|| malformed(line_number, "the binary edit does not unpack to the size it says"))?;
    Ok(if word == "literal" { Binary::Literal(bytes) } else { Binary::Delta(bytes) })
}
