//! What `assay arena` does: several strategies in one market; who earns from whom.

use crate::command_line::{command_line, path_word};
use crate::interrupt::cancel_on_interrupt;
use crate::prepare::Prepared;
use crate::run::{guest, sandbox, strategy_record};
use crate::settings::{self, Machine};
use crate::{Ending, Failure, check, face, output, prepare, scenarios};
use assay_evaluate::{
    Arena, ArenaRecord, Entrant, EntrantRecord, FAILED_NOTE, FlowRecord, Guest, Interval, ToolRecord,
};
use assay_market::{SEATS_MAX, Scenario};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Flows that the table shows at most: the largest.
const FLOWS_SHOWN: usize = 12;

/// The look of the bar.
const BAR: &str = "   Playing {bar:32.cyan/dim} {pos}/{len} games  {elapsed} (left {eta})";

/// Who plays, where, and what is kept of it.
#[derive(Clone, Debug)]
pub struct ArenaSettings {
    /// The strategies, each a file, a crate folder or a component. The same one may be named twice.
    pub strategies: Vec<PathBuf>,
    /// The market: a name, or a TOML file.
    pub scenario: String,
    /// The seeds, one game each: `20`, `5..8` or `3,7,11`.
    pub seeds: String,
    /// File for every game as JSON; `-` is standard output, which then has no tables.
    pub json: Option<PathBuf>,
    /// How many games run in parallel; otherwise one a processor.
    pub threads: Option<usize>,
}

/// Lets strategies trade in one market, game after game, and tells who earns from whom.
///
/// # Errors
///
/// Where the settings are wrong, a strategy is refused or fails, a game cannot be played, this machine fails, or it is interrupted.
pub fn run(machine: &Machine, settings: &ArenaSettings) -> Result<Ending, Failure> {
    let scenario = settings::scenario(&settings.scenario)?;
    let seeds = settings::seeds(&settings.seeds)?;
    scenarios::warn_of_seeds(&scenario, &seeds);
    scenarios::warn_of_gifts(&scenario);
    let threads = settings::threads(settings.threads)?;
    if settings.strategies.len() > SEATS_MAX {
        return Err(Failure::usage(format!(
            "{} strategies are too many: a market has {SEATS_MAX} seats",
            settings.strategies.len()
        ))
        .hint("run them in smaller groups"));
    }
    let cancel = cancel_on_interrupt();
    let started = Instant::now();
    let entrants = entrants(machine, settings, &scenario, threads)?;
    face::step("Ready", &format!("{} strategies in {:.1} s", entrants.len(), started.elapsed().as_secs_f64()));
    let tool =
        ToolRecord { assay: env!("CARGO_PKG_VERSION").to_owned(), wasmtime: assay_sandbox::ENGINE_VERSION.to_owned() };
    let bar = face::bar(BAR, Some(seeds.as_slice().len() as u64));
    let progress = |done: usize, _: usize| bar.set_position(done as u64);
    let arena = Arena { scenario: &scenario, seeds: &seeds, threads };
    let record = assay_evaluate::arena(&arena, &entrants, (tool, reproduce(settings)), &progress, &cancel);
    bar.finish_and_clear();
    let record = record.map_err(Failure::infrastructure)?;
    write(&record, settings.json.as_deref())?;
    if cancel.load(Ordering::Relaxed) {
        let message = format!("interrupted: {} of {} games were finished", record.games.len(), record.seeds.len());
        return Err(Failure { ending: Ending::Interrupted, message, hint: None });
    }
    if let Some(unscored) = record.unscored.first() {
        return Err(Failure::infrastructure(format!(
            "{} of {} games could not be played: {}",
            record.unscored.len(),
            record.seeds.len(),
            unscored.what
        )));
    }
    let failed: Vec<&EntrantRecord> = record.entrants.iter().filter(|entrant| entrant.failed > 0).collect();
    if failed.is_empty() {
        return Ok(Ending::Success);
    }
    let list: Vec<String> = failed.iter().map(|entrant| format!("{} in {}", entrant.name, entrant.failed)).collect();
    let message = format!("not every strategy finished its games: {} of {}", list.join(", "), record.games.len());
    let hint = Some("run `assay run` on that strategy alone to see what happened".to_owned());
    Err(Failure { ending: Ending::StrategyFailed, message, hint })
}

/// Every strategy checked, built and loaded, under a name of its own.
fn entrants(
    machine: &Machine,
    settings: &ArenaSettings,
    scenario: &Scenario,
    threads: NonZeroUsize,
) -> Result<Vec<Entrant<Guest>>, Failure> {
    // Each game has an instance of every strategy.
    let episodes = threads.saturating_mul(NonZeroUsize::new(settings.strategies.len()).unwrap_or(NonZeroUsize::MIN));
    let sandbox = sandbox(machine, episodes)?;
    let mut times_seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut entrants = Vec::with_capacity(settings.strategies.len());
    let count = settings.strategies.len();
    for (index, path) in settings.strategies.iter().enumerate() {
        // Compiling takes a while the first time.
        face::step("Preparing", &format!("{} ({} of {count})", face::visible(&path.display().to_string()), index + 1));
        let prepared = prepared(machine, path, episodes)?;
        let seen = times_seen.entry(prepared.name.clone()).or_default();
        *seen += 1;
        let name = if *seen == 1 { prepared.name.clone() } else { format!("{} #{seen}", prepared.name) };
        let contender = guest(&sandbox, &prepared, scenario.budget)?;
        entrants.push(Entrant { name, strategy: strategy_record(&prepared), contender });
    }
    Ok(entrants)
}

