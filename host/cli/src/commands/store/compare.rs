//! `assay compare`: two runs, measure by measure, with what can be told and what cannot.

use super::words;
use crate::args::CompareArgs;
use crate::commands::DONE;
use crate::exit::{Exit, Failure};
use crate::store::Open;
use crate::ui;
use assay_evaluate::{Estimate, paired, welch};
use assay_store::{Better, Kind, Kpi, RunDetail, Store};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How two runs were compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Seed by seed.
    Paired,
    /// As independent samples.
    Welch,
}

impl Method {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Paired => "paired",
            Self::Welch => "Welch",
        }
    }
}

/// The difference a − b of one measure: by pairs if both have the same seeds of the same scenario.
pub(super) fn difference(a: &Kpi, b: &Kpi) -> Option<(Estimate, Method)> {
    let seeds = |kpi: &Kpi| kpi.samples.iter().copied().collect::<BTreeMap<u64, f64>>();
    let (of_a, of_b) = (seeds(a), seeds(b));
    if a.scenario == b.scenario && of_a.keys().eq(of_b.keys()) {
        let pairs: Vec<(f64, f64)> = of_a.values().copied().zip(of_b.values().copied()).collect();
        return Some((paired(&pairs)?, Method::Paired));
    }
    let values = |seeds: BTreeMap<u64, f64>| seeds.into_values().collect::<Vec<_>>();
    Some((welch(&values(of_a), &values(of_b))?, Method::Welch))
}

/// What a difference a − b says, in words.
fn answer(estimate: &Estimate, better: Better) -> &'static str {
    match (estimate.is_told(), better, estimate.mean > 0.0) {
        (false, _, _) => "no difference can be told",
        (true, Better::Higher, true) | (true, Better::Lower, false) => "A is better",
        (true, Better::Higher, false) | (true, Better::Lower, true) => "B is better",
        (true, Better::Neutral, true) => "A is higher",
        (true, Better::Neutral, false) => "B is higher",
    }
}

/// A measure that both runs have, in scenarios of the same name.
struct Row<'a> {
    scenario: &'a str,
    a: &'a Kpi,
    b: &'a Kpi,
    estimate: Estimate,
    method: Method,
}

pub(crate) fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    let open = Open::to_read(&args.store)?;
    let get = |id: &str| open.ask(async |store: &Store| store.get(store.resolve(id).await?).await);
    let (a, b) = (get(&args.a)?, get(&args.b)?);
    open.close();
    let rows = rows(&a, &b, &args.measure)?;
    if args.json {
        let runs = json!({"a": super::run_json(&a.entry.run), "b": super::run_json(&b.entry.run)});
        let measures: Vec<Value> = rows.iter().map(row_json).collect();
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
            answer(&row.estimate, row.a.better).to_owned(),
        ]
    });
    let header = ["MEASURE", "SCENARIO", "A", "B", "A - B, 95% INTERVAL", "HOW", "ANSWER"];
    ui::out(&ui::table(&header, &cells.collect::<Vec<_>>()));
    if rows.iter().any(|row| row.a.scenario != row.b.scenario) {
        ui::warn("the runs saw different versions of a scenario: a difference may be the scenario's");
    }
    DONE
}

fn rows<'a>(a: &'a RunDetail, b: &'a RunDetail, wanted: &[String]) -> Result<Vec<Row<'a>>, Failure> {
    fn name<'a>(detail: &'a RunDetail, hash: &str) -> &'a str {
        let found = detail.entry.scenarios.iter().find(|scenario| scenario.hash == hash);
        found.map_or("", |scenario| scenario.name.as_str())
    }
    let (mut rows, mut is_hidden) = (Vec::new(), false);
    for ours in &a.entry.kpis {
        let scenario = name(a, &ours.scenario);
        let is_same = |theirs: &&Kpi| theirs.measure == ours.measure && name(b, &theirs.scenario) == scenario;
        let is_wanted = wanted.is_empty() || wanted.contains(&ours.measure);
        let Some(theirs) = b.entry.kpis.iter().find(is_same).filter(|_| is_wanted) else { continue };
        is_hidden |= ours.samples.is_empty() || theirs.samples.is_empty();
        if let Some((estimate, method)) = difference(ours, theirs) {
            rows.push(Row { scenario, a: ours, b: theirs, estimate, method });
        }
    }
    if rows.is_empty() && is_hidden {
        return Err(Failure::usage("the two runs cannot be compared: of hidden seeds no values are kept")
            .hint("`assay gate --feedback` and `assay run` record values seed by seed"));
    }
    if rows.is_empty() {
        return Err(Failure::usage("the two runs have nothing to compare: no measure in a scenario of the same name")
            .hint("`assay show ID` lists what a run has"));
    }
    Ok(rows)
}

fn row_json(row: &Row<'_>) -> Value {
    json!({
        "measure": row.a.measure,
        "scenario": row.scenario,
        "unit": row.a.unit,
        "a": words::spread_json(&row.a.spread),
        "b": words::spread_json(&row.b.spread),
        "difference": words::estimate_json(&row.estimate),
        "method": row.method.word().to_lowercase(),
        "answer": answer(&row.estimate, row.a.better),
    })
}
