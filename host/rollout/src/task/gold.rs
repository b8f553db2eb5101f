//! The right fix of a task, as files.

use assay_grade::task::{Gold, GoldFile};
use assay_model::Time;
use assay_tree::patch::{self, PatchError};
use assay_tree::{Tree, TreeError};
use thiserror::Error;

use super::folder::stays_inside;

/// Why the right fix cannot be put into the files.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GoldError {
    /// The patch does not apply.
    #[error("the gold patch does not apply: {0}")]
    Patch(#[from] PatchError),
    /// A file cannot be written.
    #[error("the gold file {path} cannot be written: {why}")]
    File {
        /// The file.
        path: String,
        /// Why.
        why: String,
    },
}

/// The files with the fix in them.
pub(super) fn apply(gold: &Gold, base: &Tree) -> Result<Tree, GoldError> {
    match gold {
        Gold::Patch(text) => Ok(patch::apply(base, text.as_bytes(), Time::default())?),
        Gold::Bug(text) => Ok(patch::apply(base, reversed(text).as_bytes(), Time::default())?),
        Gold::Files(files) => {
            let mut tree = base.fork();
            for file in files {
                write(&mut tree, file).map_err(|why| GoldError::File { path: file.path.clone(), why })?;
            }
            Ok(tree)
        }
    }
}

fn write(tree: &mut Tree, file: &GoldFile) -> Result<(), String> {
    let text = |error: TreeError| error.to_string();
    if !stays_inside(&file.path) {
        return Err("it leaves the repository".to_owned());
    }
    let (path, now) = (file.path.as_bytes(), Time::default());
    match &file.new {
        Some(content) => {
            if let Some(slash) = file.path.rfind('/') {
                tree.mkdir_all(&path[..slash], now).map_err(text)?;
            }
            tree.put(path, content.as_bytes().into(), now).map_err(text)
        }
        None => match tree.unlink(path, now) {
            Ok(()) | Err(TreeError::NotFound) => Ok(()),
            Err(error) => Err(text(error)),
        },
    }
}

/// The patch that undoes this one. Binary sections stay as they are, and then do not apply.
pub(super) fn reversed(patch: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut old_left, mut new_left) = (0_usize, 0_usize);
    for line in patch.split('\n') {
        if old_left > 0 || new_left > 0 || line.starts_with('\\') {
            let (first, rest) = (line.as_bytes().first(), line.get(1..).unwrap_or_default());
            lines.push(match first {
                Some(b'+') => {
                    new_left = new_left.saturating_sub(1);
                    format!("-{rest}")
                }
                Some(b'-') => {
                    old_left = old_left.saturating_sub(1);
                    format!("+{rest}")
                }
                Some(b'\\') => line.to_owned(),
                _ => {
                    (old_left, new_left) = (old_left.saturating_sub(1), new_left.saturating_sub(1));
                    line.to_owned()
                }
            });
        } else if let Some((old, new, rest)) = hunk(line) {
            (old_left, new_left) = (length(old), length(new));
            lines.push(format!("@@ -{new} +{old} @@{rest}"));
        } else {
            reverse_header(line, &mut lines);
        }
    }
    lines.join("\n")
}

/// `@@ -OLD +NEW @@REST`.
fn hunk(line: &str) -> Option<(&str, &str, &str)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, rest) = rest.split_once(" @@")?;
    Some((old, new, rest))
}

fn length(range: &str) -> usize {
    range.split_once(',').map_or(1, |(_, length)| length.parse().unwrap_or(0))
}

fn reverse_header(line: &str, lines: &mut Vec<String>) {
    const PAIRS: [(&str, &str); 8] = [
        ("new file mode ", "deleted file mode "),
        ("deleted file mode ", "new file mode "),
        ("rename from ", "rename to "),
        ("rename to ", "rename from "),
        ("old mode ", "new mode "),
        ("new mode ", "old mode "),
        ("--- ", "+++ "),
        ("+++ ", "--- "),
    ];
    if let Some((old, new)) = line.strip_prefix("index ").and_then(|ids| ids.split_once("..")) {
        let (new, mode) = new.split_once(' ').map_or((new, String::new()), |(new, mode)| (new, format!(" {mode}")));
        lines.push(format!("index {new}..{old}{mode}"));
        return;
    }
    let Some((from, to)) = PAIRS.iter().find(|(from, _)| line.starts_with(from)) else {
        lines.push(line.to_owned());
        return;
    };
    let name = &line[from.len()..];
    // The names keep their sides: what was `a/` is `b/` now.
    let name = match (name.strip_prefix("a/"), name.strip_prefix("b/")) {
        (Some(rest), _) if to.starts_with('+') => format!("b/{rest}"),
        (_, Some(rest)) if to.starts_with('-') => format!("a/{rest}"),
        _ => name.to_owned(),
    };
    let reversed = format!("{to}{name}");
    // The line of the old side stands first.
    if matches!(*from, "+++ " | "rename to " | "new mode ") && !lines.is_empty() {
        lines.insert(lines.len() - 1, reversed);
    } else {
        lines.push(reversed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::files::empty_tree;

    #[test]
    fn what_is_reversed_undoes_the_patch() {
        let mut before = empty_tree();
        let mut after = empty_tree();
        let now = Time::default();
        for (tree, files) in [
            (&mut before, [("a.py", "one\ntwo\nthree\n"), ("gone.py", "x\n"), ("old.py", "1\n2\n3\n4\n5\n6\n7\n8\n")]),
            (
                &mut after,
                [("a.py", "one\n-- two\nthree"), ("made.py", "y\n"), ("new.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")],
            ),
        ] {
            for (path, text) in files {
                tree.put(path.as_bytes(), text.as_bytes().into(), now).unwrap();
            }
        }
        after.set_executable(b"a.py", true).unwrap();
        let patch = String::from_utf8(patch::diff(&before, &after).unwrap()).unwrap();
        let bug = Gold::Bug(patch.clone());
        assert_eq!(apply(&bug, &after).unwrap().digest(), before.digest(), "{}", reversed(&patch));
    }
}
