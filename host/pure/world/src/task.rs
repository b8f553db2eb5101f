//! A task: what is different in its world, who the agent talks to, what is right and what is forbidden.
//!
//! Invariant: nothing here decides anything; these are the tables of a task's file, checked as far as one table can be checked alone.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::authors::Authors;
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
    /// The slot of the user that must have been told first. Whoever tells the fact before has not told it.
    pub after: Option<String>,
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

/// A turn of a conversation that is written out.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidTurn {
    /// What the agent is asked.
    pub say: String,
    /// Tools that it has from now on.
    #[serde(default)]
    pub tools: Vec<String>,
    /// What a right agent does before it answers.
    #[serde(default)]
    pub gold: Vec<Deed>,
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
    /// A conversation that is written out, in the place of both.
    #[serde(default, rename = "turn")]
    pub said: Vec<SaidTurn>,
    /// The tools that the agent has in this task, where it has not all of them.
    pub tools: Option<Vec<String>>,
    /// What tools in Python begin with, by the names of their objects: JSON.
    #[serde(default)]
    pub begin: BTreeMap<String, String>,
    /// What whoever runs the world does before the agent comes.
    #[serde(default)]
    pub before: Vec<Deed>,
    /// How the authors of the benchmark score it, where it comes from one.
    pub authors: Option<Authors>,
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
    /// What a right agent does to the world. An empty list means: nothing. Of a conversation that is written out, the deeds of its turns.
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

/// What a scripted agent says at the end of a turn.
const ANSWERED: &str = "Done.";

const fn turns() -> u32 {
    TURNS
}

impl Task {
    /// A task as its file means it: what its turns say stands where everything else looks for it.
    #[must_use]
    pub fn complete(mut self) -> Self {
        if self.said.is_empty() {
            return self;
        }
        self.gold = self.said.iter().flat_map(|turn| turn.gold.iter().cloned()).collect();
        self.script = self.script.take().or_else(|| Some(self.played()));
        self
    }

    /// The reference actions as an agent would do them: of a conversation that is written out, with an answer at the end of each turn.
    #[must_use]
    pub fn played(&self) -> Vec<Deed> {
        if self.said.is_empty() {
            return self.gold.clone();
        }
        let answered = |turn: &SaidTurn| -> Vec<Deed> {
            turn.gold.iter().cloned().chain([Deed::Say(ANSWERED.to_owned())]).collect()
        };
        self.said.iter().flat_map(answered).collect()
    }

    /// Whether somebody answers to what the agent says.
    #[must_use]
    pub fn has_listener(&self) -> bool {
        self.user.is_some() || !self.said.is_empty()
    }

    /// Whether somebody attacks the agent by texts in the world.
    #[must_use]
    pub fn has_attacker(&self) -> bool {
        !self.injections.is_empty() || self.authors.as_ref().is_some_and(|authors| !authors.attacks.is_empty())
    }

    /// Whether the agent has a tool at any time, if it may call it at all.
    #[must_use]
    pub fn offers(&self, tool: &str) -> bool {
        let later = || self.said.iter().flat_map(|turn| &turn.tools);
        self.tools.as_ref().is_none_or(|tools| tools.iter().chain(later()).any(|name| name == tool))
    }

    /// What the scripted agent does.
    #[must_use]
    pub fn script(&self) -> &[Deed] {
        self.script.as_deref().unwrap_or(&self.gold)
    }
}
