//! Strategies with planted flaws: what a model that explains runs should find, and how well it did.
//!
//! ```text
//! corpus.toml ──► file + edits ──► strategy-01.rs … ──► runs ──► a model's `FLAW: NAME` lines ──► precision, recall
//! ```
//!
//! Invariants: a strategy is called by its number alone; an edit fits exactly once; a flaw that is named is one of the list, or it does not count as
//! named.

use crate::explain::Told;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The longest corpus that is read: it is written by people.
pub const CORPUS_BYTES_MAX: u64 = 1 << 20;
/// What a line that names a flaw begins with.
const MARK: &str = "FLAW:";
/// What is said of a strategy without a flaw.
const NONE: &str = "none";

/// A corpus, with the sources that its strategies come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Corpus {
    /// What can be wrong, by name: in words.
    pub flaws: BTreeMap<String, String>,
    /// The strategies.
    pub strategies: Vec<Planted>,
}

/// One strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planted {
    /// `strategy-01.rs`.
    pub name: String,
    /// Its source.
    pub source: String,
    /// The source without the flaw.
    pub healthy: String,
    /// What is wrong with it; `None` for a healthy one.
    pub flaw: Option<String>,
}

/// Why a corpus cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CorpusError {
    /// It is no corpus.
    #[error("the corpus cannot be read: {0}")]
    Format(String),
    /// A strategy's file cannot be read.
    #[error("strategy {number}: failed to read {file}: {why}")]
    File {
        /// Which, from 1.
        number: usize,
        /// Its file.
        file: String,
        /// What happened.
        why: String,
    },
    /// An edit does not fit.
    #[error("strategy {number}: the text {old:?} occurs {times} times in its file; it must occur exactly once")]
    Misfit {
        /// Which, from 1.
        number: usize,
        /// What was looked for.
        old: String,
        /// How often it is there.
        times: usize,
    },
    /// A flaw is not in the list, or a strategy with edits names none.
    #[error("strategy {number}: its flaw is not one of [flaws]")]
    Unknown {
        /// Which, from 1.
        number: usize,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    flaws: BTreeMap<String, String>,
    strategy: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    #[serde(default)]
    flaw: Option<String>,
    #[serde(default)]
    edits: Vec<Edit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    old: String,
    new: String,
}

/// Reads the text of a file that a corpus names; why not, if it cannot be read.
pub type ReadFile<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

impl Corpus {
    /// Reads a corpus; `read` gives the text of a file that it names.
    ///
    /// # Errors
    /// [`CorpusError`].
    pub fn read(text: &str, read: &ReadFile<'_>) -> Result<Self, CorpusError> {
        let written: Written = toml::from_str(text).map_err(|error| CorpusError::Format(error.to_string()))?;
        let mut strategies = Vec::new();
        for (index, entry) in written.strategy.into_iter().enumerate() {
            let number = index + 1;
            let is_known = match &entry.flaw {
                Some(flaw) => written.flaws.contains_key(flaw),
                None => entry.edits.is_empty(),
            };
            if !is_known {
                return Err(CorpusError::Unknown { number });
            }
            let healthy =
                read(&entry.file).map_err(|why| CorpusError::File { number, file: entry.file.clone(), why })?;
            let mut source = healthy.clone();
            for Edit { old, new } in &entry.edits {
                let times = if old.is_empty() { 0 } else { source.matches(old.as_str()).count() };
                if times != 1 {
                    return Err(CorpusError::Misfit { number, old: old.clone(), times });
                }
                source = source.replacen(old.as_str(), new, 1);
            }
            let extension = if entry.file.ends_with(".py") { "py" } else { "rs" };
            let name = format!("strategy-{number:02}.{extension}");
            strategies.push(Planted { name, source, healthy, flaw: entry.flaw });
        }
        Ok(Self { flaws: written.flaws, strategies })
    }
}

/// Something to be explained, with the request to name its flaw.
pub struct Diagnosed<'a> {
    /// What is explained.
    pub told: &'a dyn Told,
    /// The flaws that there are.
    pub flaws: &'a BTreeMap<String, String>,
}

impl Told for Diagnosed<'_> {
    fn subject(&self) -> &'static str {
        self.told.subject()
    }

    fn advice(&self) -> &'static str {
        self.told.advice()
    }

    fn questions(&self) -> String {
        let list: String = self.flaws.iter().map(|(name, meaning)| format!("{name}: {meaning}\n")).collect();
        format!(
            "{}\nThe strategy may have been damaged on purpose. End your explanation with one line `{MARK} NAME`: what is wrong with it, or `{MARK} {NONE}` if it is as it should be. The names are:\n\n{list}",
            self.told.questions()
        )
    }

    fn shown(&self) -> String {
        self.told.shown()
    }

    fn answer(&self, question: &str) -> Option<String> {
        self.told.answer(question)
    }
}

