//! Runs of the store: the list with its filters, and one of them.

use super::folders::folders;
use super::layout::{Frame, Section, Topic, layout};
use super::tables::section;
use crate::library::{Found, Scan, What};
use crate::place::{Place, encoded};
use crate::tables::Tables;
use crate::text;
use assay_evaluate::{Checked, MarketRecord, MarketsRecord, RunRecord};
use assay_store::{Filter, Kind, Kpi, Run, RunDetail, RunRow, Status, Total};
use maud::{Markup, PreEscaped, html};

/// Runs of one page of the list.
pub(crate) const RUNS_PER_PAGE: u32 = 50;
/// Episodes that a page of a rollout in the store lists.
const EPISODES_MAX: usize = 500;

/// The list that was asked for.
pub(crate) struct Listing<'a> {
    pub rows: &'a [RunRow],
    pub total: Total,
    pub filter: &'a Filter,
    /// From 0.
    pub page: u32,
    pub scan: &'a Scan,
    /// Why the store has no answer.
    pub trouble: Option<String>,
    pub topic: Topic,
}

/// What the status of a run is called whose process is gone: the store still says that it is running.
pub(crate) const LOST: &str = "lost";

/// The status of a run as it is told to people and programs.
pub(crate) fn status_word(run: &Run) -> &'static str {
    if run.is_lost() { LOST } else { run.status.word() }
}

fn status(run: &Run) -> Markup {
    let word = status_word(run);
    let class = match run.status {
        _ if word == LOST => "tag doubtful",
        Status::Failed => "tag bad",
        Status::Completed => "tag good",
        _ => "tag",
    };
    html! { span class=(class) { (word) } }
}

/// Runs as a table.
pub(crate) fn run_table(frame: Frame<'_>, rows: &[&RunRow]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Table" {
            table {
                thead { tr { th scope="col" { "Run" } th scope="col" { "Started (UTC)" } th scope="col" { "Kind" } th scope="col" { "Status" } th scope="col" { "Verdict" } th scope="col" { "Strategy or model" } th scope="col" { "Scenario" } th class="number" scope="col" { "PnL in cents, 95% interval" } } }
                tbody {
                    @for row in rows {
                        tr data-row="" {
                            td class="short" { (frame.link(&Place::Run(row.run.id), row.run.id.to_string().get(..13).unwrap_or_default())) }
                            td class="short" { (text::moment(row.run.created.0)) }
                            td { (row.run.kind.word()) }
                            td { (status(&row.run)) }
                            td { (text::name(row.run.verdict.as_deref().unwrap_or_default())) }
                            td class="id" { (text::name(&frame.told(&row.run.subject))) }
                            td class="id" { (text::name(&row.scenarios.join(", "))) }
                            td class="number" { @if let Some(kpi) = &row.kpi { (text::spread(kpi.mean, kpi.interval)) } }
                        }
                    }
                }
            }
        }
    }
}

pub(crate) fn list(frame: Frame<'_>, listing: &Listing<'_>) -> String {
    let rows: Vec<&RunRow> = listing.rows.iter().collect();
    let pages = u32::try_from(listing.total.runs.div_ceil(u64::from(RUNS_PER_PAGE))).unwrap_or(u32::MAX);
    let is_filtered = *listing.filter != Filter::default();
    let is_report = |what: What| matches!(what, What::Report | What::Markets | What::Arena);
    let reports: Vec<_> = listing.scan.found.iter().filter(|found| is_report(found.what)).collect();
    let body = html! {
        @if let Some(why) = &listing.trouble { p class="notice" { (text::words(&frame.told(why))) } }
        @if frame.is_served() {
            (filter_form(listing.filter))
            p { (frame.link(&Place::Compare(None, None), "Compare two runs")) @if frame.can_start { " · " a href="/runs/new" { "Run a strategy" } } }
        }
        @if rows.is_empty() && is_filtered && listing.total.runs == 0 && listing.trouble.is_none() { p { "No run matches. " a href="/runs" { "Show all" } } }
        @else if rows.is_empty() && listing.total.runs > 0 { p { "There is no page " (u64::from(listing.page) + 1) ": the list has " (text::counted(pages as usize, "page", "pages")) ". " a href=(query(listing.filter, 0)) { "Newest runs" } } }
        @else if rows.is_empty() && listing.trouble.is_none() { p { "The store has no runs yet: " code { "assay run my-strategy.rs" } " records one." } }
        @else if !rows.is_empty() {
            p class="small" { (counted(listing.total)) @if pages > 1 { ", page " (listing.page + 1) @if listing.total.is_exact { " of " (pages) } } }
            (run_table(frame, &rows))
        }
        @if frame.is_served() && pages > 1 {
            nav aria-label="Pages of the list" {
                @if listing.page > 0 && listing.page < pages { a rel="prev" href=(query(listing.filter, listing.page - 1)) { "Newer" } }
                @if listing.page + 1 < pages { a rel="next" href=(query(listing.filter, listing.page + 1)) { "Older" } }
            }
        }
        @if !reports.is_empty() { h2 { "Reports and arenas in folders" } (folders(frame, reports.into_iter())) }
    };
    layout(frame, "Runs", Section::Runs, Some(&listing.topic), &body)
}

