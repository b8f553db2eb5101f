//! What an image defines: tables with their columns and keys, views and triggers; and whether that may be run.

use crate::error::{ErrorKind, SqlError};
use crate::limits::Limits;
use crate::owners::Root;
use crate::run::drawn_name;
use crate::session::Session;
use crate::shape::Shapes;
use rusqlite::{Connection, OptionalExtension as _};

/// A definition, as it stands in `sqlite_schema`.
#[derive(PartialEq, Eq)]
pub(crate) struct Definition {
    /// `table`, `index`, `view` or `trigger`.
    pub(crate) what: String,
    pub(crate) name: String,
    /// The table that it belongs to.
    pub(crate) table: String,
    /// The statement that made it; none for an index that SQLite has made by itself.
    pub(crate) sql: Option<String>,
}

/// A table: its stored columns, and which of them are the primary key, in its order.
pub(crate) struct TableShape {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    pub(crate) key: Vec<usize>,
}

/// Everything that the image defines, SQLite's own tables left out, by kind and name.
pub(crate) fn definitions(connection: &Connection) -> Result<Vec<Definition>, SqlError> {
    let mut statement = connection.prepare(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Definition { what: row.get(0)?, name: row.get(1)?, table: row.get(2)?, sql: row.get(3)? })
    })?;
    rows.collect::<Result<_, _>>().map_err(|error| match error {
        rusqlite::Error::SqliteFailure(..) => error.into(),
        other => SqlError::new(ErrorKind::Image, format!("the schema is damaged: {other}")),
    })
}

/// The trees of all tables and indexes, SQLite's own included.
pub(crate) fn roots(connection: &Connection) -> Result<Vec<Root>, SqlError> {
    let mut statement =
        connection.prepare("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0 ORDER BY rootpage")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Checks what a schema defines, and takes its shapes.
///
/// # Errors
/// `Refused` for virtual tables, for too much of anything, and for names that SQLite has drawn.
pub(crate) fn check(session: &Session, limits: &Limits) -> Result<Shapes, SqlError> {
    let definitions = definitions(&session.connection)?;
    let bytes: usize = definitions.iter().filter_map(|d| d.sql.as_ref()).map(String::len).sum();
    if bytes > limits.schema_bytes as usize {
        let message = format!("the schema has {bytes} bytes, at most {}", limits.schema_bytes);
        return Err(SqlError::refused(message, "define less"));
    }
    let shapes = Shapes::of_schema(definitions.iter().filter_map(|d| d.sql.as_deref()), limits)?;
    for definition in definitions.iter().filter(|d| d.what == "table" || d.what == "view") {
        let is_virtual = definition
            .sql
            .as_deref()
            .is_some_and(|sql| sql.get(..14).is_some_and(|start| start.eq_ignore_ascii_case("create virtual")));
        if is_virtual {
            return Err(SqlError::refused(
                format!("{} is a virtual table", definition.name),
                "keep it as an ordinary table",
            ));
        }
        let columns = match table_columns(&session.connection, &definition.name) {
            Ok(columns) => columns,
            // A view of what is no longer there fails for whoever asks it, not for the others.
            Err(error) if definition.what == "view" && error.kind == ErrorKind::Statement => continue,
            Err(error) => return Err(error),
        };
        let columns: Vec<String> = columns.into_iter().map(|column| column.name).collect();
        if definition.what == "table" && rowid(&columns).is_none() {
            let message = format!("{} hides its rowids behind columns", definition.name);
            return Err(SqlError::refused(message, "rename rowid, _rowid_ or oid"));
        }
        if let Some(name) = drawn_name(&columns) {
            let message = format!("more than five columns of {} are called like {name}", definition.name);
            return Err(SqlError::refused(message, "give each column a name of its own with AS"));
        }
    }
    Ok(shapes)
}

struct Column {
    name: String,
    /// Place in the primary key, from 1 on; 0 outside of it.
    key: u16,
    is_stored: bool,
}

fn table_columns(connection: &Connection, table: &str) -> Result<Vec<Column>, SqlError> {
    let mut statement = connection.prepare("SELECT name, pk, hidden FROM pragma_table_xinfo(?1) ORDER BY cid")?;
    let rows = statement.query_map([table], |row| {
        Ok(Column { name: row.get(0)?, key: row.get(1)?, is_stored: row.get::<_, i64>(2)? == 0 })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The tables, by name. Computed columns are left out: they follow from the others, and computing them is the schema's code.
pub(crate) fn tables(connection: &Connection) -> Result<Vec<TableShape>, SqlError> {
    let mut tables = Vec::new();
    for definition in definitions(connection)?.into_iter().filter(|definition| definition.what == "table") {
        let stored: Vec<Column> =
            table_columns(connection, &definition.name)?.into_iter().filter(|column| column.is_stored).collect();
        let mut key: Vec<usize> = (0..stored.len()).filter(|at| stored[*at].key > 0).collect();
        key.sort_by_key(|at| stored[*at].key);
        let columns = stored.into_iter().map(|column| column.name).collect();
        tables.push(TableShape { name: definition.name, columns, key });
    }
    Ok(tables)
}

/// Refuses a table whose next rowid SQLite would draw from the generator that the whole process shares.
pub(crate) fn check_rowids(connection: &Connection) -> Result<(), SqlError> {
    let mut statement =
        connection.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr = 0")?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for name in names {
        let columns: Vec<String> = table_columns(connection, &name)?.into_iter().map(|column| column.name).collect();
        // `check` has seen to it that there is one.
        let Some(alias) = rowid(&columns) else { continue };
        let last = connection
            .query_row(&format!("SELECT max({alias}) FROM {} NOT INDEXED", quoted(&name)), [], |row| {
                row.get::<_, Option<i64>>(0)
            })
            .optional()?
            .flatten();
        if last == Some(i64::MAX) {
            return Err(last_rowid());
        }
    }
    Ok(())
}

/// A name for rowids that no column has.
fn rowid(columns: &[String]) -> Option<&'static str> {
    ["rowid", "_rowid_", "oid"].into_iter().find(|name| !columns.iter().any(|column| column.eq_ignore_ascii_case(name)))
}

/// Why the greatest rowid is not allowed.
pub(crate) fn last_rowid() -> SqlError {
    SqlError::refused(
        "rowid 9223372036854775807 is taken",
        "use smaller ids: behind this one SQLite draws them at random",
    )
}

/// A name as SQL has it, whatever it contains.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
