//! What can go wrong, in SQLite's own words and with its extended code.

use crate::memory;
use rusqlite::ffi;
use std::fmt;

/// What kind of trouble it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// SQLite does not understand the statement, or cannot do it with these tables and values.
    Statement,
    /// A constraint of the schema does not hold.
    Constraint,
    /// The statement is understood, but is not allowed in a world's database.
    Refused,
    /// The steps that the call may take are used up.
    Fuel,
    /// The call took much processor time in few steps, and the watchdog ended it.
    Watchdog,
    /// A value, an answer or a content is larger than its limit, or the call needs more memory than it may take.
    TooLarge,
    /// The image or the temporary files have reached their limit.
    Full,
    /// A statement that writes, where only reading is allowed.
    ReadOnly,
    /// The script leaves a transaction open.
    OpenTransaction,
    /// The parameters or the text do not fit the statement.
    Parameters,
    /// The image is damaged, or is none.
    Image,
    /// A mistake of this crate, or no memory.
    Internal,
}

/// Why a call has failed. The database is as it was before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SqlError {
    /// What kind of trouble it is.
    pub kind: ErrorKind,
    /// SQLite's extended code, for example 2067.
    pub code: i32,
    /// What has happened, in SQLite's words where SQLite says it.
    pub message: String,
    /// The statement of the script, from 1 on; 0 if it is about none.
    pub statement: usize,
    /// What to do, where that is not plain.
    pub hint: Option<String>,
    /// The table that the statement writes to.
    pub(crate) target: Option<String>,
}

impl SqlError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let code = match kind {
            ErrorKind::Statement | ErrorKind::OpenTransaction => ffi::SQLITE_ERROR,
            ErrorKind::Constraint => ffi::SQLITE_CONSTRAINT,
            ErrorKind::Refused => ffi::SQLITE_AUTH,
            ErrorKind::Fuel | ErrorKind::Watchdog => ffi::SQLITE_INTERRUPT,
            ErrorKind::TooLarge => ffi::SQLITE_TOOBIG,
            ErrorKind::Full => ffi::SQLITE_FULL,
            ErrorKind::ReadOnly => ffi::SQLITE_READONLY,
            ErrorKind::Parameters => ffi::SQLITE_RANGE,
            ErrorKind::Image => ffi::SQLITE_CORRUPT,
            ErrorKind::Internal => ffi::SQLITE_INTERNAL,
        };
        Self { kind, code, message: message.into(), statement: 0, hint: None, target: None }
    }

    pub(crate) fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused, message).hint(hint)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says at which statement it happened, unless that is known.
    pub(crate) fn at(mut self, statement: usize) -> Self {
        if self.statement == 0 {
            self.statement = statement;
        }
        self
    }

    /// SQLite's name of the code, for example `SQLITE_CONSTRAINT_UNIQUE`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        NAMES
            .iter()
            .find(|(code, _)| *code == self.code)
            .or_else(|| NAMES.iter().find(|(code, _)| *code == self.code & 0xff))
            .map_or("SQLITE_ERROR", |(_, name)| name)
    }
}

const NAMES: &[(i32, &str)] = &[
    (ffi::SQLITE_ERROR, "SQLITE_ERROR"),
    (ffi::SQLITE_INTERNAL, "SQLITE_INTERNAL"),
    (ffi::SQLITE_ABORT, "SQLITE_ABORT"),
    (ffi::SQLITE_BUSY, "SQLITE_BUSY"),
    (ffi::SQLITE_LOCKED, "SQLITE_LOCKED"),
    (ffi::SQLITE_NOMEM, "SQLITE_NOMEM"),
    (ffi::SQLITE_READONLY, "SQLITE_READONLY"),
    (ffi::SQLITE_INTERRUPT, "SQLITE_INTERRUPT"),
    (ffi::SQLITE_IOERR, "SQLITE_IOERR"),
    (ffi::SQLITE_CORRUPT, "SQLITE_CORRUPT"),
    (ffi::SQLITE_FULL, "SQLITE_FULL"),
    (ffi::SQLITE_CANTOPEN, "SQLITE_CANTOPEN"),
    (ffi::SQLITE_SCHEMA, "SQLITE_SCHEMA"),
    (ffi::SQLITE_TOOBIG, "SQLITE_TOOBIG"),
    (ffi::SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"),
    (ffi::SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK"),
    (ffi::SQLITE_CONSTRAINT_DATATYPE, "SQLITE_CONSTRAINT_DATATYPE"),
    (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY"),
    (ffi::SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL"),
    (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY"),
    (ffi::SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID"),
    (ffi::SQLITE_CONSTRAINT_TRIGGER, "SQLITE_CONSTRAINT_TRIGGER"),
    (ffi::SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE"),
    (ffi::SQLITE_MISMATCH, "SQLITE_MISMATCH"),
    (ffi::SQLITE_MISUSE, "SQLITE_MISUSE"),
    (ffi::SQLITE_AUTH, "SQLITE_AUTH"),
    (ffi::SQLITE_RANGE, "SQLITE_RANGE"),
    (ffi::SQLITE_NOTADB, "SQLITE_NOTADB"),
];

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.statement > 1 {
            write!(f, "statement {}: ", self.statement)?;
        }
        write!(f, "{} ({} {})", self.message, self.name(), self.code)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SqlError {}

impl From<rusqlite::Error> for SqlError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error;
        let (code, message) = match error {
            Error::SqliteFailure(error, message) => (error.extended_code, message),
            Error::SqlInputError { error, msg, .. } => (error.extended_code, Some(msg)),
            other => return Self::new(ErrorKind::Internal, other.to_string()),
        };
        let kind = match code & 0xff {
            ffi::SQLITE_CONSTRAINT => ErrorKind::Constraint,
            ffi::SQLITE_AUTH => ErrorKind::Refused,
            ffi::SQLITE_INTERRUPT => ErrorKind::Fuel,
            ffi::SQLITE_TOOBIG => ErrorKind::TooLarge,
            // Of the machine's memory there may be none left, too.
            ffi::SQLITE_NOMEM if memory::is_exceeded() => ErrorKind::TooLarge,
            ffi::SQLITE_FULL => ErrorKind::Full,
            ffi::SQLITE_READONLY => ErrorKind::ReadOnly,
            ffi::SQLITE_RANGE => ErrorKind::Parameters,
            ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB | ffi::SQLITE_CANTOPEN => ErrorKind::Image,
            ffi::SQLITE_ERROR | ffi::SQLITE_MISMATCH | ffi::SQLITE_ABORT | ffi::SQLITE_LOCKED | ffi::SQLITE_BUSY => {
                ErrorKind::Statement
            }
            _ => ErrorKind::Internal,
        };
        let message = message.unwrap_or_else(|| ffi::code_to_str(code).to_owned());
        Self { kind, code, message, statement: 0, hint: None, target: None }
    }
}
