//! The files of a bug-fix episode after a step, as somebody looks at them: the tree, what has changed since the beginning, what the step changed.
//!
//! Invariants: files come from a replay, so they are what the recorded cells leave; lists, patches and texts are cut to sizes that can be shown and sent
//! through a pipe of 64 KiB; files that have changed come before others where not all fit.

use assay_tree::Tree;
use serde::{Deserialize, Serialize};

use crate::submission::patch;

/// Bytes of the list of files.
const LIST_BYTES_MAX: usize = 14 << 10;
/// Bytes of each patch, and of a file's text.
const TEXT_BYTES_MAX: usize = 11 << 10;

/// What has become of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileMark {
    /// It was not there.
    Added,
    /// It had another content.
    Changed,
    /// It is gone.
    Removed,
}

/// A file of the tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileLine {
    /// Its path.
    pub path: String,
    /// Its size; of a removed one, what it was.
    pub bytes: u64,
    /// What has become of it since the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_start: Option<FileMark>,
    /// What became of it in this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_step: Option<FileMark>,
}

/// A text that may have been cut.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Excerpt {
    /// Its beginning.
    pub text: String,
    /// Bytes that are missing.
    #[serde(default)]
    pub left_out: usize,
}

/// See the module documentation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FilesView {
    /// After which step.
    pub step: usize,
    /// The steps of the episode.
    pub steps: usize,
    /// Files in all, removed ones among them.
    pub total: usize,
    /// As many of them as fit.
    pub files: Vec<FileLine>,
    /// What differs from the beginning, as git writes it; why that is not known, if it is not.
    pub since_start: Result<Excerpt, String>,
    /// What the step changed.
    pub in_step: Result<Excerpt, String>,
    /// The file that was asked for, if it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Excerpt>,
}

/// Looks at the files `now`: after a step, beside those before it and at the beginning. `file` is one whose text is wanted.
#[must_use]
pub fn view(
    (base, before, now): (&Tree, &Tree, &Tree),
    (step, steps): (usize, usize),
    file: Option<&str>,
) -> FilesView {
    let mut all = lines(base, before, now);
    let total = all.len();
    all.sort_by_key(|line| (line.since_start.is_none() && line.in_step.is_none(), line.path.clone()));
    let mut left = LIST_BYTES_MAX;
    let fit =
        all.iter().take_while(|line| left.checked_sub(line.path.len() + 70).inspect(|rest| left = *rest).is_some());
    let fit = fit.count();
    all.truncate(fit);
    all.sort_by(|one, other| one.path.cmp(&other.path));
    let text = file.and_then(|path| {
        let bytes = now.read_all(path.as_bytes()).ok()?;
        Some(excerpt(std::str::from_utf8(&bytes).ok()?))
    });
    FilesView { step, steps, total, files: all, since_start: changed(base, now), in_step: changed(before, now), text }
}

fn excerpt(text: &str) -> Excerpt {
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    Excerpt { text: text[..end].to_owned(), left_out: text.len() - end }
}

fn changed(from: &Tree, to: &Tree) -> Result<Excerpt, String> {
    let patch = patch(from, to).map_err(|why| why.to_string())?;
    Ok(excerpt(&String::from_utf8_lossy(&patch)))
}

/// The regular files of a tree with their sizes.
fn files(tree: &Tree) -> Vec<(Vec<u8>, u64)> {
    let walk = tree.walk(b"/").map(|walk| walk.filter(|(_, stat)| stat.kind.is_file()));
    walk.map(|walk| walk.map(|(path, stat)| (path, stat.size)).collect()).unwrap_or_default()
}

fn lines(base: &Tree, before: &Tree, now: &Tree) -> Vec<FileLine> {
    let mark = |from: &Tree, path: &[u8]| match (from.file_digest(path), now.file_digest(path)) {
        (Err(_), Ok(_)) => Some(FileMark::Added),
        (Ok(_), Err(_)) => Some(FileMark::Removed),
        (Ok(old), Ok(new)) if old != new => Some(FileMark::Changed),
        _ => None,
    };
    let (from_base, from_before) = (base.digest() != now.digest(), before.digest() != now.digest());
    let line = |(path, bytes): (Vec<u8>, u64)| FileLine {
        since_start: mark(base, &path).filter(|_| from_base),
        in_step: mark(before, &path).filter(|_| from_before),
        path: String::from_utf8_lossy(&path).into_owned(),
        bytes,
    };
    let gone =
        |tree: &Tree| files(tree).into_iter().filter(|(path, _)| now.file_digest(path).is_err()).collect::<Vec<_>>();
    let mut removed = gone(base);
    removed.extend(gone(before).into_iter().filter(|(path, _)| base.file_digest(path).is_err()));
    files(now).into_iter().chain(removed).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_model::Time;
    use assay_tree::{Content, Limits};

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::new(Limits { bytes_max: 1 << 20, inodes_max: 100 });
        for (path, text) in files {
            tree.put(path.as_bytes(), Content::from(text.as_bytes()), Time(0)).expect("put");
        }
        tree
    }

    #[test]
    fn what_changed_is_told_apart_from_what_the_step_changed() {
        let base = tree(&[("a", "1\n"), ("b", "1\n"), ("c", "1\n")]);
        let before = tree(&[("a", "2\n"), ("b", "1\n"), ("d", "1\n")]);
        let now = tree(&[("a", "2\n"), ("b", "2\n"), ("e", "1\n")]);
        let view = view((&base, &before, &now), (2, 3), Some("b"));
        let found: Vec<_> =
            view.files.iter().map(|line| (line.path.as_str(), line.since_start, line.in_step)).collect();
        let expected = [
            ("a", Some(FileMark::Changed), None),
            ("b", Some(FileMark::Changed), Some(FileMark::Changed)),
            ("c", Some(FileMark::Removed), None),
            ("d", None, Some(FileMark::Removed)),
            ("e", Some(FileMark::Added), Some(FileMark::Added)),
        ];
        assert_eq!(found, expected);
        assert_eq!(view.text, Some(Excerpt { text: "2\n".to_owned(), left_out: 0 }));
        let step = view.in_step.expect("a patch").text;
        assert!(step.contains("diff --git a/b b/b") && !step.contains("a/a b/a"), "{step}");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let names: Vec<String> = (0..1_000).map(|number| format!("folder/file-{number:04}")).collect();
        let mut limits = Tree::new(Limits { bytes_max: 8 << 20, inodes_max: 5_000 });
        for name in &names {
            limits.mkdir_all(b"folder", Time(0)).expect("made");
            limits.put(name.as_bytes(), Content::from(&b"x\n"[..]), Time(0)).expect("put");
        }
        let base = limits.fork();
        limits.put(b"folder/file-0999", Content::from("long line\n".repeat(9_000).as_bytes()), Time(1)).expect("put");
        let view = view((&base, &base, &limits), (1, 1), None);
        assert_eq!(view.total, 1_000);
        assert!(view.files.len() < 1_000);
        assert!(view.files.iter().any(|line| line.path.ends_with("0999")), "what has changed is listed");
        assert!(view.in_step.as_ref().expect("a patch").left_out > 0);
        assert!(serde_json::to_string(&view).expect("JSON").len() < 64 << 10);
    }
}