/// How many runs there are, as far as they were counted.
pub(super) fn counted(total: Total) -> String {
    let runs = text::counted(total.runs, "run", "runs");
    if total.is_exact { runs } else { format!("{runs} or more") }
}

/// The address of a list.
fn query(filter: &Filter, page: u32) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let words = [
        ("kind", filter.kind.map(|kind| kind.word().to_owned())),
        ("status", status_of(filter).map(str::to_owned)),
        ("scenario", filter.scenario.clone()),
        ("strategy", filter.subjects.first().cloned()),
        ("page", (page > 0).then(|| (page + 1).to_string())),
    ];
    query.extend_pairs(words.into_iter().filter_map(|(name, value)| Some((name, value?))));
    format!("/runs?{}", query.finish())
}

/// The status that a filter asks for, in a word.
fn status_of(filter: &Filter) -> Option<&'static str> {
    if filter.is_lost { Some(LOST) } else { filter.status.map(Status::word) }
}

/// The words of all statuses that a run may have.
pub(crate) fn statuses() -> Vec<&'static str> {
    Status::ALL.iter().map(|status| status.word()).chain([LOST]).collect()
}

fn filter_form(filter: &Filter) -> Markup {
    let choice = |name: &str, chosen: Option<&str>, words: &[&str]| {
        html! {
            label { (name)
                select name=(name) {
                    option value="" { "any" }
                    @for word in words { option value=(word) selected[chosen == Some(*word)] { (word) } }
                }
            }
        }
    };
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
    let subject = filter.subjects.first().map_or("", String::as_str);
    html! {
        form class="filter" method="get" action="/runs" role="search" {
            (choice("kind", filter.kind.map(Kind::word), &kinds))
            (choice("status", status_of(filter), &statuses()))
            label { "scenario" input name="scenario" maxlength="200" value=(text::name(filter.scenario.as_deref().unwrap_or(""))); }
            label { "strategy" input id="search" name="strategy" maxlength="200" value=(text::name(subject)); }
            button { "Filter" }
        }
    }
}

/// What is known of the tables of a run, where a page has a section of them.
type Told<'a> = Option<&'a Result<Tables, String>>;

/// One run, with its report if it has one, and whether the editor has its source.
pub(crate) fn run(
    frame: Frame<'_>,
    detail: &RunDetail,
    (report, has_source): (Option<&Result<String, String>>, bool),
    tables: Told<'_>,
    links: &[Option<Place>],
) -> String {
    let run = &detail.entry.run;
    let fact = |name: &str, value: Markup| html! { dt { (name) } dd { (value) } };
    let took =
        run.started.zip(run.finished).map(|(began, ended)| u64::try_from(ended.0.saturating_sub(began.0)).unwrap_or(0));
    let body = html! {
        dl {
            (fact("id", html! { code { (run.id) } }))
            (fact("status", status(run)))
            @if let Some(verdict) = &run.verdict { (fact("verdict", html! { (text::name(verdict)) })) }
            (fact("started", html! { (text::moment(run.started.unwrap_or(run.created).0)) " UTC" }))
            @if let Some(took) = took { (fact("took", html! { (text::duration(took)) })) }
            @for scenario in &detail.entry.scenarios {
                (fact("scenario", html! {
                    @if frame.is_served() { a href=(format!("/runs?scenario={}", encoded(&scenario.name))) { (text::name(&scenario.name)) } }
                    @else { (text::name(&scenario.name)) }
                    ": " (text::name(&scenario.summary))
                }))
            }
            (fact("command", html! { code { (text::name(&frame.told(&run.command))) } }))
            (fact("assay", html! { (text::name(&run.tool)) }))
        }
        @if let Some(trouble) = &run.trouble {
            p class="notice" { (assay_report::visible(&frame.told(&trouble.error), 4_000)) }
            @if let Some(stack) = &trouble.backtrace { details { summary { "Where in the code" } (text::block(&frame.told(stack))) } }
        }
        @if frame.is_served() {
            p {
                @if !detail.entry.kpis.is_empty() { (frame.link(&Place::Compare(Some(run.id), None), "Compare with another run")) }
                @if frame.can_start && run.kind == Kind::Run && has_source { " " a href={ "/edit?run=" (run.id) } { "Open its strategy in the editor" } }
            }
        }
        @if detail.artifacts.iter().any(|file| file.name == "verdict.json") {
            p { (frame.link(&Place::StoredVerdict(run.id), "The verdict, rule by rule")) }
        }
        @if let Some(Err(why)) = report { p class="notice" { "The report cannot be shown: run.json: " (text::words(&frame.told(why))) } }
        @if let Some(Ok(report)) = report { (PreEscaped(report)) }
        @else if !detail.entry.kpis.is_empty() { h2 { "Measures" } (kpis(detail)) }
        @if !detail.entry.trajectories.is_empty() { h2 { "Episodes" } (episodes(frame, detail, links)) }
        @if let Some(tables) = tables { (section(&run.id.to_string(), tables)) }
    };
    layout(frame, &frame.told(&run.subject), Section::Runs, None, &body)
}

