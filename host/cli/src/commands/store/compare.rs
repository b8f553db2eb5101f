//! `assay compare`: two runs, measure by measure. What is compared and how is [`assay_results`]'s; this asks the store, and prints.

use super::words;
use crate::args::CompareArgs;
use crate::commands::DONE;
use crate::exit::{Exit, Failure};
use crate::store::Open;
use crate::ui;
use assay_results::{
    CompareError, Compared, Meaning, compare, compared_json, expected_by_chance, same_kind, same_meaning,
};
use assay_store::{Kind, RunDetail, Store};
use serde_json::{Value, json};

pub(crate) fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    let open = Open::to_read(&args.store)?;
    let get = |id: &str| open.ask(async |store: &Store| store.get(store.resolve(id).await?).await);
    let (a, b) = (get(&args.a)?, get(&args.b)?);
    check(&open, &a, &b)?;
    open.close();
    let rows = compare(&a, &b, &args.measure).map_err(failure)?;
    if args.json {
        let runs = json!({"a": super::run_json(&a.entry.run), "b": super::run_json(&b.entry.run)});
        let measures: Vec<Value> = rows.iter().map(compared_json).collect();
        ui::out(&format!("{:#}", json!({"runs": runs, "confidence": 0.95, "measures": measures})));
        return DONE;
    }
    // What a pair shares: see the ledger of rollouts.
    let shared = if a.entry.run.kind == Kind::Rollout { "tasks" } else { "seeds" };
    let head = |name: &str, detail: &RunDetail| {
        let run = &detail.entry.run;
        format!("{name}  {}  {}  {}", run.id, words::moment(run.created), words::short(&run.subject))
    };
    ui::out(&format!("{}\n{}\n", head("A", &a), head("B", &b)));
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
    ui::out(&ui::table(&header, &cells.collect::<Vec<_>>()));
    if rows.iter().any(Compared::is_of_two_versions) {
        ui::warn("the runs saw different versions of a scenario: a difference may be the scenario's");
    }
    let (tested, by_chance) = expected_by_chance(&rows);
    if tested > 1 {
        ui::note(&ui::dim(&format!(
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
