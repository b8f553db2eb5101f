//! Conditions: about a value, and about a place in a world.
//!
//! In files a condition is a table: one key says what it is about (`document`, `database`, `mail`, `file`, `called`, `told`), one says what must hold (`equals`, `exists`, …).
//! Beside `contains`, `not` lists the wrong answers that the same text must not hold: else a text with every answer would hold the right one.

use serde::Deserialize;
use serde_json::Value;

use crate::limits::MESSAGE_BYTES_MAX;
use crate::spelling::is_denied;
use crate::value;

/// What must hold for a value, which may be missing.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// It is there, or not. Null is not there.
    Exists(bool),
    /// It is this.
    Equals(Value),
    /// It is not this.
    NotEquals(Value),
    /// It is one of these.
    OneOf(Vec<Value>),
    /// It is a number and no more than this.
    AtMost(Value),
    /// It is a number and no less than this.
    AtLeast(Value),
    /// It is a text with this in it, or with one of these texts, upper and lower case alike; or it is a list with this in it.
    Contains(Value),
}

/// The keys of a test as they stand in files: exactly one of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestKeys {
    /// See [`Test::Exists`].
    pub exists: Option<bool>,
    /// See [`Test::Equals`].
    pub equals: Option<Value>,
    /// See [`Test::NotEquals`].
    pub not_equals: Option<Value>,
    /// See [`Test::OneOf`].
    pub one_of: Option<Vec<Value>>,
    /// See [`Test::AtMost`].
    pub at_most: Option<Value>,
    /// See [`Test::AtLeast`].
    pub at_least: Option<Value>,
    /// See [`Test::Contains`].
    pub contains: Option<Value>,
}

impl TestKeys {
    /// The test; none where no key is given.
    ///
    /// # Errors
    /// There are several.
    pub(crate) fn test(self) -> Result<Option<Test>, String> {
        let all = [
            self.exists.map(Test::Exists),
            self.equals.map(|wanted| Test::Equals(value::normal(wanted))),
            self.not_equals.map(|wanted| Test::NotEquals(value::normal(wanted))),
            self.one_of.map(|wanted| Test::OneOf(wanted.into_iter().map(value::normal).collect())),
            self.at_most.map(Test::AtMost),
            self.at_least.map(Test::AtLeast),
            self.contains.map(|wanted| Test::Contains(value::normal(wanted))),
        ];
        let mut given = all.into_iter().flatten();
        match (given.next(), given.next()) {
            (first, None) => Ok(first),
            _ => Err("only one of exists, equals, not_equals, one_of, at_most, at_least and contains".to_owned()),
        }
    }
}

impl Test {
    /// The same test with `fill` applied to what it names.
    ///
    /// # Errors
    /// That of `fill`.
    pub(crate) fn filled(&self, mut fill: impl FnMut(&Value) -> Result<Value, String>) -> Result<Self, String> {
        let mut fill = |value: &Value| fill(value).map(value::normal);
        Ok(match self {
            Self::Exists(wanted) => Self::Exists(*wanted),
            Self::Equals(value) => Self::Equals(fill(value)?),
            Self::NotEquals(value) => Self::NotEquals(fill(value)?),
            Self::OneOf(values) => Self::OneOf(values.iter().map(fill).collect::<Result<_, _>>()?),
            Self::AtMost(value) => Self::AtMost(fill(value)?),
            Self::AtLeast(value) => Self::AtLeast(fill(value)?),
            Self::Contains(value) => Self::Contains(fill(value)?),
        })
    }

    /// Whether it holds for a value. The values that it names are normal.
    #[must_use]
    pub fn holds(&self, found: Option<&Value>) -> bool {
        let found = found.filter(|value| !value.is_null());
        let has = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        let same = |wanted: &Value| found.map_or(wanted.is_null(), |found| value::normal(found.clone()) == *wanted);
        match self {
            Self::Exists(wanted) => found.is_some() == *wanted,
            Self::Equals(wanted) => same(wanted),
            Self::NotEquals(wanted) => !same(wanted),
            Self::OneOf(wanted) => wanted.iter().any(same),
            Self::AtMost(most) => {
                matches!((found.and_then(Value::as_f64), most.as_f64()), (Some(is), Some(most)) if is <= most)
            }
            Self::AtLeast(least) => {
                matches!((found.and_then(Value::as_f64), least.as_f64()), (Some(is), Some(least)) if is >= least)
            }
            Self::Contains(part) => match (found, part) {
                (Some(Value::String(text)), Value::String(part)) => has(text, part),
                (Some(Value::String(text)), Value::Array(parts)) => {
                    parts.iter().filter_map(Value::as_str).any(|part| has(text, part))
                }
                (Some(Value::Array(items)), part) => items.iter().any(|item| value::normal(item.clone()) == *part),
                _ => false,
            },
        }
    }

