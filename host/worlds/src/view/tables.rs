//! Tables of the databases of a world, a page of rows at a time.

use super::{Asked, COLUMNS_MAX, Line, Mark, Page, PartHead, Sql, SqlDatabase, States, ViewError, cell, to_json};
use crate::database::{FILL_FUEL, said};
use assay_model::{Seed, Stream};
use assay_sql::{Ambient, Answer, RowChange};
use assay_world::Database;

/// Tables of one database.
const TABLES_MAX: usize = 200;

/// A question that changes nothing.
fn ask(database: &SqlDatabase, name: &str, script: &str) -> Result<Answer, ViewError> {
    let mut ambient = Ambient { now: 0, random: Stream::new(Seed(0), "database", "view"), fuel: FILL_FUEL };
    let answer = database.0.query(script, &[], &mut ambient);
    answer.map_err(|error| ViewError::Unreadable(name.to_owned(), said(&error)))
}

/// A name between quotation marks.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn known(database: &dyn Database) -> Option<&SqlDatabase> {
    database.as_any().downcast_ref()
}

fn names(database: &SqlDatabase, name: &str) -> Result<Vec<String>, ViewError> {
    let script = format!(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT {TABLES_MAX}"
    );
    let rows = ask(database, name, &script)?.rows;
    let text = |row: Vec<Sql>| match row.into_iter().next() {
        Some(Sql::Text(text)) => Some(text),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(text).collect())
}

/// What the step has changed in a database.
fn changes(states: &States, name: &str) -> Result<Vec<RowChange>, ViewError> {
    let both = states.before.as_ref().and_then(|before| before.databases.get(name)).zip(states.now.databases.get(name));
    match both.and_then(|(before, now)| Some((known(&**before)?, known(&**now)?))) {
        Some((before, now)) => {
            before.0.changes(&now.0).map_err(|error| ViewError::Unreadable(name.to_owned(), said(&error)))
        }
        None => Ok(Vec::new()),
    }
}

fn total(database: &SqlDatabase, name: &str, table: &str) -> Result<u64, ViewError> {
    let answer = ask(database, name, &format!("SELECT count(*) FROM {}", quoted(table)))?;
    Ok(match answer.rows.first().and_then(|row| row.first()) {
        Some(Sql::Integer(count)) => u64::try_from(*count).unwrap_or(0),
        _ => 0,
    })
}

/// Every table of every database.
pub(super) fn heads(states: &States) -> Result<Vec<PartHead>, ViewError> {
    let mut heads = Vec::new();
    for (name, database) in &states.now.databases {
        let Some(database) = known(&**database) else { continue };
        let changes = changes(states, name)?;
        for table in names(database, name)? {
            let changed = changes.iter().filter(|change| change.table == table).count() as u64;
            let entries = total(database, name, &table)?;
            heads.push(PartHead { path: format!("databases/{name}/{table}"), entries, changed });
        }
    }
    Ok(heads)
}

/// A page of the rows of a table; none if the table does not exist.
pub(super) fn page(states: &States, (name, table): (&str, &str), asked: &Asked<'_>) -> Result<Option<Page>, ViewError> {
    let Some(database) = states.now.databases.get(name).and_then(|database| known(&**database)) else {
        return Ok(None);
    };
    if !names(database, name)?.iter().any(|known| known == table) {
        return Ok(None);
    }
    let total = total(database, name, table)?;
    let script =
        format!("SELECT * FROM {} LIMIT {} OFFSET {}", quoted(table), asked.count, asked.from.min(i64::MAX as u64));
    let answer = ask(database, name, &script)?;
    let changes: Vec<RowChange> = changes(states, name)?.into_iter().filter(|change| change.table == table).collect();
    let lines = answer.rows.iter().map(|row| {
        let change = changes.iter().find(|change| is_of(change, &answer.columns, row));
        let mark = change.map(|change| if change.before.is_some() { Mark::Changed } else { Mark::Added });
        let before = change.and_then(|change| Some(in_order(change, change.before.as_ref()?, &answer.columns)));
        Line { mark, cells: cells(row), before: before.unwrap_or_default() }
    });
    let gone = changes.iter().filter(|change| change.after.is_none()).filter_map(|change| {
        let cells = in_order(change, change.before.as_ref()?, &answer.columns);
        Some(Line { mark: Some(Mark::Removed), cells, before: Vec::new() })
    });
    let columns = answer.columns.iter().take(COLUMNS_MAX).cloned().collect();
    let path = format!("databases/{name}/{table}");
    Ok(Some(Page::of(path, columns, asked.from, total, lines).with_removed(gone)))
}

fn cells(row: &[Sql]) -> Vec<String> {
    row.iter().take(COLUMNS_MAX).map(shown).collect()
}

fn shown(value: &Sql) -> String {
    match value {
        Sql::Null => "NULL".to_owned(),
        value => cell(&to_json(value)),
    }
}

/// Whether a row is what a change has left. A change knows stored columns alone, and a row may have computed ones too.
fn is_of(change: &RowChange, columns: &[String], row: &[Sql]) -> bool {
    let Some(after) = &change.after else { return false };
    let value = |name: &String| row.get(columns.iter().position(|column| column == name)?);
    change.columns.iter().zip(after).all(|(name, left)| value(name) == Some(left))
}

/// The values of a change's row in the order of these columns.
fn in_order(change: &RowChange, row: &[Sql], columns: &[String]) -> Vec<String> {
    let value = |column: &String| row.get(change.columns.iter().position(|name| name == column)?);
    columns.iter().take(COLUMNS_MAX).map(|column| value(column).map(shown).unwrap_or_default()).collect()
}
