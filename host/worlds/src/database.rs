//! SQLite databases as parts of worlds: the port of `assay-world`, implemented by `assay-sql`.
//!
//! Invariants: a fork is a clone; of a call, one statement writes, so whatever it changes can be seen behind it; what a statement may know comes from the world's clock and seed; values cross as JSON, and what JSON has no word for
//! (bytes, infinite numbers) crosses as an object that says so; no two rows that differ have one path.

use std::any::Any;
use std::collections::BTreeMap;

use assay_model::{Seed, Stream};
use assay_sql::{ErrorKind, Limits, RowChange, SqlError, Value as Sql};
use assay_trace::Digest;
use assay_world::changes::Change;
use assay_world::limits::BUILT_BYTES_MAX;
use assay_world::value::escaped;
use assay_world::{Ambient, Database};
use serde_json::{Map, Value, json};

/// How much the statements that fill a database may work, in steps of its machine.
pub(crate) const FILL_FUEL: u64 = 200_000_000;

/// Databases of worlds are smaller than others: each episode has some, and its contents are read to be compared. One of this size can always be read, for it
/// has no more values than bytes.
const LIMITS: Limits = Limits {
    pages: 1_024,
    content_values: 5_000_000,
    // Together as much as a call may build otherwise.
    memory_bytes: BUILT_BYTES_MAX as usize / 4 * 3,
    temporary_bytes: BUILT_BYTES_MAX as u32 / 4,
    ..Limits::STANDARD
};

/// A database of a world.
#[derive(Clone, Debug)]
pub(crate) struct SqlDatabase(pub(crate) assay_sql::Database);

impl SqlDatabase {
    /// A database that a script has filled, at a time.
    ///
    /// # Errors
    /// The line of the script in which the statement begins that fails, where that can be told, and the database's words.
    pub(crate) fn filled(script: &str, ambient: Ambient) -> Result<Self, (Option<usize>, String)> {
        if script.len() > LIMITS.sql_bytes as usize {
            let what = format!("the script has {} bytes, at most {}", script.len(), LIMITS.sql_bytes);
            return Err((None, what));
        }
        if let Some(place) = script.find('\0') {
            let line = 1 + script[..place].matches('\n').count();
            return Err((Some(line), "the script has a zero byte, at which SQLite would stop reading".to_owned()));
        }
        let mut database = assay_sql::Database::with_limits(LIMITS);
        let mut ambient = known(Ambient { fuel: FILL_FUEL, ..ambient });
        let filled = database.run(script, &[], &mut ambient);
        filled.map_err(|error| {
            let line = match error.kind {
                ErrorKind::OpenTransaction => line_of_transaction(script),
                _ => line_of_statement(script, error.statement),
            };
            (line, said(&error))
        })?;
        Ok(Self(database))
    }
}

/// What a statement may know, as the database takes it.
fn known(ambient: Ambient) -> assay_sql::Ambient {
    assay_sql::Ambient {
        now: i64::try_from(ambient.now.0).unwrap_or(i64::MAX),
        random: Stream::new(Seed(ambient.seed), "database", "statement"),
        fuel: ambient.fuel,
    }
}

/// The line in which a statement of a script begins, by its number from 1.
fn line_of_statement(script: &str, number: usize) -> Option<usize> {
    begins(script).get(number.checked_sub(1)?).map(|(line, _)| *line)
}

/// The line in which a script last opens a transaction.
fn line_of_transaction(script: &str) -> Option<usize> {
    let opens = |word: &str| ["BEGIN", "SAVEPOINT"].iter().any(|name| word.eq_ignore_ascii_case(name));
    begins(script).into_iter().rev().find(|(_, word)| opens(word)).map(|(line, _)| line)
}

/// How many statements a query has.
pub(crate) fn statements(query: &str) -> usize {
    begins(query).len()
}

/// The lines in which the statements of a script begin, each with its first word. Bodies of triggers have statements within one.
fn begins(script: &str) -> Vec<(usize, &str)> {
    let (mut rest, mut line, mut begins) = (script, 1, Vec::new());
    // The first tokens of the statement, and the last two.
    let (mut firsts, mut lasts): (Vec<&str>, [&str; 2]) = (Vec::new(), [""; 2]);
    while let Some(first) = rest.chars().next() {
        let (token, behind) = rest.split_at(token_end(rest, first));
        let is_blank = first.is_whitespace() || token.starts_with("--") || token.starts_with("/*");
        let is_whole = || !makes_trigger(&firsts) || lasts[0] == ";" && lasts[1].eq_ignore_ascii_case("END");
        if token == ";" && is_whole() {
            firsts.clear();
        } else if !is_blank {
            if firsts.is_empty() {
                begins.push((line, token));
            }
            if firsts.len() < 3 {
                firsts.push(token);
            }
            lasts = [lasts[1], token];
        }
        line += token.matches('\n').count();
        rest = behind;
    }
    begins
}

/// Whether a statement that begins with these words makes a trigger.
fn makes_trigger(words: &[&str]) -> bool {
    let is = |index: usize, name: &str| words.get(index).is_some_and(|word| word.eq_ignore_ascii_case(name));
    let is_temporary = is(1, "TEMP") || is(1, "TEMPORARY");
    is(0, "CREATE") && (is(1, "TRIGGER") || is_temporary && is(2, "TRIGGER"))
}

