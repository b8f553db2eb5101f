//! `docs/data.md` says what the schema says.

use std::path::Path;

/// Set to write the tables instead of comparing them.
const BLESS: &str = "ASSAY_BLESS";
const MARK: &str = "<!-- made by `make docs` from here on -->\n";

#[test]
fn the_tables_of_the_page_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/data.md");
    let stored = std::fs::read_to_string(&path).unwrap();
    let (written, _) = stored.split_once(MARK).expect("the page has its mark");
    let page = format!("{written}{MARK}\n{}", assay_data::markdown());
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    assert!(stored == page, "docs/data.md is stale: run the tests of this crate with {BLESS}=1");
}

#[test]
fn names_are_unique_and_every_column_is_explained() {
    let mut tables = std::collections::BTreeSet::new();
    for table in assay_data::TABLES {
        assert!(tables.insert(table.name), "two tables {}", table.name);
        let mut columns = std::collections::BTreeSet::new();
        for column in table.columns {
            assert!(columns.insert(column.name) && !column.meaning.is_empty(), "{}.{}", table.name, column.name);
        }
    }
}
