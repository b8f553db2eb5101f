//! Figures of an episode: tokens, money, time, tools, steps.
//!
//! Invariant: what is unknown is counted as unknown and never as zero; a total over something unknown is unknown.

use crate::event::{EventKind, Usage};
use crate::message::Role;
use crate::trajectory::{Record, Trajectory};
use assay_model::{Nanos, Time};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Figures of one episode.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Stats {
    /// Messages of each role.
    pub messages: BTreeMap<Role, u64>,
    /// Model calls, failed ones included.
    pub model_calls: u64,
    /// Model calls without an answer.
    pub model_errors: u64,
    /// What the model calls used; an assistant's message without a recorded call counts as unknown.
    pub tokens: Tally<Usage>,
    /// What they cost, in micro-dollars.
    pub cost_microdollars: Tally<u64>,
    /// How long they took; `None` without any.
    pub model_latency: Option<Latency>,
    /// Tools by name, those that were called but never ran included.
    pub tools: BTreeMap<String, ToolStats>,
    /// Names of the flags that were raised.
    pub flags: BTreeSet<String>,
    /// From the start to the last thing that has a time.
    pub duration_ns: u64,
    /// Each step; the first entry is step 0, before the assistant first spoke.
    pub steps: Vec<StepStats>,
    /// The outcome's name, `unscored`, or `None` without a verdict.
    pub outcome: Option<&'static str>,
    /// The score, if there is one.
    pub reward: Option<f64>,
}

/// A sum of which some terms may be unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally<T> {
    /// The sum of the known terms.
    pub known: T,
    /// How many terms are unknown.
    pub unknown: u64,
}

impl<T: Copy> Tally<T> {
    /// The sum, if every term is known.
    #[must_use]
    pub const fn total(&self) -> Option<T> {
        if self.unknown == 0 { Some(self.known) } else { None }
    }

    fn add(&mut self, term: Option<T>, plus: impl FnOnce(T, T) -> T) {
        match term {
            Some(term) => self.known = plus(self.known, term),
            None => self.unknown += 1,
        }
    }
}

/// How long something took, over several times, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Latency {
    /// How many times.
    pub count: u64,
    /// The shortest.
    pub min_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// The mean, rounded down.
    pub mean_ns: u64,
    /// The median, by nearest rank.
    pub p50_ns: u64,
    /// The 95th percentile, by nearest rank.
    pub p95_ns: u64,
}

impl Latency {
    /// The figures of some times; `None` without any. The p-th percentile is by nearest rank: the value at place ⌈p/100 × n⌉ of the sorted
    /// n values, so it is always one that occurred.
    #[must_use]
    pub fn of(times: &[Nanos]) -> Option<Self> {
        let mut sorted: Vec<u64> = times.iter().map(|time| time.0).collect();
        sorted.sort_unstable();
        let (min_ns, max_ns) = (*sorted.first()?, *sorted.last()?);
        let percentile = |percent: usize| sorted[(percent * sorted.len()).div_ceil(100) - 1];
        let sum: u128 = sorted.iter().map(|time| u128::from(*time)).sum();
        // A mean lies between the smallest and the largest value, so it fits.
        let mean_ns = (sum / sorted.len() as u128) as u64;
        let (p50_ns, p95_ns) = (percentile(50), percentile(95));
        Some(Self { count: sorted.len() as u64, min_ns, max_ns, mean_ns, p50_ns, p95_ns })
    }
}

/// How one tool was used.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ToolStats {
    /// Calls by the assistant.
    pub calls: u64,
    /// Calls whose arguments could not be understood.
    pub malformed: u64,
    /// Times it ran.
    pub runs: u64,
    /// Runs that failed.
    pub errors: u64,
    /// How long the runs took; `None` without any.
    pub latency: Option<Latency>,
}

/// Figures of one step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct StepStats {
    /// The step.
    pub step: usize,
    /// Model calls.
    pub model_calls: u64,
    /// What they used.
    pub tokens: Tally<Usage>,
    /// What they cost, in micro-dollars.
    pub cost_microdollars: Tally<u64>,
    /// How long they took in all.
    pub model_ns: u64,
    /// Tool calls by the assistant.
    pub tool_calls: u64,
    /// Tool runs and code cells that failed.
    pub errors: u64,
    /// Code cells that ran.
    pub cells: u64,
    /// Flags that were raised.
    pub flags: u64,
}

