//! What this machine has of what Assay needs, and the command that installs what it lacks.

use super::layout::{Frame, Section, layout};
use crate::text;
use crate::{Check, Condition};
use maud::{Markup, html};

/// `None` where nobody looks.
pub(crate) fn page(frame: Frame<'_>, checks: Option<&[Check]>) -> String {
    let body = html! {
        @match checks {
            Some(checks) => {
                @let missing = checks.iter().filter(|check| check.condition == Condition::Missing).count();
                @if missing == 0 { p { "Nothing that Assay needs is missing." } }
                @else { p class="notice" { (text::counted(missing, "thing is", "things are")) " missing. The last column says what installs it." } }
                (table(checks))
            }
            None => { p { "This server does not look at its machine." } }
        }
        p { "Whether the sandbox holds here, only attacks can tell. " code { "assay doctor" } " carries them out: it takes minutes and most of the machine, so no page starts it." }
    };
    layout(frame, "This machine", Section::Doctor, None, &body)
}

fn table(checks: &[Check]) -> Markup {
    let tag = |condition: Condition| {
        let (class, word) = match condition {
            Condition::Ok => ("tag good", "ok"),
            Condition::Limited => ("tag doubtful", "limited"),
            Condition::Missing => ("tag bad", "missing"),
        };
        html! { span class=(class) { (word) } }
    };
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="What was looked at" { table {
            thead { tr { th scope="col" { "What" } th scope="col" { "State" } th scope="col" { "Found" } th scope="col" { "What mends it" } } }
            tbody {
                @for check in checks {
                    tr data-row="" {
                        th scope="row" { (text::name(&check.name)) }
                        td { (tag(check.condition)) }
                        td class="prose" { (text::words(&check.found)) }
                        td class="prose" { @if let Some(hint) = &check.hint { (text::words(hint)) } }
                    }
                }
            }
        } }
    }
}
