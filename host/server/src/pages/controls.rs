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

/// One market of those that come with Assay.
pub(crate) fn market(chosen: &str) -> Markup {
    html! {
        label { "market"
            select name="market" {
                @for preset in assay_market::presets() { option value=(preset.name) selected[preset.name == chosen] { (preset.name) } }
            }
        }
    }
}

/// Several markets.
pub(crate) fn markets(chosen: &[String]) -> Markup {
    html! {
        fieldset class="choices" {
            legend { "markets" }
            @for preset in assay_market::presets() {
                label title=(preset.summary) {
                    input type="checkbox" name="market" value=(preset.name) checked[chosen.iter().any(|name| name == preset.name)];
                    (preset.name)
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
