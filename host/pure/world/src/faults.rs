//! Tools that fail: which call goes wrong, and how.
//!
//! Invariant: a fault depends on the episode's seed, the tool and the number of the call to it, and on nothing else. So the same agent meets the same
//! faults again, and a call to one tool moves no fault of another.

use assay_model::{Nanos, Seed};
use serde::{Deserialize, Serialize};

use crate::state::draw;
use crate::step::Step;

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
    /// The connection is gone before an answer comes. Whether it was done is drawn.
    DroppedConnection,
    /// A tool of several writing steps does only the first ones; the answer is an error that leaves this open.
    PartialWrite,
    /// Somebody else writes first: what the task says, and then it is done on top of that; else the call is refused as a conflict.
    ConcurrentWriter,
    /// From now on the tool wants one more argument, and says which, or a field of its answers has another name.
    SchemaDrift,
    /// For a day, calls to the tool take a hundred times as long.
    SlowDays,
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
        Self::DroppedConnection,
        Self::PartialWrite,
        Self::ConcurrentWriter,
        Self::SchemaDrift,
        Self::SlowDays,
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
            Self::DroppedConnection => "dropped_connection",
            Self::PartialWrite => "partial_write",
            Self::ConcurrentWriter => "concurrent_writer",
            Self::SchemaDrift => "schema_drift",
            Self::SlowDays => "slow_days",
        }
    }

    /// Whether chance picks it for a tool that reads, or for one that writes. What delivers twice would harm a tool that may not be repeated, and what is
    /// done in part cannot be mended in every world, so a task has to ask for that.
    #[must_use]
    pub const fn suits(self, is_write: bool, is_idempotent: bool) -> bool {
        match self {
            Self::StaleRead => !is_write,
            Self::Duplicate => is_write && is_idempotent,
            Self::ConcurrentWriter => is_write,
            Self::PartialWrite => false,
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
    /// One call in four, and some more at which a service changes: by all of them but partial writes.
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
            Self::Rough => CALLS_FAIL,
        }
    }

    /// The faults that are drawn apart, and how often: adding them moved none of the others.
    const fn more(self) -> (u64, &'static [Fault]) {
        match self {
            Self::None | Self::Light => (0, &[]),
            Self::Rough => (120, SERVICES_CHANGE),
        }
    }
}

const CALLS_FAIL: &[Fault] = &[
    Fault::RateLimit,
    Fault::ServerError,
    Fault::TimeoutBefore,
    Fault::TimeoutAfter,
    Fault::Malformed,
    Fault::Truncated,
    Fault::StaleRead,
    Fault::Duplicate,
];
const SERVICES_CHANGE: &[Fault] =
    &[Fault::DroppedConnection, Fault::ConcurrentWriter, Fault::SchemaDrift, Fault::SlowDays];

/// A fault that a task asks for.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Single {
    /// The tool.
    pub tool: String,
    /// Which call to it, from 1.
    pub call: u64,
    /// What goes wrong.
    pub fault: Fault,
    /// For a concurrent writer: what somebody else does just before. The same is done before the reference actions are compared.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// Who that is, in records.
    #[serde(default = "somebody")]
    pub source: String,
}

fn somebody() -> String {
    "somebody else".to_owned()
}

impl Single {
    /// A fault that takes no steps.
    #[must_use]
    pub fn new(tool: impl Into<String>, call: u64, fault: Fault) -> Self {
        Self { tool: tool.into(), call, fault, steps: Vec::new(), source: somebody() }
    }
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
    if profile == Profile::None {
        return None;
    }
    let suited = |faults: &[Fault]| -> Vec<Fault> {
        faults.iter().copied().filter(|fault| fault.suits(is_write, is_idempotent)).collect()
    };
    let often = suited(profile.faults());
    let by_chance = |n: u64| {
        let mut stream = draw(seed, &format!("fault {name}"), n);
        (stream.below(1_000) < profile.per_mille()).then(|| stream.below(often.len() as u64))
    };
    if let Some(picked) = by_chance(n) {
        let before = (1..=IN_A_ROW_MAX).take_while(|back| n > *back && by_chance(n - back).is_some()).count() as u64;
        // After that many, one goes well.
        return (before < IN_A_ROW_MAX).then(|| often.get(usize::try_from(picked).ok()?).copied()).flatten();
    }
    let (per_mille, seldom) = profile.more();
    let seldom = suited(seldom);
    let apart = |n: u64| {
        let mut stream = draw(seed, &format!("service {name}"), n);
        (stream.below(1_000) < per_mille).then(|| stream.below(seldom.len() as u64))
    };
    let picked = apart(n)?;
    // The calls before and after it go well, so that it makes no row longer.
    let is_alone = by_chance(n + 1).is_none() && (n == 1 || by_chance(n - 1).is_none() && apart(n - 1).is_none());
    is_alone.then(|| seldom.get(usize::try_from(picked).ok()?).copied()).flatten()
}

/// How long the rate limit of a call asks to wait.
#[must_use]
pub(crate) fn retry_after(seed: Seed, tool: &str, n: u64) -> Nanos {
    Nanos::from_secs(1 + draw(seed, &format!("retry after {tool}"), n).below(RETRY_AFTER_SECONDS_MAX))
}
