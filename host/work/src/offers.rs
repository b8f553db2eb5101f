//! The files that forms may name: strategies that were saved from pages, and strategies and policies in folders that were named at start.
//!
//! Invariants: a file is found by its id among those that were seen, so nothing that is typed becomes a path; no link is followed, on the way or at its end;
//! a strategy is saved under a plain name in our own folder and nowhere else, and never over a version that whoever saves has not seen.

use assay_files::{Folder, Kind as FileKind, Links, OpenError};
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// Files that are offered.
const OFFERED_MAX: usize = 500;
/// Folders that are looked into for them.
const LOOKED_MAX: usize = 2_000;
/// Levels below a named folder.
const DEPTH_MAX: usize = 2;
/// Entries of a folder.
const ENTRIES_MAX: usize = 20_000;
/// Strategies that can be saved.
const SAVED_MAX: usize = 2_000;
/// Bytes of a strategy: that of `assay refine`.
pub const SOURCE_BYTES_MAX: u64 = 1 << 20;
/// Characters of a name without its ending.
const NAME_CHARS_MAX: usize = 64;

/// What a file is, by its ending.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A strategy in Rust.
    Rust,
    /// A strategy in Python.
    Python,
    /// A TOML file: a policy of the gate, if anything of ours.
    Policy,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        match Path::new(name).extension()?.to_str()? {
            "rs" => Some(Self::Rust),
            "py" => Some(Self::Python),
            "toml" => Some(Self::Policy),
            _ => None,
        }
    }

    /// Whether it is a strategy.
    #[must_use]
    pub const fn is_strategy(self) -> bool {
        matches!(self, Self::Rust | Self::Python)
    }
}

/// What an offered file is called in addresses and forms: the first bytes of the BLAKE3 of its path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct OfferId([u8; 8]);

impl OfferId {
    fn of(path: &Path) -> Self {
        let mut id = [0; 8];
        id.copy_from_slice(&blake3::hash(path.as_os_str().as_encoded_bytes()).as_bytes()[..8]);
        Self(id)
    }
}

impl Display for OfferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A text that is no id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it is not an id of an offered file")]
pub struct NoOffer;

impl FromStr for OfferId {
    type Err = NoOffer;

    fn from_str(text: &str) -> Result<Self, NoOffer> {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let number = u64::from_str_radix(text, 16).map_err(|_| NoOffer)?;
        if is_hex { Ok(Self(number.to_be_bytes())) } else { Err(NoOffer) }
    }
}

/// The name of a strategy that is saved: plain, with its ending.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StrategyName(String);

/// A text that is no name of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a name has 1 to {NAME_CHARS_MAX} letters, digits, `-` or `_`, and ends in .rs or .py")]
pub struct NoName;

impl StrategyName {
    /// With its ending.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Without its ending.
    #[must_use]
    pub fn stem(&self) -> &str {
        self.0.rsplit_once('.').map_or(&self.0, |(stem, _)| stem)
    }

    /// A name like that of a file from anywhere.
    #[must_use]
    pub fn like(file_name: &str) -> Self {
        let (stem, ending) = match file_name.rsplit_once('.') {
            Some((stem, "py")) => (stem, "py"),
            Some((stem, _)) => (stem, "rs"),
            None => (file_name, "rs"),
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
        let stem: String = stem.chars().map(plain).take(NAME_CHARS_MAX).collect();
        let stem = stem.trim_start_matches('-');
        Self(format!("{}.{ending}", if stem.is_empty() { "strategy" } else { stem }))
    }
}

impl Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for StrategyName {
    type Err = NoName;

    fn from_str(text: &str) -> Result<Self, NoName> {
        let (stem, ending) = text.rsplit_once('.').ok_or(NoName)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let fits = (1..=NAME_CHARS_MAX).contains(&stem.len()) && !stem.starts_with('-');
        if fits && stem.chars().all(is_plain) && matches!(ending, "rs" | "py") {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoName)
        }
    }
}

/// A file that forms may name.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What forms call it.
    pub id: OfferId,
    /// What it is.
    pub kind: Kind,
    /// The last part of its path.
    pub file_name: String,
    /// For a person: the named folder and the way from there.
    pub name: String,
    /// Whether it was saved from a page, and may be saved again.
    pub is_saved: bool,
    root: Arc<Folder>,
    inside: Vec<String>,
}

