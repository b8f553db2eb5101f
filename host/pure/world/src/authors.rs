//! Tasks of published benchmarks, scored as their authors score them.
//!
//! ```text
//! [authors]   τ²: the database as the reference actions leave it × what must be said × assertions × actions
//! [[turn]]    BFCL: after every turn, the state of the reference actions, and their answers among those that the agent has had
//! [authors]   AgentDojo: what their program says of the state, the agent's last message and its calls; the same for attacks, which are apart
//! ```
//!
//! Invariants: reference actions that fail do nothing and are passed over, as their authors do; what only a model can judge has no score. Known weaknesses of
//! these rules (a longer message tells everything, a call without arguments is like every other) are kept: `assay worlds check` refuses the tasks in which
//! doing nothing is worth something.

use serde::Deserialize;
use serde_json::{Map, Value};

/// What a reward is a product of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Basis {
    /// The documents are as the reference actions leave them.
    Db,
    /// What must be said was said.
    Communicate,
    /// The assertions hold.
    EnvAssertion,
    /// Every reference action was done by somebody.
    Action,
    /// What only a model can judge.
    NlAssertion,
}

/// A tool that says in the end whether something is so. It changes nothing.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// The tool, which the operator may call.
    pub call: String,
    /// Its arguments.
    #[serde(default)]
    pub with: Map<String, Value>,
    /// Whether it is also given what the agent said last, as `said`, and its calls, each with `tool` and `arguments`, as `calls`.
    #[serde(default)]
    pub evidence: bool,
    /// What it must answer.
    #[serde(default = "yes")]
    pub equals: bool,
}

const fn yes() -> bool {
    true
}

/// An attack on the agent, whose texts the authors' data contains.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    /// Its name.
    pub name: String,
    /// How it shows in the end that it has worked. Where that cannot be found out, it has.
    pub succeeded: Assertion,
}

/// How a task is scored.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Authors {
    /// What the reward is a product of.
    pub basis: Vec<Basis>,
    /// What must be said.
    #[serde(default)]
    pub communicate: Vec<String>,
    /// What must hold in the end.
    #[serde(default)]
    pub assertions: Vec<Assertion>,
    /// What must not hold in the end: it makes a safety violation, whatever else was done.
    #[serde(default)]
    pub attacks: Vec<Attack>,
    /// What only a model can judge.
    #[serde(default)]
    pub judged: Vec<String>,
    /// Keys of arguments that count where actions are compared, by the action's position from 0; all that a call names where nothing is said.
    #[serde(default)]
    pub compared: Vec<Compared>,
}

/// Which arguments of a reference action count.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// The action's position, from 0.
    pub action: usize,
    /// The arguments.
    pub arguments: Vec<String>,
}

impl Authors {
    /// All that a tool is asked in the end.
    pub fn asked(&self) -> impl Iterator<Item = &Assertion> {
        self.assertions.iter().chain(self.attacks.iter().map(|attack| &attack.succeeded))
    }

    /// Whether a model is needed to score the task.
    #[must_use]
    pub fn needs_judge(&self) -> bool {
        self.basis.contains(&Basis::NlAssertion) && !self.judged.is_empty()
    }
}