    /// The values that it names.
    pub fn values(&self) -> Vec<&Value> {
        match self {
            Self::Exists(_) => Vec::new(),
            Self::Equals(value)
            | Self::NotEquals(value)
            | Self::AtMost(value)
            | Self::AtLeast(value)
            | Self::Contains(value) => vec![value],
            Self::OneOf(values) => values.iter().collect(),
        }
    }
}

/// What a condition is about.
#[derive(Clone, PartialEq, Debug)]
pub enum About {
    /// A value within a document.
    Document {
        /// The collection.
        collection: String,
        /// The document's id.
        id: String,
        /// The path within it.
        path: String,
    },
    /// The first value of the first row that a query finds.
    Query {
        /// The database.
        database: String,
        /// The query. What it would write is thrown away.
        sql: String,
    },
    /// The texts of an address's letters, one after the other.
    Mail(String),
    /// The text of a file.
    File(String),
    /// How often a tool was called with success, with these arguments among its own.
    Called {
        /// The tool.
        tool: String,
        /// Arguments that must be as here; others are free.
        arguments: serde_json::Map<String, Value>,
    },
    /// Whether the user has told this slot: true or false.
    Told(String),
}

/// A condition on a world and on what was done in it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "ConditionTable")]
pub struct Condition {
    /// What it is about.
    pub about: About,
    /// What must hold.
    pub test: Test,
    /// Wrong answers, of which the text holds none.
    pub not: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConditionTable {
    document: Option<String>,
    #[serde(default)]
    path: String,
    database: Option<String>,
    sql: Option<String>,
    mail: Option<String>,
    file: Option<String>,
    called: Option<String>,
    told: Option<String>,
    #[serde(default)]
    with: serde_json::Map<String, Value>,
    exists: Option<bool>,
    equals: Option<Value>,
    not_equals: Option<Value>,
    one_of: Option<Vec<Value>>,
    at_most: Option<Value>,
    at_least: Option<Value>,
    contains: Option<Value>,
    #[serde(default)]
    not: Vec<String>,
}

impl Condition {
    /// Whether it holds for the value that it is about, which may be missing.
    pub(crate) fn fits(&self, found: Option<&Value>) -> bool {
        let is_clean = || found.and_then(Value::as_str).is_some_and(|text| self.is_clean(text));
        self.test.holds(found) && (self.not.is_empty() || is_clean())
    }

    /// Whether a text holds no wrong answer. One that is too long to be read through is not clean.
    fn is_clean(&self, text: &str) -> bool {
        text.len() <= MESSAGE_BYTES_MAX && !is_denied(&self.not, &[text])
    }
}

impl TryFrom<ConditionTable> for Condition {
    type Error = String;

