//! What an episode has paid for, its sub-agents and earlier attempts included.
//!
//! Invariant: what is unknown is said to be unknown and never taken for nothing; what is known beside it still counts.

use std::io::{self, BufReader};
use std::path::Path;

use assay_files::Links;
use assay_trace::{EventKind, Loaded, ReadError, ReadLimits, Trajectory, read_with_limits, stats};
use serde::{Deserialize, Serialize};

/// Trajectories of sub-agents that are read for one episode: an agent sends off a few, eight levels deep at most.
const SUB_AGENTS_MAX: usize = 4_096;

/// Agents of our own that follow a script and ask no model, by the names that records have of them: what they cost is known, and nothing.
const ASK_NO_MODEL: &[&str] = &["scripted", "hasty", "null", "talk-only"];

/// Whether an agent is one of our own that asks no model.
#[must_use]
pub fn asks_no_model(agent: &str) -> bool {
    ASK_NO_MODEL.contains(&agent)
}

/// Tokens and money, as far as they are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spending {
    /// Tokens, input and output.
    pub tokens: u64,
    /// Money in micro-dollars.
    pub cost_microdollars: u64,
    /// Whether some tokens are not among these.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tokens_unknown: bool,
    /// Whether some cost is not among these.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cost_unknown: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives references")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// Why there is nothing of a trajectory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unread {
    /// It is not there.
    Missing,
    /// It cannot be read, or is not to be.
    Unreadable,
    /// So much was read before, or it needs so much memory, that nothing of it is.
    NoRoom,
}

impl Spending {
    /// Nothing was spent, as far as anybody knows.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            cost_microdollars: self.cost_microdollars.saturating_add(other.cost_microdollars),
            tokens_unknown: self.tokens_unknown || other.tokens_unknown,
            cost_unknown: self.cost_unknown || other.cost_unknown,
        }
    }

    /// All tokens, where they are known.
    #[must_use]
    pub fn all_tokens(&self) -> Option<u64> {
        (!self.tokens_unknown).then_some(self.tokens)
    }

    /// All money, where it is known.
    #[must_use]
    pub fn all_cost(&self) -> Option<u64> {
        (!self.cost_unknown).then_some(self.cost_microdollars)
    }

    /// The same, of which nothing is missing.
    pub(super) const fn known(self) -> Self {
        Self { tokens_unknown: false, cost_unknown: false, ..self }
    }

    /// What a trajectory says of itself.
    fn own(trajectory: &Trajectory) -> Self {
        let stats = stats(trajectory);
        if stats.model_calls == 0 && asks_no_model(&trajectory.metadata().model) {
            return Self::default();
        }
        Self {
            tokens: stats.tokens.known.total(),
            cost_microdollars: stats.cost_microdollars.known,
            tokens_unknown: stats.tokens.unknown > 0,
            cost_unknown: stats.cost_microdollars.unknown > 0,
        }
    }

    /// What a trajectory says of itself and of its sub-agents, whose trajectories `load` brings by their names.
    pub(super) fn of(trajectory: &Trajectory, mut load: impl FnMut(&str) -> Result<Loaded, Unread>) -> Self {
        let unknown = Self { tokens_unknown: true, cost_unknown: true, ..Self::default() };
        let mut sum = Self::own(trajectory);
        let mut left = sub_agents(trajectory);
        let mut read = 0;
        while let Some(id) = left.pop() {
            read += 1;
            if read > SUB_AGENTS_MAX {
                return sum.plus(unknown);
            }
            // A sub-agent's name is its sender's and a number; anything else would be a file of somebody else's.
            let is_below = id.strip_prefix(trajectory.metadata().id.as_str()).is_some_and(|rest| rest.starts_with('.'));
            // Its file may not have been begun, and then it spent nothing; one that cannot be read is another matter.
            let found = if is_below { load(&id) } else { Err(Unread::Unreadable) };
            match found {
                Ok(loaded) => {
                    sum = sum.plus(Self::own(&loaded.trajectory));
                    left.extend(sub_agents(&loaded.trajectory));
                }
                Err(Unread::Unreadable | Unread::NoRoom) => sum = sum.plus(unknown),
                Err(Unread::Missing) => {}
            }
        }
        sum
    }
}

/// A trajectory's file, where it can be read.
pub(super) fn load(path: &Path, limits: ReadLimits) -> Result<Loaded, ReadError> {
    let file = assay_files::open(path, Links::Refused).map_err(io::Error::from)?;
    read_with_limits(BufReader::new(file), limits)
}

fn sub_agents(trajectory: &Trajectory) -> Vec<String> {
    let ids = trajectory.events().filter_map(|event| match &event.kind {
        EventKind::SubAgent(sub_agent) => Some(sub_agent.trajectory_id.to_string()),
        _ => None,
    });
    ids.collect()
}
