//! All attacks: from the tables that this library carries, or from a folder with tables and files.

use crate::attack::{Attack, Class, Expectation, Material, Means};
use crate::score::Score;
use assay_validator::{Code, Severity};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The tables, by class.
const TABLES: [(Class, &str); 10] = [
    (Class::A, include_str!("../../../tests/hostile/a.toml")),
    (Class::B, include_str!("../../../tests/hostile/b.toml")),
    (Class::C, include_str!("../../../tests/hostile/c.toml")),
    (Class::D, include_str!("../../../tests/hostile/d.toml")),
    (Class::E, include_str!("../../../tests/hostile/e.toml")),
    (Class::F, include_str!("../../../tests/hostile/f.toml")),
    (Class::G, include_str!("../../../tests/hostile/g.toml")),
    (Class::H, include_str!("../../../tests/hostile/h.toml")),
    (Class::I, include_str!("../../../tests/hostile/i.toml")),
    (Class::J, include_str!("../../../tests/hostile/j.toml")),
];

/// Folders of files that announce themselves what is expected of them.
const FOLDERS: [&str; 3] = ["source", "component", "crates"];
/// Folder of files that announce nothing.
const ANY_FOLDER: &str = "any";
/// Bounds of a file that announces itself, in seconds and megabytes: a check reads it and refuses.
const CHECK_SECONDS: u64 = 20;
const CHECK_MEGABYTES: u64 = 128;
/// Bound of one that the source check does not refuse, so that it is compiled. `rustc` takes some 95 MB for an empty program and 130 to
/// 150 for one with the SDK. When it calls the linker it has 96, of which 82 are pages of its own libraries; how many of those are mapped
/// depends on the page cache. So the bound of what is only read says nothing here.
const COMPILED_MEGABYTES: u64 = 256;
/// Bounds of a file of which nothing is known; it may be compiled by `rustc`.
const ANY_SECONDS: u64 = 120;
const ANY_MEGABYTES: u64 = 1_024;
/// Folder of the strategies that attack the score.
const SCORE_FOLDER: &str = "j";
/// What is expected of an attack on the score, and its bounds, where its row says nothing else: it is compiled, and then trades in hundreds of
/// episodes.
const SCORE_EXPECTED: &str = "does not pay";
const SCORE_SECONDS: i64 = 600;
const SCORE_MEGABYTES: i64 = 1_024;
/// Bytes of a file's first lines that are looked at.
const HEAD_BYTES_MAX: usize = 400;

/// Why the corpus is not usable: a mistake in it, or a file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A table that does not parse.
    #[error("failed to read the attacks of class {class}: {message}")]
    Table {
        /// Which.
        class: Class,
        /// The parser's words.
        message: String,
    },
    /// Two attacks of one name.
    #[error("two attacks are called {0}")]
    Twice(String),
    /// A file is in no table, or a table names a file that is not there.
    #[error("{0} is in a table and not in its folder, or the other way round")]
    Unlisted(String),
    /// A file or folder cannot be read.
    #[error("failed to read {path}: {source}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file does not say what is expected.
    #[error("{0} does not say in its first line what is expected: `@ expect: CODE CODE`")]
    Silent(PathBuf),
}

/// A table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Files of this class, as `folder/name` without ending.
    #[serde(default)]
    files: Vec<String>,
    attack: Vec<toml::Table>,
}

/// A set of attacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Corpus {
    /// In the order of classes, and of the tables.
    pub attacks: Vec<Attack>,
}

impl Corpus {
    /// The attacks that this library carries: all but those that are files.
    ///
    /// # Errors
    /// Only when the tables are wrong, which a test sees first.
    pub fn built_in() -> Result<Self, CorpusError> {
        let mut corpus = Self { attacks: Vec::new() };
        for (class, text) in TABLES {
            corpus.take(class, &table(class, text)?)?;
        }
        corpus.sources(|file| Score::carried(file).map(ToOwned::to_owned))?;
        corpus.unique()
    }