fn prepared(machine: &Machine, path: &Path, episodes: NonZeroUsize) -> Result<Prepared, Failure> {
    prepare::prepare(machine, path, episodes.get())?.map_err(|refused| {
        check::show(&refused.findings, &refused.drawings);
        let message = format!("{} was refused, so no game was played", refused.name);
        Failure { ending: Ending::Rejected, message, hint: None }
    })
}

fn write(record: &ArenaRecord, json: Option<&Path>) -> Result<(), Failure> {
    let text = || {
        serde_json::to_string_pretty(record)
            .map_err(|error| Failure::infrastructure(format!("failed to write the record: {error}")))
    };
    if json == Some(Path::new("-")) {
        face::out_json(&text()?);
        return Ok(());
    }
    face::out(&tables(record));
    if let Some(path) = json {
        output::replace(path, text()?.as_bytes())?;
        face::step("Record", &path.display().to_string());
    }
    Ok(())
}

fn dollars(cents: f64) -> String {
    format!("{:.2}", cents / 100.0)
}

fn dollars_within(mean: Option<f64>, interval: Option<Interval>) -> String {
    match (mean, interval) {
        (Some(mean), Some(Interval { low, high, .. })) => {
            format!("{} [{}, {}]", dollars(mean), dollars(low), dollars(high))
        }
        (Some(mean), None) => dollars(mean),
        (None, _) => "none".to_owned(),
    }
}

fn tables(record: &ArenaRecord) -> String {
    let games = record.games.len();
    let rows: Vec<Vec<String>> = record
        .listed()
        .into_iter()
        .map(|entrant| {
            let seats: Vec<String> =
                entrant.pnl_by_seat_cents.iter().map(|mean| mean.map_or_else(|| "none".to_owned(), dollars)).collect();
            let rank = entrant.rating.map_or_else(|| "none".to_owned(), |rating| rating.rank.to_string());
            let rating = entrant.rating_words().unwrap_or_else(|| "none".to_owned());
            let pnl = dollars_within(entrant.pnl_mean_cents, entrant.pnl_interval);
            let failed = entrant.failed_words(games);
            vec![rank, face::visible(&entrant.name), rating, pnl, seats.join(" "), failed]
        })
        .collect();
    let header = ["RANK", "STRATEGY", "RATING", "PROFIT A GAME ($), 95%", "PROFIT BY SEAT ($)", "FAILED"];
    let mut text = format!("{}, {games} games\n\n{}", record.scenario.name, face::table(&header, &rows));
    if record.entrants.iter().any(|entrant| entrant.failed > 0) {
        text += &format!("\n\n{}", face::doubtful(FAILED_NOTE));
    }
    let flows = flows(&record.flows);
    if !flows.is_empty() {
        text += &format!("\n\nWho pays whom, beyond the mid:\n\n{flows}");
    }
    let named = named(record);
    if !named.is_empty() {
        text += &format!("\n\n{}", face::doubtful(&named.join("\n")));
    }
    text
}

/// Who looks to be in league with whom.
fn named(record: &ArenaRecord) -> Vec<String> {
    let feeders = record.flows.iter().filter(|flow| flow.feeds).map(|flow| {
        let (from, to) = (face::visible(&flow.from), face::visible(&flow.to));
        format!("{from} feeds {to}: ${} per game more than is usual here", dollars(flow.excess_cents))
    });
    let pairs = record.pairs.iter().filter(|pair| pair.linked).map(|pair| {
        let (worse, better) = (face::visible(&pair.worse), face::visible(&pair.better));
        let odds = pair.meeting_odds.unwrap_or_default();
        format!("{worse} loses where {better} wins, and trades mostly with it: at {odds:.0} times the odds of chance")
    });
    feeders.chain(pairs).collect()
}

/// The largest flows.
fn flows(flows: &[FlowRecord]) -> String {
    let mut flows: Vec<&FlowRecord> = flows.iter().collect();
    flows.sort_by(|a, b| b.paid_cents.total_cmp(&a.paid_cents));
    if flows.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = flows
        .iter()
        .take(FLOWS_SHOWN)
        .map(|flow| {
            vec![
                face::visible(&flow.from),
                face::visible(&flow.to),
                format!("{:.0}", flow.shares),
                dollars(flow.paid_cents),
                dollars_within(Some(flow.excess_cents), flow.interval),
            ]
        })
        .collect();
    face::left_table(&["FROM", "TO", "SHARES A GAME", "PAID A GAME ($)", "EXCESS ($), JOINT 95%"], &rows, 2)
}

/// The command that gives the same record.
fn reproduce(settings: &ArenaSettings) -> String {
    let paths: Vec<String> = settings.strategies.iter().map(|path: &PathBuf| path_word(path)).collect();
    let mut words = vec!["assay", "arena"];
    words.extend(paths.iter().map(String::as_str));
    words.extend(["--scenario", &settings.scenario, "--seeds", &settings.seeds]);
    command_line(&words)
}
