//! Everything below the result: charts, seeds, resources, findings, log, source, and how to reproduce it all.

use crate::charts::{Chart, LEFT, RIGHT, Sight, WIDTH, Window, charts};
use crate::format::{bytes, clock, count, counted, grouped, shown, visible};
use assay_evaluate::{EpisodeRecord, ProfileRecord, RunRecord, outcome_detail, outcome_name};
use maud::{Markup, PreEscaped, html};

/// Rows of the table of seeds.
pub(crate) const SEED_ROWS_MAX: usize = 200;
/// Log lines shown, over all seeds.
pub(crate) const LOG_LINES_MAX: usize = 200;
/// Characters shown of one line of log, message or source.
pub(crate) const LINE_CHARS_MAX: usize = 500;
/// Lines of source shown, and characters in all of them.
pub(crate) const SOURCE_LINES_MAX: usize = 5_000;
/// See [`SOURCE_LINES_MAX`].
pub(crate) const SOURCE_CHARS_MAX: usize = 250_000;
/// Findings shown.
pub(crate) const FINDINGS_MAX: usize = 100;
/// Seeds written out one by one.
pub(crate) const SEEDS_LISTED_MAX: usize = 50;
/// Functions of a profile shown.
pub(crate) const FUNCTIONS_MAX: usize = 20;
/// Characters shown of a backtrace.
pub(crate) const BACKTRACE_CHARS_MAX: usize = 4_000;

/// How the charts are shown.
#[derive(Clone, Copy, Default, Debug)]
pub struct Manner<'a> {
    /// What of the course is drawn; all of it without one.
    pub window: Option<Window>,
    /// The address of the page, if a server draws other windows and gives the charts as files below it.
    pub address: Option<&'a str>,
}

/// Charts of the first scored seed.
pub(crate) fn course(record: &RunRecord, manner: Manner<'_>) -> Markup {
    let sight = Sight::of(record, manner.window);
    let seen = sight.as_ref().map(Sight::window);
    // What a script needs to draw a crosshair, and to ask for another window.
    let served = manner.address.zip(seen).zip(record.series.as_ref());
    let plot = served.map(|_| format!("{LEFT} {} {WIDTH}", WIDTH - RIGHT));
    html! {
        section id="charts" data-address=[served.map(|((address, _), _)| address)] data-from=[served.map(|((_, seen), _)| seen.from_ns)]
            data-to=[served.map(|((_, seen), _)| seen.to_ns)] data-start=[served.map(|(_, series)| series.start_ns)]
            data-step=[served.map(|(_, series)| series.step_ns)] data-steps=[served.map(|(_, series)| series.volume.len())] data-plot=[plot] {
            h2 { "Charts" }
            @match (&sight, seen) {
                (Some(sight), Some(seen)) => {
                    p class="small" {
                        "Seed " (sight.seed) ", " (clock(seen.from_ns, false)) " to " (clock(seen.to_ns, false))
                        ", exchange time. Shaded: from the least to the greatest value in each of "
                        (sight.volume.len()) " equal intervals."
                        @if sight.is_part() { " This is a part of the session." }
                    }
                    @if let Some(address) = manner.address { (windows(address, sight, seen)) }
                    @for chart in charts(sight, &record.episodes) { (figure_of(&chart, manner.address.map(|address| (address, sight.is_part().then_some(seen))))) }
                }
                _ => p { "No seed was scored, so there is nothing to draw." },
            }
        }
    }
}

/// An address of another window.
fn address_of(address: &str, window: Option<Window>) -> String {
    match window {
        Some(Window { from_ns, to_ns }) => format!("{address}?from={from_ns}&to={to_ns}#charts"),
        None => format!("{address}#charts"),
    }
}

