//! An episode as text for people.
//!
//! Invariant: what a guest or a model wrote cannot steer a terminal.

use crate::event::{Event, EventKind};
use crate::filter::Filter;
use crate::message::{Message, Part};
use crate::score::{Rule, ScoreNode};
use crate::stats::{Latency, Stats, ToolStats};
use crate::terminal::harmless;
use crate::trajectory::{Record, Trajectory};
use crate::verdict::Verdict;
use assay_model::Nanos;
use std::fmt::Write as _;

/// The records that the filter picks, one paragraph each. `lines_max` bounds each piece of text; what is left out is counted.
#[must_use]
pub fn show(trajectory: &Trajectory, filter: &Filter, lines_max: usize) -> String {
    let metadata = trajectory.metadata();
    let mut out = format!(
        "{} · scenario {} · model {} · seed {}\n",
        metadata.id, metadata.scenario, metadata.model, metadata.seed.0
    );
    for placed in filter.pick(trajectory) {
        let text = match placed.record {
            Record::Message(message) => show_message(message, lines_max),
            Record::Event(event) => show_event(event, lines_max),
            Record::Verdict(verdict) => show_verdict(verdict),
        };
        let _ = writeln!(out, "[{}] {}", placed.step, text.trim_end());
    }
    harmless(&out)
}

fn first_lines(text: &str, lines_max: usize) -> String {
    let lines = text.lines().count();
    let mut out: String = text.lines().take(lines_max).flat_map(|line| [line, "\n"]).collect();
    if lines > lines_max {
        let _ = writeln!(out, "… {} more lines", lines - lines_max);
    }
    out
}

fn show_message(message: &Message, lines_max: usize) -> String {
    let mut out = match message.answers() {
        Some(call) => format!("tool answers {call}\n"),
        None => format!("{}\n", message.role().name()),
    };
    for part in message.parts() {
        match part {
            Part::Text { text } => out.push_str(&first_lines(text, lines_max)),
            Part::Image { media_type, .. } => drop(writeln!(out, "<{}>", media_type.name())),
            Part::Reasoning { text, .. } => drop(write!(out, "<reasoning>\n{}", first_lines(text, lines_max))),
            Part::RedactedReasoning { data } => drop(writeln!(out, "<redacted reasoning, {} bytes>", data.len())),
        }
    }
    for call in message.tool_calls() {
        let arguments = first_lines(call.arguments_raw(), lines_max);
        let _ = writeln!(out, "→ {} {} {}", call.id(), call.tool(), arguments.trim_end());
        if let Some(error) = call.parse_error() {
            let _ = writeln!(out, "  not understood: {error}");
        }
    }
    out
}

fn millis(time: Nanos) -> String {
    format!("{}.{:03} ms", time.0 / 1_000_000, time.0 / 1_000 % 1_000)
}

fn show_event(event: &Event, lines_max: usize) -> String {
    match &event.kind {
        EventKind::ModelCall(call) => {
            let tokens = call.usage.map_or("tokens unknown".to_owned(), |usage| {
                format!("{} in, {} out", usage.input_total(), usage.output)
            });
            let cost = call.cost_microdollars.map_or("cost unknown".to_owned(), dollars);
            let error = call.error.as_ref().map(|error| format!(" · error: {error}")).unwrap_or_default();
            format!("model {} · {tokens} · {cost} · {}{error}", call.model, millis(call.latency))
        }
        EventKind::ToolRun(run) => {
            let error = run.error.as_ref().map(|error| format!(" · error: {error}")).unwrap_or_default();
            format!("ran {} · {}{error}", run.tool, millis(run.latency))
        }
        EventKind::CodeCell(cell) => {
            let mut out = format!("{} cell · {} · fuel {}\n", cell.language, millis(cell.latency), cell.fuel);
            for text in [&cell.source, &cell.stdout, &cell.stderr].into_iter().chain(&cell.error) {
                out.push_str(&first_lines(text, lines_max));
            }
            out
        }
        EventKind::State(state) => format!("state {}", state.root()),
        EventKind::LimitReached(reached) => {
            format!("limit {:?}: {} of {} used", reached.limit, reached.used, reached.allowed)
        }
        EventKind::Flag(flag) => format!("flag {}: {}", flag.name, flag.detail),
        EventKind::World(world) => {
            let fault = if world.fault { " (fault)" } else { "" };
            format!("world {} {}{fault} {}", world.source, world.name, world.detail)
        }
        EventKind::SubAgent(sub) => format!("sub-agent {}", sub.trajectory_id),
        EventKind::Other(other) => format!("{} {}", other.kind(), first_lines(other.body(), lines_max)),
    }
}