impl Offer {
    fn folder(&self) -> Result<Arc<Folder>, OpenError> {
        step_down(&self.root, &self.inside)
    }

    /// Where it is. For commands, which open it themselves.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.inside.iter().fold(self.root.path().to_owned(), |path, part| path.join(part)).join(&self.file_name)
    }

    /// Its text.
    ///
    /// # Errors
    /// It cannot be read, is too long, or no text.
    pub fn read(&self) -> Result<String, OpenError> {
        self.folder()?.read_text(&self.file_name, SOURCE_BYTES_MAX)
    }
}

/// Why a strategy was not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// Another version is there than the one that was opened.
    #[error("{0} has been changed since it was opened here; save it under another name, or open it again")]
    Changed(String),
    /// There are too many.
    #[error("{SAVED_MAX} strategies are saved, which is the limit")]
    Full,
    /// The file system.
    #[error("failed to save {name}: {why}")]
    Files {
        /// Under which name.
        name: String,
        /// Why.
        why: String,
    },
}

/// See the module documentation.
#[derive(Debug)]
pub struct Offers {
    saved: Arc<Folder>,
    named: Vec<Arc<Folder>>,
}

impl Offers {
    /// Those of our own folder, which is there, and of folders that were named at start.
    ///
    /// # Errors
    /// A folder cannot be opened.
    pub fn open(saved: Folder, named: &[PathBuf]) -> Result<Self, (PathBuf, OpenError)> {
        let open = |path: &PathBuf| {
            let whole = path.canonicalize().map_err(|error| (path.clone(), OpenError::from(error)))?;
            Folder::open(&whole, Links::Refused).map(Arc::new).map_err(|error| (path.clone(), error))
        };
        Ok(Self { saved: Arc::new(saved), named: named.iter().map(open).collect::<Result<_, _>>()? })
    }

    /// What is there now: saved ones first, then by folder and name.
    #[must_use]
    pub fn list(&self) -> Vec<Offer> {
        let mut offers = Vec::new();
        let mut looked = 0;
        look(&self.saved, true, &mut offers, &mut looked);
        for folder in &self.named {
            look(folder, false, &mut offers, &mut looked);
        }
        offers
    }

    /// One of them.
    #[must_use]
    pub fn find(&self, id: OfferId) -> Option<Offer> {
        self.list().into_iter().find(|offer| offer.id == id)
    }

    /// A saved strategy.
    #[must_use]
    pub fn saved(&self, name: &StrategyName) -> Option<Offer> {
        self.list().into_iter().find(|offer| offer.is_saved && offer.file_name == name.as_str())
    }

    /// Saves a strategy. `seen` is the [`version`] of the text that was opened under this name, if one was.
    ///
    /// # Errors
    /// [`SaveError`]; nothing has changed then.
    pub fn save(&self, name: &StrategyName, text: &str, seen: Option<&str>) -> Result<OfferId, SaveError> {
        let failed = |why: &dyn Display| SaveError::Files { name: name.to_string(), why: why.to_string() };
        let kept = match self.saved.read_text(name.as_str(), SOURCE_BYTES_MAX) {
            Ok(text) => Some(version(&text)),
            Err(error) if error.is_missing() => None,
            Err(error) => return Err(failed(&error)),
        };
        if kept.as_deref().is_some_and(|kept| Some(kept) != seen && kept != version(text)) {
            return Err(SaveError::Changed(name.to_string()));
        }
        if kept.is_none() && self.saved.entries(SAVED_MAX).is_ok_and(|names| names.len() >= SAVED_MAX) {
            return Err(SaveError::Full);
        }
        self.saved.write(name.as_str(), text.as_bytes(), 0o600).map_err(|error| failed(&error))?;
        Ok(OfferId::of(&self.saved.path().join(name.as_str())))
    }
}

