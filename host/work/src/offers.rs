//! What forms may name: strategies that were saved from pages; strategies, policies, scenarios, tasks and worlds in folders that were named at start.
//!
//! Invariants: something is found by its id among what was seen, so nothing that is typed becomes a path; no link is followed, on the way or at its end;
//! a strategy is saved under a plain name in our own folder and nowhere else, and never over a version that whoever saves has not seen.

mod kind;
mod name;

use assay_files::{Folder, Kind as FileKind, Links, OpenError};
use kind::Held;
pub use kind::Kind;
pub use name::{NoName, StrategyName};
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

/// A file or folder that forms may name.
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
    path: PathBuf,
    root: Arc<Folder>,
    inside: Vec<String>,
}

impl Offer {
    /// What lies in a folder below a named one; without a file, that folder itself.
    fn new(root: &Arc<Folder>, inside: &[String], file: Option<&str>, kind: Kind) -> Self {
        let first = root.path().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let way: Vec<&str> =
            std::iter::once(first.as_str()).chain(inside.iter().map(String::as_str)).chain(file).collect();
        let path = way.iter().skip(1).fold(root.path().to_owned(), |path, part| path.join(part));
        Self {
            id: OfferId::of(&path),
            kind,
            file_name: way.last().map_or_else(String::new, |last| (*last).to_owned()),
            name: way.join("/"),
            is_saved: false,
            path,
            root: Arc::clone(root),
            inside: inside.to_vec(),
        }
    }

    /// Where it is. For commands, which open it themselves.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// The text of a file.
    ///
    /// # Errors
    /// It cannot be read, is too long, or no text.
    pub fn read(&self) -> Result<String, OpenError> {
        step_down(&self.root, &self.inside)?.read_text(&self.file_name, SOURCE_BYTES_MAX)
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
    let mut left: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(inside) = left.pop() {
        *looked += 1;
        if *looked > LOOKED_MAX {
            return;
        }
        let Ok(folder) = step_down(root, &inside) else { continue };
        let names = folder.entries(ENTRIES_MAX).unwrap_or_default();
        let names: Vec<&str> =
            names.iter().filter_map(|name| name.to_str()).filter(|name| !name.starts_with(['.', '-'])).collect();
        let held = if is_saved { Held::Files } else { kind::held(&folder, &names) };
        let whole = match held {
            Held::Whole(kind) => Some(kind),
            Held::Tasks => Some(Kind::Tasks),
            Held::Files => None,
        };
        offers.extend(whole.filter(|_| offers.len() < OFFERED_MAX).map(|kind| Offer::new(root, &inside, None, kind)));
        if matches!(held, Held::Whole(_)) {
            continue;
        }
        let mut below = Vec::new();
        for name in names {
            match folder.kind(name) {
                Ok(Some(FileKind::Folder)) if inside.len() < DEPTH_MAX && !is_saved => below.push(name.to_owned()),
                Ok(Some(FileKind::File)) if offers.len() < OFFERED_MAX => {
                    let Some(kind) = kind::of_file(&folder, name) else { continue };
                    let offer = Offer::new(root, &inside, Some(name), kind);
                    let shown = if is_saved { name.to_owned() } else { offer.name.clone() };
                    offers.push(Offer { name: shown, is_saved, ..offer });
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
    #[test]
    fn folders_and_files_are_what_they_begin_like() {
        let folder = tempfile::tempdir().expect("a folder");
        let named = folder.path().join("named");
        for (name, text) in [
            ("bugs/one/task.toml", ""),
            ("bugs/one/repository.py", "x = 1"),
            ("desk/world.toml", ""),
            ("desk/data.toml", ""),
            ("desk/deep/x.py", ""),
            ("imported/a.json", "{\"public\": {\"instance_id\": \"a\"}}"),
            ("other/a.json", "[]"),
            ("rows.jsonl", "{\"repo\": \"x\", \"instance_id\": \"a\"}\n"),
            ("script.jsonl", "{\"text\": \"hello\"}\n"),
            ("Cargo.toml", ""),
            ("gate.toml", "name = \"x\"\n\n[[rules]]\n"),
            ("market.toml", "base = \"calm\"\n"),
        ] {
            let path = named.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        let own = Folder::own(&folder.path().join("own")).expect("ours");
        let offers = Offers::open(own, std::slice::from_ref(&named)).expect("opened");
        let found: Vec<(String, Kind)> = offers.list().into_iter().map(|offer| (offer.name, offer.kind)).collect();
        let found: Vec<(&str, Kind)> = found.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
        assert_eq!(
            found,
            [
                ("named/gate.toml", Kind::Policy),
                ("named/market.toml", Kind::Scenario),
                ("named/rows.jsonl", Kind::Tasks),
                ("named/bugs", Kind::Tasks),
                ("named/bugs/one", Kind::Tasks),
                ("named/desk", Kind::World),
                ("named/imported", Kind::Tasks),
            ]
        );
        let bugs = offers.list().into_iter().find(|offer| offer.name == "named/bugs").expect("offered");
        assert_eq!(bugs.path(), named.canonicalize().expect("a path").join("bugs"));
        assert!(bugs.read().is_err());
        // A folder of tasks that was named itself.
        let own = Folder::own(&folder.path().join("own")).expect("ours");
        let offers = Offers::open(own, &[named.join("desk")]).expect("opened");
        assert_eq!(offers.list().iter().map(|offer| offer.name.as_str()).collect::<Vec<_>>(), ["desk"]);
    }
}
