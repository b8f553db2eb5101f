//! The steps that declarative tools and events are made of.
//!
//! In files a step is a table: one key says what it does. There are no loops and no recursion, so a tool's steps are a finite list.
//!
//! | key | what it does |
//! |---|---|
//! | `get` | binds the document `id` of a collection to `as`; fails with `else` where it is missing |
//! | `list` | binds the documents of a collection whose fields are as in `where` to `as` |
//! | `require` | fails with `else` unless the value passes the test beside it |
//! | `set` | writes `value` to `path` of the document `id` |
//! | `add` | adds the number `value` to that at `path`, which may be missing |
//! | `append` | appends `value` to the list at `path`, which may be missing |
//! | `insert` | makes the document `id` out of `value`; fails where it is there |
//! | `remove` | removes the document `id` |
//! | `new_id` | binds an id with this prefix to `as`; the same for the same `of`, whatever else was done before |
//! | `mail` | sends a letter to the address, with `from`, `subject` and `body` |
//! | `write` | writes the text `value` to a file |
//! | `later` | does `steps` after that number of seconds, and tells the agent `notify` |
//! | `fail` | fails with this text |

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::condition::{Test, TestKeys};
use crate::scope::{names, names_of_text};

/// A document that a step works on.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// The collection.
    pub collection: String,
    /// The id; names in it are filled in.
    pub id: Value,
    /// The path within the document; names in it are filled in.
    pub path: String,
}

/// What a step writes at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// The value takes the place of what was there.
    Set,
    /// The number is added.
    Add,
    /// The value goes to the end of the list.
    Append,
}

/// One step. The module's documentation says what each does.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "StepTable")]
#[expect(missing_docs, reason = "the table above describes each step and its keys")]
pub enum Step {
    Get { from: Target, name: String, otherwise: Option<String> },
    List { collection: String, fields: Map<String, Value>, name: String },
    Require { value: Value, test: Test, otherwise: String },
    Change { at: Target, how: How, value: Value },
    Insert { at: Target, value: Value },
    Remove { at: Target },
    NewId { prefix: String, of: Value, name: String },
    Mail { to: Value, from: String, subject: String, body: String },
    Write { path: String, text: String },
    Later { seconds: Value, steps: Vec<Step>, notify: Option<String> },
    Fail { text: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepTable {
    get: Option<String>,
    list: Option<String>,
    require: Option<Value>,
    set: Option<String>,
    add: Option<String>,
    append: Option<String>,
    insert: Option<String>,
    remove: Option<String>,
    new_id: Option<String>,
    mail: Option<Value>,
    write: Option<String>,
    later: Option<Value>,
    fail: Option<String>,

    id: Option<Value>,
    path: Option<String>,
    value: Option<Value>,
    #[serde(rename = "as")]
    name: Option<String>,
    #[serde(rename = "else")]
    otherwise: Option<String>,
    #[serde(rename = "where")]
    fields: Option<Map<String, Value>>,
    of: Option<Value>,
    from: Option<String>,
    subject: Option<String>,
    body: Option<String>,
    steps: Option<Vec<Step>>,
    notify: Option<String>,
    exists: Option<bool>,
    equals: Option<Value>,
    not_equals: Option<Value>,
    one_of: Option<Vec<Value>>,
    at_most: Option<Value>,
    at_least: Option<Value>,
    contains: Option<Value>,
}

/// What was given beside the key that says what a step does; what is not taken belongs to another step.
struct Beside(StepTable);

fn need<T>(given: Option<T>, key: &str) -> Result<T, String> {
    given.ok_or_else(|| format!("the step needs `{key}`"))
}

impl Beside {
    fn target(&mut self, collection: String) -> Result<Target, String> {
        let id = need(self.0.id.take(), "id")?;
        Ok(Target { collection, id, path: self.0.path.take().unwrap_or_default() })
    }

    fn change(&mut self, collection: String, how: How) -> Result<Step, String> {
        let at = self.target(collection)?;
        if at.path.is_empty() && how != How::Set {
            return Err("the step needs `path`".to_owned());
        }
        Ok(Step::Change { at, how, value: need(self.0.value.take(), "value")? })
    }

    fn test(&mut self) -> Result<Test, String> {
        let StepTable { exists, equals, not_equals, one_of, at_most, at_least, contains, .. } = &mut self.0;
        let keys = TestKeys {
            exists: exists.take(),
            equals: equals.take(),
            not_equals: not_equals.take(),
            one_of: one_of.take(),
            at_most: at_most.take(),
            at_least: at_least.take(),
            contains: contains.take(),
        };
        need(keys.test()?, "equals` or another test such as `exists")
    }

    /// The first key that no step took.
    fn left(&self) -> Option<&'static str> {
        let t = &self.0;
        let left = [
            ("id", t.id.is_some()),
            ("path", t.path.is_some()),
            ("value", t.value.is_some()),
            ("as", t.name.is_some()),
            ("else", t.otherwise.is_some()),
            ("where", t.fields.is_some()),
            ("of", t.of.is_some()),
            ("from", t.from.is_some()),
            ("subject", t.subject.is_some()),
            ("body", t.body.is_some()),
            ("steps", t.steps.is_some()),
            ("notify", t.notify.is_some()),
            ("exists", t.exists.is_some()),
            ("equals", t.equals.is_some()),
            ("not_equals", t.not_equals.is_some()),
            ("one_of", t.one_of.is_some()),
            ("at_most", t.at_most.is_some()),
            ("at_least", t.at_least.is_some()),
            ("contains", t.contains.is_some()),
        ];
        left.iter().find(|(_, is_left)| *is_left).map(|(key, _)| *key)
    }
}

impl TryFrom<StepTable> for Step {
    type Error = String;