/// How well a model named flaws, over all that it explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Diagnosis {
    /// Flaws that it named.
    pub named: usize,
    /// Those of them that were planted.
    pub right: usize,
    /// Strategies with a flaw.
    pub planted: usize,
    /// Healthy strategies.
    pub healthy: usize,
    /// Healthy strategies of which it named a flaw.
    pub wronged: usize,
}

impl Diagnosis {
    /// Of one explanation of a strategy with this flaw, or of a healthy one.
    #[must_use]
    pub fn of(text: &str, flaw: Option<&str>, flaws: &BTreeMap<String, String>) -> Self {
        let lines = text.lines().filter_map(|line| line.trim().strip_prefix(MARK)).map(str::trim);
        let named: BTreeSet<&str> = lines.filter(|name| flaws.contains_key(*name)).collect();
        Self {
            named: named.len(),
            right: usize::from(flaw.is_some_and(|flaw| named.contains(flaw))),
            planted: usize::from(flaw.is_some()),
            healthy: usize::from(flaw.is_none()),
            wronged: usize::from(flaw.is_none() && !named.is_empty()),
        }
    }

    /// With another one.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            named: self.named + other.named,
            right: self.right + other.right,
            planted: self.planted + other.planted,
            healthy: self.healthy + other.healthy,
            wronged: self.wronged + other.wronged,
        }
    }

    /// Which part of the flaws that it named were there; `None` if it named none.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        (self.named > 0).then(|| self.right as f64 / self.named as f64)
    }

    /// Which part of the flaws that were there it named; `None` if there were none.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        (self.planted > 0).then(|| self.right as f64 / self.planted as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[flaws]\nstale = \"it waits\"\nhasty = \"it does not\"\n";

    fn read(strategies: &str) -> Result<Corpus, CorpusError> {
        Corpus::read(&format!("{TEXT}{strategies}"), &|file| match file {
            "a.rs" => Ok("let a = 1; let b = 1;".to_owned()),
            _ => Err("it is not there".to_owned()),
        })
    }

    #[test]
    fn a_corpus_is_its_files_with_its_edits() {
        let edit = |old: &str| format!("edits = [{{ old = \"{old}\", new = \"let a = 2\" }}]\n");
        let stale = format!("[[strategy]]\nfile = \"a.rs\"\nflaw = \"stale\"\n{}", edit("let a = 1"));
        let corpus = read(&format!("{stale}[[strategy]]\nfile = \"a.rs\"\n")).expect("a corpus");
        assert_eq!(corpus.strategies[0].source, "let a = 2; let b = 1;");
        assert_eq!(corpus.strategies[0].flaw.as_deref(), Some("stale"));
        assert_eq!(corpus.strategies[1].name, "strategy-02.rs");
        assert_eq!(corpus.strategies[1].source, corpus.strategies[0].healthy);
        let check = |strategy: &str, part: &str| {
            let error = read(&format!("[[strategy]]\n{strategy}")).expect_err(strategy).to_string();
            assert!(error.contains(part), "{strategy}: {error}");
        };
        check("file = \"b.rs\"\n", "failed to read b.rs");
        check("file = \"a.rs\"\nflaw = \"lazy\"\n", "not one of [flaws]");
        check(&format!("file = \"a.rs\"\n{}", edit("let a")), "not one of [flaws]");
        check(&format!("file = \"a.rs\"\nflaw = \"stale\"\n{}", edit("= 1")), "occurs 2 times");
        check("file = \"a.rs\"\nname = \"x\"\n", "cannot be read");
    }

    #[test]
    fn only_flaws_of_the_list_count_as_named() {
        let corpus = read("[[strategy]]\nfile = \"a.rs\"\n").expect("a corpus");
        let check = |text: &str, flaw: Option<&str>, expected: (usize, usize, usize)| {
            let found = Diagnosis::of(text, flaw, &corpus.flaws);
            assert_eq!((found.named, found.right, found.wronged), expected, "{text}");
        };
        check("It waits.\nFLAW: stale", Some("stale"), (1, 1, 0));
        check("FLAW: stale\nFLAW: hasty\nFLAW: stale\n", Some("stale"), (2, 1, 0));
        check("FLAW: none", Some("stale"), (0, 0, 0));
        check("FLAW: everything", None, (0, 0, 0));
        check("  FLAW: hasty  ", None, (1, 0, 1));
        let all = Diagnosis::of("FLAW: stale\nFLAW: hasty", Some("stale"), &corpus.flaws);
        assert_eq!((all.precision(), all.recall()), (Some(0.5), Some(1.0)));
        let none = all.and(Diagnosis::of("", Some("hasty"), &corpus.flaws));
        assert_eq!((none.precision(), none.recall()), (Some(0.5), Some(0.5)));
    }
}
