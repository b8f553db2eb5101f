//! Tools that fail: which call goes wrong, and how.
//!
//! Invariant: a fault depends on the episode's seed, the tool and the number of the call to it, and on nothing else. So the same agent meets the same
//! faults again, and a call to one tool moves no fault of another.

use assay_model::{Nanos, Seed};
use serde::{Deserialize, Serialize};

use crate::state::draw;

/// What goes wrong with a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// 429: nothing happens, and nothing will before the time that the answer names.
    RateLimit,
    /// 503: nothing happens.
    ServerError,
    /// The answer does not come, and nothing has happened.
    TimeoutBefore,
    /// The answer does not come, although it was done.
    TimeoutAfter,
    /// It was done; the answer cannot be parsed.
    Malformed,
    /// It was done; the answer breaks off.
    Truncated,
    /// A reading tool shows the world as it was before the last change.
    StaleRead,
    /// The request is delivered twice; the second answer is lost.
    Duplicate,
}

impl Fault {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::RateLimit,
        Self::ServerError,
        Self::TimeoutBefore,
        Self::TimeoutAfter,
        Self::Malformed,
        Self::Truncated,
        Self::StaleRead,
        Self::Duplicate,
    ];

    /// Its name in files and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::ServerError => "server_error",
            Self::TimeoutBefore => "timeout_before",
            Self::TimeoutAfter => "timeout_after",
            Self::Malformed => "malformed",
            Self::Truncated => "truncated",
            Self::StaleRead => "stale_read",
            Self::Duplicate => "duplicate",
        }
    }

    /// Whether it can befall a tool that reads, or one that writes. What delivers twice would harm a tool that may not be repeated, so chance never picks it
    /// for those; a scenario may.
    #[must_use]
    pub const fn suits(self, is_write: bool, is_idempotent: bool) -> bool {
        match self {
            Self::StaleRead => !is_write,
            Self::Duplicate => is_write && is_idempotent,
            _ => true,
        }
    }
}

/// How often tools fail by chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Never.
    #[default]
    None,
    /// One call in twenty, by faults after which nothing is unclear.
    Light,
    /// One call in four, by all of them.
    Rough,
}

impl Profile {
    /// All of them.
    pub const ALL: &[Self] = &[Self::None, Self::Light, Self::Rough];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Light => "light",
            Self::Rough => "rough",
        }
    }

    const fn per_mille(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Light => 50,
            Self::Rough => 250,
        }
    }

    const fn faults(self) -> &'static [Fault] {
        match self {
            Self::None => &[],
            Self::Light => &[Fault::RateLimit, Fault::ServerError],
            Self::Rough => Fault::ALL,
        }
    }
}

/// A fault that a task asks for.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Single {
    /// The tool.
    pub tool: String,
    /// Which call to it, from 1.
    pub call: u64,
    /// What goes wrong.
    pub fault: Fault,
}

/// The most calls in a row that chance lets fail: whoever keeps trying gets through.
const IN_A_ROW_MAX: u64 = 3;
/// The longest time that a rate limit names, in seconds; the shortest is 1.
const RETRY_AFTER_SECONDS_MAX: u64 = 60;

/// What goes wrong with the n-th call (from 1) to a tool, if anything.
#[must_use]
pub fn fault_of(profile: Profile, singles: &[Single], seed: Seed, tool: (&str, bool, bool), n: u64) -> Option<Fault> {
    let (name, is_write, is_idempotent) = tool;
    if let Some(single) = singles.iter().find(|single| single.tool == name && single.call == n) {
        return Some(single.fault);
    }
    let suited: Vec<Fault> =
        profile.faults().iter().copied().filter(|fault| fault.suits(is_write, is_idempotent)).collect();
    let by_chance = |n: u64| {
        let mut stream = draw(seed, &format!("fault {name}"), n);
        (stream.below(1_000) < profile.per_mille()).then(|| stream.below(suited.len() as u64))
    };
    let picked = by_chance(n)?;
    let before = (1..=IN_A_ROW_MAX).take_while(|back| n > *back && by_chance(n - back).is_some()).count() as u64;
    // After that many, one goes well.
    if before >= IN_A_ROW_MAX {
        return None;
    }
    suited.get(usize::try_from(picked).ok()?).copied()
}

/// How long the rate limit of a call asks to wait.
#[must_use]
pub(crate) fn retry_after(seed: Seed, tool: &str, n: u64) -> Nanos {
    Nanos::from_secs(1 + draw(seed, &format!("retry after {tool}"), n).below(RETRY_AFTER_SECONDS_MAX))
}
