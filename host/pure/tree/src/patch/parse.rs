//! Reads a patch: `diff --git` sections, everything in them, and nothing that is not understood.
//!
//! Text before the first section (a mail's head) and git's mail signature are passed over; anything else outside a section is an error.

use super::error::{PatchError, Problem};
use super::hunk::Hunk;
use super::lines::Lines;
use super::parse_body::{Binary, binary, hunks};
use super::quote::unquote;
use crate::{Kind, Name};

/// One section.
pub(super) struct FilePatch<'p> {
    /// The line of its `diff --git`.
    pub(super) line_number: usize,
    pub(super) action: Action,
    /// The kind it had, if the patch says so.
    pub(super) old_kind: Option<Kind>,
    /// The kind it will have, if that changes.
    pub(super) new_kind: Option<Kind>,
    pub(super) body: Body<'p>,
}

pub(super) enum Action {
    Modify { path: Vec<u8> },
    Create { path: Vec<u8> },
    Delete { path: Vec<u8> },
    Rename { from: Vec<u8>, to: Vec<u8> },
    Copy { from: Vec<u8>, to: Vec<u8> },
}

pub(super) enum Body<'p> {
    None,
    Text(Vec<Hunk<'p>>),
    Binary { edit: Binary, old_id: String, new_id: String },
}

impl FilePatch<'_> {
    /// The path that messages name.
    pub(super) fn path(&self) -> &[u8] {
        match &self.action {
            Action::Modify { path } | Action::Create { path } | Action::Delete { path } => path,
            Action::Rename { to, .. } | Action::Copy { to, .. } => to,
        }
    }
}

/// What a section's head said before its body.
#[derive(Default)]
struct Head {
    /// From `diff --git`, if both sides have the same name.
    both: Option<Vec<u8>>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    rename: bool,
    copy: bool,
    created: bool,
    deleted: bool,
    old_kind: Option<Kind>,
    new_kind: Option<Kind>,
    ids: Option<(String, String)>,
}

pub(super) fn parse(patch: &[u8]) -> Result<Vec<FilePatch<'_>>, PatchError> {
    let mut lines = Lines::of(patch);
    let mut files = Vec::new();
    while let Some(line) = lines.peek() {
        let number = lines.number;
        if line.starts_with(b"diff --git ") {
            files.push(section(&mut lines).map_err(|(file, hunk, line, problem)| PatchError {
                file,
                hunk,
                line,
                problem,
            })?);
            continue;
        }
        let stray = [b"--- ".as_slice(), b"+++ ", b"@@ ", b"diff "].iter().any(|start| line.starts_with(start));
        let inside = !files.is_empty() && matches!(line[0], b'+' | b'-' | b' ' | b'@' | b'\\') && line != b"-- \n";
        if stray || inside {
            let problem = Problem::Malformed("this line belongs to no file (a section begins with diff --git)");
            return Err(PatchError { file: None, hunk: None, line: number, problem });
        }
        lines.next();
    }
    if files.is_empty() && !patch.trim_ascii().is_empty() {
        let problem = Problem::Malformed("there is no diff --git line in it");
        return Err(PatchError { file: None, hunk: None, line: 1, problem });
    }
    Ok(files)
}

/// File, hunk, line, what.
type SectionError = (Option<String>, Option<usize>, usize, Problem);

