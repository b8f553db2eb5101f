//! What the models of a session came to, for a person: the markets that one proposed, the verdicts of another, and what those that write have paid.

use crate::cell::quoted;
use crate::core::bandit::{Arm, by_model, by_operator};
use crate::core::event::{Judged, Planned};
use crate::core::state::State;
use crate::evidence::cost;
use std::fmt::Write as _;

/// What came of asking for markets, in a line.
#[must_use]
pub fn planned_line(planned: &Planned) -> String {
    if let Some(why) = &planned.why {
        return format!("no markets were proposed: {why}");
    }
    let taken = planned.markets.iter().map(|market| format!("{} over {}", market.name, market.base));
    let refused = planned.refused.iter().map(|refused| format!("{} refused ({})", refused.name, refused.why));
    let all: Vec<String> = taken.chain(refused).collect();
    if all.is_empty() { "no markets were proposed".to_owned() } else { all.join(", ") }
}

/// What a judge said, and whether it agreed with what was decided, in a line.
#[must_use]
pub fn verdict_line(judged: &Judged) -> String {
    let Some(verdict) = &judged.verdict else {
        return format!("no verdict: {}", judged.why.as_deref().unwrap_or("the model gave none"));
    };
    let agreed = if judged.agreed == Some(true) { "as the formula decided" } else { "the formula decided otherwise" };
    format!(
        "{} points, {}, {} ({agreed}): {}",
        verdict.score,
        verdict.comparison.word(),
        verdict.recommendation.word(),
        verdict.reasoning
    )
}

/// The sections of a session's story about its models.
#[must_use]
pub(crate) fn sections(state: &State) -> String {
    verdicts(state) + &markets(state) + &payoffs(state)
}

fn verdicts(state: &State) -> String {
    let judge = state.plan().writer.models().and_then(|models| models.judge_model.as_deref());
    let Some(judge) = judge else {
        return "\n## Judge\n\nNo model was asked for a verdict: the formula decided alone.\n".to_owned();
    };
    let (said, agreed) = state.agreement();
    let mut text = format!(
        "\n## Judge\n\n{} was asked what it thinks of each challenger, and told neither the trial nor what was decided. It decided nothing. It recommended what the formula decided in {agreed} of {said} verdicts.\n\n| trial | challenger | score | beside the champion | recommends | decided | reasoning |\n|---|---|---|---|---|---|---|\n",
        quoted(judge)
    );
    for (number, trial) in (1_u32..).zip(state.trials()) {
        let Some(judged) = state.judged(number) else { continue };
        let decided = if trial.promoted == Some(true) { "promote" } else { "keep" };
        let row = match &judged.verdict {
            Some(verdict) => format!(
                "{} | {} | {} | {decided} | {}",
                verdict.score,
                verdict.comparison.word(),
                verdict.recommendation.word(),
                quoted(&verdict.reasoning)
            ),
            None => format!(" | | | {decided} | none: {}", quoted(judged.why.as_deref().unwrap_or_default())),
        };
        let _infallible = writeln!(text, "| {number} | {} | {row} |", judged.candidate);
    }
    text
}

fn markets(state: &State) -> String {
    let Some(planned) = state.planned() else { return String::new() };
    let mut text =
        "\n## Proposed markets\n\nA model proposed them to show weaknesses. Writers are told what programs do there; they count in no race, no trial and no seal.\n\n"
            .to_owned();
    for market in &planned.markets {
        let changes: Vec<String> = market.changes.iter().map(|(key, factor)| format!("{key} x {factor}")).collect();
        let (base, why) = (quoted(&market.base), quoted(&market.why));
        let _infallible = writeln!(text, "- {} over {base}: {}. {why}", market.name, quoted(&changes.join(", ")));
    }
    for refused in &planned.refused {
        let _infallible = writeln!(text, "- {} was refused: {}", quoted(&refused.name), quoted(&refused.why));
    }
    if planned.markets.is_empty() && planned.refused.is_empty() {
        let why = planned.why.as_deref().unwrap_or("the answer has no proposal");
        let _infallible = writeln!(text, "None: {}.", quoted(why));
    }
    text
}

/// What was paid, by what was asked for and, where models write, by model.
fn payoffs(state: &State) -> String {
    let table = |text: &mut String, title: &str, arms: &[Arm]| {
        let _infallible = writeln!(
            text,
            "\n| {title} | candidates | champions | paid | each | tokens | cost |\n|---|---|---|---|---|---|---|"
        );
        for arm in arms {
            let _infallible = writeln!(
                text,
                "| {} | {} | {} | {:.2} | {:.3} | {} | {} |",
                quoted(&arm.name),
                arm.candidates,
                arm.champions,
                arm.payoff,
                arm.mean(),
                arm.tokens,
                cost(arm.tokens, arm.microdollars)
            );
        }
    };
    let mut text = "\n## What paid\n\nA candidate pays the points that it has over the champion at least, by the 95% interval: on fresh seeds if it had a trial, in blocks and at once, else on those of the search; 1 at most. Generations that are over count.\n".to_owned();
    table(&mut text, "asked to", &by_operator(state, state.generation()));
    let models = by_model(state, state.generation());
    if !models.is_empty() {
        table(&mut text, "model", &models);
    }
    let looked = state.candidates().values().filter_map(|candidate| candidate.revised);
    let (all, changed) = looked.fold((0, 0), |(all, changed), one| (all + 1, changed + usize::from(one)));
    if all > 0 {
        let _infallible = writeln!(text, "\nWriters looked over {all} drafts, and changed {changed} of them.");
    }
    text
}
