//! What stands in addresses: ids, which are parsed and looked up, never paths.
//!
//! Invariant: a [`Name`] is one plain part of a path that is neither hidden nor leads anywhere.

use assay_store::RunId;
use serde::{Serialize, Serializer};
use std::fmt::{self, Display};
use std::path::Path;
use std::str::FromStr;

/// The longest name of a file.
const NAME_BYTES_MAX: usize = 240;

/// A text that is none of our ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoId;

/// A folder of results: the first eight bytes of the BLAKE3 of its path, in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct FolderId([u8; 8]);

impl FolderId {
    pub(crate) fn of(path: &Path) -> Self {
        let mut id = [0; 8];
        id.copy_from_slice(&blake3::hash(path.as_os_str().as_encoded_bytes()).as_bytes()[..8]);
        Self(id)
    }
}

impl Display for FolderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for FolderId {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let number = u64::from_str_radix(text, 16).map_err(|_| NoId)?;
        if is_hex { Ok(Self(number.to_be_bytes())) } else { Err(NoId) }
    }
}

/// The name of a file in a folder of results, without its ending.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Name(String);

impl Name {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Name {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let is_plain =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '+' | '=' | '@' | ',');
        let fits = (1..=NAME_BYTES_MAX).contains(&text.len());
        if fits && !text.starts_with(['.', '-']) && text.chars().all(is_plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoId)
        }
    }
}

/// A file in a folder: `0123456789abcdef.NAME`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ItemId {
    pub folder: FolderId,
    pub name: Name,
}

impl Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.folder, self.name)
    }
}

impl FromStr for ItemId {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let (folder, name) = text.split_once('.').ok_or(NoId)?;
        Ok(Self { folder: folder.parse()?, name: name.parse()? })
    }
}

/// Ids are written for programs as in addresses.
macro_rules! serialize_as_shown {
    ($($id:ty),*) => {$(
        impl Serialize for $id {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}

serialize_as_shown!(FolderId, Name, ItemId);

/// Whatever a page may be about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Id {
    Run(RunId),
    Folder(FolderId),
    Item(ItemId),
}

impl FromStr for Id {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let run = || text.parse().map(Self::Run).map_err(|_| NoId);
        text.parse().map(Self::Folder).or_else(|_| text.parse().map(Self::Item)).or_else(|_| run())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_are_ids() {
        let run = "019a1b2c-3d4e-7000-8000-000000000000";
        for (text, expected) in [
            ("0123456789abcdef", Some("folder")),
            ("0123456789abcdef.task.s1", Some("item")),
            ("0123456789abcdef.strategy.rs~90471a2b", Some("item")),
            ("~", None),
            (run, Some("run")),
            ("", None),
            ("0123456789ABCDEF", None),
            ("+123456789abcdef", None),
            ("0123456789abcdef.", None),
            ("0123456789abcdef..", None),
            ("0123456789abcdef...", None),
            ("0123456789abcdef.../../etc/passwd", None),
            ("0123456789abcdef.a/b", None),
            ("0123456789abcdef.a\0b", None),
            ("0123456789abcdef.<script>", None),
            ("../../etc/passwd", None),
            ("/etc/passwd", None),
            ("%2e%2e%2f", None),
        ] {
            let kind = match text.parse::<Id>() {
                Ok(Id::Run(_)) => Some("run"),
                Ok(Id::Folder(_)) => Some("folder"),
                Ok(Id::Item(_)) => Some("item"),
                Err(NoId) => None,
            };
            assert_eq!(kind, expected, "{text}");
        }
    }

    #[test]
    fn ids_are_written_as_they_are_read() {
        let folder = FolderId::of(Path::new("/somewhere"));
        let item = ItemId { folder, name: "task-1.s2".parse().unwrap() };
        assert_eq!(folder.to_string().parse(), Ok(folder));
        assert_eq!(item.to_string().parse(), Ok(item));
    }
}
