//! Runs the statements of a script, one after the other, within the call's limits.

use crate::call::{self, Access, Stop};
use crate::error::{ErrorKind, SqlError};
use crate::limits::Limits;
use crate::memory;
use crate::shape::Piece;
use crate::value::{Answer, Value};
use crate::vfs;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement, StatementStatus, ToSql, ffi};

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(integer) => ValueRef::Integer(*integer),
            Self::Real(real) => ValueRef::Real(*real),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(blob) => ValueRef::Blob(blob),
        }))
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(integer) => Self::Integer(integer),
            ValueRef::Real(real) => Self::Real(real),
            ValueRef::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => Self::Text(text.to_owned()),
                Err(_) => Self::Blob(text.to_owned()),
            },
            ValueRef::Blob(blob) => Self::Blob(blob.to_owned()),
        }
    }
}

/// Runs the statements as the thread's call.
///
/// # Errors
/// The first that goes wrong. What the statements before it did is in the connection's image.
pub(crate) fn run(
    connection: &Connection,
    pieces: &[Piece<'_>],
    parameters: &[Value],
    limits: &Limits,
) -> Result<Answer, SqlError> {
    if pieces.len() != 1 && !parameters.is_empty() {
        let message = format!("{} parameters for {} statements", parameters.len(), pieces.len());
        return Err(SqlError::new(ErrorKind::Parameters, message).hint("send one statement with its parameters"));
    }
    vfs::forget_last_insert(connection);
    let total_before = connection.total_changes();
    let mut answer = Answer::default();
    for (index, piece) in pieces.iter().enumerate() {
        call::with(call::Call::begin_statement);
        let ended = statement(connection, piece.text, parameters, limits, &mut answer);
        call::with(|call| {
            // What compiling took, if it came no further.
            answer.fuel += call.pay(0);
            if call.target.is_some() {
                call.changes = i64::try_from(connection.changes()).unwrap_or(i64::MAX);
            }
            answer.changed = connection.total_changes().saturating_sub(total_before);
            call.total_changes = i64::try_from(answer.changed).unwrap_or(i64::MAX);
        });
        ended.map_err(|error| explain(error).at(index + 1))?;
    }
    if !connection.is_autocommit() {
        let message = "the script leaves a transaction open";
        return Err(
            SqlError::new(ErrorKind::OpenTransaction, message).hint("end it with COMMIT or ROLLBACK in the same call")
        );
    }
    Ok(answer)
}

fn statement(
    connection: &Connection,
    text: &str,
    parameters: &[Value],
    limits: &Limits,
    answer: &mut Answer,
) -> Result<(), SqlError> {
    let mut statement = connection.prepare(text)?;
    let is_read_only = call::with(|call| call.access == Access::Read) == Some(true);
    let is_transaction = statement.readonly() && statement.column_count() == 0;
    if is_read_only && (!statement.readonly() || is_transaction) {
        return Err(SqlError::new(ErrorKind::ReadOnly, "attempt to write a readonly database"));
    }
    if call::with(|call| call.access == Access::Step && call.has_written && call.writes) == Some(true) {
        let message = "you can only execute one statement that writes at a time";
        return Err(SqlError::refused(message, "send each statement that writes in a call of its own"));
    }
    if statement.is_explain() == 1 {
        return Err(SqlError::refused("EXPLAIN is off", "use EXPLAIN QUERY PLAN"));
    }
    let needed = statement.parameter_count();
    if needed != parameters.len() {
        let message = format!("the statement has {needed} parameters, {} were given", parameters.len());
        return Err(SqlError::new(ErrorKind::Parameters, message));
    }
    for (index, parameter) in parameters.iter().enumerate() {
        statement.raw_bind_parameter(index + 1, parameter)?;
    }
    let ended = rows(&mut statement, limits, answer);
    let steps = u64::from(statement.get_status(StatementStatus::VmStep).cast_unsigned());
    answer.fuel += call::with(|call| call.pay(steps)).unwrap_or_default();
    ended
}

fn rows(statement: &mut Statement<'_>, limits: &Limits, answer: &mut Answer) -> Result<(), SqlError> {
    let count = statement.column_count();
    if count == 0 {
        let mut rows = statement.raw_query();
        while rows.next()?.is_some() {}
        return Ok(());
    }
    answer.columns = memory::uncharged(|| statement.column_names().into_iter().map(str::to_owned).collect());
    answer.rows.clear();
    if let Some(name) = drawn_name(&answer.columns) {
        let message = format!("more than five columns are called like {name}");
        return Err(SqlError::refused(message, "give each column a name of its own with AS"));
    }
    let mut bytes = 0;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let mut values = Vec::with_capacity(count);
        for at in 0..count {
            // To end a text SQLite may need a copy of it.
            let value: Value = memory::uncharged(|| Ok::<_, rusqlite::Error>(row.get_ref(at)?.into()))?;
            bytes += value.bytes();
            if answer.rows.len() >= limits.result_rows as usize || bytes > limits.result_bytes as usize {
                let message =
                    format!("the answer has more than {} rows or {} bytes", limits.result_rows, limits.result_bytes);
                return Err(SqlError::new(ErrorKind::TooLarge, message).hint("ask for less, for example with LIMIT"));
            }
            values.push(value);
        }
        answer.rows.push(values);
    }
    Ok(())
}

/// A name that SQLite has drawn: of columns with one name in a subquery the second to fifth get `:1` to `:4`, and the others numbers from the generator
/// that the whole process shares.
pub(crate) fn drawn_name(columns: &[String]) -> Option<&str> {
    let split = |name: &'_ str| -> Option<(usize, u64)> {
        let at = name.rfind(':')?;
        Some((at, name[at + 1..].parse().ok()?))
    };
    columns.iter().find_map(|column| {
        let (at, number) = split(column)?;
        let base = &column[..at];
        let has_fourth = || columns.iter().any(|other| split(other) == Some((at, 4)) && other.starts_with(base));
        (number > 4 && has_fourth()).then_some(base)
    })
}

/// Adds what only the call knows.
fn explain(mut error: SqlError) -> SqlError {
    call::with(|call| {
        error.target = call.target.take();
        if error.kind == ErrorKind::Fuel {
            let hint = match call.stop {
                Some(Stop::Watchdog) => {
                    error.kind = ErrorKind::Watchdog;
                    "it computed for too long"
                }
                _ => "it took more steps than the call may take",
            };
            error.hint = Some(hint.to_owned());
        } else if error.code == ffi::SQLITE_NOMEM && error.kind == ErrorKind::TooLarge {
            error.hint = Some("the call needs more memory than it may take".to_owned());
        } else if let Some(reason) = call.refused.take() {
            // For a function SQLite says so with another code.
            error.kind = ErrorKind::Refused;
            error.code = ffi::SQLITE_AUTH;
            error.hint = Some(reason);
        }
    });
    error
}