fn kpis(detail: &RunDetail) -> Markup {
    let scenario = |kpi: &Kpi| {
        let found = detail.entry.scenarios.iter().find(|scenario| scenario.hash == kpi.scenario);
        found.map_or_else(String::new, |scenario| text::name(&scenario.name))
    };
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Measure" } th scope="col" { "Scenario" } th scope="col" { "Unit" } th class="number" scope="col" { "Values" } th class="number" scope="col" { "Mean, 95% interval" } } }
            tbody {
                @for kpi in &detail.entry.kpis {
                    tr data-row="" {
                        td class="id" { (text::name(&kpi.measure)) }
                        td class="id" { (scenario(kpi)) }
                        td { (text::name(&kpi.unit)) }
                        td class="number" { (kpi.spread.n) }
                        td class="number" { (text::spread(kpi.spread.mean, kpi.spread.interval)) }
                    }
                }
            }
        } }
    }
}

fn episodes(frame: Frame<'_>, detail: &RunDetail, links: &[Option<Place>]) -> Markup {
    let all = &detail.entry.trajectories;
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Episode" } th scope="col" { "Task" } th scope="col" { "Outcome" } th class="number" scope="col" { "Score" } th scope="col" { "File" } } }
            tbody {
                @for (index, episode) in all.iter().take(EPISODES_MAX).enumerate() {
                    tr data-row="" {
                        td class="id" { @match links.get(index).and_then(Option::as_ref) {
                            Some(place) => (frame.link(place, &text::name(&episode.id))),
                            None => (text::name(&episode.id)),
                        } }
                        td class="id" { (text::name(&episode.task)) }
                        td { (text::name(episode.outcome.as_deref().unwrap_or("unscored"))) }
                        td class="number" { @if let Some(score) = episode.score { (text::number(score)) } }
                        td class="id" { code { (text::name(&frame.told(&episode.path))) } }
                    }
                }
            }
        } }
        @if all.len() > EPISODES_MAX { p class="small" { (text::counted(all.len() - EPISODES_MAX, "more episode", "more episodes")) } }
        @if links.iter().all(Option::is_none) {
            p class="small" { "To read their trajectories here, start " code { "assay serve" } " with " code { "--runs" } " and a folder above these files." }
        }
    }
}

/// That a record says what cannot be, if it does: its figures are not to be believed. And what of it nothing proves.
pub(crate) fn doubted(frame: Frame<'_>, checked: &Checked) -> Markup {
    let Checked { contradictions, unchecked } = checked;
    html! {
        @if !contradictions.is_empty() {
            div class="notice" {
                p {
                    "Do not believe the figures below: " code { "run.json" } " contradicts itself. It was changed or is damaged, and this run cannot be compared. "
                    "Run its command again to have a record that holds."
                }
                ul { @for why in contradictions { li { (text::words(&frame.told(why))) } } }
            }
        }
        @for why in unchecked { p class="small" { "Of " code { "run.json" } ": " (text::words(&frame.told(why))) "." } }
    }
}

/// The report over several markets in a folder. `link` is the page of each, if it has one.
pub(crate) fn markets(
    frame: Frame<'_>,
    name: &str,
    record: &MarketsRecord,
    link: &dyn Fn(&MarketRecord) -> Option<String>,
) -> String {
    let body = html! { p class="small" { (text::name(name)) } (doubted(frame, &record.checked())) (PreEscaped(assay_report::markets_body(record, link))) };
    let markets = text::counted(record.markets.len(), "market", "markets");
    layout(frame, &format!("{} in {markets}", record.strategy.file_name), Section::Runs, None, &body)
}

/// The report in a folder.
pub(crate) fn report(
    frame: Frame<'_>,
    found: &Found,
    (record, report): (&RunRecord, &str),
    tables: Told<'_>,
) -> String {
    let body = html! {
        p class="small" { (text::name(&found.name)) }
        @if frame.can_start && record.strategy.source.is_some() { p { a href={ "/edit?report=" (found.id) } { "Open its strategy in the editor" } } }
        (PreEscaped(report))
        @if let Some(tables) = tables { (section(&found.id.to_string(), tables)) }
    };
    let title = format!("{} on {}", record.strategy.file_name, record.scenario.name);
    layout(frame, &title, Section::Runs, None, &body)
}
