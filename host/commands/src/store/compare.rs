//! What `assay compare` does: two runs, measure by measure. What is compared and how is [`assay_results`]'s; this asks the store, and prints.

use super::words;
use crate::ledger::Open;
use crate::settings::StoreSettings;
use crate::{DONE, Ending, Failure, face};
use assay_results::{
    CompareError, Compared, Meaning, compare, compared_json, expected_by_chance, same_kind, same_meaning,
};
use assay_store::{Kind, RunDetail, Store};
use serde_json::{Value, json};

/// Two runs that are compared.
#[derive(Clone, Debug)]
pub struct CompareSettings {
    /// One run: the beginning of its id, or `latest`.
    pub a: String,
    /// The other run.
    pub b: String,
    /// Only these measures; all, if none is named.
    pub measure: Vec<String>,
    /// As JSON.
    pub json: bool,
    /// The store.
    pub store: StoreSettings,
}

/// Compares two runs, measure by measure, with intervals.
///
/// # Errors
///
/// Where a run is not there, the two cannot be compared, or the store cannot be read.
pub fn run(settings: &CompareSettings) -> Result<Ending, Failure> {
    let open = Open::to_read(&settings.store)?;
    let get = |id: &str| open.ask(async |store: &Store| store.get(store.resolve(id).await?).await);
    let (a, b) = (get(&settings.a)?, get(&settings.b)?);
    check(&open, &a, &b)?;
    open.close();
    let rows = compare(&a, &b, &settings.measure).map_err(failure)?;
    if settings.json {
        let runs = json!({"a": super::run_json(&a.entry.run), "b": super::run_json(&b.entry.run)});
        let measures: Vec<Value> = rows.iter().map(compared_json).collect();
        face::out_json(&format!("{:#}", json!({"runs": runs, "confidence": 0.95, "measures": measures})));
        return DONE;
    }
    // What a pair shares: see the ledger of rollouts.
    let shared = if a.entry.run.kind == Kind::Rollout { "tasks" } else { "seeds" };
    let head = |name: &str, detail: &RunDetail| {
        let run = &detail.entry.run;
        format!("{name}  {}  {}  {}", run.id, words::moment(run.created), words::short(&run.subject))
    };
    face::out(&format!("{}\n{}\n", head("A", &a), head("B", &b)));
    let cells = rows.iter().map(|row| {
        vec![
            format!("{} ({})", words::short(&row.a.measure), words::short(&row.a.unit)),
            words::short(row.scenario),
            words::spread(&row.a.spread),
            words::spread(&row.b.spread),
            words::estimate(&row.estimate),
            format!("{}, {} {shared}", row.method.word(), row.estimate.n),
            row.answer().to_owned(),
        ]
    });
    let header = ["MEASURE", "SCENARIO", "A", "B", "A - B, 95% INTERVAL", "HOW", "ANSWER"];
    face::out(&face::table(&header, &cells.collect::<Vec<_>>()));
    if rows.iter().any(Compared::is_of_two_versions) {
        face::warn("the runs saw different versions of a scenario: a difference may be the scenario's");
    }
    let (tested, by_chance) = expected_by_chance(&rows);
    if tested > 1 {
        face::note(&face::dim(&format!(
            "{tested} differences were tested: chance alone would show about {by_chance:.1}; answers are after Holm's correction within groups of measures"
        )));
    }
    DONE
}

/// Whether figures of the two may be subtracted.
fn check(open: &Open, a: &RunDetail, b: &RunDetail) -> Result<(), Failure> {
    same_kind(&a.entry.run, &b.entry.run).map_err(failure)?;
    same_meaning(&meaning(open, a)?, &meaning(open, b)?).map_err(failure)
}

fn meaning(open: &Open, detail: &RunDetail) -> Result<Meaning, Failure> {
    let record = detail.artifacts.iter().find(|artifact| artifact.name == "run.json");
    let bytes = record.map(|record| open.ask(async |store: &Store| store.artifact(record.hash).await)).transpose()?;
    Ok(Meaning::of(&detail.entry.run, bytes.as_deref()))
}

#[expect(clippy::needless_pass_by_value, reason = "what errors are mapped with takes them whole")]
fn failure(error: CompareError) -> Failure {
    Failure::usage(&error).hint(error.hint())
}
