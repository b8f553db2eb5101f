//! What `assay trace stats` does: one episode step by step, or many with a line each and their sums.
//!
//! Invariant: one file is in memory at a time; what stays are its figures.

use super::load_what_is_good;
use crate::settings::FiguresFormat;
use crate::{Ending, Failure, face, input, output};
use assay_model::Seed;
use assay_trace::{Metadata, Stats, StepStats, Tally, TrajectoryId, Usage};
use serde_json::json;
use std::path::PathBuf;

/// Episodes that are counted.
#[derive(Clone, Debug)]
pub struct StatsSettings {
    /// The trajectories; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// How the figures are written.
    pub format: FiguresFormat,
}

struct Episode {
    file: String,
    id: TrajectoryId,
    scenario: String,
    attempt: u32,
    model: String,
    seed: Seed,
    stats: Stats,
}

/// Counts tokens, cost, time, tools and steps of one episode or of many.
///
/// # Errors
///
/// Where a file cannot be read, or the figures cannot be written.
pub fn run(settings: &StatsSettings) -> Result<Ending, Failure> {
    input::at_most_one_standard_input(&settings.files)?;
    let mut episodes = Vec::with_capacity(settings.files.len());
    for path in &settings.files {
        let named = load_what_is_good(path)?;
        let trajectory = named.loaded.trajectory;
        let Metadata { id, scenario, attempt, model, seed, .. } = trajectory.metadata();
        episodes.push(Episode {
            file: named.name,
            id: id.clone(),
            scenario: scenario.clone(),
            attempt: *attempt,
            model: model.clone(),
            seed: *seed,
            stats: assay_trace::stats(&trajectory),
        });
    }
    match (settings.format, episodes.as_slice()) {
        (FiguresFormat::Json, episodes) => output::json(&episodes.iter().map(as_json).collect::<Vec<_>>())?,
        (FiguresFormat::Table, [episode]) => {
            face::out(&face::lines(&assay_trace::show_stats(&episode.stats)));
            face::out(&steps(&episode.stats.steps));
        }
        (FiguresFormat::Table, episodes) => face::out(&table(episodes)),
    }
    crate::DONE
}

fn as_json(episode: &Episode) -> serde_json::Value {
    let Episode { file, id, scenario, attempt, model, seed, stats } = episode;
    json!({
        "file": file, "id": id, "scenario": scenario, "attempt": attempt, "model": model, "seed": seed, "stats": stats,
    })
}

/// What is known of a sum, marked if that is not all.
fn known<T>(tally: &Tally<T>, text: String) -> String {
    if tally.unknown == 0 { text } else { format!("{text}+") }
}

fn dollars(tally: &Tally<u64>) -> String {
    known(tally, format!("${}.{:06}", tally.known / 1_000_000, tally.known % 1_000_000))
}

fn tokens(tally: &Tally<Usage>) -> [String; 2] {
    [tally.known.input_total(), tally.known.output].map(|tokens| known(tally, tokens.to_string()))
}

fn milliseconds(nanos: u64) -> String {
    format!("{}", nanos / 1_000_000)
}

fn steps(steps: &[StepStats]) -> String {
    let header = [
        "step",
        "model calls",
        "tokens in",
        "tokens out",
        "cost",
        "model ms",
        "tool calls",
        "cells",
        "errors",
        "flags",
    ];
    let row = |step: &StepStats| {
        let [tokens_in, tokens_out] = tokens(&step.tokens);
        vec![
            step.step.to_string(),
            step.model_calls.to_string(),
            tokens_in,
            tokens_out,
            dollars(&step.cost_microdollars),
            milliseconds(step.model_ns),
            step.tool_calls.to_string(),
            step.cells.to_string(),
            step.errors.to_string(),
            step.flags.to_string(),
        ]
    };
    face::table(&header, &steps.iter().map(row).collect::<Vec<_>>())
}

fn table(episodes: &[Episode]) -> String {
    let header = [
        "file",
        "outcome",
        "reward",
        "steps",
        "model calls",
        "tokens in",
        "tokens out",
        "cost",
        "median ms",
        "p95 ms",
        "flags",
    ];
    let mut rows: Vec<Vec<String>> = episodes.iter().map(row).collect();
    rows.push(sums(episodes));
    face::table(&header, &rows)
}

fn row(episode: &Episode) -> Vec<String> {
    let stats = &episode.stats;
    let [tokens_in, tokens_out] = tokens(&stats.tokens);
    let latency = |pick: fn(&assay_trace::Latency) -> u64| {
        stats.model_latency.as_ref().map_or_else(|| "-".to_owned(), |latency| milliseconds(pick(latency)))
    };
    vec![
        face::visible(&episode.file),
        stats.outcome.unwrap_or("no verdict").to_owned(),
        stats.reward.map_or_else(|| "-".to_owned(), |reward| reward.to_string()),
        // The first entry is what comes before the first step.
        (stats.steps.len() - 1).to_string(),
        stats.model_calls.to_string(),
        tokens_in,
        tokens_out,
        dollars(&stats.cost_microdollars),
        latency(|latency| latency.p50_ns),
        latency(|latency| latency.p95_ns),
        stats.flags.len().to_string(),
    ]
}

/// The last row: sums, and the mean of the rewards that there are.
fn sums(episodes: &[Episode]) -> Vec<String> {
    let (mut usage, mut cost) = (Tally::<Usage>::default(), Tally::<u64>::default());
    let (mut steps, mut calls) = (0, 0);
    for Episode { stats, .. } in episodes {
        usage.known = usage.known.plus(&stats.tokens.known);
        usage.unknown += stats.tokens.unknown;
        cost.known = cost.known.saturating_add(stats.cost_microdollars.known);
        cost.unknown += stats.cost_microdollars.unknown;
        steps += stats.steps.len() - 1;
        calls += stats.model_calls;
    }
    let rewards: Vec<f64> = episodes.iter().filter_map(|episode| episode.stats.reward).collect();
    let mean = rewards.iter().sum::<f64>() / rewards.len() as f64;
    let solved = episodes.iter().filter(|episode| episode.stats.outcome == Some("success")).count();
    let [tokens_in, tokens_out] = tokens(&usage);
    vec![
        format!("{} episodes", episodes.len()),
        format!("{solved} success"),
        if rewards.is_empty() { "-".to_owned() } else { format!("mean {mean:.3}") },
        steps.to_string(),
        calls.to_string(),
        tokens_in,
        tokens_out,
        dollars(&cost),
        String::new(),
        String::new(),
        String::new(),
    ]
}
