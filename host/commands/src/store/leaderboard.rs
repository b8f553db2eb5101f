//! What `assay leaderboard` does: strategies of this store in one scenario by one measure. Whom the data cannot tell apart shares a rank.
//!
//! Invariants: a strategy is its content, not its name; all that are ranked ran on the same seeds; the correction is for every content that was run. The
//! seeds were chosen by whoever ran them, so this is not a board: `assay board` is.

use super::words;
use crate::ledger::Open;
use crate::settings::StoreSettings;
use crate::{DONE, Ending, Failure, face};
use assay_evaluate::{Estimate, RANKED_MAX, Sample, ranks};
use assay_results::difference;
use assay_store::{Better, Kpi, Run};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What is ranked, and by what.
#[derive(Clone, Debug)]
pub struct LeaderboardSettings {
    /// The scenario.
    pub scenario: String,
    /// The measure to rank by.
    pub measure: String,
    /// As JSON.
    pub json: bool,
    /// The store.
    pub store: StoreSettings,
}

/// A strategy on the list.
struct Place {
    rank: usize,
    is_tied: bool,
    run: Run,
    kpi: Kpi,
    /// Completed runs of it in this scenario, on whatever seeds.
    runs: usize,
    /// The difference to the first of the list.
    behind: Option<Estimate>,
}

/// What is ranked, and what is not.
struct Found {
    places: Vec<Place>,
    other_seeds: usize,
}

/// Ranks the strategies in the store by their results in a scenario.
///
/// # Errors
///
/// Where nothing has the measure, the measure cannot rank, or the store cannot be read.
pub fn run(settings: &LeaderboardSettings) -> Result<Ending, Failure> {
    let open = Open::to_read(&settings.store)?;
    let found = open.ask(async |store| store.board(&settings.scenario, &settings.measure).await)?;
    open.close();
    let Some((newest_run, newest)) = found.first() else {
        return Err(Failure::usage(format!(
            "no completed `assay run` has the measure `{}` in the scenario `{}`",
            settings.measure, settings.scenario
        ))
        .hint("`assay runs` lists what there is, docs/measures.md the measures"));
    };
    // Two versions of a scenario are two scenarios, and two releases may measure differently.
    let (scenario, better, tool) = (newest.scenario.clone(), newest.better, newest_run.tool.clone());
    if better == Better::Neutral {
        return Err(Failure::usage(format!(
            "`{}` cannot rank strategies: neither more nor less of it is better",
            settings.measure
        ))
        .hint("docs/measures.md says for each measure which direction is better"));
    }
    let is_same = |(run, kpi): &(Run, Kpi)| kpi.scenario == scenario && run.tool == tool;
    let others = found.iter().filter(|found| !is_same(found)).count();
    let Found { places, other_seeds } = ranked(found.into_iter().filter(is_same).collect(), better);
    if settings.json {
        let board: Vec<Value> = places.iter().map(place_json).collect();
        let (name, measure) = (&settings.scenario, &settings.measure);
        let all = json!({"scenario": name, "scenario_hash": scenario, "measure": measure, "board": board});
        face::out_json(&format!("{all:#}"));
    } else {
        face::out(&table(&places, &settings.measure));
    }
    if others > 0 {
        face::note(&face::dim(&format!("{others} runs of other versions of the scenario or of Assay are left out")));
    }
    if other_seeds > 0 {
        face::note(&face::dim(&format!("{other_seeds} strategies that ran on other seeds only are left out")));
    }
    face::note(&face::dim(
        "whoever ran these chose the seeds; to rank several people's strategies, use `assay board new`",
    ));
    DONE
}

/// The content of a run's strategy; of a run that has none, its name.
fn content(run: &Run) -> &str {
    run.subject_hash.as_deref().unwrap_or(&run.subject)
}