fn section<'p>(lines: &mut Lines<'p>) -> Result<FilePatch<'p>, SectionError> {
    let line_number = lines.number;
    let first = lines.next().unwrap_or_default();
    let mut head = Head { both: common_name(&first[b"diff --git ".len()..]), ..Head::default() };
    let named = |head: &Head| {
        let path = head.new.as_ref().or(head.old.as_ref()).or(head.both.as_ref());
        path.map(|path| path.escape_ascii().to_string())
    };
    let mut body = Body::None;
    while let Some(line) = lines.peek() {
        let number = lines.number;
        let failed = |head: &Head, problem| (named(head), None, number, problem);
        let Some(text) = line.strip_suffix(b"\n") else {
            return Err(failed(&head, Problem::Malformed("the patch ends in the middle of a line")));
        };
        if line.starts_with(b"@@ ") {
            let read = hunks(lines).map_err(|(hunk, line, problem)| (named(&head), Some(hunk), line, problem))?;
            body = Body::Text(read);
            break;
        }
        if text == b"GIT binary patch" {
            lines.next();
            let edit = binary(lines).map_err(|(line, problem)| (named(&head), None, line, problem))?;
            let Some((old_id, new_id)) = head.ids.take().filter(|(old, new)| old.len() == 40 && new.len() == 40) else {
                return Err(failed(
                    &head,
                    Problem::Malformed("a binary patch needs full object ids in its index line"),
                ));
            };
            body = Body::Binary { edit, old_id, new_id };
            break;
        }
        match head.line(text) {
            Ok(true) => lines.next(),
            Ok(false) => break,
            Err(problem) => return Err(failed(&head, problem)),
        };
    }
    let name = named(&head);
    head.finish(line_number, body).map_err(|problem| (name, None, line_number, problem))
}

impl Head {
    /// Takes one line of the head; `false` if it is none.
    fn line(&mut self, text: &[u8]) -> Result<bool, Problem> {
        let after = |start: &str| text.strip_prefix(start.as_bytes());
        if let Some(mode) = after("old mode ") {
            self.old_kind = Some(kind(mode)?);
        } else if let Some(mode) = after("new mode ") {
            self.new_kind = Some(kind(mode)?);
        } else if let Some(mode) = after("deleted file mode ") {
            self.deleted = true;
            self.old_kind = Some(kind(mode)?);
        } else if let Some(mode) = after("new file mode ") {
            self.created = true;
            self.new_kind = Some(kind(mode)?);
        } else if let Some(name) = after("rename from ").or(after("rename old ")) {
            self.rename = true;
            agree(&mut self.old, whole_name(name)?)?;
        } else if let Some(name) = after("rename to ").or(after("rename new ")) {
            self.rename = true;
            agree(&mut self.new, whole_name(name)?)?;
        } else if let Some(name) = after("copy from ") {
            self.copy = true;
            agree(&mut self.old, whole_name(name)?)?;
        } else if let Some(name) = after("copy to ") {
            self.copy = true;
            agree(&mut self.new, whole_name(name)?)?;
        } else if let Some(index) = after("index ") {
            self.index(index)?;
        } else if let Some(name) = after("--- ") {
            match file_line(name)? {
                Some(name) => agree(&mut self.old, name)?,
                None if self.created => {}
                None => return Err(Problem::Malformed("/dev/null, but no new file mode")),
            }
        } else if let Some(name) = after("+++ ") {
            match file_line(name)? {
                Some(name) => agree(&mut self.new, name)?,
                None if self.deleted => {}
                None => return Err(Problem::Malformed("/dev/null, but no deleted file mode")),
            }
        } else if text.starts_with(b"Binary files ") {
            return Err(Problem::Unsupported("binary contents were left out; make the patch with git diff --binary"));
        } else {
            return Ok(after("similarity index ").or(after("dissimilarity index ")).is_some());
        }
        Ok(true)
    }

    fn index(&mut self, text: &[u8]) -> Result<(), Problem> {
        let malformed = Problem::Malformed("an index line reads: index OLD..NEW MODE");
        let text = std::str::from_utf8(text).map_err(|_| malformed.clone())?;
        let (ids, mode) = text.split_once(' ').map_or((text, None), |(ids, mode)| (ids, Some(mode)));
        let (old, new) = ids.split_once("..").ok_or(malformed)?;
        self.ids = Some((old.into(), new.into()));
        if let Some(mode) = mode {
            self.old_kind = Some(kind(mode.as_bytes())?);
        }
        Ok(())
    }