/// The figures of an episode, a line each.
#[must_use]
pub fn show_stats(stats: &Stats) -> String {
    let unknown = |calls: u64| if calls == 0 { String::new() } else { format!(", unknown for {calls} calls") };
    let messages: Vec<_> = stats.messages.iter().map(|(role, count)| format!("{count} {}", role.name())).collect();
    let tokens = stats.tokens.known;
    let reward = stats.reward.map(|reward| format!(", reward {reward}")).unwrap_or_default();
    let mut out = format!("outcome   {}{reward}\n", stats.outcome.unwrap_or("no verdict"));
    let _ = writeln!(out, "duration  {}", millis(Nanos(stats.duration_ns)));
    let _ = writeln!(out, "messages  {}", messages.join(", "));
    let _ = writeln!(
        out,
        "tokens    {} in ({} read from cache, {} written), {} out ({} reasoning){}",
        tokens.input_total(),
        tokens.cache_read,
        tokens.cache_write,
        tokens.output,
        tokens.reasoning,
        unknown(stats.tokens.unknown)
    );
    let cost = &stats.cost_microdollars;
    let _ = writeln!(out, "cost      {}{}", dollars(cost.known), unknown(cost.unknown));
    let _ = writeln!(
        out,
        "model     {} calls, {} failed{}",
        stats.model_calls,
        stats.model_errors,
        latency(stats.model_latency.as_ref())
    );
    for (name, tool) in &stats.tools {
        let ToolStats { calls, malformed, runs, errors, .. } = tool;
        let times = latency(tool.latency.as_ref());
        let _ = writeln!(
            out,
            "tool      {name}: {calls} calls, {malformed} malformed, {runs} runs, {errors} failed{times}"
        );
    }
    for flag in &stats.flags {
        let _ = writeln!(out, "flag      {flag}");
    }
    harmless(&out)
}

fn latency(latency: Option<&Latency>) -> String {
    latency.map_or(String::new(), |latency| {
        let [min, median, p95, max] =
            [latency.min_ns, latency.p50_ns, latency.p95_ns, latency.max_ns].map(|time| millis(Nanos(time)));
        format!("; fastest {min}, median {median}, 95th percentile {p95}, slowest {max}")
    })
}

/// Micro-dollars as dollars, exactly.
fn dollars(microdollars: u64) -> String {
    format!("${}.{:06}", microdollars / 1_000_000, microdollars % 1_000_000)
}

fn show_verdict(verdict: &Verdict) -> String {
    let outcome = verdict.outcome().map_or("unscored", crate::Outcome::name);
    let mut out = format!("{outcome} by {} ({})\n", verdict.scorer(), verdict.reason());
    show_score(verdict.score(), 1, &mut out);
    out
}

fn show_score(node: &ScoreNode, depth: usize, out: &mut String) {
    let rule = match &node.rule {
        Rule::Score(_) | Rule::Unscored(_) => "",
        Rule::Gate { .. } => " = gate",
        Rule::Veto { .. } => " = veto",
        Rule::Product(_) => " = product",
        Rule::WeightedSum(_) => " = weighted sum",
    };
    let _ = writeln!(out, "{:indent$}{}{rule}: {}", "", node.name, node.value(), indent = depth * 2);
    for child in node.children() {
        show_score(child, depth + 1, out);
    }
}
