//! What a database says, apart from how its bytes came to say it: tables with typed rows by primary key, and what changed between two of them.
//!
//! The schema is a table as well, `sqlite_schema`, so that a dropped trigger is a change. Not part of a content: the order of rows, rowids that are no
//! column, computed columns, indexes' bytes, what AUTOINCREMENT and ANALYZE remember.

use crate::error::{ErrorKind, SqlError};
use crate::limits::Limits;
use crate::memory;
use crate::schema::{definitions, quoted, tables};
use crate::value::Value;
use rusqlite::Connection;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A row: the values of a table's stored columns.
pub type Row = Vec<Value>;

/// The tables of a database, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The tables, by name; `sqlite_schema` with kind, name, table and statement is among them.
    pub tables: Vec<Table>,
}

/// One table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The names of its stored columns.
    pub columns: Vec<String>,
    /// Which columns are the primary key, in its order. Empty without one: then rows are compared as a multiset.
    pub key: Vec<usize>,
    /// The rows, by primary key, then by all values.
    pub rows: Vec<Row>,
}

/// A row that one content has and the other has not, or has with other values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowChange {
    /// The table's name.
    pub table: String,
    /// The names of the columns of `after`, or of `before` if there is no row after.
    pub columns: Vec<String>,
    /// The values of the primary key; empty without one.
    pub key: Vec<Value>,
    /// The row before, if there was one.
    pub before: Option<Row>,
    /// The row after, if there is one.
    pub after: Option<Row>,
}

impl Table {
    fn key_of(&self, row: &Row) -> Vec<Value> {
        self.key.iter().map(|at| row[*at].clone()).collect()
    }

    fn compare(&self, a: &Row, b: &Row) -> Ordering {
        self.key.iter().map(|at| a[*at].cmp(&b[*at])).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn sort(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_unstable_by(|a, b| self.compare(a, b).then_with(|| a.cmp(b)));
        self.rows = rows;
    }
}

/// Reads the content as the thread's call: all of it, or the schema and these tables.
pub(crate) fn read(
    connection: &Connection,
    limits: &Limits,
    only: Option<&BTreeSet<&str>>,
) -> Result<Content, SqlError> {
    let mut left = limits.content_values as usize;
    let mut schema = Table {
        name: "sqlite_schema".to_owned(),
        columns: ["type", "name", "tbl_name", "sql"].map(str::to_owned).to_vec(),
        key: vec![0, 1],
        rows: Vec::new(),
    };
    for definition in definitions(connection)? {
        let sql = definition.sql.map_or(Value::Null, Value::Text);
        let texts = [definition.what, definition.name, definition.table].map(Value::Text);
        schema.rows.push(texts.into_iter().chain([sql]).collect());
    }
    schema.sort();
    let mut content = Content { tables: vec![schema] };
    let is_asked = |name: &str| only.is_none_or(|only| only.contains(name));
    for shape in tables(connection)?.into_iter().filter(|shape| is_asked(&shape.name)) {
        let mut table = Table { name: shape.name, columns: shape.columns, key: shape.key, rows: Vec::new() };
        let columns: Vec<String> = table.columns.iter().map(|column| quoted(column)).collect();
        let mut statement =
            connection.prepare(&format!("SELECT {} FROM {}", columns.join(", "), quoted(&table.name)))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            left = left.checked_sub(columns.len()).ok_or_else(|| {
                let message = format!("the database has more than {} values", limits.content_values);
                SqlError::new(ErrorKind::TooLarge, message)
            })?;
            let row: Result<Row, rusqlite::Error> =
                memory::uncharged(|| (0..columns.len()).map(|at| Ok(row.get_ref(at)?.into())).collect());
            table.rows.push(row?);
        }
        table.sort();
        content.tables.push(table);
    }
    content.tables.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(content)
}

impl Content {
    /// A digest of names, keys and typed values. Equal contents have equal digests, however they were reached.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let number = |hasher: &mut blake3::Hasher, number: usize| {
            hasher.update(&(number as u64).to_le_bytes());
        };
        number(&mut hasher, self.tables.len());
        for table in &self.tables {
            Value::Text(table.name.clone()).hash(&mut hasher);
            number(&mut hasher, table.columns.len());
            table.columns.iter().for_each(|column| Value::Text(column.clone()).hash(&mut hasher));
            number(&mut hasher, table.key.len());
            table.key.iter().for_each(|at| number(&mut hasher, *at));
            number(&mut hasher, table.rows.len());
            table.rows.iter().flatten().for_each(|value| value.hash(&mut hasher));
        }
        *hasher.finalize().as_bytes()
    }

    /// What is different in `later`, by table and key.
    #[must_use]
    pub fn changes(&self, later: &Self) -> Vec<RowChange> {
        let nothing = Table::default();
        let mut changes = Vec::new();
        merge(
            &self.tables,
            &later.tables,
            |a, b| a.name.cmp(&b.name),
            |before, after| {
                let (before, after) = (before.unwrap_or(&nothing), after.unwrap_or(&nothing));
                let names = |table: &Table| table.key.iter().map(|at| table.columns[*at].clone()).collect::<Vec<_>>();
                if names(before) == names(after) {
                    table_changes(before, after, &mut changes);
                } else {
                    // Rows with another kind of key are other rows.
                    table_changes(before, &nothing, &mut changes);
                    table_changes(&nothing, after, &mut changes);
                }
            },
        );
        changes
    }
}

fn table_changes(before: &Table, after: &Table, changes: &mut Vec<RowChange>) {
    let with_columns = if after.columns.is_empty() { before } else { after };
    let mut push = |old: Option<&Row>, new: Option<&Row>| {
        let key = new.map(|row| after.key_of(row)).or_else(|| old.map(|row| before.key_of(row))).unwrap_or_default();
        let side = if new.is_some() { after } else { before };
        changes.push(RowChange {
            table: with_columns.name.clone(),
            columns: side.columns.clone(),
            key,
            before: old.cloned(),
            after: new.cloned(),
        });
    };
    let by_key = |a: &Row, b: &Row| {
        let (a, b) = (before.key.iter().map(|at| &a[*at]), after.key.iter().map(|at| &b[*at]));
        a.cmp(b)
    };
    let has_key = !before.key.is_empty() && !after.key.is_empty();
    merge(
        &before.rows,
        &after.rows,
        |old, new| if has_key { by_key(old, new) } else { old.cmp(new) },
        |old, new| {
            if old != new {
                push(old, new);
            }
        },
    );
}

/// Walks over two sorted lists, with what is equal side by side.
fn merge<'a, T>(
    before: &'a [T],
    after: &'a [T],
    compare: impl Fn(&T, &T) -> Ordering,
    mut take: impl FnMut(Option<&'a T>, Option<&'a T>),
) {
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => compare(old, new),
        };
        let left = if order.is_le() { old.next() } else { None };
        let right = if order.is_ge() { new.next() } else { None };
        take(left, right);
    }
}
