//! What became of one test, and of all of them: [`Status`] and [`StatusMap`].
//!
//! Invariant: a [`StatusMap`] behaves as a Python `dict` does, since the reference rules depend on it: the last status of a name wins, and the
//! name keeps the place of its first appearance.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a log says about one test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It passed.
    Passed,
    /// An assertion did not hold.
    Failed,
    /// It broke outside of an assertion: set-up, collection, tear-down.
    Error,
    /// It did not run.
    Skipped,
    /// It failed, as expected.
    Xfail,
    /// It passed, against expectation. No SWE-bench parser reads this; unittest and `JUnit` logs do say it.
    Xpass,
    /// A word that only begins or ends like a status. The reference parsers record the whole word, such as `ERROR:`, and so do we.
    Other(Box<str>),
}

impl Status {
    /// The words that make a line a result in the SWE-bench parsers, in their order. `XPASS` is not among them.
    pub(crate) const WORDS: [&'static str; 5] = ["FAILED", "PASSED", "SKIPPED", "ERROR", "XFAIL"];

    /// The status that a word of a log names.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "PASSED" => Self::Passed,
            "FAILED" => Self::Failed,
            "ERROR" => Self::Error,
            "SKIPPED" => Self::Skipped,
            "XFAIL" => Self::Xfail,
            "XPASS" => Self::Xpass,
            other => Self::Other(other.into()),
        }
    }

    /// The word, as logs and expected maps spell it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Passed => "PASSED",
            Self::Failed => "FAILED",
            Self::Error => "ERROR",
            Self::Skipped => "SKIPPED",
            Self::Xfail => "XFAIL",
            Self::Xpass => "XPASS",
            Self::Other(word) => word,
        }
    }

    /// `PASSED` or `XFAIL`: what SWE-bench counts as success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Passed | Self::Xfail)
    }

    /// `FAILED` or `ERROR`.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed | Self::Error)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|word| Self::from_word(&word))
    }
}

/// Test name to status, in the order in which the names first appeared.
#[derive(Debug, Clone, Default)]
pub struct StatusMap {
    entries: Vec<(String, Status)>,
    places: BTreeMap<String, usize>,
}

impl StatusMap {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a status. An earlier one of the same name is overwritten in its place.
    pub fn insert(&mut self, name: impl Into<String>, status: Status) {
        let name = name.into();
        if let Some(&place) = self.places.get(&name) {
            self.entries[place].1 = status;
        } else {
            self.places.insert(name.clone(), self.entries.len());
            self.entries.push((name, status));
        }
    }

    /// The status of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Status> {
        self.places.get(name).map(|&place| &self.entries[place].1)
    }

    /// Names and statuses, in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Status)> {
        self.entries.iter().map(|(name, status)| (name.as_str(), status))
    }

    /// Names and statuses, sorted by name.
    pub fn sorted(&self) -> impl Iterator<Item = (&str, &Status)> {
        self.places.iter().map(|(name, &place)| (name.as_str(), &self.entries[place].1))
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Equal when the same names have the same statuses, whatever the order, as with a `dict`.
impl PartialEq for StatusMap {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.sorted().eq(other.sorted())
    }
}

impl Eq for StatusMap {}

impl<N: Into<String>> FromIterator<(N, Status)> for StatusMap {
    fn from_iter<I: IntoIterator<Item = (N, Status)>>(pairs: I) -> Self {
        let mut map = Self::new();
        for (name, status) in pairs {
            map.insert(name, status);
        }
        map
    }
}

impl Serialize for StatusMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Keeps the order of the text.
impl<'de> Deserialize<'de> for StatusMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = StatusMap;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a map from test name to status")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<StatusMap, A::Error> {
                let mut map = StatusMap::new();
                while let Some((name, status)) = entries.next_entry::<String, Status>()? {
                    map.insert(name, status);
                }
                Ok(map)
            }
        }
        deserializer.deserialize_map(Entries)
    }
}
