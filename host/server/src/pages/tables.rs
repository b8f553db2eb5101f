//! The tables of a run as a section of its page, each with its addresses.

use crate::tables::Tables;
use crate::text;
use maud::{Markup, html};

/// Forms in which the first rows of a table are answered.
const FORMS: [(&str, &str); 3] = [("JSON", "json"), ("CSV", "csv"), ("Arrow", "arrow")];

/// See the module documentation. `id` is that of the run in addresses.
pub(crate) fn section(id: &str, found: &Result<Tables, String>) -> Markup {
    let content = match found {
        Err(why) => {
            html! { p class="notice" { "The tables beside the report are passed over: " (text::words(why)) "." } }
        }
        Ok(tables) if tables.all.is_empty() => html! {
            p { "There are none. " code { "assay run --data" } " keeps all quotes, trades and orders beside the report; pages find them in the folders that " code { "--runs" } " names." }
        },
        Ok(tables) => listed(id, tables),
    };
    html! { h2 id="tables" { "Tables" } (content) }
}

fn listed(id: &str, tables: &Tables) -> Markup {
    html! {
        p class="small" { "JSON, CSV and Arrow have the first 1,000 rows; " code { "from" } " and " code { "count" } " in the address ask for others, " code { "columns" } " for some of the columns. Parquet is the whole table." }
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Table" } th scope="col" { "Rows" } th class="number" scope="col" { "Bytes" } th scope="col" { "As" } } }
            tbody {
                @for table in &tables.all {
                    tr data-row="" {
                        td { (table.name) }
                        td { (table.meaning) }
                        td class="number" { (text::count(tables.bytes(table))) }
                        td {
                            @for (words, format) in FORMS { (link(id, table.name, words, format)) " " }
                            (link(id, table.name, "Parquet", "parquet"))
                        }
                    }
                }
            }
        } }
    }
}

fn link(id: &str, table: &str, words: &str, format: &str) -> Markup {
    html! { a href={ "/api/runs/" (id) "/tables/" (table) "?format=" (format) } { span class="away" { (table) " as " } (words) } }
}
