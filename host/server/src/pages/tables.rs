//! The tables of a run as a section of its page, each with its addresses.

use crate::tables::TableOfRun;
use crate::text;
use assay_files::OpenError;
use maud::{Markup, html};

/// Forms in which the first rows of a table are answered.
const FORMS: [(&str, &str); 3] = [("JSON", "json"), ("CSV", "csv"), ("Arrow", "arrow")];

/// See the module documentation. `id` is that of the run in addresses.
pub(crate) fn section(id: &str, found: &Result<Vec<TableOfRun>, OpenError>) -> Markup {
    let content = match found {
        Err(error) => html! { p class="notice" { "They cannot be read: " (text::words(&error.to_string())) } },
        Ok(tables) if tables.is_empty() => html! {
            p { "There are none. " code { "assay run --data" } " keeps all quotes, trades and orders beside the report; pages find them in the folders that " code { "--runs" } " names." }
        },
        Ok(tables) => listed(id, tables),
    };
    html! { h2 id="tables" { "Tables" } (content) }
}

fn listed(id: &str, tables: &[TableOfRun]) -> Markup {
    let bytes = |table: &TableOfRun| table.1.metadata().map_or(0, |metadata| metadata.len());
    html! {
        p class="small" { "JSON, CSV and Arrow have the first 1,000 rows; " code { "from" } " and " code { "count" } " in the address ask for others, " code { "columns" } " for some of the columns. Parquet is the whole table." }
        div class="scroll" tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th scope="col" { "Table" } th scope="col" { "Rows" } th class="number" scope="col" { "Bytes" } th scope="col" { "As" } } }
            tbody {
                @for table in tables {
                    tr data-row="" {
                        td { (table.0.name) }
                        td { (table.0.meaning) }
                        td class="number" { (text::count(bytes(table))) }
                        td {
                            @for (words, format) in FORMS { (link(id, table.0.name, words, format)) " " }
                            (link(id, table.0.name, "Parquet", "parquet"))
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
