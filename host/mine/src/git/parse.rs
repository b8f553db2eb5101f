//! Objects as git stores them: commits, trees, tags.
//!
//! Source of the forms: git's documentation, "gitformat-pack" and "git-mktree"; a tree is `MODE NAME\0ID…`, a commit is headers, an empty line and the message.

use std::fmt;
use std::str::FromStr;

/// An object's id: 20 bytes of SHA-1 or 32 of SHA-256, in lower-case hexadecimal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Oid(String);

impl Oid {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl FromStr for Oid {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_hex = text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if is_hex && matches!(text.len(), 40 | 64) { Ok(Self(text.to_owned())) } else { Err(()) }
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A commit, as far as it is of use here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Commit {
    pub(crate) id: Oid,
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
    /// What its author says of it: text of a stranger. Bytes that are not UTF-8 are U+FFFD.
    pub(crate) message: String,
}

impl Commit {
    /// Its id in hexadecimal.
    pub(crate) fn id(&self) -> &str {
        self.id.as_str()
    }

    /// The first line of its message.
    pub(crate) fn subject(&self) -> &str {
        self.message.trim_start().lines().next().unwrap_or_default().trim()
    }
}

/// Reads a commit; none where it is not one.
pub(crate) fn commit(id: &Oid, bytes: &[u8]) -> Option<Commit> {
    let text = String::from_utf8_lossy(bytes);
    let (headers, message) = text.split_once("\n\n").unwrap_or((&text, ""));
    let mut lines = headers.lines();
    let tree = lines.next()?.strip_prefix("tree ")?.parse().ok()?;
    let parents = lines.map_while(|line| line.strip_prefix("parent ")?.parse().ok()).collect();
    Some(Commit { id: id.clone(), tree, parents, message: message.to_owned() })
}

/// What an annotated tag points to.
pub(crate) fn tag_target(bytes: &[u8]) -> Option<Oid> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().next()?.strip_prefix("object ")?.parse().ok()
}

/// What an entry of a tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Folder,
    File,
    Executable,
    Link,
    Submodule,
}

/// The sorts of objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl Sort {
    pub(crate) fn of(word: &str) -> Option<Self> {
        match word {
            "commit" => Some(Self::Commit),
            "tree" => Some(Self::Tree),
            "blob" => Some(Self::Blob),
            "tag" => Some(Self::Tag),
            _ => None,
        }
    }
}

/// One entry of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) mode: Mode,
    pub(crate) id: Oid,
}

/// Reads a tree whose ids have this many bytes; none where it is not one. Names are as they stand there: nobody has checked them.
pub(crate) fn tree(bytes: &[u8], id_bytes: usize) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let mode = match &rest[..space] {
            b"40000" | b"040000" => Mode::Folder,
            b"100755" => Mode::Executable,
            b"120000" => Mode::Link,
            b"160000" => Mode::Submodule,
            mode if mode.starts_with(b"100") => Mode::File,
            _ => return None,
        };
        rest = &rest[space + 1..];
        let end = rest.iter().position(|byte| *byte == 0)?;
        let name = rest[..end].to_vec();
        let id = rest.get(end + 1..end + 1 + id_bytes)?;
        entries.push(Entry { name, mode, id: Oid::of_bytes(id) });
        rest = &rest[end + 1 + id_bytes..];
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_objects_are_none() {
        let id: Oid = "a".repeat(40).parse().unwrap();
        for bytes in [&b""[..], b"tree x\n", b"parent 1", b"\xff\xff", b"tree aaaa\nparent b\n\nhello"] {
            assert_eq!(commit(&id, bytes), None);
        }
        for bytes in [&b"100644"[..], b"100644 a", b"100644 a\0short", b"9 a\0aaaaaaaaaaaaaaaaaaaa", b" \0"] {
            assert_eq!(tree(bytes, 20), None);
        }
        let entries = tree(b"100644 ..\0aaaaaaaaaaaaaaaaaaaa40000 d\0bbbbbbbbbbbbbbbbbbbb", 20).unwrap();
        assert_eq!((entries.len(), entries[0].name.as_slice(), entries[1].mode), (2, &b".."[..], Mode::Folder));
        assert!("A".repeat(40).parse::<Oid>().is_err() && "a".repeat(41).parse::<Oid>().is_err());
    }
}
