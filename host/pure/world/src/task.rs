//! A task: what is different in its world, who the agent talks to, what is right and what is forbidden.
//!
//! Invariant: nothing here decides anything; these are the tables of a task's file, checked as far as one table can be checked alone.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::condition::Condition;
use crate::faults::Single;
use crate::mail::Letter;
use crate::step::Step;
use crate::user::UserSpec;

/// Turns of an agent unless a task says otherwise.
pub const TURNS: u32 = 30;

/// How hard its author thinks a task is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// One or two calls.
    Easy,
    /// Several calls, or a person to ask.
    #[default]
    Medium,
    /// Several of: a policy to weigh, a person who wanders, tools that fail, somebody who attacks.
    Hard,
}

/// One thing that an agent does: of the right answer, or of a script.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "DeedTable")]
pub enum Deed {
    /// Says something.
    Say(String),
    /// Calls a tool.
    Call {
        /// The tool.
        tool: String,
        /// The arguments.
        arguments: Map<String, Value>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeedTable {
    say: Option<String>,
    call: Option<String>,
    with: Option<Map<String, Value>>,
}

impl TryFrom<DeedTable> for Deed {
    type Error = String;

    fn try_from(table: DeedTable) -> Result<Self, String> {
        match table {
            DeedTable { say: Some(text), call: None, with: None } => Ok(Self::Say(text)),
            DeedTable { say: None, call: Some(tool), with } => {
                Ok(Self::Call { tool, arguments: with.unwrap_or_default() })
            }
            _ => Err("either `say`, or `call` and `with`".to_owned()),
        }
    }
}

/// A document that this task has in its world, in the place of one with the same id.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// COLLECTION/ID.
    pub document: String,
    /// What it is; without it, the document is taken away.
    pub value: Option<Value>,
}

/// Something that happens by itself.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// So many seconds after the beginning.
    pub after: u64,
    /// What does it.
    pub source: String,
    /// What it does.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// What the agent is told then.
    pub notify: Option<String>,
}

/// A text of an attacker in the world's data.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Injection {
    /// The vector's name.
    pub name: String,
    /// COLLECTION/ID.
    pub document: String,
    /// The text field that it is appended to.
    pub path: String,
    /// The attacker's words.
    pub text: String,
    /// What must hold for the attack to have succeeded. What the task asks for is no attack.
    pub succeeded: Vec<Condition>,
}

/// A fact that the agent must tell.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// The words, upper and lower case alike; of several, each is as good as the others.
    #[serde(deserialize_with = "one_or_more")]
    pub say: Vec<String>,
    /// Wrong answers to the same question. Whoever says one of them has not told the fact: else saying everything would be an answer.
    #[serde(default)]
    pub not: Vec<String>,
}

/// Reads a text, or a list of at least one.
fn one_or_more<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }
    let all = match OneOrMore::deserialize(from)? {
        OneOrMore::One(one) => vec![one],
        OneOrMore::More(all) => all,
    };
    if all.is_empty() || all.iter().any(|one| one.trim().is_empty()) {
        return Err(serde::de::Error::custom("`say` is a text, or a list of texts"));
    }
    Ok(all)
}

/// Something named that is so if all of its conditions hold.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// Its name in scores.
    pub name: String,
    /// All of these.
    pub when: Vec<Condition>,
}

/// A task's file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its id; a file's name.
    pub id: String,
    /// How hard it is.
    #[serde(default)]
    pub difficulty: Difficulty,
    /// What the agent is asked, where there is no user.
    pub request: Option<String>,
    /// Who it talks to.
    pub user: Option<UserSpec>,
    /// Turns that the agent has.
    #[serde(default = "turns")]
    pub turns: u32,
    /// Documents of this task.
    #[serde(default, rename = "overlay")]
    pub overlays: Vec<Overlay>,
    /// Letters of this task.
    #[serde(default, rename = "letter")]
    pub letters: Vec<Letter>,
    /// What happens by itself.
    #[serde(default, rename = "event")]
    pub events: Vec<Planned>,
    /// Calls that go wrong whatever the profile.
    #[serde(default, rename = "fault")]
    pub faults: Vec<Single>,
    /// Texts of attackers.
    #[serde(default, rename = "injection")]
    pub injections: Vec<Injection>,
    /// What a right agent does to the world. An empty list means: nothing.
    pub gold: Vec<Deed>,
    /// What the scripted agent does; the reference actions, where nothing is said.
    pub script: Option<Vec<Deed>>,
    /// Paths that may differ from what the reference actions leave, as patterns.
    #[serde(default)]
    pub allow: Vec<String>,
    /// What must hold in the end, beside the state that the reference actions leave.
    #[serde(default)]
    pub require: Vec<Named>,
    /// What must be told.
    #[serde(default)]
    pub tell: Vec<Fact>,
    /// What must not be told.
    #[serde(default)]
    pub keep_secret: Vec<String>,
    /// What must never be so: if it is, the outcome is a safety violation.
    #[serde(default)]
    pub forbid: Vec<Named>,
    /// Steps on the way, for denser rewards.
    #[serde(default, rename = "milestone")]
    pub milestones: Vec<Named>,
}

const fn turns() -> u32 {
    TURNS
}

impl Task {
    /// What the scripted agent does.
    #[must_use]
    pub fn script(&self) -> &[Deed] {
        self.script.as_deref().unwrap_or(&self.gold)
    }
}
