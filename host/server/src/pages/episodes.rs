//! Forms that start rollouts and runs in worlds, and fork the latter.

use super::controls::{complaint, field, offered, token};
use super::layout::{Frame, Section, layout};
use super::start::{Choices, Filled, estimate};
use crate::text;
use assay_work::episodes::SCRIPTED;
use assay_work::offers::Kind;
use assay_world::Profile;
use assay_worlds::agents::{Agents as _, OwnAgent};
use maud::{Markup, html};

/// `assay rollout run`
pub(crate) fn rollout(frame: Frame<'_>, filled: &Filled, choices: &Choices<'_>) -> String {
    let body = html! {
        (complaint(choices.trouble))
        (nothing_to_choose(choices, Kind::Tasks, "There are no tasks", "examples/bugs"))
        form method="post" action="/rollouts/new" {
            (token(frame.form.unwrap_or_default()))
            div class="filter" {
                (offered("tasks", "tasks", Kind::Tasks, choices.offers, &filled.tasks))
                (field("only", "only tasks like this: * is any text", &filled.only, ""))
                label { "model"
                    select name="model" {
                        option value=(SCRIPTED) { "the script that comes with each task" }
                        (models(choices, &filled.model))
                    }
                }
            }
            div class="filter" {
                (amounts(filled))
                (field("steps", "steps at most, of an episode", &filled.steps, "number"))
                (money(filled, choices))
            }
            (estimate(choices))
        }
        (notes(choices))
        p class="small" { "A score needs a container engine, in which the tests of a task run. Without one the episodes run, are told apart as unscored, and can be graded later." }
    };
    layout(frame, "Start a rollout", Section::Rollouts, None, &body)
}

/// `assay worlds run`
pub(crate) fn world(frame: Frame<'_>, filled: &Filled, choices: &Choices<'_>) -> String {
    let body = html! {
        (complaint(choices.trouble))
        (nothing_to_choose(choices, Kind::World, "There is no world", "examples/worlds"))
        form method="post" action="/worlds/new" {
            (token(frame.form.unwrap_or_default()))
            div class="filter" {
                (offered("world", "world", Kind::World, choices.offers, &filled.world))
                (field("only", "only these tasks, with commas between them", &filled.only, ""))
                (agents(choices, filled))
                label { "tools fail"
                    select name="faults" {
                        @for profile in Profile::ALL { option value=(profile.name()) selected[profile.name() == filled.faults] { (how_often(*profile)) } }
                    }
                }
            }
            div class="filter" { (amounts(filled)) (money(filled, choices)) }
            (estimate(choices))
        }
        (notes(choices))
    };
    layout(frame, "Start a run in a world", Section::Worlds, None, &body)
}

/// `assay worlds fork`
pub(crate) fn fork(frame: Frame<'_>, filled: &Filled, choices: &Choices<'_>) -> String {
    let body = html! {
        (complaint(choices.trouble))
        (nothing_to_choose(choices, Kind::World, "There is no world", "examples/worlds"))
        p { "The steps up to one are made again, and must come out as they were recorded; then an agent goes on in the same world, with the same seed and faults." }
        form method="post" action="/worlds/fork" {
            (token(frame.form.unwrap_or_default()))
            div class="filter" {
                label { "episode: the last part of the address of its page"
                    input name="episode" value=(text::whole(&filled.episode)) maxlength="400" autocomplete="off";
                }
                (field("step", "after step", &filled.step, "number"))
                (offered("world", "its world", Kind::World, choices.offers, &filled.world))
                (agents(choices, filled))
            }
            div class="filter" {
                (field("samples", "episodes that go on", &filled.samples, "number"))
                (field("at_once", "episodes at once", &filled.at_once, "number"))
                (money(filled, choices))
            }
            (estimate(choices))
        }
        (notes(choices))
    };
    layout(frame, "Fork a run in a world", Section::Worlds, None, &body)
}

fn agents(choices: &Choices<'_>, filled: &Filled) -> Markup {
    html! {
        label { "agent"
            select name="model" {
                @for own in OwnAgent::ALL { option value=(own.name()) selected[own.name() == filled.model] { (words(*own)) } }
                (models(choices, &filled.model))
            }
        }
    }
}

const fn words(agent: OwnAgent) -> &'static str {
    match agent {
        OwnAgent::Scripted => "scripted: follows the script of each task, and tries again what fails",
        OwnAgent::Hasty => "hasty: follows the script once",
        OwnAgent::Null => "null: does nothing",
        OwnAgent::TalkOnly => "talk-only: claims success",
    }
}

const fn how_often(profile: Profile) -> &'static str {
    match profile {
        Profile::None => "never",
        Profile::Light => "one call in twenty",
        Profile::Rough => "one call in four",
    }
}

fn models(choices: &Choices<'_>, chosen: &str) -> Markup {
    html! { @for model in choices.models { option value=(model) selected[model == chosen] { (text::name(model)) } } }
}

fn amounts(filled: &Filled) -> Markup {
    html! {
        (field("samples", "episodes of each task", &filled.samples, "number"))
        (field("at_once", "episodes at once", &filled.at_once, "number"))
        (field("seed", "seed of all draws", &filled.seed, "number"))
    }
}

fn money(filled: &Filled, choices: &Choices<'_>) -> Markup {
    html! {
        @if !choices.models.is_empty() {
            (field("dollars", "dollars at most", &filled.dollars, "number"))
            (field("tokens", "tokens at most", &filled.tokens, "number"))
        }
    }
}

/// That there is nothing of a kind, in `words`.
fn nothing_to_choose(choices: &Choices<'_>, kind: Kind, words: &str, example: &str) -> Markup {
    html! {
        @if !choices.offers.iter().any(|offer| offer.kind == kind) {
            p class="notice" { (words) " to choose from. Start " code { "assay serve" } " with " code { "--sources DIR" } " and a folder above, " code { (example) } " say." }
        }
    }
}

fn notes(choices: &Choices<'_>) -> Markup {
    html! {
        p class="small" {
            "Nothing is started before you have seen what it would take. A job goes on when this page is closed, and after a restart of the server. "
            @if choices.models.is_empty() { "To let models work, start " code { "assay serve" } " with " code { "--model PROVIDER:NAME" } "; keys stay in its environment." }
        }
    }
}
