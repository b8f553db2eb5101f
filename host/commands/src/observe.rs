//! What `assay observe` does: a market without a strategy: a page, a record, and on the screen who trades and what moves the price.

use crate::command_line::command_line;
use crate::interrupt::cancel_and_stop;
use crate::scenarios::{self, warn_of_seeds};
use crate::settings::{self, ReportFolder};
use crate::{DONE, Ending, Failure, data, face};
use assay_evaluate::{KindRecord, ObservationRecord, Recorder, Seeds, ToolRecord, Watch};
use assay_market::{Scenario, realism};
use assay_model::Seed;
use assay_run::Stop;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The measures on the screen; the page has all of the market's.
const SHOWN: [&str; 11] = [
    "spread",
    "market_effective_spread",
    "market_realised_spread_60s",
    "market_impact_60s",
    "trades",
    "volume",
    "return_sd_60s",
    "volatility_60s",
    "bid_size",
    "ask_size",
    "one_sided_time",
];

/// The look of a bar.
const BAR: &str = " {prefix} {bar:32.cyan/dim} {pos}/{len} seeds  {elapsed} (left {eta})";

/// What is observed, and what is kept of it.
#[derive(Clone, Debug)]
pub struct ObserveSettings {
    /// The market: a name, or a TOML file.
    pub scenario: String,
    /// Its keys to change, each a `key=value`.
    pub set: Vec<String>,
    /// The seeds: `20`, `5..8` or `3,7,11`.
    pub seeds: String,
    /// Folder for index.html and observation.json.
    pub out: PathBuf,
    /// How many seeds run in parallel; otherwise one a processor.
    pub threads: Option<usize>,
    /// Whether everything that happens is kept as tables.
    pub data: bool,
    /// Whether the result is the record as JSON instead of tables.
    pub json: bool,
}

/// Runs a market without a strategy and writes what it is like.
///
/// # Errors
///
/// Where the settings are wrong, this machine fails, or it is interrupted.
pub fn run(settings: &ObserveSettings) -> Result<Ending, Failure> {
    let scenario = settings::changed_scenario(&settings.scenario, &settings.set)?;
    let seeds = settings::seeds(&settings.seeds)?;
    warn_of_seeds(&scenario, &seeds);
    let threads = settings::threads(settings.threads)?;
    let folder = ReportFolder::prepare(&settings.out)?;
    data::check(&folder, settings.data)?;
    let stop = Stop::new();
    let cancel = cancel_and_stop(&stop);

    let recorder = data::recorder(settings.data, &folder, &scenario, threads, || data_name(&scenario, &seeds))?;
    let watch = Watch {
        scenario: &scenario,
        seeds: &seeds,
        threads,
        tool: ToolRecord {
            assay: env!("CARGO_PKG_VERSION").to_owned(),
            wasmtime: assay_sandbox::ENGINE_VERSION.to_owned(),
        },
        command: reproduce(settings),
        recorder: recorder.as_ref().map(|recorder| recorder as &dyn Recorder),
    };
    let bar = bar(seeds.as_slice().len(), "Observing");
    let record = assay_evaluate::observe(&watch, &|_: Seed, _| bar.inc(1), &cancel).map_err(Failure::infrastructure)?;
    bar.finish_and_clear();
    let data = data::finish(recorder);
    let facts = if record.not_run.is_empty() { facts(&scenario, &seeds, threads, &stop)? } else { None };
    show(settings, &record, facts.as_deref())?;
    let json = serde_json::to_vec_pretty(&record)
        .map_err(|error| Failure::infrastructure(format!("failed to write the record: {error}")))?;
    folder.write("observation.json", &json)?;
    let page = assay_report::render_observation(&record, facts.as_deref());
    let page = folder.write("index.html", page.as_bytes())?;
    face::step("Report", &page.display().to_string());
    data?;
    if !record.not_run.is_empty() {
        let (left_out, asked) = (record.not_run.len(), record.seeds.len());
        let message = format!("interrupted: {left_out} of {asked} seeds were not run, as the page says");
        return Err(Failure { ending: Ending::Interrupted, message, hint: None });
    }
    if stop.is_asked() {
        let message = "interrupted: the facts of real markets were not judged".to_owned();
        return Err(Failure { ending: Ending::Interrupted, message, hint: None });
    }
    DONE
}

fn reproduce(settings: &ObserveSettings) -> String {
    let mut words = vec!["assay", "observe", &settings.scenario, "--seeds", &settings.seeds];
    for change in &settings.set {
        words.extend(["--set", change]);
    }
    command_line(&words)
}

