//! Forms that start a run, a verdict or a refinement, and what all forms are filled in with.

use super::controls::{complaint, field, goals, market_boxes, markets, policies, strategies, token};
use super::layout::{Frame, Section, layout};
use crate::text;
use assay_work::offers::Offer;
use maud::{Markup, html};

/// What a form has been filled in with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filled {
    pub strategy: String,
    pub markets: Vec<String>,
    /// The markets that only the end of a refinement sees: a word for what is usual or none, and those that are named.
    pub family: String,
    pub unseen: Vec<String>,
    pub seeds: String,
    pub goal: String,
    pub baseline: String,
    pub policy: String,
    pub is_checked: bool,
    pub writer: String,
    pub words: String,
    pub generations: String,
    pub width: String,
    pub seed: String,
    pub minutes: String,
    pub dollars: String,
    pub tokens: String,
    pub tasks: String,
    pub world: String,
    /// Which tasks.
    pub only: String,
    /// Who answers, or acts.
    pub model: String,
    pub faults: String,
    pub samples: String,
    pub at_once: String,
    pub steps: String,
    /// The trajectory that is forked, and after which step.
    pub episode: String,
    pub step: String,
}

/// What there is to choose from, and what was wrong.
pub(crate) struct Choices<'a> {
    pub offers: &'a [Offer],
    pub models: &'a [String],
    pub trouble: Option<&'a str>,
    /// What the command says that it would take, and whether it can be started.
    pub estimate: Option<(&'a str, bool)>,
}

/// What it would take, and the buttons that ask for that and start it.
pub(super) fn estimate(choices: &Choices<'_>) -> Markup {
    html! {
        @if let Some((estimate, can_start)) = choices.estimate {
            section id="estimate" tabindex="-1" {
                h2 { "What it would take" }
                (text::block(estimate.trim_end()))
                @if can_start { p { button name="act" value="start" { "Start it" } } }
            }
        }
        p { button name="act" value="estimate" { @if choices.estimate.is_some() { "Estimate again" } @else { "Estimate" } } }
    }
}

fn nothing_to_choose(choices: &Choices<'_>) -> Markup {
    html! {
        @if !choices.offers.iter().any(|offer| offer.kind.is_strategy()) {
            p class="notice" { "There is no strategy to choose from. " a href="/edit" { "Write one" } " and save it, or start " code { "assay serve" } " with " code { "--sources DIR" } "." }
        }
    }
}

pub(crate) fn run(frame: Frame<'_>, filled: &Filled, choices: &Choices<'_>) -> String {
    let body = html! {
        (complaint(choices.trouble))
        (nothing_to_choose(choices))
        form method="post" action="/runs/new" {
            (token(frame.form.unwrap_or_default()))
            div class="filter" {
                (strategies("strategy", "strategy", None, choices.offers, &filled.strategy))
                (strategies("baseline", "compare with", Some("a trader that does nothing"), choices.offers, &filled.baseline))
            }
            (markets(choices.offers, &filled.markets))
            div class="filter" {
                (field("seeds", "seeds: 20, 5..8 or 3,7,11", &filled.seeds, ""))
                (goals(&filled.goal))
                label class="check" { input type="checkbox" name="checked" value="1" checked[filled.is_checked]; "keep quotes, trades and orders as tables" }
            }
            p { button { "Run" } }
        }
        p class="small" { "A run is checked, compiled and sandboxed exactly as " code { "assay run" } " does it; its job goes on when this page is closed." }
    };
    layout(frame, "Run a strategy", Section::Runs, None, &body)
}

pub(crate) fn gate(frame: Frame<'_>, filled: &Filled, choices: &Choices<'_>) -> String {
    let body = html! {
        (complaint(choices.trouble))
        (nothing_to_choose(choices))
        form method="post" action="/gate/new" {
            (token(frame.form.unwrap_or_default()))
            div class="filter" {
                (strategies("strategy", "submission", None, choices.offers, &filled.strategy))
                (policies(choices.offers, &filled.policy))
                label class="check" { input type="checkbox" name="checked" value="1" checked[filled.is_checked]; "public seeds only, for its author" }
            }
            p { button { "Judge" } }
        }
    };
    layout(frame, "Judge a strategy", Section::Gate, None, &body)
}

/// The markets in which champion and origin meet once, at the end.
fn family(offers: &[Offer], filled: &Filled) -> Markup {
    html! {
        div class="filter" {
            label { "markets for the end only: champion and origin meet there once"
                select name="family" {
                    option value="" { "usual: of calm, lively, volatile, stable and thin those that are not chosen above, if no others are" }
                    option value="none" selected[filled.family == "none"] { "none" }
                }
            }
        }
        details open[!filled.unseen.is_empty()] {
            summary { "Or exactly these" }
            (market_boxes("unseen", "markets for the end only", offers, &filled.unseen))
        }
    }
}

pub(crate) fn refine(frame: Frame<'_>, filled: &Filled, choices: &Choices<'_>) -> String {
    let none = (!choices.models.is_empty()).then_some("none: a model begins with the starter");
    let body = html! {
        (complaint(choices.trouble))
        (nothing_to_choose(choices))
        form method="post" action="/refine/new" {
            (token(frame.form.unwrap_or_default()))
            div class="filter" {
                (strategies("strategy", "begin with", none, choices.offers, &filled.strategy))
                label { "who writes candidates"
                    select name="writer" {
                        option value="" { "the tuner: sets the parameters that the strategy declares" }
                        @for model in choices.models { option value=(model) selected[*model == filled.writer] { (text::name(model)) } }
                    }
                }
                (goals(&filled.goal))
            }
            @if !choices.models.is_empty() {
                label class="wide" { "what a model is asked for, in words"
                    textarea name="words" rows="3" maxlength="8000" { (maud::PreEscaped("\n")) (text::editable(&filled.words).0) }
                }
            }
            (markets(choices.offers, &filled.markets))
            (family(choices.offers, filled))
            div class="filter" {
                (field("generations", "generations at most", &filled.generations, "number"))
                (field("width", "candidates in each", &filled.width, "number"))
                (field("seed", "seed of all draws", &filled.seed, "number"))
                (field("minutes", "minutes at most", &filled.minutes, "number"))
                @if !choices.models.is_empty() {
                    (field("dollars", "dollars at most", &filled.dollars, "number"))
                    (field("tokens", "tokens at most", &filled.tokens, "number"))
                }
            }
            (estimate(choices))
        }
        p class="small" {
            "Nothing is started before you have seen what it would take. "
            @if choices.models.is_empty() { "To let models write, start " code { "assay serve" } " with " code { "--model PROVIDER:NAME" } "." }
        }
    };
    layout(frame, "Refine a strategy", Section::Refine, None, &body)
}