/// Where what a script begins with ends: a comment, something quoted, a word, or one character.
fn token_end(text: &str, first: char) -> usize {
    let after = |mark: &str, from: usize| text[from..].find(mark).map_or(text.len(), |place| from + place + mark.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    match first {
        '-' if text.starts_with("--") => after("\n", 2),
        '/' if text.starts_with("/*") => after("*/", 2),
        '\'' => after("'", 1),
        '"' => after("\"", 1),
        '`' => after("`", 1),
        '[' => after("]", 1),
        other if is_word(other) => text.find(|c: char| !is_word(c)).unwrap_or(text.len()),
        other => other.len_utf8(),
    }
}

impl Database for SqlDatabase {
    fn fork(&self) -> Box<dyn Database> {
        Box::new(self.clone())
    }

    fn run(&mut self, sql: &str, parameters: &[Value], ambient: Ambient) -> Result<Value, String> {
        let parameters: Vec<Sql> = parameters.iter().map(to_sql).collect::<Result<_, _>>()?;
        let mut ambient = known(ambient);
        let answer = self.0.step(sql, &parameters, &mut ambient).map_err(|error| said(&error))?;
        let rows: Vec<Value> = answer
            .rows
            .iter()
            .map(|row| {
                Value::Object(answer.columns.iter().cloned().zip(row.iter().map(to_json)).collect::<Map<_, _>>())
            })
            .collect();
        Ok(json!({ "rows": rows, "changed": answer.changed }))
    }

    fn digest(&self) -> Digest {
        Digest::of(&self.0.pages_digest())
    }

    fn changes(&self, later: &dyn Database) -> Result<Vec<Change>, String> {
        let later = later.as_any().downcast_ref::<Self>().ok_or("the databases are of two kinds")?;
        let rows = self.0.changes(&later.0).map_err(|error| said(&error))?;
        let mut seen = BTreeMap::new();
        Ok(rows.iter().flat_map(|row| leaves(row, &mut seen)).collect())
    }

    fn values(&self) -> Result<Vec<Value>, String> {
        let content = self.0.content().map_err(|error| said(&error))?;
        let tables = content.tables.iter().filter(|table| table.name != "sqlite_schema");
        Ok(tables.flat_map(|table| table.rows.iter().flatten()).map(to_json).collect())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Bytes of a key in a path; a longer one goes by its digest.
const KEY_BYTES_MAX: usize = 1 << 10;

/// The columns in which a row differs: TABLE/KEY/COLUMN. A row without a key goes by its values, and the second of equal ones has `#2` after them.
fn leaves(change: &RowChange, seen: &mut BTreeMap<String, u64>) -> Vec<Change> {
    let RowChange { table, columns, key, before, after } = change;
    let row = if key.is_empty() { after.as_ref().or(before.as_ref()).unwrap_or(key) } else { key };
    let row = row.iter().map(key_part).collect::<Vec<_>>().join(",");
    // It is repeated for each column. No part of a key begins with this.
    let row = if row.len() > KEY_BYTES_MAX { format!("~4{}", Digest::of(row.as_bytes())) } else { row };
    let row = format!("{}/{row}", escaped(table));
    let count = seen.entry(row.clone()).or_default();
    *count += 1;
    let row = if *count > 1 { format!("{row}#{count}") } else { row };
    let value = |row: &Option<Vec<Sql>>, at: usize| row.as_ref().and_then(|row| row.get(at)).map(to_json);
    let leaves = columns.iter().enumerate().filter_map(|(at, column)| {
        let (before, after) = (value(before, at), value(after, at));
        let path = format!("{row}/{}", escaped(column));
        (before != after).then_some(Change { path, before, after })
    });
    leaves.collect()
}

/// A value as a part of a row's path, with its type where it could be mistaken for another: `1`, `1.0`, `'1'`, `x'31'`, `null`. In texts a comma is `~2`
/// and a `#` is `~3`, beside what paths escape.
fn key_part(value: &Sql) -> String {
    match value {
        Sql::Null => "null".to_owned(),
        Sql::Integer(integer) => integer.to_string(),
        Sql::Real(real) => format!("{real:?}"),
        Sql::Text(text) => {
            let plain = escaped(text).replace(',', "~2").replace('#', "~3");
            let is_clear = !text.contains('\'') && text != "null" && text.parse::<f64>().is_err();
            if is_clear { plain } else { format!("'{plain}'") }
        }
        Sql::Blob(bytes) => format!("x'{}'", hexadecimal(bytes)),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn said(error: &SqlError) -> String {
    let at = if error.statement > 1 { format!(" (statement {})", error.statement) } else { String::new() };
    let hint = error.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{}: {}{at}{hint}", error.name(), error.message)
}

fn to_sql(value: &Value) -> Result<Sql, String> {
    Ok(match value {
        Value::Null => Sql::Null,
        Value::Bool(is_so) => Sql::Integer(i64::from(*is_so)),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Sql::Integer(integer),
            (None, Some(real)) => Sql::Real(real),
            (None, None) => return Err(format!("{number} is no number of the database")),
        },
        Value::String(text) => Sql::Text(text.clone()),
        Value::Array(_) | Value::Object(_) => {
            return Err("a parameter is a text, a number, true, false or null".to_owned());
        }
    })
}

pub(crate) fn to_json(value: &Sql) -> Value {
    match value {
        Sql::Null => Value::Null,
        Sql::Integer(integer) => (*integer).into(),
        Sql::Real(real) if real.is_finite() => (*real).into(),
        Sql::Real(real) => json!({ "real": real.to_string() }),
        Sql::Text(text) => text.as_str().into(),
        Sql::Blob(bytes) => json!({ "blob": hexadecimal(bytes) }),
    }
}