/// Names a version of a text.
#[must_use]
pub fn version(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn step_down(root: &Arc<Folder>, inside: &[String]) -> Result<Arc<Folder>, OpenError> {
    inside.iter().try_fold(Arc::clone(root), |at, name| at.folder(name).map(Arc::new))
}

fn look(root: &Arc<Folder>, is_saved: bool, offers: &mut Vec<Offer>, looked: &mut usize) {
    let first = root.path().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut left: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(inside) = left.pop() {
        *looked += 1;
        if *looked > LOOKED_MAX {
            return;
        }
        let Ok(folder) = step_down(root, &inside) else { continue };
        let names = folder.entries(ENTRIES_MAX).unwrap_or_default();
        let mut below = Vec::new();
        for name in names.iter().filter_map(|name| name.to_str()).filter(|name| !name.starts_with(['.', '-'])) {
            match (folder.kind(name), Kind::of(name)) {
                (Ok(Some(FileKind::Folder)), _) if inside.len() < DEPTH_MAX && !is_saved => below.push(name.to_owned()),
                (Ok(Some(FileKind::File)), Some(kind)) if offers.len() < OFFERED_MAX => {
                    let way: Vec<&str> = inside.iter().map(String::as_str).collect();
                    let shown = [&[first.as_str()], way.as_slice(), &[name]].concat().join("/");
                    let mut offer = Offer {
                        id: OfferId([0; 8]),
                        kind,
                        file_name: name.to_owned(),
                        name: if is_saved { name.to_owned() } else { shown },
                        is_saved,
                        root: Arc::clone(root),
                        inside: inside.clone(),
                    };
                    offer.id = OfferId::of(&offer.path());
                    offers.push(offer);
                }
                _ => {}
            }
        }
        // The last one is looked into first.
        left.extend(below.into_iter().rev().map(|name| [inside.as_slice(), &[name]].concat()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn names_are_plain() {
        for (text, is_right) in [
            ("maker.rs", true),
            ("my-strategy_2.py", true),
            ("maker", false),
            (".rs", false),
            ("-x.rs", false),
            ("../x.rs", false),
            ("a/b.rs", false),
            ("a.b.rs", false),
            ("maker.toml", false),
            ("maker.rs\0", false),
            (&format!("{}.rs", "x".repeat(65)), false),
        ] {
            assert_eq!(text.parse::<StrategyName>().is_ok(), is_right, "{text:?}");
        }
        for (from, expected) in [
            ("maker.rs", "maker.rs"),
            ("../über.py", "ber.py"),
            ("", "strategy.rs"),
            ("a b", "a-b.rs"),
            ("..", "strategy.rs"),
        ] {
            assert_eq!(StrategyName::like(from).as_str(), expected, "{from:?}");
        }
    }

    #[test]
    fn only_files_of_named_folders_are_offered_and_saved() {
        let folder = tempfile::tempdir().expect("a folder");
        let (own, named) = (folder.path().join("own"), folder.path().join("named"));
        for path in [&own, &named.join("deep/er/than"), &named.join(".hidden")] {
            fs::create_dir_all(path).expect("made");
        }
        for name in ["a.rs", "deep/b.py", "deep/er/c.toml", "deep/er/than/d.rs", ".hidden/e.rs", "f.txt", "-g.rs"] {
            fs::write(named.join(name), name).expect("written");
        }
        fs::write(folder.path().join("secret.rs"), "secret").expect("written");
        std::os::unix::fs::symlink(folder.path().join("secret.rs"), named.join("link.rs")).expect("a link");
        let offers = Offers::open(Folder::own(&own).expect("ours"), std::slice::from_ref(&named)).expect("opened");
        let names = |offers: &Offers| offers.list().iter().map(|offer| offer.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&offers), ["named/a.rs", "named/deep/b.py", "named/deep/er/c.toml"]);

        let name: StrategyName = "mine.rs".parse().expect("a name");
        let id = offers.save(&name, "one", None).expect("saved");
        assert_eq!(offers.find(id).expect("it is there").read().expect("text"), "one");
        assert!(matches!(offers.save(&name, "two", None), Err(SaveError::Changed(_))));
        assert!(matches!(offers.save(&name, "two", Some(&version("zero"))), Err(SaveError::Changed(_))));
        offers.save(&name, "two", Some(&version("one"))).expect("saved");
        offers.save(&name, "two", None).expect("nothing has changed");
        assert_eq!(names(&offers)[0], "mine.rs");
        // A link in its place is neither read nor written.
        fs::remove_file(own.join("mine.rs")).expect("removed");
        std::os::unix::fs::symlink(folder.path().join("secret.rs"), own.join("mine.rs")).expect("a link");
        assert!(offers.find(id).is_none() && offers.save(&name, "three", None).is_err());
        assert_eq!(fs::read_to_string(folder.path().join("secret.rs")).expect("text"), "secret");
        assert!("00".parse::<OfferId>().is_err() && "../../../../x.rs".parse::<OfferId>().is_err());
    }
}
