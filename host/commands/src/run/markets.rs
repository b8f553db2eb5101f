//! Several markets: each its own run, record and page in a folder of its own, and one score over all.

use super::{Given, Ready, RunSettings, about, reproduce, table, work};
use crate::ledger::Ledger;
use crate::settings::{self, ReportFolder};
use crate::{Ending, Failure, data, face};
use assay_evaluate::{MarketsRecord, RunRecord};
use assay_market::Scenario;

/// Markets of one run: each takes a page and a table.
const MARKETS_MAX: usize = 32;

/// The markets that were asked for, with the changes that were asked for in each.
pub(super) fn scenarios(settings: &RunSettings) -> Result<Vec<Scenario>, Failure> {
    if settings.scenario.is_empty() || settings.scenario.len() > MARKETS_MAX {
        return Err(Failure::usage(format!(
            "{} markets were given; a run takes 1 to {MARKETS_MAX}",
            settings.scenario.len()
        ))
        .hint("for example: --scenario calm,volatile"));
    }
    let mut scenarios: Vec<Scenario> = Vec::new();
    for name in &settings.scenario {
        let scenario = settings::changed_scenario(name.trim(), &settings.set)?;
        if let Some(other) = scenarios.iter().find(|other| folder_of(other) == folder_of(&scenario)) {
            return Err(Failure::usage(format!("two of the markets are called `{}`", other.name))
                .hint("name each market once; files need different `name` keys"));
        }
        scenarios.push(scenario);
    }
    Ok(scenarios)
}

/// The folder of a market: its name, as far as any file system takes it.
fn folder_of(scenario: &Scenario) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c.to_ascii_lowercase() } else { '-' };
    let name: String = scenario.name.chars().map(plain).collect();
    // `data` is where a run of one market keeps its own.
    if name.is_empty() || name == "data" { format!("market-{name}") } else { name }
}

/// Runs every market, and writes what they come to together.
pub(super) fn run(
    given: &Given<'_>,
    scenarios: &[Scenario],
    folder: &ReportFolder,
    ledger: &Ledger,
) -> Result<Ending, Failure> {
    // All folders before any work.
    let folders: Vec<ReportFolder> =
        scenarios.iter().map(|scenario| folder.below(&folder_of(scenario))).collect::<Result<_, _>>()?;
    folders.iter().try_for_each(|folder| data::check(folder, given.settings.data))?;
    let mut ready: Option<Ready> = None;
    let mut records: Vec<(String, RunRecord)> = Vec::new();
    let mut troubles: Vec<Failure> = Vec::new();
    for (scenario, below) in scenarios.iter().zip(&folders) {
        let mut found = None;
        let result = ledger.recorded(about(given.settings, scenario), |kept| {
            let (record, result) = work(given, scenario, below, &mut ready, kept);
            found = record;
            result
        });
        let is_over = found.is_none() || result.as_ref().is_err_and(|failure| failure.ending == Ending::Interrupted);
        match (found, result) {
            // Nothing has run, so there is nothing to tell.
            (None, Err(failure)) if records.is_empty() => return Err(failure),
            (found, result) => {
                records.extend(found.map(|record| (folder_of(scenario), record)));
                troubles.extend(result.err().map(|failure| within(scenario, failure)));
            }
        }
        if is_over {
            break;
        }
    }
    conclude(given, scenarios.len(), folder, &records)?;
    // What is wrong with this machine comes before what is wrong with the strategy.
    let rank = |failure: &Failure| match failure.ending {
        Ending::Interrupted => 0,
        Ending::Infrastructure => 1,
        Ending::Usage => 2,
        _ => 3,
    };
    troubles.into_iter().min_by_key(rank).map_or(Ok(Ending::Success), Err)
}

fn within(scenario: &Scenario, failure: Failure) -> Failure {
    Failure { message: format!("{}: {}", scenario.name, failure.message), ..failure }
}

fn conclude(
    given: &Given<'_>,
    asked: usize,
    folder: &ReportFolder,
    records: &[(String, RunRecord)],
) -> Result<(), Failure> {
    let command = reproduce(given.settings);
    let Some(mut record) = MarketsRecord::new(command, given.settings.goal, records) else { return Ok(()) };
    if records.len() < asked {
        record.score.value = None;
        record.score.interval = None;
        record.score.reason = Some(format!("only {} of {asked} markets were run", records.len()));
    }
    let json = serde_json::to_vec_pretty(&record)
        .map_err(|error| Failure::infrastructure(format!("failed to write the record: {error}")))?;
    face::out(&table::markets(&record));
    folder.write("run.json", &json)?;
    folder.write("run-summary.md", assay_report::markets_summary(&record).as_bytes())?;
    let page = folder.write("index.html", assay_report::render_markets(&record).as_bytes())?;
    face::step("Report", &page.display().to_string());
    let now: Vec<String> = records.iter().map(|(folder, _)| folder.clone()).collect();
    folder.tell_leftovers(&now);
    Ok(())
}