/// The seeds that most strategies ran on; of several such sets the largest, then the first.
fn common_seeds(found: &[(Run, Kpi)]) -> Vec<u64> {
    let mut users: BTreeMap<Vec<u64>, BTreeSet<&str>> = BTreeMap::new();
    for (run, kpi) in found {
        users.entry(seeds(kpi)).or_default().insert(content(run));
    }
    let most = users.into_iter().max_by(|(a, users_a), (b, users_b)| {
        (users_a.len(), a.len()).cmp(&(users_b.len(), b.len())).then_with(|| b.cmp(a))
    });
    most.map(|(seeds, _)| seeds).unwrap_or_default()
}

fn seeds(kpi: &Kpi) -> Vec<u64> {
    let mut seeds: Vec<u64> = kpi.samples.iter().map(|(seed, _)| *seed).collect();
    seeds.sort_unstable();
    seeds
}

/// The newest run of each strategy over the common seeds, best first.
fn ranked(found: Vec<(Run, Kpi)>, better: Better) -> Found {
    let common = common_seeds(&found);
    let mut tries: BTreeMap<String, usize> = BTreeMap::new();
    for (run, _) in &found {
        *tries.entry(content(run).to_owned()).or_default() += 1;
    }
    let mut seen = BTreeSet::new();
    let is_first = |(run, kpi): &(Run, Kpi)| seeds(kpi) == common && seen.insert(content(run).to_owned());
    let mut newest: Vec<(Run, Kpi)> = found.into_iter().filter(is_first).collect();
    let other_seeds = tries.len() - newest.len();
    newest.sort_by(|(_, a), (_, b)| {
        let order = b.spread.mean.total_cmp(&a.spread.mean);
        if better == Better::Lower { order.reverse() } else { order }
    });
    newest.truncate(RANKED_MAX);
    let samples: Vec<Sample> = newest.iter().map(|(_, kpi)| by_seed(kpi)).collect();
    let standings = ranks(&samples.iter().collect::<Vec<_>>(), tries.len(), better == Better::Higher);
    let first = newest.first().map(|(_, kpi)| kpi.clone());
    let mut places: Vec<Place> = newest
        .into_iter()
        .zip(&standings)
        .enumerate()
        .map(|(index, ((run, kpi), standing))| Place {
            rank: standing.rank,
            is_tied: false,
            runs: tries.get(content(&run)).copied().unwrap_or(1),
            behind: first.as_ref().filter(|_| index > 0).and_then(|first| difference(&kpi, first)).map(|(e, _)| e),
            run,
            kpi,
        })
        .collect();
    places.sort_by_key(|place| place.rank);
    for place in &mut places {
        place.is_tied = standings.iter().filter(|standing| standing.rank == place.rank).count() > 1;
    }
    Found { places, other_seeds }
}

fn by_seed(kpi: &Kpi) -> Sample {
    let samples: BTreeMap<u64, f64> = kpi.samples.iter().copied().collect();
    Sample::of_distinct(samples.into_values().collect())
}

fn table(places: &[Place], measure: &str) -> String {
    let row = |place: &Place| {
        vec![
            format!("{}{}", place.rank, if place.is_tied { " tied" } else { "" }),
            words::short(&place.run.subject),
            words::spread(&place.kpi.spread),
            place.kpi.spread.n.to_string(),
            place.runs.to_string(),
            place.behind.as_ref().map_or_else(String::new, words::estimate),
            place.run.id.to_string()[..super::ID_CHARACTERS].to_owned(),
        ]
    };
    let unit = places.first().map_or("", |place| place.kpi.unit.as_str());
    let value = format!("{} ({unit}), 95% INTERVAL", measure.to_uppercase());
    let header = ["RANK", "STRATEGY", &value, "SEEDS", "RUNS", "DIFFERENCE TO THE FIRST", "RUN"];
    face::table(&header, &places.iter().map(row).collect::<Vec<_>>())
}

fn place_json(place: &Place) -> Value {
    json!({
        "rank": place.rank,
        "tied": place.is_tied,
        "strategy": place.run.subject,
        "content": place.run.subject_hash,
        "run": place.run.id.to_string(),
        "runs": place.runs,
        "value": words::spread_json(&place.kpi.spread),
        "behind": place.behind.as_ref().map(words::estimate_json),
    })
}
