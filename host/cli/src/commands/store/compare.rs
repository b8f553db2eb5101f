//! `assay compare`: two runs, measure by measure, with what can be told and what cannot.

use super::words;
use crate::args::CompareArgs;
use crate::commands::DONE;
use crate::exit::{Exit, Failure};
use crate::store::Open;
use crate::ui;
use assay_evaluate::{Estimate, Sample, family_of, holm, welch};
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

/// The difference a − b of one measure: by pairs if both have the same seeds of the same scenario. The store keeps one value for each market path.
pub(super) fn difference(a: &Kpi, b: &Kpi) -> Option<(Estimate, Method)> {
    let seeds = |kpi: &Kpi| kpi.samples.iter().copied().collect::<BTreeMap<u64, f64>>();
    let (of_a, of_b) = (seeds(a), seeds(b));
    let is_paired = a.scenario == b.scenario && of_a.keys().eq(of_b.keys());
    let sample = |seeds: BTreeMap<u64, f64>| Sample::of_distinct(seeds.into_values().collect());
    let (of_a, of_b) = (sample(of_a), sample(of_b));
    if is_paired {
        return Some((of_a.minus(&of_b)?.estimate()?, Method::Paired));
    }
    Some((welch(&of_a, &of_b)?, Method::Welch))
}

/// What a difference a − b says, in words.
fn answer(row: &Row<'_>) -> &'static str {
    match (row.is_told(), row.a.better, row.estimate.mean > 0.0) {
        _ if row.estimate.n < 2 => "one observation: no conclusion",
        (false, _, _) => "no significant difference",
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
    /// The p-value after Holm's correction for all measures of the group in the scenario.
    p_corrected: Option<f64>,
}

impl Row<'_> {
    fn is_told(&self) -> bool {
        self.estimate.is_told() && self.p_corrected.is_some_and(|p| p <= 0.05)
    }
}

pub(crate) fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    let open = Open::to_read(&args.store)?;
    let get = |id: &str| open.ask(async |store: &Store| store.get(store.resolve(id).await?).await);
    let (a, b) = (get(&args.a)?, get(&args.b)?);
    same_meaning(&open, &a, &b)?;
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
            answer(row).to_owned(),
        ]
    });
    let header = ["MEASURE", "SCENARIO", "A", "B", "A - B, 95% INTERVAL", "HOW", "ANSWER"];
    ui::out(&ui::table(&header, &cells.collect::<Vec<_>>()));
    if rows.iter().any(|row| row.a.scenario != row.b.scenario) {
        ui::warn("the runs saw different versions of a scenario: a difference may be the scenario's");
    }
    let tested = rows.iter().filter(|row| row.estimate.p.is_some()).count();
    if tested > 1 {
        ui::note(&ui::dim(&format!(
            "{tested} differences were tested: chance alone would show about {:.1}; answers are after Holm's correction within groups of measures",
            tested as f64 * 0.05
        )));
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
            rows.push(Row { scenario, a: ours, b: theirs, estimate, method, p_corrected: None });
        }
    }
    if rows.is_empty() && is_hidden {
        return Err(Failure::usage("the two runs cannot be compared: values of hidden seeds are not stored")
            .hint("use `assay gate --feedback` or `assay run`, which record values seed by seed"));
    }
    if rows.is_empty() {
        return Err(Failure::usage(
            "the two runs have nothing to compare: they share no measure in a scenario of the same name",
        )
        .hint("`assay show ID` lists what a run contains"));
    }
    correct(&mut rows);
    Ok(rows)
}

/// Holm's correction within each group of measures of each scenario.
fn correct(rows: &mut [Row<'_>]) {
    let mut families: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.estimate.p.is_some()) {
        families.entry((row.scenario, family_of(&row.a.measure))).or_default().push(index);
    }
    for family in families.into_values() {
        let raw: Vec<f64> = family.iter().filter_map(|index| rows[*index].estimate.p).collect();
        for (index, corrected) in family.into_iter().zip(holm(&raw, raw.len())) {
            rows[index].p_corrected = Some(corrected);
        }
    }
}

/// What the figures of a run mean is a matter of the major version of its record; a run without one goes by its release.
fn meaning(open: &Open, detail: &RunDetail) -> Result<String, Failure> {
    #[derive(serde::Deserialize)]
    struct Schema {
        version: String,
    }
    #[derive(serde::Deserialize)]
    struct Opening {
        schema: Schema,
    }
    let Some(record) = detail.artifacts.iter().find(|artifact| artifact.name == "run.json") else {
        return Ok(format!("release {}", detail.entry.run.tool));
    };
    let bytes = open.ask(async |store: &Store| store.artifact(record.hash).await)?;
    let version =
        serde_json::from_slice::<Opening>(&bytes).map_or_else(|_| String::new(), |opening| opening.schema.version);
    Ok(format!("run records {}", version.split('.').next().unwrap_or_default()))
}

/// Refuses to subtract figures that do not mean the same.
fn same_meaning(open: &Open, a: &RunDetail, b: &RunDetail) -> Result<(), Failure> {
    let kinds = [a, b].map(|detail| detail.entry.run.kind);
    if kinds[0] != kinds[1] {
        let [a, b] = kinds.map(Kind::word);
        return Err(Failure::usage(format!("A is a {a} and B is a {b}; only runs of one kind can be compared"))
            .hint(format!("`assay runs --kind {a}` and `assay runs --kind {b}` list them")));
    }
    let (of_a, of_b) = (meaning(open, a)?, meaning(open, b)?);
    let both_have_records = of_a.starts_with("run") && of_b.starts_with("run");
    let is_same = if both_have_records { of_a == of_b } else { a.entry.run.tool == b.entry.run.tool };
    if is_same {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the two runs cannot be compared: A follows {of_a} (Assay {}), B follows {of_b} (Assay {}), and their measures do not mean the same",
        a.entry.run.tool, b.entry.run.tool
    ))
    .hint("run both strategies again with this release; `assay show ID` has the command"))
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
        "p": row.estimate.p,
        "p_corrected": row.p_corrected,
        "told": row.is_told(),
        "answer": answer(row),
    })
}
