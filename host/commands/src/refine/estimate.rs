//! What a session may take, said before anything is begun: generations, candidates, episodes, requests, dollars.

use super::workshop::Workshop;
use crate::guide::{GUIDE, GUIDE_PYTHON};
use crate::settings::ModelAccess;
use crate::{Failure, face};
use assay_refine::core::plan::{ModelPlan, Plan, WriterPlan};
use assay_refine::explain::QUESTIONS_MAX;
use assay_refine::model::REPAIRS_MAX;

/// Bytes of what a request tells besides guide and program: what the program did and why, what was tried, another program.
const TOLD_BYTES: u64 = 16_000;

/// What it may take, before anything is begun.
pub(super) fn estimate(plan: &Plan, workshop: &Workshop, access: &ModelAccess) -> Result<(), Failure> {
    let rules = &plan.rules;
    let (mut race, mut alive, mut seen) = (0, rules.width, 0);
    for &blocks in &rules.rungs {
        race += (alive + 1) * (blocks - seen);
        (alive, seen) = (alive.div_ceil(rules.keep_one_in.max(1)), blocks);
    }
    let blocks = race + 2 * (rules.trial_blocks + rules.pooled_blocks);
    let episodes = u64::from(blocks * rules.block_seeds) * plan.markets.len() as u64;
    let asks = match &plan.writer {
        WriterPlan::Tuner { .. } => "no model, no cost".to_owned(),
        WriterPlan::Model(models) => requests(plan, models, workshop, access)?,
    };
    let number = |count: u32, what: &str| match count {
        1 => format!("1 {what}"),
        several => format!("{several} {what}s"),
    };
    face::step(
        "Plan",
        &format!(
            "at most {} of {}, at most {episodes} episodes for each generation, in {}; {asks}",
            number(rules.generations, "generation"),
            number(rules.width, "candidate"),
            number(plan.markets.len() as u32, "market"),
        ),
    );
    Ok(())
}

/// How often models are asked, and what the first writer costs.
fn requests(plan: &Plan, models: &ModelPlan, workshop: &Workshop, access: &ModelAccess) -> Result<String, Failure> {
    let candidates = u64::from(plan.rules.generations) * u64::from(plan.rules.width);
    let each = u64::from(REPAIRS_MAX + 1) + u64::from(models.self_review);
    let names: Vec<&str> = models.writers().collect();
    let mut text = format!("at most {} requests to {}", candidates * each, names.join(" or "));
    let explaining = candidates * plan.markets.len() as u64 * u64::from(QUESTIONS_MAX + 1);
    // A generation has one trial, and a trial one verdict.
    let judging = u64::from(plan.rules.generations.min(plan.rules.trials_max));
    for (model, most) in [(&models.explain_model, explaining), (&models.judge_model, judging), (&models.plan_model, 1)]
    {
        if let Some(model) = model {
            text.push_str(&format!(", {most} to {model}"));
        }
    }
    let guide = if workshop.is_python() { GUIDE_PYTHON } else { GUIDE };
    let input = (guide.len() + workshop.source().len()) as u64 + TOLD_BYTES;
    let each_costs: Vec<String> =
        names.iter().map(|model| dollars(model, access, candidates, input)).collect::<Result<_, _>>()?;
    match each_costs.as_slice() {
        [one] => Ok(format!("{text}; {one}")),
        several => {
            let named = names.iter().zip(several).map(|(model, cost)| format!("if {model} writes all: {cost}"));
            Ok(format!("{text}; {}", named.collect::<Vec<_>>().join("; ")))
        }
    }
}

/// What the writer costs if each candidate takes one request of the given size.
#[cfg(feature = "rollouts")]
fn dollars(model: &str, access: &ModelAccess, requests: u64, input: u64) -> Result<String, Failure> {
    use super::MICRO;
    use super::model::{TOKEN_BYTES, cost};
    /// Tokens of an answer that is a whole program, about.
    const ANSWER_TOKENS: u64 = 3_000;
    let cost = cost(model, access, input / TOKEN_BYTES * requests, ANSWER_TOKENS * requests)?;
    Ok(cost.map_or_else(
        || "no price is known for it".to_owned(),
        |cost| format!("about ${:.2} if each candidate takes one request to write", cost as f64 / MICRO),
    ))
}

#[cfg(not(feature = "rollouts"))]
fn dollars(_: &str, _: &ModelAccess, _: u64, _: u64) -> Result<String, Failure> {
    Err(Failure::left_out("language models"))
}
