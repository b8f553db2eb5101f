//! What the pages about one step of an episode share: the step, what it is made again with, and the ways to other steps and to the rest of the episode.

use super::layout::{Frame, left_out};
use crate::chain::Break;
use crate::id::ItemId;
use crate::place::Place;
use crate::text;
use assay_work::offers::Offer;
use maud::{Markup, html};
use serde::Serialize;

/// What can be said of a step.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Told<V> {
    /// What it left.
    View(Box<V>),
    /// The steps could not be made again, and why.
    Refused(String),
    /// What they would be made again with is not at hand.
    Unknown,
}

/// What such a page is called, and what it asks for.
pub(crate) struct Kind {
    /// The last part of its address.
    pub path: &'static str,
    /// The key of what the steps are made again with, and how people call it.
    pub with: (&'static str, &'static str),
}

/// One step of an episode.
#[derive(Serialize)]
pub(crate) struct Step<'a> {
    #[serde(skip)]
    pub kind: &'static Kind,
    pub id: &'a ItemId,
    pub step: u64,
    pub steps: u64,
    /// The step that was asked for, where there is none such yet.
    #[serde(skip)]
    pub beyond: Option<u64>,
    /// What can be chosen to make the steps again with; `/api/choices` lists it.
    #[serde(skip)]
    pub offers: &'a [Offer],
    /// What is.
    pub chosen: Option<String>,
    /// The first record of the trajectory that is not as it was written.
    pub broken: Option<Break>,
}

impl Step<'_> {
    /// The page after a step; `more` is the rest of its query.
    pub(super) fn address(&self, step: u64, more: &str) -> String {
        let Kind { path, with: (key, _) } = self.kind;
        let chosen = self.chosen.as_deref().map(|chosen| format!("&{key}={chosen}")).unwrap_or_default();
        format!("/t/{}/{path}?step={step}{chosen}{more}", self.id)
    }

    /// Links to the trajectory, its outline, and the run.
    pub(super) fn around(&self, frame: Frame<'_>, run: &Place) -> Markup {
        html! {
            (frame.link(&Place::Trajectory(self.id.clone(), 0), "The trajectory")) " · "
            a href={ "/t/" (self.id) "/outline" } { "Outline" } " · "
            (frame.link(run, "The run"))
        }
    }

    /// That another step is shown than was asked for, if it is.
    pub(super) fn missed(&self) -> Markup {
        let Self { step, steps, .. } = self;
        let has = text::counted(*steps, "step", "steps");
        html! {
            @if let Some(beyond) = self.beyond {
                (left_out("step", &beyond.to_string(), &format!("is beyond the end: the trajectory has {has}, and this is step {step}")))
            }
        }
    }

    /// That the trajectory is not as it was written, if it is not.
    pub(super) fn proof(&self, frame: Frame<'_>) -> Markup {
        html! { @if let Some(at) = self.broken { (super::broken::notice(frame, self.id, at)) } }
    }

    /// The way to other steps. `more` is what their addresses keep, `kept` the same as fields of a form.
    pub(super) fn others(&self, more: &str, kept: &[(&str, String)]) -> Markup {
        let Self { kind: Kind { path, with: (key, _) }, id, step, steps, chosen, .. } = self;
        html! {
            @if *steps > 0 {
                nav aria-label="Steps" {
                    @if *step > 0 { a rel="prev" href=(self.address(step - 1, more)) { "Step " (step - 1) } }
                    @if step < steps { a rel="next" href=(self.address(step + 1, more)) { "Step " (step + 1) } }
                }
            }
            form class="filter" method="get" action={ "/t/" (id) "/" (path) } {
                @if let Some(chosen) = chosen { input type="hidden" name=(key) value=(chosen); }
                @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
                label { "after step, 0 to " (steps)
                    input name="step" value=(step) inputmode="numeric" maxlength="10" autocomplete="off";
                }
                button { "Show" }
            }
        }
    }

    /// The choice of what the steps are made again with, if there is one.
    pub(super) fn choice(&self) -> Markup {
        let Self { kind: Kind { path, with: (key, label) }, id, step, offers, chosen, .. } = self;
        html! {
            @if offers.len() > 1 || (chosen.is_none() && !offers.is_empty()) {
                form class="filter" method="get" action={ "/t/" (id) "/" (path) } {
                    input type="hidden" name="step" value=(step);
                    label { (label)
                        select name=(key) {
                            @for offer in *offers { option value=(offer.id) selected[Some(offer.id.to_string()) == *chosen] { (text::name(&offer.name)) } }
                        }
                    }
                    button { "Make the steps again" }
                }
            }
        }
    }

    /// Why the steps could not be made again, and the choice.
    pub(super) fn refused(&self, why: &str) -> Markup {
        html! {
            p class="notice" { "The steps could not be made again: " (text::words(why)) }
            (self.choice())
        }
    }
}