    fn try_from(mut t: StepTable) -> Result<Self, String> {
        let (get, list, require, set, add) =
            (t.get.take(), t.list.take(), t.require.take(), t.set.take(), t.add.take());
        let (append, insert, remove, new_id) = (t.append.take(), t.insert.take(), t.remove.take(), t.new_id.take());
        let (mail, write, later, fail) = (t.mail.take(), t.write.take(), t.later.take(), t.fail.take());
        let mut b = Beside(t);
        let mut steps = Vec::new();
        if let Some(collection) = get {
            let from = b.target(collection)?;
            steps.push(Self::Get { from, name: need(b.0.name.take(), "as")?, otherwise: b.0.otherwise.take() });
        }
        if let Some(collection) = list {
            let fields = b.0.fields.take().unwrap_or_default();
            steps.push(Self::List { collection, fields, name: need(b.0.name.take(), "as")? });
        }
        if let Some(value) = require {
            let otherwise = need(b.0.otherwise.take(), "else")?;
            steps.push(Self::Require { value, test: b.test()?, otherwise });
        }
        for (collection, how) in [(set, How::Set), (add, How::Add), (append, How::Append)] {
            if let Some(collection) = collection {
                steps.push(b.change(collection, how)?);
            }
        }
        if let Some(collection) = insert {
            let at = b.target(collection)?;
            steps.push(Self::Insert { at, value: need(b.0.value.take(), "value")? });
        }
        if let Some(collection) = remove {
            steps.push(Self::Remove { at: b.target(collection)? });
        }
        if let Some(prefix) = new_id {
            steps.push(Self::NewId { prefix, of: need(b.0.of.take(), "of")?, name: need(b.0.name.take(), "as")? });
        }
        if let Some(to) = mail {
            let (from, body) = (need(b.0.from.take(), "from")?, need(b.0.body.take(), "body")?);
            steps.push(Self::Mail { to, from, subject: b.0.subject.take().unwrap_or_default(), body });
        }
        if let Some(path) = write {
            let text = need(b.0.value.take(), "value")?;
            let text = text.as_str().ok_or("`value` of `write` is a text")?.to_owned();
            steps.push(Self::Write { path, text });
        }
        if let Some(seconds) = later {
            let inner = b.0.steps.take().unwrap_or_default();
            steps.push(Self::Later { seconds, steps: inner, notify: b.0.notify.take() });
        }
        steps.extend(fail.map(|text| Self::Fail { text }));
        if let Some(key) = b.left() {
            return Err(format!("`{key}` means nothing in this step"));
        }
        match (steps.pop(), steps.is_empty()) {
            (Some(step), true) => Ok(step),
            _ => Err("a step does one thing: one of get, list, require, set, add, append, insert, remove, new_id, mail, write, later and fail".to_owned()),
        }
    }
}

impl Step {
    /// How many steps it is, with those inside.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Later { steps, .. } => 1 + steps.iter().map(Self::count).sum::<usize>(),
            _ => 1,
        }
    }

    /// The key that says what it does.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Get { .. } => "get",
            Self::List { .. } => "list",
            Self::Require { .. } => "require",
            Self::Change { how: How::Set, .. } => "set",
            Self::Change { how: How::Add, .. } => "add",
            Self::Change { how: How::Append, .. } => "append",
            Self::Insert { .. } => "insert",
            Self::Remove { .. } => "remove",
            Self::NewId { .. } => "new_id",
            Self::Mail { .. } => "mail",
            Self::Write { .. } => "write",
            Self::Later { .. } => "later",
            Self::Fail { .. } => "fail",
        }
    }

    /// Whether it changes the world.
    #[must_use]
    pub const fn is_write(&self) -> bool {
        !matches!(
            self,
            Self::Get { .. } | Self::List { .. } | Self::Require { .. } | Self::Fail { .. } | Self::NewId { .. }
        )
    }

    /// The names that it uses.
    fn used(&self) -> Vec<&str> {
        let mut used = Vec::new();
        match self {
            Self::Get { from, otherwise, .. } => {
                target_names(from, &mut used);
                used.extend(otherwise.iter().flat_map(|text| names_of_text(text)));
            }
            Self::List { fields, .. } => fields.values().for_each(|value| names(value, &mut used)),
            Self::Require { value, test, otherwise } => {
                names(value, &mut used);
                test.values().into_iter().for_each(|value| names(value, &mut used));
                used.extend(names_of_text(otherwise));
            }
            Self::Change { at, value, .. } | Self::Insert { at, value } => {
                target_names(at, &mut used);
                names(value, &mut used);
            }
            Self::Remove { at } => target_names(at, &mut used),
            Self::NewId { of, .. } => names(of, &mut used),
            Self::Mail { to, from, subject, body } => {
                names(to, &mut used);
                used.extend([from, subject, body].into_iter().flat_map(|text| names_of_text(text)));
            }
            Self::Write { path, text } => used.extend([path, text].into_iter().flat_map(|text| names_of_text(text))),
            Self::Later { seconds, notify, .. } => {
                names(seconds, &mut used);
                used.extend(notify.iter().flat_map(|text| names_of_text(text)));
            }
            Self::Fail { text } => used.extend(names_of_text(text)),
        }
        used
    }

    const fn binds(&self) -> Option<&String> {
        match self {
            Self::Get { name, .. } | Self::List { name, .. } | Self::NewId { name, .. } => Some(name),
            _ => None,
        }
    }
}

fn target_names<'s>(target: &'s Target, used: &mut Vec<&'s str>) {
    names(&target.id, used);
    used.extend(names_of_text(&target.path));
}

/// The first name that steps use before anything gives it a value. `known` grows by what the steps bind.
pub fn unbound(steps: &[Step], known: &mut Vec<String>) -> Option<String> {
    for step in steps {
        let is_known = |name: &str| known.iter().any(|other| other == name);
        if let Some(name) = step.used().into_iter().find(|name| !is_known(name)) {
            return Some(name.to_owned());
        }
        if let Step::Later { steps, .. } = step
            && let Some(name) = unbound(steps, &mut known.clone())
        {
            return Some(name);
        }
        known.extend(step.binds().cloned());
    }
    None
}
