//! What the store holds, as values.
//!
//! Statuses: pending → running → completed, failed or cancelled. The last three are ends.

use crate::RunId;
use crate::owner::{Owner, Presence};
use std::fmt::{self, Display};
use std::time::{SystemTime, UNIX_EPOCH};

/// A moment: milliseconds since the epoch, UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Time(pub i64);

impl Time {
    /// The wall clock's.
    #[must_use]
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// This much later. With the span of a monotonic clock, a jump of the wall clock makes no duration negative.
    #[must_use]
    pub fn after(self, span: std::time::Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }
}

/// Declares an enum that is kept as a word.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($(#[$variant_meta])* $variant),+ }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word that is kept.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The one with this word.
            #[must_use]
            pub fn of_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words! {
    /// What was run.
    Kind {
        /// A strategy over seeds.
        Run = "run",
        /// A verdict on a submission.
        Gate = "gate",
        /// Bug-fix episodes of a model.
        Rollout = "rollout",
        /// A session that improves a strategy.
        Refine = "refine",
    }
}

words! {
    /// Where a run or an iteration is in its life.
    Status {
        /// Asked for, not begun.
        Pending = "pending",
        /// Under way, or so its last word says: see [`Owner::presence`].
        Running = "running",
        /// Came to its end.
        Completed = "completed",
        /// Ended by what is in [`Trouble`].
        Failed = "failed",
        /// Ended by whoever asked for it.
        Cancelled = "cancelled",
    }
}

impl Status {
    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_end(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}

words! {
    /// Which direction of a measure is the good one.
    Better {
        /// More is better.
        Higher = "higher",
        /// Less is better.
        Lower = "lower",
        /// Neither.
        Neutral = "neutral",
    }
}

/// Why something failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// What happened, for a person. May hold text from outside.
    pub error: String,
    /// Where in the code, if that is known.
    pub backtrace: Option<String>,
}

/// One run.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// What was run.
    pub kind: Kind,
    /// Where it is in its life.
    pub status: Status,
    /// What was tried: a strategy's file name, a model.
    pub subject: String,
    /// Hash of what was tried: of a strategy's component.
    pub subject_hash: Option<String>,
    /// The command that does it again.
    pub command: String,
    /// Version of Assay.
    pub tool: String,
    /// The answer in a word, if there is one yet.
    pub verdict: Option<String>,
    /// Why it failed.
    pub trouble: Option<Trouble>,
    /// The process that runs it.
    pub owner: Option<Owner>,
    /// When it was asked for; listings go by it.
    pub created: Time,
    /// When it began.
    pub started: Option<Time>,
    /// When it ended, never before it began.
    pub finished: Option<Time>,
}

impl Run {
    /// Whether its process is gone, so that nobody will say how it ended: the store still has its last word.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        !self.status.is_end() && self.owner.as_ref().is_some_and(|owner| owner.presence() == Presence::Gone)
    }
}

/// One version of the code within a run: a plain run has one, a refinement several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Iteration {
    /// From 1.
    pub number: u32,
    /// Where it is in its life.
    pub status: Status,
    /// Hash of the source that was tried.
    pub source_hash: Option<String>,
    /// Why it failed.
    pub trouble: Option<Trouble>,
    /// When it began.
    pub started: Option<Time>,
    /// When it ended, never before it began.
    pub finished: Option<Time>,
}

/// A scenario, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario {
    /// BLAKE3 of its text.
    pub hash: String,
    /// Its name; two versions of a scenario share it.
    pub name: String,
    /// One line about it.
    pub summary: String,
    /// Its text.
    pub source: String,
}

/// Mean of `n` values with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// Values.
    pub n: u32,
    /// Their mean.
    pub mean: f64,
    /// The 95% interval of the mean, which takes two values.
    pub interval: Option<(f64, f64)>,
}

/// A measure of a run in a scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct Kpi {
    /// Hash of the scenario.
    pub scenario: String,
    /// Which measure.
    pub measure: String,
    /// Its unit.
    pub unit: String,
    /// Which direction is the good one.
    pub better: Better,
    /// Over the seeds.
    pub spread: Spread,
    /// Seed and value, by seed: what paired comparisons take.
    pub samples: Vec<(u64, f64)>,
}

/// An entry of the index of trajectories; the trajectory itself is a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Trajectory {
    /// Its name within the run.
    pub id: String,
    /// What was to be done.
    pub task: String,
    /// The episode's seed.
    pub seed: u64,
    /// Which attempt at the task.
    pub attempt: u32,
    /// What became of it; `None` if it could not be scored.
    pub outcome: Option<String>,
    /// Its score, if it has one.
    pub score: Option<f64>,
    /// Where the file is.
    pub path: String,
}

/// A file that belongs to a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifact {
    /// Its name within the run: `run.json`.
    pub name: String,
    /// BLAKE3 of its content.
    pub hash: crate::ArtifactHash,
    /// How long it is.
    pub bytes: u64,
}

/// Everything about a run that is written at once.
#[derive(Clone, PartialEq, Debug)]
pub struct RunEntry {
    /// The run.
    pub run: Run,
    /// The scenarios that it ran in.
    pub scenarios: Vec<Scenario>,
    /// Its iterations.
    pub iterations: Vec<Iteration>,
    /// Its measures, in the order in which they are shown.
    pub kpis: Vec<Kpi>,
    /// Its trajectories.
    pub trajectories: Vec<Trajectory>,
}

impl RunEntry {
    /// A run about which nothing else is known yet.
    #[must_use]
    pub fn of(run: Run) -> Self {
        Self { run, scenarios: Vec::new(), iterations: Vec::new(), kpis: Vec::new(), trajectories: Vec::new() }
    }
}

/// Everything about a run that is read at once.
#[derive(Clone, PartialEq, Debug)]
pub struct RunDetail {
    /// What was written.
    pub entry: RunEntry,
    /// Its files, by name.
    pub artifacts: Vec<Artifact>,
}

/// A line of a listing.
#[derive(Clone, PartialEq, Debug)]
pub struct RunRow {
    /// The run, without its backtrace.
    pub run: Run,
    /// Names of its scenarios.
    pub scenarios: Vec<String>,
    /// One measure of it, if it was asked for and the run has it in one scenario only.
    pub kpi: Option<Spread>,
}
