//! From two trees to a patch.

use super::binary::{object_id, write_literal};
use super::compare::changes;
use super::difference::{Change, Leaf, Placed};
use super::hunk::{Patience, is_text, write_hunks};
use super::quote::quote;
use crate::{BlobError, Kind, Tree};

const NO_OBJECT: &str = "0000000000000000000000000000000000000000";

/// The patch from `base` to `target`, as `git diff --binary --full-index -M` would write it; empty if no file differs.
///
/// # Errors
/// When a changed file's content cannot be loaded.
pub fn diff(base: &Tree, target: &Tree) -> Result<Vec<u8>, BlobError> {
    let (mut out, mut patience) = (Vec::new(), Patience::new());
    for change in changes(base, target)? {
        match change {
            Change::Delete(old) => write_section(&mut out, (Some(&old), None, None), &mut patience)?,
            Change::Add(new) => write_section(&mut out, (None, Some(&new), None), &mut patience)?,
            Change::Modify { path, old, new } => {
                let (old, new) = (Placed { path: path.clone(), leaf: old }, Placed { path, leaf: new });
                write_section(&mut out, (Some(&old), Some(&new), None), &mut patience)?;
            }
            Change::Rename { old, new, similarity_percent } => {
                write_section(&mut out, (Some(&old), Some(&new), Some(similarity_percent)), &mut patience)?;
            }
        }
    }
    Ok(out)
}

fn mode(leaf: Leaf<'_>) -> &'static str {
    match leaf.kind() {
        Kind::Symlink => "120000",
        Kind::Executable => "100755",
        Kind::File | Kind::Directory => "100644",
    }
}

fn line(out: &mut Vec<u8>, pieces: &[&[u8]]) {
    pieces.iter().for_each(|piece| out.extend_from_slice(piece));
    out.push(b'\n');
}

/// One file. At least one side is given; a rename gives both and how alike they are.
fn write_section(
    out: &mut Vec<u8>,
    (old, new, rename): (Option<&Placed<'_>>, Option<&Placed<'_>>, Option<u8>),
    patience: &mut Patience,
) -> Result<(), BlobError> {
    let Some(either) = old.or(new) else { return Ok(()) };
    let old_path = old.unwrap_or(new.unwrap_or(either)).path.as_slice();
    let new_path = new.unwrap_or(either).path.as_slice();
    line(out, &[b"diff --git ", &quote("a/", old_path), b" ", &quote("b/", new_path)]);
    let modes = (old.map(|placed| mode(placed.leaf)), new.map(|placed| mode(placed.leaf)));
    let mut index_mode = String::new();
    match modes {
        (Some(old), Some(new)) if old == new => index_mode = format!(" {new}"),
        (Some(old), Some(new)) => {
            line(out, &[b"old mode ", old.as_bytes()]);
            line(out, &[b"new mode ", new.as_bytes()]);
        }
        (Some(old), None) => line(out, &[b"deleted file mode ", old.as_bytes()]),
        (None, Some(new)) => line(out, &[b"new file mode ", new.as_bytes()]),
        (None, None) => {}
    }
    if let Some(percent) = rename {
        line(out, &[format!("similarity index {percent}%").as_bytes()]);
        line(out, &[b"rename from ", &quote("", old_path)]);
        line(out, &[b"rename to ", &quote("", new_path)]);
    }
    if let (Some(old), Some(new)) = (old, new)
        && old.leaf.size() == new.leaf.size()
        && old.leaf.digest() == new.leaf.digest()
    {
        return Ok(());
    }
    let old_bytes = old.map(|placed| placed.leaf.bytes()).transpose()?;
    let new_bytes = new.map(|placed| placed.leaf.bytes()).transpose()?;
    let ids = [&old_bytes, &new_bytes].map(|bytes| bytes.as_ref().map_or(NO_OBJECT.into(), |bytes| object_id(bytes)));
    line(out, &[b"index ", ids[0].as_bytes(), b"..", ids[1].as_bytes(), index_mode.as_bytes()]);
    let (before, after) = (old_bytes.as_deref().unwrap_or(b""), new_bytes.as_deref().unwrap_or(b""));
    if before.is_empty() && after.is_empty() {
        return Ok(());
    }
    if !is_text(before) || !is_text(after) {
        line(out, &[b"GIT binary patch"]);
        write_literal(out, after);
        write_literal(out, before);
        return Ok(());
    }
    write_file_line(out, b"--- ", "a/", old.map(|placed| &*placed.path));
    write_file_line(out, b"+++ ", "b/", new.map(|placed| &*placed.path));
    write_hunks(out, before, after, patience);
    Ok(())
}

/// A tab ends a name with spaces, since readers of old take what follows a space for a date.
fn write_file_line(out: &mut Vec<u8>, tag: &[u8], prefix: &str, path: Option<&[u8]>) {
    let name = path.map_or(b"/dev/null".to_vec(), |path| quote(prefix, path));
    let tab: &[u8] = if path.is_some_and(|path| path.contains(&b' ')) { b"\t" } else { b"" };
    line(out, &[tag, &name, tab]);
}