    /// The attacks of a folder: its tables, the files that they name, and whatever lies in `any`. A table that is not there has no
    /// attacks.
    ///
    /// # Errors
    /// See [`CorpusError`].
    pub fn read(folder: &Path) -> Result<Self, CorpusError> {
        let mut corpus = Self { attacks: Vec::new() };
        let mut unlisted: BTreeSet<String> = BTreeSet::new();
        for kind in FOLDERS {
            unlisted.extend(list(&folder.join(kind))?.iter().map(|path| format!("{kind}/{}", stem(path))));
        }
        for class in Class::ALL {
            let path = folder.join(class.to_string().to_lowercase()).with_extension("toml");
            let text = match std::fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(source) => return Err(CorpusError::Unreadable { path, source }),
            };
            let table = table(class, &text)?;
            corpus.take(class, &table)?;
            for name in &table.files {
                if !unlisted.remove(name) {
                    return Err(CorpusError::Unlisted(name.clone()));
                }
                corpus.attacks.push(announced(class, name, folder)?);
            }
        }
        unlisted
            .extend(list(&folder.join(SCORE_FOLDER))?.iter().map(|path| format!("{SCORE_FOLDER}/{}", file_name(path))));
        corpus.sources(|file| {
            unlisted.remove(&format!("{SCORE_FOLDER}/{file}"));
            std::fs::read_to_string(folder.join(SCORE_FOLDER).join(file)).ok()
        })?;
        if let Some(name) = unlisted.pop_first() {
            return Err(CorpusError::Unlisted(name));
        }
        corpus.attacks.extend(list(&folder.join(ANY_FOLDER))?.into_iter().map(any));
        corpus.unique()
    }

    fn take(&mut self, class: Class, table: &Table) -> Result<(), CorpusError> {
        for row in &table.attack {
            let mut row = row.clone();
            row.insert("class".to_owned(), class.to_string().into());
            if class == Class::J {
                row.entry("expect").or_insert(SCORE_EXPECTED.into());
                row.entry("seconds").or_insert(SCORE_SECONDS.into());
                row.entry("megabytes").or_insert(SCORE_MEGABYTES.into());
            }
            let id = row.get("id").map(ToString::to_string).unwrap_or_default();
            let attack =
                row.try_into().map_err(|error| CorpusError::Table { class, message: format!("{id}: {error}") })?;
            self.attacks.push(attack);
        }
        Ok(())
    }

    /// Gives the attacks on the score their sources, and says of which file there is none.
    fn sources(&mut self, mut read: impl FnMut(&str) -> Option<String>) -> Result<(), CorpusError> {
        for attack in &mut self.attacks {
            if let Means::Score(score) = &mut attack.by {
                let name = format!("{SCORE_FOLDER}/{}", score.file);
                score.text = read(&score.file).ok_or(CorpusError::Unlisted(name))?;
            }
        }
        Ok(())
    }

    fn unique(self) -> Result<Self, CorpusError> {
        let mut seen = BTreeSet::new();
        match self.attacks.iter().find(|attack| !seen.insert(&attack.id)) {
            Some(attack) => Err(CorpusError::Twice(attack.id.clone())),
            None => Ok(self),
        }
    }
}

fn table(class: Class, text: &str) -> Result<Table, CorpusError> {
    toml::from_str(text).map_err(|error| CorpusError::Table { class, message: error.to_string() })
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What lies in a folder, sorted, hidden files left out; nothing if it is not there.
fn list(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let unreadable = |source| CorpusError::Unreadable { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(unreadable)?;
    paths.retain(|path| !stem(path).starts_with('.') && stem(path) != "README");
    paths.sort();
    Ok(paths)
}

/// An attack that is a file, whose first lines say what is expected and what it tries.
fn announced(class: Class, name: &str, folder: &Path) -> Result<Attack, CorpusError> {
    let path = match name.split_once('/') {
        Some(("source", _)) => folder.join(name).with_extension("rs"),
        Some(("component", _)) => folder.join(name).with_extension("wat"),
        _ => folder.join(name),
    };
    let head = if path.is_dir() { path.join("expect") } else { path.clone() };
    let bytes = std::fs::read(&head).map_err(|source| CorpusError::Unreadable { path: head.clone(), source })?;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES_MAX)]).into_owned();
    let mut lines = text.lines();
    let (_, codes) = lines.next().and_then(|line| line.split_once("@ expect:")).ok_or(CorpusError::Silent(head))?;
    let codes: BTreeSet<&str> = codes.split("*/").next().unwrap_or_default().split_whitespace().collect();
    let is_compiled = codes.iter().all(|code| reaches_the_compiler(code));
    let tries = lines.next().unwrap_or_default().trim_start_matches(['/', ';', '#', '*']).trim().trim_end_matches('.');
    let mut expected = codes.into_iter().collect::<Vec<_>>().join(" ");
    if path.is_dir() {
        // The sources of a crate may have findings besides those of its manifest.
        expected = format!("{expected} | {expected} S*");
    }
    let material = if path.extension().is_some_and(|ending| ending == "wat") {
        Material::Wat(String::from_utf8_lossy(&bytes).into_owned())
    } else {
        Material::File(path)
    };
    Ok(Attack {
        class,
        id: name.to_owned(),
        tries: tries.to_owned(),
        by: Means::Check(material),
        expect: Expectation::new(expected),
        seconds: CHECK_SECONDS,
        megabytes: if is_compiled { COMPILED_MEGABYTES } else { CHECK_MEGABYTES },
        doctor: false,
    })
}

/// Whether a file with this finding, or none (`passed`), is compiled: a warning refuses nothing, and the letter B is the build's own.
fn reaches_the_compiler(code: &str) -> bool {
    Code::from_id(code).is_none_or(|known| known.severity() == Severity::Warning || code.starts_with('B'))
}

/// A file of which nothing is known. Its class is that of what it first meets: the format.
fn any(path: PathBuf) -> Attack {
    Attack {
        class: Class::A,
        id: format!("{ANY_FOLDER}/{}", file_name(&path)),
        tries: "nobody knows".to_owned(),
        by: Means::Any(path),
        expect: Expectation::new(
            "refused | usage | finished | out_of_fuel* | out_of_memory* | trapped* | limit_exceeded* | raises* | stack_overflow | exited* | limit* | trap* | fine*",
        ),
        seconds: ANY_SECONDS,
        megabytes: ANY_MEGABYTES,
        doctor: false,
    }
}