/// The figures of an episode.
#[must_use]
pub fn stats(trajectory: &Trajectory) -> Stats {
    let verdict = trajectory.verdict();
    let mut stats = Stats {
        messages: BTreeMap::new(),
        model_calls: 0,
        model_errors: 0,
        tokens: Tally::default(),
        cost_microdollars: Tally::default(),
        model_latency: None,
        tools: BTreeMap::new(),
        flags: trajectory.flags().into_iter().map(str::to_owned).collect(),
        duration_ns: 0,
        steps: vec![StepStats::default()],
        outcome: verdict.map(|verdict| verdict.outcome().map_or("unscored", crate::Outcome::name)),
        reward: verdict.and_then(crate::Verdict::reward),
    };
    let mut times = Times::default();
    for placed in trajectory.placed() {
        if placed.step == stats.steps.len() {
            stats.steps.push(StepStats { step: placed.step, ..StepStats::default() });
        }
        match placed.record {
            Record::Message(message) => {
                *stats.messages.entry(message.role()).or_default() += 1;
                stats.steps[placed.step].tool_calls += message.tool_calls().len() as u64;
                for call in message.tool_calls() {
                    let tool = stats.tools.entry(call.tool().to_owned()).or_default();
                    tool.calls += 1;
                    tool.malformed += u64::from(call.parse_error().is_some());
                }
            }
            Record::Event(event) => {
                times.last = times.last.max(event.at);
                count_event(&event.kind, placed.step, &mut stats, &mut times);
            }
            Record::Verdict(_) => {}
        }
    }
    // Somebody was asked for these messages, but what that used was not recorded.
    for step in stats.steps.iter_mut().skip(1).filter(|step| step.model_calls == 0) {
        step.tokens.unknown += 1;
        step.cost_microdollars.unknown += 1;
        stats.tokens.unknown += 1;
        stats.cost_microdollars.unknown += 1;
    }
    stats.duration_ns = times.last.since(trajectory.metadata().started_at).0;
    stats.model_latency = Latency::of(&times.model);
    for (tool, runs) in times.tools {
        stats.tools.entry(tool).or_default().latency = Latency::of(&runs);
    }
    stats
}

/// Times seen while counting, from which latencies are made at the end.
#[derive(Default)]
struct Times {
    model: Vec<Nanos>,
    tools: BTreeMap<String, Vec<Nanos>>,
    last: Time,
}

fn count_event(kind: &EventKind, step: usize, stats: &mut Stats, times: &mut Times) {
    let in_step = &mut stats.steps[step];
    match kind {
        EventKind::ModelCall(call) => {
            stats.model_calls += 1;
            stats.model_errors += u64::from(call.error.is_some());
            stats.tokens.add(call.usage, |sum, usage| sum.plus(&usage));
            stats.cost_microdollars.add(call.cost_microdollars, u64::saturating_add);
            in_step.model_calls += 1;
            in_step.tokens.add(call.usage, |sum, usage| sum.plus(&usage));
            in_step.cost_microdollars.add(call.cost_microdollars, u64::saturating_add);
            in_step.model_ns = in_step.model_ns.saturating_add(call.latency.0);
            times.model.push(call.latency);
        }
        EventKind::ToolRun(run) => {
            let tool = stats.tools.entry(run.tool.clone()).or_default();
            tool.runs += 1;
            tool.errors += u64::from(run.error.is_some());
            in_step.errors += u64::from(run.error.is_some());
            times.tools.entry(run.tool.clone()).or_default().push(run.latency);
        }
        EventKind::CodeCell(cell) => {
            in_step.cells += 1;
            in_step.errors += u64::from(cell.error.is_some());
        }
        EventKind::Flag(_) => in_step.flags += 1,
        EventKind::State(_)
        | EventKind::LimitReached(_)
        | EventKind::World(_)
        | EventKind::SubAgent(_)
        | EventKind::Other(_) => {}
    }
}