/// Links to other windows, for whoever has no mouse or no script.
fn windows(address: &str, sight: &Sight<'_>, Window { from_ns, to_ns }: Window) -> Markup {
    let (length, whole) = (to_ns.saturating_sub(from_ns), sight.step_ns.saturating_mul(sight.total as u64));
    let start = from_ns.saturating_sub(sight.step_ns.saturating_mul(sight.seen.start as u64));
    let end = start.saturating_add(whole);
    let link = |words: &str, from_ns: u64, to_ns: u64| {
        html! { a href=(address_of(address, Some(Window { from_ns, to_ns }))) { (words) } }
    };
    html! {
        nav aria-label="Window of the charts" {
            @if from_ns > start { (link("Earlier", from_ns.saturating_sub(length / 2).max(start), to_ns.saturating_sub((length / 2).min(from_ns - start)))) }
            @if to_ns < end { (link("Later", from_ns.saturating_add((length / 2).min(end - to_ns)), to_ns.saturating_add(length / 2).min(end))) }
            @if sight.volume.len() > 16 {
                (link("First half", from_ns, from_ns + length / 2))
                (link("Second half", from_ns + length / 2, to_ns))
            }
            @if sight.is_part() {
                (link("Further", from_ns.saturating_sub(length / 2).max(start), to_ns.saturating_add(length / 2).min(end)))
                a href=(address_of(address, None)) { "All" }
            }
        }
    }
}

pub(crate) fn figure(chart: &Chart) -> Markup {
    figure_of(chart, None)
}

/// A chart; where a server gives it as files, with links to them: their address, and the window if it is not all.
fn figure_of(chart: &Chart, files: Option<(&str, Option<Window>)>) -> Markup {
    let is_linked = files.is_some() && chart.is_over_time();
    html! {
        figure id={ "chart-" (chart.id) } {
            figcaption {
                strong { (chart.title) }
                @if chart.drawing.is_ok() { @for (class, text) in &chart.legend { span class={ "key " (class) } { (text) } } }
            }
            @match &chart.drawing {
                Ok((view_box, drawing)) => {
                    div class="drawing" tabindex="0" role=[is_linked.then_some("group")] aria-label=[is_linked.then(|| format!("Drawing: {}", chart.title))] data-chart=[is_linked.then_some(chart.id)] {
                        svg viewBox=(view_box) role="img" aria-labelledby={ "title-" (chart.id) " text-" (chart.id) } {
                            title id={ "title-" (chart.id) } { (chart.title) }
                            desc id={ "text-" (chart.id) } { (chart.reading) }
                            (PreEscaped(drawing))
                        }
                    }
                    p class="small" { (chart.reading) }
                    @if let Some((address, window)) = files { (file_links(chart, address, window)) }
                    (data(chart))
                }
                Err(why) => p { (why) },
            }
        }
    }
}

fn file_links(chart: &Chart, address: &str, window: Option<Window>) -> Markup {
    let query = window.map(|Window { from_ns, to_ns }| format!("?from={from_ns}&to={to_ns}")).unwrap_or_default();
    html! {
        p class="small files" {
            @for (ending, words) in [("csv", "Values as CSV"), ("svg", "Drawing as SVG")] {
                a href={ (address) "/charts/" (chart.id) "." (ending) (query) } aria-label={ (words) ": " (chart.title) } { (words) } " "
            }
        }
    }
}

/// The chart as a table.
fn data(chart: &Chart) -> Markup {
    html! {
        details class="data" {
            summary { "As a table" }
            div class="scroll" {
                table {
                    caption { (chart.title) ", some of its values; all are in run.json" }
                    thead { tr { @for title in &chart.table.head { th scope="col" class="number" { (title) } } } }
                    tbody {
                        @for row in &chart.table.rows {
                            tr { @for (index, text) in row.iter().enumerate() {
                                @if index == 0 { th scope="row" class="number" { (text) } } @else { td class="number" { (text) } }
                            } }
                        }
                    }
                }
            }
        }
    }
}

