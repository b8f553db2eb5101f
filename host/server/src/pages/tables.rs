//! The recorded tables of a run, each with a link to it in every format that a server hands out.

use super::layout::Frame;
use crate::recording::Tables;
use crate::text;
use maud::{Markup, html};

/// The tables of a run; none where nothing was recorded, and why those beside it are not its own.
pub(crate) type Told = Result<Option<Tables>, String>;

/// The formats as addresses and as people name them.
const FORMATS: [(&str, &str); 4] = [("json", "JSON"), ("csv", "CSV"), ("arrow", "Arrow"), ("parquet", "Parquet")];

/// The section of a page; an export has none, since there is no server that would hand out the tables.
pub(crate) fn section(frame: Frame<'_>, told: &Told) -> Markup {
    html! {
        @if frame.is_served() {
            h2 id="tables" { "Tables" }
            @match told {
                Ok(Some(tables)) => (list(tables)),
                Ok(None) => (how()),
                Err(why) => {
                    p class="notice" { "The tables beside the report are passed over: " (text::words(why)) "." }
                    (how())
                }
            }
        }
    }
}

fn list(tables: &Tables) -> Markup {
    html! {
        p class="small" { "Everything that happened at the exchange. Parquet is the whole table; the others have its first 1,000 rows, and " code { "from" } ", " code { "count" } " and " code { "columns" } " in the address ask for other ones." }
        div class="scroll" tabindex="0" role="group" aria-label="Tables" { table {
            thead { tr { th scope="col" { "Table" } th class="number" scope="col" { "Rows" } th scope="col" { "As" } } }
            tbody {
                @for (name, rows) in &tables.all {
                    tr data-row="" {
                        td { (name) }
                        td class="number" { (text::count(*rows)) }
                        td {
                            @for (format, word) in FORMATS {
                                a href={ "/api/runs/" (tables.folder) "/tables/" (name) "?format=" (format) } aria-label={ (name) " as " (word) } { (word) } " "
                            }
                        }
                    }
                }
            }
        } }
    }
}

/// How a run leaves tables that are found.
fn how() -> Markup {
    html! {
        p {
            "No tables of this run are here. Its command with " code { "--data" } " and " code { "--out DIR" }
            " records everything that happens at the exchange; they are shown here if " code { "--runs" } " of "
            code { "assay serve" } " names " code { "DIR" } ", or a folder above it."
        }
    }
}