    fn finish(self, line_number: usize, body: Body<'_>) -> Result<FilePatch<'_>, Problem> {
        let Self { both, old, new, rename, copy, created, deleted, old_kind, new_kind, .. } = self;
        if [rename, copy, created, deleted].iter().filter(|said| **said).count() > 1 {
            return Err(Problem::Malformed("a file is either made, removed, renamed or copied"));
        }
        let unnamed = Problem::Malformed("the section does not name its file");
        let action = if rename || copy {
            let (from, to) = old.zip(new).ok_or(unnamed)?;
            if rename { Action::Rename { from, to } } else { Action::Copy { from, to } }
        } else {
            let mut path = both;
            for name in [old, new].into_iter().flatten() {
                agree(&mut path, name)?;
            }
            let path = path.ok_or(unnamed)?;
            match (created, deleted) {
                (true, _) => Action::Create { path },
                (_, true) => Action::Delete { path },
                _ => Action::Modify { path },
            }
        };
        let file = FilePatch { line_number, action, old_kind, new_kind, body };
        match &file.action {
            Action::Rename { from, to } | Action::Copy { from, to } => check_path(from).and(check_path(to))?,
            _ => check_path(file.path())?,
        }
        Ok(file)
    }
}

fn agree(known: &mut Option<Vec<u8>>, name: Vec<u8>) -> Result<(), Problem> {
    match known {
        Some(known) if *known != name => Err(Problem::Malformed("the section's lines name different files")),
        _ => {
            *known = Some(name);
            Ok(())
        }
    }
}

fn kind(mode: &[u8]) -> Result<Kind, Problem> {
    match mode {
        b"120000" => Ok(Kind::Symlink),
        b"160000" => Err(Problem::Unsupported("submodules")),
        [b'1', b'0', b'0', rest @ ..] if rest.len() == 3 && rest.iter().all(|digit| (b'0'..=b'7').contains(digit)) => {
            Ok(if (rest[0] - b'0') & 1 == 1 { Kind::Executable } else { Kind::File })
        }
        _ => Err(Problem::Malformed("a mode is 100644, 100755 or 120000")),
    }
}

/// A name that fills the rest of its line.
fn whole_name(text: &[u8]) -> Result<Vec<u8>, Problem> {
    if !text.starts_with(b"\"") {
        return Ok(text.to_vec());
    }
    match unquote(text) {
        Some((name, b"")) => Ok(name),
        _ => Err(Problem::Malformed("a quoted name is not well formed")),
    }
}

/// The name of a `---` or `+++` line without its first component; `None` for `/dev/null`.
fn file_line(text: &[u8]) -> Result<Option<Vec<u8>>, Problem> {
    let name = if text.starts_with(b"\"") {
        unquote(text).ok_or(Problem::Malformed("a quoted name is not well formed"))?.0
    } else {
        text.split(|byte| *byte == b'\t').next().unwrap_or_default().to_vec()
    };
    if name == b"/dev/null" {
        return Ok(None);
    }
    strip_first(&name).map(|name| Some(name.to_vec())).ok_or(Problem::Malformed("a name begins with a/ or b/"))
}

fn strip_first(name: &[u8]) -> Option<&[u8]> {
    name.iter().position(|byte| *byte == b'/').map(|slash| &name[slash + 1..])
}

/// The name in `diff --git a/NAME b/NAME`. Where the two differ, other lines say what they are.
fn common_name(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    if text.starts_with(b"\"") {
        let (old, rest) = unquote(text)?;
        let (new, _) = unquote(rest.strip_prefix(b" ")?)?;
        return (strip_first(&old)? == strip_first(&new)?).then(|| strip_first(&old).map(<[u8]>::to_vec))?;
    }
    let (old, new) = text.split_at_checked(text.len() / 2)?;
    let (old, new) = (strip_first(old)?, strip_first(new.strip_prefix(b" ")?)?);
    (old == new).then(|| old.to_vec())
}

/// A path that git would take: relative, no empty name, no dots.
fn check_path(path: &[u8]) -> Result<(), Problem> {
    let allowed = path.split(|byte| *byte == b'/').all(|name| Name::new(name).is_ok());
    if allowed { Ok(()) } else { Err(Problem::Malformed("a path is relative and has no empty, . or .. component")) }
}