/// What the data of an observation is called: a hash of all that it depends on.
fn data_name(scenario: &Scenario, seeds: &Seeds) -> String {
    const DIGITS: usize = 16;
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes()).update(scenario.to_toml().as_bytes());
    for seed in seeds.as_slice() {
        hasher.update(&seed.0.to_le_bytes());
    }
    hasher.finalize().to_hex()[..DIGITS].to_owned()
}

fn bar(length: usize, verb: &str) -> face::Bar {
    let bar = face::bar(BAR, Some(length as u64));
    bar.set_prefix(verb);
    bar
}

/// The scorecard of the facts of real markets; they are about days. None if it is asked to `stop` before.
fn facts(scenario: &Scenario, seeds: &Seeds, threads: NonZeroUsize, stop: &Stop) -> Result<Option<String>, Failure> {
    if scenario.close.since(scenario.open) < realism::SESSION_MIN {
        return Ok(None);
    }
    let bar = bar(seeds.as_slice().len(), "  Judging");
    let observations = scenarios::observe(scenario, seeds, threads, stop, || bar.inc(1))?;
    bar.finish_and_clear();
    if stop.is_asked() {
        return Ok(None);
    }
    Ok(Some(realism::report(&scenario.name, observations.len(), &realism::scorecard(&observations))))
}

fn show(settings: &ObserveSettings, record: &ObservationRecord, facts: Option<&str>) -> Result<(), Failure> {
    if settings.json {
        let json = serde_json::to_string_pretty(record)
            .map_err(|error| Failure::infrastructure(format!("failed to write the record: {error}")))?;
        face::out_json(&json);
        return Ok(());
    }
    let run = record.seeds.len() - record.not_run.len();
    face::out(&format!(
        "\n{} without a strategy, {run} seeds\n\n{}\n",
        face::visible(&record.scenario.name),
        market(record)
    ));
    face::out(&who(record));
    face::out(&events(record));
    if let Some(facts) = facts {
        face::out(&format!("\n{facts}"));
    }
    Ok(())
}

fn market(record: &ObservationRecord) -> String {
    let rows = SHOWN.iter().filter_map(|key| {
        let row = record.measures.iter().find(|row| row.key == *key)?;
        let definition = record.definitions.iter().find(|definition| definition.key == *key)?;
        let (unit, factor, decimals) = match definition.unit.as_str() {
            "cents_per_share" => (" (¢/share)", 1.0, 2),
            "basis_points" => (" (bp)", 1.0, 2),
            "fraction" => (" (%)", 100.0, 2),
            "shares" => (" (shares)", 1.0, 0),
            _ => ("", 1.0, 0),
        };
        let shown =
            |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |v| format!("{:.decimals$}", v * factor));
        let interval = row.interval.map_or_else(String::new, |interval| {
            format!("{} … {}", shown(Some(interval.low)), shown(Some(interval.high)))
        });
        let title = format!("{}{unit}", definition.title);
        Some(vec![title, shown(row.mean), interval, shown(row.least), shown(row.greatest)])
    });
    face::table(&["market", "mean", "95% interval", "lowest seed", "highest seed"], &rows.collect::<Vec<_>>())
}

fn who(record: &ObservationRecord) -> String {
    let optional = |value: Option<f64>, decimals: usize| {
        value.map_or_else(|| "none".to_owned(), |value| format!("{value:.decimals$}"))
    };
    let row = |kind: &KindRecord| {
        let interval = kind
            .pnl_interval
            .map_or_else(String::new, |interval| format!("{:.0} … {:.0}", interval.low / 100.0, interval.high / 100.0));
        vec![
            face::visible(&kind.name),
            kind.agents.to_string(),
            format!("{:.1}%", kind.volume_share * 100.0),
            kind.taker_share.map_or_else(|| "none".to_owned(), |share| format!("{:.0}%", share * 100.0)),
            format!("{:.0}", kind.pnl_at_mid / 100.0),
            interval,
            optional(kind.impact_5s, 2),
            format!("{:.1}%", kind.moves_share * 100.0),
        ]
    };
    let rows: Vec<_> = record.kinds.iter().map(row).collect();
    let head = ["who", "agents", "volume", "taken", "PnL ($)", "95% interval", "impact 5 s (¢)", "price moves"];
    face::table(&head, &rows)
}

fn events(record: &ObservationRecord) -> String {
    let jump = record.jumps.first().map_or_else(String::new, |jump| {
        format!("; largest move within one minute {:.1} bp, in seed {}", jump.basis_points, jump.seed)
    });
    format!("\nhalts and auctions: {}{jump}", record.halts_total)
}