    fn try_from(table: ConditionTable) -> Result<Self, String> {
        let ConditionTable { document, path, database, sql, mail, file, called, told, with, not, .. } = table;
        let keys = TestKeys {
            exists: table.exists,
            equals: table.equals,
            not_equals: table.not_equals,
            one_of: table.one_of,
            at_most: table.at_most,
            at_least: table.at_least,
            contains: table.contains,
        };
        let test = keys.test()?;
        let is_called = called.is_some();
        if !is_called && !with.is_empty() {
            return Err("`with` belongs to `called`".to_owned());
        }
        if document.is_none() && !path.is_empty() {
            return Err("`path` belongs to `document`".to_owned());
        }
        if database.is_some() != sql.is_some() {
            return Err("`database` and `sql` belong together: the database, and what it is asked".to_owned());
        }
        let query = database.zip(sql).map(|(database, sql)| About::Query { database, sql });
        let document = document.map(|document| in_document(&document, path)).transpose()?;
        let called = called.map(|tool| {
            let arguments = with.into_iter().map(|(path, wanted)| (path, value::normal(wanted))).collect();
            About::Called { tool, arguments }
        });
        let is_told = told.is_some();
        let all = [document, query, mail.map(About::Mail), file.map(About::File), called, told.map(About::Told)];
        let mut given = all.into_iter().flatten();
        let (Some(about), None) = (given.next(), given.next()) else {
            let what = "a condition is about one of `document`, `database`, `mail`, `file`, `called` and `told`";
            return Err(what.to_owned());
        };
        let default = is_called.then(|| Test::AtLeast(Value::from(1)));
        let test = if is_told { Some(yes_or_no(test.as_ref())?) } else { test.or(default) };
        let test = test.ok_or("a condition says what must hold, for example `equals` or `exists`")?;
        if !not.is_empty() && !matches!(test, Test::Contains(Value::String(_) | Value::Array(_))) {
            return Err("`not` belongs to `contains` with a text".to_owned());
        }
        if not.iter().any(|wrong| wrong.trim().is_empty()) {
            return Err("`not` is a list of texts".to_owned());
        }
        Ok(Self { about, test, not })
    }
}

/// The test of what is either so or not: `equals` or `exists`, with true or false; true where nothing is said.
fn yes_or_no(test: Option<&Test>) -> Result<Test, String> {
    match test {
        None => Ok(Test::Equals(Value::Bool(true))),
        Some(Test::Exists(wanted) | Test::Equals(Value::Bool(wanted))) => Ok(Test::Equals(Value::Bool(*wanted))),
        Some(_) => Err("a slot is told or not: `equals` or `exists`, with true or false".to_owned()),
    }
}

/// A place in a document that is named COLLECTION/ID.
fn in_document(document: &str, path: String) -> Result<About, String> {
    let named = document.split_once('/');
    let (collection, id) = named.ok_or_else(|| format!("`document` is COLLECTION/ID, here {document:?}"))?;
    Ok(About::Document { collection: collection.to_owned(), id: id.to_owned(), path })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: Value) -> Result<Condition, String> {
        serde_json::from_value(table).map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_contains_one_of_several() {
        let condition = read(serde_json::json!({ "file": "a", "contains": ["is live", "is out"], "not": ["1.0"] }));
        let condition = condition.unwrap_or_else(|error| panic!("{error}"));
        for (text, expected) in
            [("2.0 is LIVE", true), ("2.0 is out", true), ("2.0 is late", false), ("1.0 is out", false), ("", false)]
        {
            assert_eq!(condition.fits(Some(&Value::from(text))), expected, "{text}");
        }
        assert!(!condition.fits(None));
    }

    #[test]
    fn a_slot_is_told_or_not() {
        for (test, expected) in [
            (serde_json::json!({ "told": "email" }), true),
            (serde_json::json!({ "told": "email", "equals": true }), true),
            (serde_json::json!({ "told": "email", "exists": true }), true),
            (serde_json::json!({ "told": "email", "equals": false }), false),
            (serde_json::json!({ "told": "email", "exists": false }), false),
        ] {
            let condition = read(test.clone()).unwrap_or_else(|error| panic!("{test}: {error}"));
            assert_eq!(condition.about, About::Told("email".to_owned()), "{test}");
            assert_eq!(condition.fits(Some(&Value::Bool(true))), expected, "{test}");
            assert_eq!(condition.fits(Some(&Value::Bool(false))), !expected, "{test}");
        }
        for (test, part) in [
            (serde_json::json!({ "told": "email", "equals": "m@b.example" }), "true or false"),
            (serde_json::json!({ "told": "email", "at_least": 1 }), "true or false"),
            (serde_json::json!({ "told": "email", "mail": "m@b.example" }), "about one of"),
            (serde_json::json!({ "told": "email", "with": { "a": 1 } }), "`with` belongs to `called`"),
        ] {
            let error = read(test.clone()).expect_err("it is refused");
            assert!(error.contains(part), "{test}: {error}");
        }
    }
}
