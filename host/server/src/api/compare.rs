//! Two runs of the store for programs, as the pages compare them.

use super::answers::head;
use super::{Routes, Shared, reply, value};
use crate::form::Form;
use crate::pages::compare::{Comparison, Side};
use crate::pages::orders::{Found, Missing, Order, Parted, Told, words};
use crate::query;
use crate::recording::Refused;
use crate::safety::field;
use crate::turn::{in_turn, turn};
use crate::views::Problem;
use crate::views::compare::{Chosen, again, compared, read};
use assay_results::{compared_json, expected_by_chance};
use assay_store::RunId;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::sync::Arc;

/// Measures of an answer, and pairs of the one that is told seed by seed.
const MEASURES_MAX: usize = 2_000;
const PAIRS_MAX: usize = 10_000;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.on("compare", get(compare)).on("record_seed", post(record_seed))
}

fn run_id(text: &str) -> Result<RunId, Problem> {
    text.parse().map_err(|_| Problem::nothing())
}

async fn compare(State(app): Shared, uri: Uri) -> Response {
    let made = async {
        let id = |name: &str| run_id(&field(&uri, name).unwrap_or_default());
        let (a, b) = (id("a")?, id("b")?);
        let turn = turn(&app).await?;
        let (a, b) = (read(&app.library, a).await?, read(&app.library, b).await?);
        let (measure, scenario) = (field(&uri, "measure"), field(&uri, "scenario"));
        let chosen = Chosen { measure, scenario, seed: query::number(&uri, "seed") };
        let worker = Arc::clone(&app);
        in_turn(turn, move || compared(&worker.library, (&a, &b), &chosen, told)?).await
    };
    reply(made.await)
}

fn told(comparison: &Comparison<'_>) -> Result<Value, Problem> {
    let (tested, by_chance) = expected_by_chance(comparison.rows);
    let side = |side: &Side| head(&side.run, &[]);
    let drawn = comparison.drawn.and_then(|drawn| comparison.rows.get(drawn)).map(|row| {
        let pairs: Vec<_> = row.pairs().into_iter().take(PAIRS_MAX).collect();
        json!({"measure": row.a.measure, "scenario": row.scenario, "pairs": pairs})
    });
    let orders = comparison.orders.as_ref().map(orders).transpose()?;
    Ok(json!({
        "a": side(&comparison.a), "b": side(&comparison.b),
        "measures": comparison.rows.iter().take(MEASURES_MAX).map(compared_json).collect::<Vec<_>>(),
        "tested": tested, "expected_by_chance": by_chance, "drawn": drawn, "changes": comparison.changes.clone().flatten(),
        "orders": orders,
    }))
}

fn orders(parted: &Parted) -> Result<Value, Problem> {
    let Parted { seed, seeds, of: (differing, shared), told } = parted;
    let told = match told {
        Told::Same => json!({"same": true}),
        Told::Missing(missing) => {
            let mut sides = Vec::new();
            for missing in missing {
                sides.push(missing.as_ref().map(unrecorded).transpose()?);
            }
            json!({"missing": sides})
        }
        Told::Unreadable(why) => json!({"unreadable": why}),
        Told::Found(found) => json!({"found": first(found)?}),
    };
    Ok(json!({"seed": seed, "seeds": seeds, "differing": differing, "shared": shared, "told": told}))
}

/// What records a seed, and the tables that would have it and are passed over.
fn unrecorded(missing: &Missing) -> Result<Value, Problem> {
    let mut refused = Vec::new();
    for Refused { folder: (id, name), why } in &missing.refused {
        refused.push(json!({"folder": {"id": value(id)?, "name": name}, "why": why}));
    }
    Ok(json!({"command": missing.command, "can_be_made_again": missing.can_be_made_again, "refused": refused}))
}

/// The first order that differs. Of each pair, the first is that of A.
fn first(found: &Found) -> Result<Value, Problem> {
    let order = |order: &Order| json!({"at_ns": order.at_ns, "request": words(&order.request)});
    let around = found.around.iter().map(|around| around.as_ref().map(|(row, rows)| json!({"row": row, "rows": rows})));
    let mut folders = Vec::new();
    for (id, name) in &found.folders {
        folders.push(json!({"id": value(id)?, "name": name}));
    }
    Ok(json!({
        "same": found.same, "shifted": found.shifted, "is_cut": found.is_cut,
        "before": found.before.iter().map(order).collect::<Vec<_>>(),
        "first": found.first.iter().map(|first| first.as_ref().map(order)).collect::<Vec<_>>(),
        "around": around.collect::<Vec<_>>(), "folders": folders,
    }))
}

/// Has a seed of a run made again, with its events.
async fn record_seed(State(app): Shared, body: Bytes) -> Response {
    let made = async {
        let form = Form::parse(&body);
        let (run, seed) = (run_id(form.get("run"))?, form.get("seed").parse().map_err(|_| Problem::nothing())?);
        // Before anything is read.
        let work = crate::desk::desk(&app)?;
        let turn = turn(&app).await?;
        let run = read(&app.library, run).await?;
        in_turn(turn, move || again(&work, &run, seed)).await
    };
    super::jobs::started(made.await)
}