/// What became of each seed.
pub(crate) fn seeds(record: &RunRecord) -> Markup {
    let pnl = shown("cents");
    let value = |episode: &EpisodeRecord, key: &str| episode.measures.get(key).and_then(|measure| measure.value);
    html! {
        section id="seeds" {
            h2 { "Seeds" }
            ul class="plain" {
                @for outcome in &record.summary.outcomes {
                    li { strong { (visible(&outcome.what, LINE_CHARS_MAX)) } ": " (counted(outcome.seeds as usize, "seed", "seeds")) ", first seed " (outcome.first_seed) }
                }
            }
            div class="scroll" {
                table {
                    caption { "Outcome of each scored seed" }
                    thead { tr {
                        th scope="col" class="number" { "Seed" }
                        th scope="col" { "Outcome" }
                        th scope="col" class="number" { "PnL ($)" }
                        th scope="col" class="number" { "Drawdown ($)" }
                        th scope="col" class="number" { "Fills" }
                        th scope="col" class="number" { "Fuel" }
                        th scope="col" class="number" { "Events" }
                        th scope="col" { "Event log (BLAKE3)" }
                    } }
                    tbody {
                        @for episode in record.episodes.iter().take(SEED_ROWS_MAX) {
                            tr {
                                th scope="row" class="number" { (episode.seed) }
                                td class=(if episode.succeeded() { "" } else { "bad" }) {
                                    (outcome_name(episode))
                                    @if let Some(detail) = outcome_detail(episode) { span class="sd" { (visible(&detail, LINE_CHARS_MAX)) } }
                                }
                                td class="number" { (pnl.number_or_dash(value(episode, "pnl"))) }
                                td class="number" { (pnl.number_or_dash(value(episode, "max_drawdown"))) }
                                td class="number" { (shown("count").number_or_dash(value(episode, "fills"))) }
                                td class="number" { (count(episode.usage.fuel())) }
                                td class="number" { (count(episode.events)) }
                                td { code title=(episode.event_log_hash) { (episode.event_log_hash.get(..16).unwrap_or_default()) } }
                            }
                        }
                    }
                }
            }
            (more(record.episodes.len(), SEED_ROWS_MAX))
            @if !record.unscored.is_empty() {
                h3 { "Unscored" }
                ul { @for unscored in record.unscored.iter().take(SEED_ROWS_MAX) { li { "seed " (unscored.seed) ": " (visible(&unscored.what, LINE_CHARS_MAX)) } } }
                (more(record.unscored.len(), SEED_ROWS_MAX))
            }
            @if !record.not_run.is_empty() { p { "Not run: " (list(&record.not_run)) } }
        }
    }
}

