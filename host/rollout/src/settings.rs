//! What an episode may use and how it is run. [`Settings::standard`] holds the values that are stated in `docs/rollouts.md`.

use assay_model::{Nanos, Time};

use crate::ports::SessionLimits;

/// The longest text that a model is nudged with, in bytes: it may come again in every step.
pub const NUDGE_BYTES_MAX: usize = 4 << 10;

/// How an episode is run.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// What it may use.
    pub limits: Limits,
    /// What code may ask of the host.
    pub calls: Calls,
    /// How the model is sampled.
    pub temperature: Temperature,
    /// Whether a request carries a seed made from the episode's.
    pub send_seed: bool,
    /// Whether the episode ends as soon as an intermediate `run_tests` is worth 1.
    pub early_stop: bool,
    /// Whether a model that goes in circles is told so, and stopped if it goes on.
    pub stuck_detection: bool,
    /// What a model is told that goes in circles or writes no code, in the place of the loop's own words; at most [`NUDGE_BYTES_MAX`].
    pub nudge: Option<String>,
    /// What the session's clock shows at first. Fixed, so that the same cells give the same bytes whenever they run.
    pub session_time: Time,
}

/// What an episode may use. A limit that is `None` is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Replies of the model.
    pub steps: u32,
    /// Tokens, input and output of every request, sub-agents and questions included.
    pub tokens: Option<u64>,
    /// Money in micro-dollars. A reply whose price is unknown then ends the episode.
    pub cost_microdollars: Option<u64>,
    /// Time on the wall. Whatever runs is broken off.
    pub wall: Option<Nanos>,
    /// Time without waiting for models, test benches and supervisors: that of cells and of the loop itself. Checked between steps.
    pub working: Option<Nanos>,
    /// Tokens of one request, by estimate. Older steps are left out to keep to it.
    pub context_tokens: u64,
    /// Tokens of one reply; the provider's own limit where none is set.
    pub reply_tokens: Option<u32>,
    /// Replies in a row without code.
    pub replies_without_code: u32,
    /// Bytes of one cell's output that the model is shown.
    pub shown_bytes_per_cell: usize,
    /// Bytes of one step's output that the model is shown.
    pub shown_bytes_per_step: usize,
    /// Bytes of text that the record takes: messages, code, output, calls. Without a limit, a hostile cell fills the disk.
    pub record_bytes: u64,
    /// What the session may use.
    pub session: SessionLimits,
}

/// What code may ask of the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Calls {
    /// How often `run_tests` may be called: each is a container; 0 where it is off.
    pub test_runs: u32,
    /// How often `shell` may be called, each a container too; 0 where it is off.
    pub shell_commands: u32,
    /// How often `llm_query` may be called.
    pub questions: u32,
    /// Tokens of all questions together.
    pub question_tokens: u64,
    /// How many sub-agents an agent may send off.
    pub sub_agents: u32,
    /// How deep sub-agents may send off sub-agents; 0 where there are none.
    pub sub_agent_depth: u32,
    /// Replies of a sub-agent's model.
    pub sub_agent_steps: u32,
    /// Tokens of a sub-agent. They are the sender's too: it cannot give more than it has.
    pub sub_agent_tokens: u64,
}

/// How the sampling temperature depends on the attempt.
#[derive(Clone, PartialEq, Debug)]
pub enum Temperature {
    /// The provider's own.
    Unset,
    /// `first` for the first attempt, `step` more for each further one, never above `max`.
    Rising {
        /// For attempt 1.
        first: f64,
        /// More for each attempt.
        step: f64,
        /// Never above.
        max: f64,
    },
    /// One for each attempt; further attempts take the last. An empty list is [`Unset`](Self::Unset).
    List(Vec<f64>),
}

impl Temperature {
    /// The temperature of an attempt, counted from 1.
    #[must_use]
    pub fn of_attempt(&self, attempt: u32) -> Option<f64> {
        let place = attempt.saturating_sub(1);
        match self {
            Self::Unset => None,
            Self::Rising { first, step, max } => Some((first + step * f64::from(place)).min(*max)),
            Self::List(list) => list.get(place as usize).or(list.last()).copied(),
        }
    }
}

impl Settings {
    /// What holds where the user says nothing.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            limits: Limits::STANDARD,
            calls: Calls::STANDARD,
            temperature: Temperature::Unset,
            send_seed: true,
            early_stop: true,
            stuck_detection: true,
            nudge: None,
            // 2025-01-01T00:00:00Z.
            session_time: Time(1_735_689_600 * Nanos::SECOND.0),
        }
    }
}

impl Limits {
    /// R2E-Gym's 40 steps and 28,000 of 32,768 tokens; RLM's 20,000 characters for each cell.
    pub const STANDARD: Self = Self {
        steps: 40,
        tokens: None,
        cost_microdollars: None,
        wall: Some(Nanos::from_secs(3_600)),
        working: None,
        context_tokens: 28_000,
        reply_tokens: None,
        replies_without_code: 3,
        shown_bytes_per_cell: 20_000,
        shown_bytes_per_step: 40_000,
        // A step's own output and calls can be some megabytes; the whole is a hundredth of what a reader takes.
        record_bytes: 64 << 20,
        session: SessionLimits {
            fuel_per_cell: 20_000_000_000,
            fuel: 200_000_000_000,
            memory_bytes: 512 << 20,
            output_bytes_per_cell: 64 << 10,
            host_calls_per_cell: 64,
        },
    };
}

impl Calls {
    /// No shell, one level of sub-agents.
    pub const STANDARD: Self = Self {
        test_runs: 20,
        shell_commands: 0,
        questions: 20,
        question_tokens: 200_000,
        sub_agents: 4,
        sub_agent_depth: 1,
        sub_agent_steps: 15,
        sub_agent_tokens: 200_000,
    };
}
