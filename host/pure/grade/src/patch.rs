//! Which files a unified diff touches, and what it adds to each. Enough for flags; nothing here applies a patch.
//!
//! Source of the form: `git diff`'s documentation ("generating patch text with -p"), quoted names included. Hunks are counted off by
//! their headers, so that a removed line `-- a/x` is never taken for a file's header; a line that cannot be a hunk's ends it,
//! so that a false header hides no file. Linear in the patch.

use std::collections::BTreeMap;

/// What a diff does with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its content, its mode, or both.
    Modified,
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It has another name.
    Renamed {
        /// The name it had.
        from: String,
    },
}

/// One file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedFile<'a> {
    /// Its path after the diff, or before it where it is deleted.
    pub path: String,
    /// What happens to it.
    pub change: Change,
    /// The lines that are added, without their `+`.
    pub added_lines: Vec<&'a str>,
}

/// Undoes git's quoting of a name: `"a/\303\244.txt"`. Bytes that are not UTF-8 become U+FFFD.
fn unquote(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return name.to_owned() };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let Some(escape) = rest.next() else { break };
        bytes.push(match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|next| (b'0'..=b'7').contains(next)) else { break };
                    value = value * 8 + u32::from(digit - b'0');
                }
                // Three octal digits can say more than a byte holds; git never does.
                u8::try_from(value).unwrap_or(b'?')
            }
            other => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A name of a `---` or `+++` line: without its prefix, and nothing for `/dev/null`.
fn header_path(text: &str) -> Option<String> {
    let name = unquote(text.split('\t').next().unwrap_or(text).trim_end_matches('\r'));
    match name.as_str() {
        "/dev/null" => None,
        other => Some(other.strip_prefix("a/").or_else(|| other.strip_prefix("b/")).unwrap_or(other).to_owned()),
    }
}

/// The name in `diff --git a/x b/x`, where both are the same; renames have lines of their own.
fn git_path(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix('"') {
        let end = rest.find("\" ")? + 2;
        return header_path(&text[..end]);
    }
    // `a/` + name + ` b/` + name: the middle is known by length, whatever spaces the name holds.
    let half = text.len().checked_sub(1)? / 2;
    let (old, new) = (text.get(..half)?, text.get(half + 1..)?);
    if old.get(2..) == new.get(2..) {
        header_path(old)
    } else {
        text.split_once(" b/").and_then(|(old, _)| header_path(old))
    }
}

/// `@@ -a,b +c,d @@`: how many old and new lines follow.
fn hunk_lengths(line: &str) -> Option<(usize, usize)> {
    let mut words = line.strip_prefix("@@ -")?.split(' ');
    let length = |range: &str| match range.split_once(',') {
        Some((_, length)) => length.parse().ok(),
        None => Some(1),
    };
    Some((length(words.next()?)?, length(words.next()?.strip_prefix('+')?)?))
}

#[derive(Default)]
struct Open<'a> {
    old: Option<String>,
    new: Option<String>,
    is_added: bool,
    is_deleted: bool,
    renamed_from: Option<String>,
    added_lines: Vec<&'a str>,
}

impl<'a> Open<'a> {
    fn close(self, files: &mut Vec<TouchedFile<'a>>) {
        let Some(path) = self.new.or_else(|| self.old.clone()) else { return };
        let change = match self.renamed_from {
            Some(from) => Change::Renamed { from },
            None if self.is_added => Change::Added,
            None if self.is_deleted => Change::Deleted,
            None => Change::Modified,
        };
        files.push(TouchedFile { path, change, added_lines: self.added_lines });
    }

    fn header(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("rename from ").or_else(|| line.strip_prefix("copy from ")) {
            self.renamed_from = Some(unquote(name));
        } else if let Some(name) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            self.new = Some(unquote(name));
        } else if line.starts_with("new file mode") {
            self.is_added = true;
        } else if line.starts_with("deleted file mode") {
            self.is_deleted = true;
        } else if let Some(name) = line.strip_prefix("--- ") {
            self.is_added |= header_path(name).is_none();
            self.old = header_path(name).or(self.old.take());
        } else if let Some(name) = line.strip_prefix("+++ ") {
            self.is_deleted |= header_path(name).is_none();
            self.new = header_path(name).or(self.new.take());
        }
    }
}

/// The files that a diff touches, by path; one that is named twice is one file.
#[must_use]
pub fn touched_files(patch: &str) -> Vec<TouchedFile<'_>> {
    let mut files = Vec::new();
    let mut open = Open::default();
    let (mut old_left, mut new_left) = (0_usize, 0_usize);
    let mut has_hunks = false;
    for line in patch.split('\n') {
        let is_content = matches!(line.as_bytes().first(), None | Some(b'+' | b'-' | b' ' | b'\\' | b'\r'));
        if is_content && (old_left > 0 || new_left > 0) {
            match line.as_bytes().first() {
                Some(b'+') => {
                    open.added_lines.push(&line[1..]);
                    new_left = new_left.saturating_sub(1);
                }
                Some(b'-') => old_left = old_left.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old_left, new_left) = (old_left.saturating_sub(1), new_left.saturating_sub(1)),
            }
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            std::mem::take(&mut open).close(&mut files);
            (old_left, new_left, has_hunks) = (0, 0, false);
            open.old = git_path(names);
        } else if let Some(lengths) = hunk_lengths(line) {
            (old_left, new_left) = lengths;
            has_hunks = true;
        } else {
            // A plain diff has no `diff --git`: its next file begins with `---` after a hunk.
            if has_hunks && line.starts_with("--- ") {
                std::mem::take(&mut open).close(&mut files);
                has_hunks = false;
            }
            open.header(line);
        }
    }
    open.close(&mut files);
    merge(files)
}

fn merge(files: Vec<TouchedFile<'_>>) -> Vec<TouchedFile<'_>> {
    let mut by_path: BTreeMap<String, TouchedFile<'_>> = BTreeMap::new();
    for file in files {
        match by_path.get_mut(&file.path) {
            Some(known) => known.added_lines.extend(file.added_lines),
            None => {
                by_path.insert(file.path.clone(), file);
            }
        }
    }
    by_path.into_values().collect()
}
