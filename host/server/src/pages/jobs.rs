//! Jobs: what was started from pages, how it stands, what it printed, and where its results are.

use super::controls::button;
use super::folders::place;
use super::layout::{Frame, Section, Topic, layout};
use crate::library::Found;
use crate::place::Place;
use crate::text;
use assay_evaluate::{MeasureDefinition, MeasureSummary, RunRecord};
use assay_store::RunId;
use assay_work::jobs::{Job, State, What};
use maud::{Markup, html};

/// Jobs that are listed, the newest.
const LISTED_MAX: usize = 200;
/// Measures of a run that are shown beside its job; its report has all.
const MEASURES: [&str; 8] =
    ["pnl", "max_drawdown", "trades", "volume", "position_max_abs", "fees", "spread", "volatility_60s"];

/// A job with what is known of it.
pub(crate) struct Shown {
    pub job: Job,
    /// The end of what it printed, and how many bytes that is in all.
    pub output: (String, u64),
    /// The folder of its results, once it is seen.
    pub found: Option<Found>,
    /// The run of the store that it has made.
    pub run: Option<RunId>,
    /// What it has found, of a run in one market.
    pub record: Option<RunRecord>,
    /// Whether it can go on where it ended.
    pub can_go_on: bool,
}

fn tag(state: State) -> Markup {
    let class = match state {
        state if state.is_success() => "tag good",
        State::Waiting | State::Running => "tag",
        State::Stopped | State::Lost | State::Ended { code: Some(130) } => "tag doubtful",
        State::Ended { .. } => "tag bad",
    };
    html! { span class=(class) { (state.words()) } }
}

pub(crate) fn list(frame: Frame<'_>, jobs: &[Job], topic: &Topic) -> String {
    let body = html! {
        p { a href="/edit" { "Write a strategy" } " · " a href="/runs/new" { "Run a strategy" } " · " a href="/refine/new" { "Refine one" } " · " a href="/gate/new" { "Judge one" } " · " a href="/rollouts/new" { "Start a rollout" } " · " a href="/worlds/new" { "Start a run in a world" } }
        @if jobs.is_empty() { p { "Nothing has been started from these pages yet." } } @else { (table(frame, jobs)) }
    };
    layout(frame, "Jobs", Section::Jobs, Some(topic), &body)
}

/// Jobs as a table.
pub(crate) fn table(frame: Frame<'_>, jobs: &[Job]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Jobs" { table {
            thead { tr { th scope="col" { "Job" } th scope="col" { "Kind" } th scope="col" { "What" } th scope="col" { "State" } th scope="col" { "Asked for (UTC)" } th class="number" scope="col" { "Took" } } }
            tbody {
                @for job in jobs.iter().take(LISTED_MAX) {
                    tr data-row="" {
                        td class="id" { (frame.link(&Place::Job(job.id.clone()), job.id.as_str())) }
                        td { (job.what.word()) }
                        td class="id" { (text::name(&job.subject)) }
                        td { (tag(job.state)) }
                        td class="short" { (text::moment(i64::try_from(job.asked_ms).unwrap_or(i64::MAX))) }
                        td class="number" { @if let Some(took) = took(job) { (text::duration(took)) } }
                    }
                }
            }
        } }
        @if jobs.len() > LISTED_MAX { p class="small" { (text::counted(jobs.len() - LISTED_MAX, "earlier job", "earlier jobs")) } }
    }
}

fn took(job: &Job) -> Option<u64> {
    Some(job.ended_ms?.saturating_sub(job.began_ms?))
}

pub(crate) fn page(frame: Frame<'_>, shown: &Shown, topic: &Topic) -> String {
    let job = &shown.job;
    let body = html! {
        section id="job" data-part="" {
            (panel(frame, shown))
            details { summary { "Command" } p { code { "assay " (text::words(&job.words.join(" "))) } } }
        }
    };
    layout(frame, &format!("Job {}", job.id), Section::Jobs, Some(topic), &body)
}

