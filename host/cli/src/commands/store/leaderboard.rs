//! `assay leaderboard`: strategies in one scenario by one measure. Whom the data cannot tell apart shares a rank.

use super::compare::{Method, difference};
use super::words;
use crate::args::LeaderboardArgs;
use crate::commands::DONE;
use crate::exit::{Exit, Failure};
use crate::store::Open;
use crate::ui;
use assay_evaluate::Estimate;
use assay_store::{Better, Kpi, Run};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A strategy on the board.
struct Place {
    rank: usize,
    is_tied: bool,
    run: Run,
    kpi: Kpi,
    /// The difference to the best of the rank, or, for that one, to the best of the rank above.
    behind: Option<(Estimate, Method)>,
}

pub(crate) fn run(args: &LeaderboardArgs) -> Result<Exit, Failure> {
    let open = Open::to_read(&args.store)?;
    let found = open.ask(async |store| store.board(&args.scenario, &args.measure).await)?;
    open.close();
    let Some((_, newest)) = found.first() else {
        return Err(Failure::usage(format!(
            "no completed `assay run` has the measure `{}` in the scenario `{}`",
            args.measure, args.scenario
        ))
        .hint("`assay runs` lists what there is, docs/measures.md the measures"));
    };
    // Two versions of a scenario are two scenarios.
    let (scenario, better) = (newest.scenario.clone(), newest.better);
    if better == Better::Neutral {
        return Err(Failure::usage(format!("`{}` is neither good nor bad: it ranks nobody", args.measure))
            .hint("docs/measures.md says of each measure which direction is better"));
    }
    let others = found.iter().filter(|(_, kpi)| kpi.scenario != scenario).count();
    let places = ranked(found.into_iter().filter(|(_, kpi)| kpi.scenario == scenario), better);
    if args.json {
        let board: Vec<Value> = places.iter().map(place_json).collect();
        let all =
            json!({"scenario": args.scenario, "scenario_hash": scenario, "measure": args.measure, "board": board});
        ui::out(&format!("{all:#}"));
    } else {
        ui::out(&table(&places, &args.measure));
    }
    if others > 0 {
        ui::note(&ui::dim(&format!("{others} runs of other versions of the scenario are left out")));
    }
    DONE
}

/// The newest run of each strategy, best first. A rank begins with the first who can be told from the best of the rank above.
fn ranked(found: impl Iterator<Item = (Run, Kpi)>, better: Better) -> Vec<Place> {
    let mut seen = BTreeSet::new();
    let mut newest: Vec<(Run, Kpi)> = found.filter(|(run, _)| seen.insert(run.subject.clone())).collect();
    newest.sort_by(|(_, a), (_, b)| {
        let order = b.spread.mean.total_cmp(&a.spread.mean);
        if better == Better::Lower { order.reverse() } else { order }
    });
    let mut places: Vec<Place> = Vec::new();
    let mut leader = 0;
    for (index, (run, kpi)) in newest.into_iter().enumerate() {
        let behind = places.get(leader).and_then(|leader| difference(&kpi, &leader.kpi));
        let is_told = behind.as_ref().is_some_and(|(estimate, _)| estimate.is_told());
        if is_told {
            leader = index;
        } else if let Some(best) = places.get_mut(leader) {
            best.is_tied = true;
        }
        let is_tied = index > 0 && !is_told;
        places.push(Place { rank: leader + 1, is_tied, run, kpi, behind });
    }
    places
}

fn table(places: &[Place], measure: &str) -> String {
    let row = |place: &Place| {
        let behind = place.behind.as_ref().map_or_else(String::new, |(estimate, method)| {
            format!("{} ({})", words::estimate(estimate), method.word())
        });
        vec![
            format!("{}{}", place.rank, if place.is_tied { " tied" } else { "" }),
            words::short(&place.run.subject),
            words::spread(&place.kpi.spread),
            place.kpi.spread.n.to_string(),
            behind,
            place.run.id.to_string()[..super::ID_CHARACTERS].to_owned(),
        ]
    };
    let unit = places.first().map_or("", |place| place.kpi.unit.as_str());
    let value = format!("{} ({unit}), 95% INTERVAL", measure.to_uppercase());
    let header = ["RANK", "STRATEGY", &value, "SEEDS", "DIFFERENCE TO THE BETTER ONE", "RUN"];
    ui::table(&header, &places.iter().map(row).collect::<Vec<_>>())
}

fn place_json(place: &Place) -> Value {
    json!({
        "rank": place.rank,
        "tied": place.is_tied,
        "strategy": place.run.subject,
        "run": place.run.id.to_string(),
        "value": words::spread_json(&place.kpi.spread),
        "behind": place.behind.as_ref().map(|(estimate, _)| words::estimate_json(estimate)),
        "method": place.behind.as_ref().map(|(_, method)| method.word().to_lowercase()),
    })
}