/// Fuel, memory and limits.
pub(crate) fn resources(record: &RunRecord) -> Markup {
    let usage = &record.summary.usage;
    html! {
        section id="resources" {
            h2 { "Resources" }
            dl {
                dt { "Fuel" } dd { (count(usage.fuel)) " in all, " (count(usage.fuel_episode_max)) " in the most expensive seed" }
                dt { "Peak memory" } dd { (bytes(usage.memory_bytes_peak)) }
                dt { "Host calls" } dd { (count(usage.host_calls)) }
                dt { "Limits hit" }
                dd {
                    @if record.summary.limits_hit.is_empty() { "none" }
                    @for limit in record.summary.limits_hit.iter().take(FINDINGS_MAX) {
                        div { (visible(&limit.what, LINE_CHARS_MAX)) ": " (counted(limit.seeds as usize, "seed", "seeds")) ", first seed " (limit.first_seed) }
                    }
                }
            }
            @if let Some(profile) = &record.profile { (functions(profile)) }
            div class="scroll" {
                table {
                    caption { "Fuel by callback (about one per WebAssembly operator)" }
                    thead { tr {
                        th scope="col" { "Callback" }
                        th scope="col" class="number" { "Calls" }
                        th scope="col" class="number" { "Total" }
                        th scope="col" class="number" { "Mean" }
                        th scope="col" class="number" { "Median at most" }
                        th scope="col" class="number" { "99 % at most" }
                        th scope="col" class="number" { "Highest" }
                        th scope="col" { "Highest in" }
                        th scope="col" class="number" { "Limit per call" }
                        th scope="col" class="number" { "Highest, % of limit" }
                    } }
                    tbody {
                        @for row in &usage.callbacks {
                            tr {
                                th scope="row" { code { (row.callback.name()) } }
                                td class="number" { (count(row.calls)) }
                                td class="number" { (count(row.fuel)) }
                                td class="number" { (row.fuel_mean.map_or_else(|| crate::format::NO_VALUE.to_owned(), |mean| grouped(mean, 0))) }
                                td class="number" { (row.fuel_p50.map_or_else(|| crate::format::NO_VALUE.to_owned(), count)) }
                                td class="number" { (row.fuel_p99.map_or_else(|| crate::format::NO_VALUE.to_owned(), count)) }
                                td class="number" { (count(row.fuel_max)) }
                                td { @if let Some(call) = row.dearest { "seed " (call.seed) ", " (clock(call.at_ns, true)) } }
                                td class="number" { (count(row.fuel_limit)) }
                                td class="number" { (grouped(row.fuel_max as f64 / row.fuel_limit.max(1) as f64 * 100.0, 2)) " %" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Fuel by function, as [`assay_evaluate::profile`] found it.
fn functions(profile: &ProfileRecord) -> Markup {
    let share = |fuel: u64| grouped(fuel as f64 / profile.fuel.max(1) as f64 * 100.0, 2);
    html! {
        div class="scroll" {
            table {
                caption { "Fuel by function in seed " (profile.seed) ", " (count(profile.fuel)) " in all; by call path: profile.svg, next to this page" }
                thead { tr {
                    th scope="col" { "Function" }
                    th scope="col" class="number" { "Calls" }
                    th scope="col" class="number" { "Its own" }
                    th scope="col" class="number" { "Own, %" }
                    th scope="col" class="number" { "Including calls, %" }
                } }
                tbody {
                    @for function in profile.functions.iter().take(FUNCTIONS_MAX) {
                        tr {
                            th scope="row" { code { (visible(&function.name, LINE_CHARS_MAX)) } }
                            td class="number" { (count(function.calls)) }
                            td class="number" { (count(function.fuel_self)) }
                            td class="number" { (share(function.fuel_self)) }
                            td class="number" { (share(function.fuel_total)) }
                        }
                    }
                }
            }
        }
        (more(profile.functions.len(), FUNCTIONS_MAX))
    }
}

/// What the checks said.
pub(crate) fn findings(record: &RunRecord) -> Markup {
    html! {
        section id="findings" {
            h2 { "Findings" }
            @if record.findings.is_empty() { p { "The checks found no problems." } }
            @for finding in record.findings.iter().take(FINDINGS_MAX) {
                article class={ "finding " (visible(&finding.severity, 20)) } {
                    p { strong { (visible(&finding.code, 40)) " " (visible(&finding.severity, 20)) } " " code { (visible(&finding.place, LINE_CHARS_MAX)) } }
                    p { (visible(&finding.message, LINE_CHARS_MAX)) }
                    @if let Some(observed) = &finding.observed { p class="small" { "seen: " code { (visible(observed, LINE_CHARS_MAX)) } } }
                    @if let Some(limit) = &finding.limit { p class="small" { "allowed: " code { (visible(limit, LINE_CHARS_MAX)) } } }
                    p class="small" { "hint: " (visible(&finding.hint, LINE_CHARS_MAX)) }
                }
            }
            (more(record.findings.len().saturating_add(record.findings_omitted as usize), FINDINGS_MAX))
        }
    }
}

/// What the strategy logged, and where it failed.
pub(crate) fn log(record: &RunRecord) -> Markup {
    let lines = || record.episodes.iter().flat_map(|episode| episode.log.iter().map(move |line| (episode.seed, line)));
    let total = lines().count();
    let dropped = record.summary.usage.log_lines_dropped;
    html! {
        section id="log" {
            h2 { "Log" }
            @if total == 0 { p { "The strategy logged nothing." } } @else {
                details {
                    summary { (counted(total, "line", "lines")) @if dropped > 0 { ", " (count(dropped)) " dropped for lack of space" } }
                    div class="scroll" {
                        table class="log" {
                            thead { tr { th scope="col" class="number" { "Seed" } th scope="col" { "Time" } th scope="col" { "Line" } } }
                            tbody {
                                @for (seed, line) in lines().take(LOG_LINES_MAX) {
                                    tr {
                                        td class="number" { (seed) }
                                        td { (clock(line.at_ns, true)) }
                                        td { code { (visible(&line.text, LINE_CHARS_MAX)) } }
                                    }
                                }
                            }
                        }
                    }
                    (more(total, LOG_LINES_MAX))
                }
            }
            @for backtrace in &record.diagnostics.backtraces {
                details {
                    summary { "Stack of the strategy in seed " (backtrace.seed) }
                    pre { @for line in backtrace.text.lines() { (visible(line, BACKTRACE_CHARS_MAX)) "\n" } }
                }
            }
        }
    }
}

/// The strategy as it was run.
pub(crate) fn source(record: &RunRecord) -> Markup {
    html! {
        section id="source" {
            h2 { "Source" }
            @match &record.strategy.source {
                None => p { "The strategy was submitted as a component, without source." },
                Some(source) => {
                    pre class="source" tabindex="0" {
                        @for line in capped(source) { span { (visible(line, LINE_CHARS_MAX)) "\n" } }
                    }
                    (more(source.lines().count(), capped(source).count()))
                }
            }
        }
    }
}

/// Command, versions, hashes, seeds and scenario.
pub(crate) fn reproduce(record: &RunRecord) -> Markup {
    let strategy = &record.strategy;
    html! {
        section id="reproduce" {
            h2 { "Reproduce" }
            pre { (visible(&record.command, 4 * LINE_CHARS_MAX)) }
            p class="small" { "The same command gives the same run.json, byte for byte, apart from the fields timing and diagnostics." }
            dl {
                dt { "Seeds" } dd { (list(&record.seeds)) }
                dt { "Scenario" } dd { (visible(&record.scenario.name, LINE_CHARS_MAX)) " \u{2013} " (visible(&record.scenario.summary, LINE_CHARS_MAX)) br; code { (record.scenario.hash) } }
                dt { "Strategy" } dd { (visible(&strategy.file_name, LINE_CHARS_MAX)) }
                @if let Some(hash) = &strategy.source_hash { dt { "Source hash" } dd { code { (hash) } } }
                dt { "Component hash" } dd { code { (strategy.component_hash) } }
                @if let Some(version) = &strategy.sdk_version { dt { "SDK" } dd { (visible(version, LINE_CHARS_MAX)) } }
                @if let Some(version) = &strategy.rustc_version { dt { "Compiler" } dd { (visible(version, LINE_CHARS_MAX)) } }
                dt { "Assay" } dd { (record.tool.assay) }
                dt { "wasmtime" } dd { (record.tool.wasmtime) }
                dt { "Took" }
                dd {
                    (grouped(record.timing.evaluate_seconds, 2)) " s on " (counted(record.timing.threads as usize, "thread", "threads"))
                    @for (phase, seconds) in &record.timing.phases_seconds { ", " (visible(phase, 40)) " " (grouped(*seconds, 2)) " s" }
                }
            }
            details {
                summary { "Scenario text" }
                pre { @for line in capped(&record.scenario.text) { (visible(line, LINE_CHARS_MAX)) "\n" } }
                (more(record.scenario.text.lines().count(), capped(&record.scenario.text).count()))
            }
        }
    }
}

/// The lines of a text that are shown.
fn capped(text: &str) -> impl Iterator<Item = &str> {
    let mut chars = 0;
    text.lines().take(SOURCE_LINES_MAX).take_while(move |line| {
        chars += line.chars().count().min(LINE_CHARS_MAX);
        chars <= SOURCE_CHARS_MAX
    })
}

/// Numbers one by one, or as ranges where they follow each other.
fn list(numbers: &[u64]) -> String {
    let mut ranges = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let shown: Vec<String> = ranges
        .by_ref()
        .take(SEEDS_LISTED_MAX)
        .map(|range| match range {
            [first, .., last] if range.len() > 2 => format!("{first} to {last}"),
            numbers => numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
        })
        .collect();
    let left_out: usize = ranges.map(<[u64]>::len).sum();
    let more = if left_out > 0 { format!(" and {left_out} more in run.json") } else { String::new() };
    shown.join(", ") + &more
}

/// Says how much a capped list leaves out.
pub(crate) fn more(total: usize, shown_max: usize) -> Markup {
    html! {
        @if total > shown_max { p class="small" { "and " (count((total - shown_max) as u64)) " more in run.json" } }
    }
}
