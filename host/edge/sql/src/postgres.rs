//! The same errors as PostgreSQL would put them: SQLSTATE and words, for tools that pretend to be one. The dialect stays SQLite's.
//!
//! Sources: PostgreSQL 17, appendix A (error codes), and the message texts of its server. What SQLite does not say is left out: values of keys, and the names
//! of foreign keys.

use crate::error::{ErrorKind, SqlError};
use rusqlite::ffi;
use std::fmt;

/// An error in PostgreSQL's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PostgresError {
    /// The five characters of SQLSTATE.
    pub sqlstate: &'static str,
    /// The primary message.
    pub message: String,
}

impl fmt::Display for PostgresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ERROR:  {}\nSQLSTATE: {}", self.message, self.sqlstate)
    }
}

impl SqlError {
    /// This error in PostgreSQL's words.
    #[must_use]
    pub fn postgres(&self) -> PostgresError {
        let (sqlstate, message) = match self.kind {
            ErrorKind::Constraint => self.constraint(),
            ErrorKind::Refused => ("42501", format!("permission denied: {}", self.reason())),
            ErrorKind::Fuel | ErrorKind::Watchdog => {
                ("57014", "canceling statement due to statement timeout".to_owned())
            }
            ErrorKind::TooLarge => ("54000", format!("program limit exceeded: {}", self.message)),
            ErrorKind::Full => ("53100", "could not extend file: No space left on device".to_owned()),
            ErrorKind::ReadOnly => ("25006", "cannot execute statement in a read-only transaction".to_owned()),
            ErrorKind::OpenTransaction => ("25001", self.message.clone()),
            ErrorKind::Parameters => ("08P01", self.message.clone()),
            ErrorKind::Image => ("XX001", self.message.clone()),
            ErrorKind::Internal => ("XX000", self.message.clone()),
            ErrorKind::Statement => statement(self.code, &self.message),
        };
        PostgresError { sqlstate, message }
    }

    fn reason(&self) -> &str {
        self.hint.as_deref().unwrap_or(&self.message)
    }

    fn constraint(&self) -> (&'static str, String) {
        let what = self.message.split_once(": ").map_or("", |(_, what)| what);
        let target = self.target.as_deref().unwrap_or_default();
        match self.code {
            ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
                let columns: Vec<(&str, &str)> = what.split(", ").filter_map(|name| name.rsplit_once('.')).collect();
                let table = columns.first().map_or(target, |(table, _)| table);
                let name = if self.code == ffi::SQLITE_CONSTRAINT_UNIQUE {
                    let names: Vec<&str> = columns.iter().map(|(_, column)| *column).collect();
                    format!("{table}_{}_key", names.join("_"))
                } else {
                    format!("{table}_pkey")
                };
                ("23505", format!("duplicate key value violates unique constraint \"{name}\""))
            }
            ffi::SQLITE_CONSTRAINT_NOTNULL => {
                let (table, column) = what.rsplit_once('.').unwrap_or((target, what));
                let message =
                    format!("null value in column \"{column}\" of relation \"{table}\" violates not-null constraint");
                ("23502", message)
            }
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => {
                ("23503", format!("a change of table \"{target}\" violates foreign key constraint"))
            }
            ffi::SQLITE_CONSTRAINT_CHECK => {
                ("23514", format!("new row for relation \"{target}\" violates check constraint \"{what}\""))
            }
            ffi::SQLITE_CONSTRAINT_DATATYPE => ("42804", self.message.clone()),
            ffi::SQLITE_CONSTRAINT_TRIGGER => ("P0001", self.message.clone()),
            _ => ("23000", self.message.clone()),
        }
    }
}

/// What SQLite says before and after a name, SQLSTATE, and PostgreSQL's words around that name.
const PATTERNS: &[(&str, &str, &str, &str, &str)] = &[
    ("no such table: ", "", "42P01", "relation \"", "\" does not exist"),
    ("no such view: ", "", "42P01", "view \"", "\" does not exist"),
    ("no such index: ", "", "42704", "index \"", "\" does not exist"),
    ("no such trigger: ", "", "42704", "trigger \"", "\" does not exist"),
    ("no such column: ", "", "42703", "column \"", "\" does not exist"),
    ("table ", " has no column named ", "42703", "column of relation \"", "\" does not exist"),
    ("no such function: ", "", "42883", "function ", "() does not exist"),
    ("wrong number of arguments to function ", "", "42883", "function ", " does not take these arguments"),
    ("no such collation sequence: ", "", "42704", "collation \"", "\" does not exist"),
    ("no such savepoint: ", "", "3B001", "savepoint \"", "\" does not exist"),
    ("ambiguous column name: ", "", "42702", "column reference \"", "\" is ambiguous"),
    ("duplicate column name: ", "", "42701", "column \"", "\" specified more than once"),
    ("misuse of aggregate: ", "", "42803", "aggregate functions are not allowed here: ", ""),
    ("misuse of aggregate function ", "", "42803", "aggregate functions are not allowed here: ", ""),
    ("table ", " already exists", "42P07", "relation \"", "\" already exists"),
    ("view ", " already exists", "42P07", "relation \"", "\" already exists"),
    ("index ", " already exists", "42P07", "relation \"", "\" already exists"),
    ("trigger ", " already exists", "42710", "trigger \"", "\" already exists"),
    ("there is already a table named ", "", "42P07", "relation \"", "\" already exists"),
];

fn statement(code: i32, message: &str) -> (&'static str, String) {
    for (before, after, sqlstate, left, right) in PATTERNS {
        let name = message.strip_prefix(before).and_then(|rest| match *after {
            "" => Some(rest),
            " already exists" => rest.strip_suffix(after),
            _ => rest.split_once(after).map(|(_, column)| column),
        });
        if let Some(name) = name {
            return (sqlstate, format!("{left}{}{right}", name.trim_matches('"')));
        }
    }
    if let Some(token) = message.strip_prefix("near ").and_then(|rest| rest.strip_suffix(": syntax error")) {
        return ("42601", format!("syntax error at or near {token}"));
    }
    let sqlstate = match message {
        "incomplete input" => return ("42601", "syntax error at end of input".to_owned()),
        "cannot start a transaction within a transaction" => "25001",
        "cannot commit - no transaction is active" | "cannot rollback - no transaction is active" => "25P01",
        _ if message.contains(" values were supplied") || message.starts_with("unrecognized token") => "42601",
        _ if message.contains("values for") && message.contains("columns") => "42601",
        _ if message.contains("ON CONFLICT clause does not match") => "42P10",
        _ if message.starts_with("Expression tree is too large") || message.starts_with("too many") => "54001",
        _ if code == ffi::SQLITE_MISMATCH => "22P02",
        _ if message.contains("out of range") || message == "integer overflow" => "22003",
        _ => "42000",
    };
    (sqlstate, message.to_owned())
}
