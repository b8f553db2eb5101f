//! What forms of several pages are made of: the token, lists to choose from, a field with its words.

use crate::safety::FORM_FIELD;
use crate::text;
use assay_work::offers::{Kind, Offer};
use assay_work::order::GOALS;
use maud::{Markup, html};

/// What makes a form ours.
pub(crate) fn token(form: &str) -> Markup {
    html! { input type="hidden" name=(FORM_FIELD) value=(form); }
}

/// A button that is a form of its own.
pub(crate) fn button(form: &str, action: &str, words: &str) -> Markup {
    html! { form class="inline" method="post" action=(action) { (token(form)) button { (words) } } }
}

/// Goals of the score.
pub(crate) fn goals(chosen: &str) -> Markup {
    html! {
        label { "goal of the score"
            select name="goal" { @for goal in GOALS { option value=(goal.name()) selected[goal.name() == chosen] { (goal.name()) } } }
        }
    }
}

/// One market: those that come with Assay, then scenario files.
pub(crate) fn market(offers: &[Offer], chosen: &str) -> Markup {
    let files: Vec<&Offer> = offers.iter().filter(|offer| offer.kind == Kind::Scenario).collect();
    html! {
        label { "market"
            select name="market" {
                @for preset in assay_market::presets() { option value=(preset.name) selected[preset.name == chosen] { (preset.name) } }
                @if !files.is_empty() {
                    optgroup label="scenario files" {
                        @for file in files { option value=(file.id) selected[file.id.to_string() == chosen] { (text::name(&file.name)) } }
                    }
                }
            }
        }
    }
}

/// What there is of markets, each with a line about it.
pub(crate) fn summaries() -> Markup {
    html! {
        details { summary { "What these markets are" }
            dl class="names" { @for preset in assay_market::presets() { dt { (preset.name) } dd { (preset.summary) } } }
        }
    }
}

/// Several markets: those that come with Assay, then scenario files.
pub(crate) fn markets(offers: &[Offer], chosen: &[String]) -> Markup {
    html! { (market_boxes("market", "markets", offers, chosen)) (summaries()) }
}

/// A box for each market.
pub(crate) fn market_boxes(name: &str, legend: &str, offers: &[Offer], chosen: &[String]) -> Markup {
    let is_chosen = |name: &str| chosen.iter().any(|chosen| chosen == name);
    html! {
        fieldset class="choices" {
            legend { (legend) }
            @for preset in assay_market::presets() {
                label title=(preset.summary) {
                    input type="checkbox" name=(name) value=(preset.name) checked[is_chosen(preset.name)];
                    (preset.name)
                }
            }
            @for file in offers.iter().filter(|offer| offer.kind == Kind::Scenario) {
                label {
                    input type="checkbox" name=(name) value=(file.id) checked[is_chosen(&file.id.to_string())];
                    (text::name(&file.name))
                }
            }
        }
    }
}

/// Offers of one kind that can be chosen.
pub(crate) fn offered(name: &str, words: &str, kind: Kind, offers: &[Offer], chosen: &str) -> Markup {
    html! {
        label { (words)
            select name=(name) {
                @for offer in offers.iter().filter(|offer| offer.kind == kind) {
                    option value=(offer.id) selected[offer.id.to_string() == chosen] { (text::name(&offer.name)) }
                }
            }
        }
    }
}

/// Strategies that can be chosen, with words for none.
pub(crate) fn strategies(name: &str, words: &str, none: Option<&str>, offers: &[Offer], chosen: &str) -> Markup {
    html! {
        label { (words)
            select name=(name) {
                @if let Some(none) = none { option value="" { (none) } }
                @for offer in offers.iter().filter(|offer| offer.kind.is_strategy()) {
                    option value=(offer.id) selected[offer.id.to_string() == chosen] { (text::name(&offer.name)) }
                }
            }
        }
    }
}

/// Policies that can be chosen.
pub(crate) fn policies(offers: &[Offer], chosen: &str) -> Markup {
    html! {
        label { "policy"
            select name="policy" {
                option value="" { "the one that `assay gate init` writes" }
                @for offer in offers.iter().filter(|offer| offer.kind == Kind::Policy) {
                    option value=(offer.id) selected[offer.id.to_string() == chosen] { (text::name(&offer.name)) }
                }
            }
        }
    }
}

/// A field for a word or a number.
pub(crate) fn field(name: &str, words: &str, value: &str, more: &str) -> Markup {
    html! {
        label { (words)
            input name=(name) value=(text::name(value)) maxlength="400" autocomplete="off" inputmode=[(more == "number").then_some("decimal")];
        }
    }
}

/// Why something cannot be done, above the form that asks for it.
pub(crate) fn complaint(trouble: Option<&str>) -> Markup {
    html! { @if let Some(trouble) = trouble { p class="notice" role="alert" { (text::words(trouble)) } } }
}