/// A job on the page that it was started from, or on its own.
pub(crate) fn panel(frame: Frame<'_>, shown: &Shown) -> Markup {
    let Shown { job, output, record, .. } = shown;
    let made = made(frame, shown);
    html! {
        h2 { "Job " (frame.link(&Place::Job(job.id.clone()), job.id.as_str())) }
        p {
            (tag(job.state)) " " (job.what.word()) " of " (text::name(&job.subject))
            @if let Some(took) = took(job) { ", took " (text::duration(took)) }
            @if job.resumes > 0 { ", resumed " (text::counted(job.resumes, "time", "times")) " after the server ended" }
        }
        @if job.state == State::Lost { p class="notice" { "It ended with the server that ran it." } }
        @if let Some(form) = frame.form {
            p class="buttons" {
                @if !job.state.is_end() { (button(form, &format!("/jobs/{}/stop", job.id), "Stop")) }
                @if shown.can_go_on { (button(form, &format!("/jobs/{}/resume", job.id), "Resume")) " " }
                @if job.state.is_end() && job.what != What::Refine { (button(form, &format!("/jobs/{}/again", job.id), "Run again")) }
            }
        }
        @if let Some(record) = record { (measures(record)) }
        @if !made.is_empty() {
            p { @for (index, link) in made.iter().enumerate() { @if index > 0 { " · " } (link) } }
        }
        @if !output.0.is_empty() {
            details open[record.is_none() && job.state != State::Waiting] {
                summary { "What it printed" }
                @if output.1 > output.0.len() as u64 { p class="small" { "the last part of " (text::counted(output.1, "byte", "bytes")) } }
                (text::block(output.0.trim_end()))
            }
        }
    }
}

/// Links to what a job has made: in its folder and in the store, as far as it is known.
fn made(frame: Frame<'_>, shown: &Shown) -> Vec<Markup> {
    let Shown { job, found, run, .. } = shown;
    let mut links = Vec::new();
    if let Some(found) = found {
        links.push(frame.link(&place(found), words(job.what)));
    }
    if let Some(run) = *run {
        let (place, words) = match job.what {
            What::Gate => (Place::StoredVerdict(run), "The verdict in the store"),
            What::Refine => (Place::Run(run), "The session in the store"),
            What::Run | What::Rollout | What::World => (Place::Run(run), "The run in the store"),
        };
        links.push(frame.link(&place, words));
    }
    // Verdicts and refinements are not compared.
    if job.what == What::Run && !links.is_empty() {
        let compare = |run| frame.link(&Place::Compare(Some(run), None), "Compare with another run");
        links.extend(run.map(compare));
        links.push(html! { a href={ "/edit?job=" (job.id) } { "Edit this version" } });
    }
    links
}

const fn words(what: What) -> &'static str {
    match what {
        What::Run => "The whole report",
        What::Gate => "The verdict",
        What::Refine => "The session",
        What::Rollout => "The rollout",
        What::World => "The run",
    }
}

fn measures(record: &RunRecord) -> Markup {
    let definition = |key: &str| record.measures.iter().find(|definition| definition.key == key);
    let rows: Vec<(&MeasureSummary, &MeasureDefinition)> = MEASURES
        .iter()
        .filter_map(|key| Some((record.summary.measures.iter().find(|row| row.key == *key)?, definition(key)?)))
        .collect();
    let baseline = record.baseline.as_ref().map_or("doing nothing", |baseline| baseline.file_name.as_str());
    let mean = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), text::number);
    let answer = |row: &MeasureSummary, definition: &MeasureDefinition| {
        let is_more = row.difference.mean.is_some_and(|mean| mean > 0.0);
        match (row.difference.is_told(), definition.better.as_str()) {
            (false, _) if row.difference.mean.is_none() => "no value",
            (false, _) => "no significant difference",
            (true, "higher") if is_more => "better",
            (true, "lower") if !is_more => "better",
            (true, "higher" | "lower") => "worse",
            (true, _) if is_more => "higher",
            (true, _) => "lower",
        }
    };
    html! {
        @if let Some(score) = &record.score {
            p class="lead" {
                @match score.value {
                    Some(value) => { "Score " strong { (text::spread(value, score.interval.map(|interval| (interval.low, interval.high)))) } " of 10, goal " (score.goal.name()) "." },
                    None => "No score.",
                }
                @if let Some(reason) = &score.reason { " " (text::words(reason)) }
            }
        }
        div class="scroll" tabindex="0" role="group" aria-label="Measures of the run" { table {
            thead { tr {
                th scope="col" { "Measure" } th class="number" scope="col" { "This one" } th class="number" scope="col" { (text::name(baseline)) }
                th class="number" scope="col" { "Difference, 95% interval" } th scope="col" { "Answer" }
            } }
            tbody {
                @for (row, definition) in &rows {
                    tr data-row="" {
                        td { (text::name(&definition.title)) " " span class="unit" { (text::name(&definition.unit)) } }
                        td class="number" { (mean(row.strategy.mean)) }
                        td class="number" { (mean(row.baseline.mean)) }
                        td class="number" { @if let Some(mean) = row.difference.mean { (text::spread(mean, row.difference.interval.map(|interval| (interval.low, interval.high)))) } }
                        td { (answer(row, definition)) }
                    }
                }
            }
        } }
    }
}
