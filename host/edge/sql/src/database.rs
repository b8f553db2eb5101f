//! A database as a value: cloning it is a fork, and a call either succeeds or leaves it as it was.

use crate::call::{self, Access, Call};
use crate::content::{self, Content, RowChange};
use crate::error::{ErrorKind, SqlError};
use crate::image::Image;
use crate::limits::Limits;
use crate::memory;
use crate::owners;
use crate::run;
use crate::schema;
use crate::session::Session;
use crate::shape::Shapes;
use crate::value::{Ambient, Answer, Value};
use assay_model::{Seed, Stream};
use rusqlite::Connection;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A SQLite database. Cloning it is a fork: it costs the same for any size, and the two share what neither has written since.
///
/// An open connection is kept for the next call, so a fork's first call takes as long as opening one. Calls through one value wait for each other; forks
/// do not.
pub struct Database {
    image: Image,
    shapes: Arc<Shapes>,
    limits: Limits,
    session: Mutex<Option<Session>>,
}

impl Clone for Database {
    fn clone(&self) -> Self {
        Self {
            image: self.image.clone(),
            shapes: Arc::clone(&self.shapes),
            limits: self.limits,
            session: Mutex::new(None),
        }
    }
}

impl Default for Database {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("bytes", &self.image.len()).finish_non_exhaustive()
    }
}

impl Database {
    /// An empty database with standard limits.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::STANDARD)
    }

    /// An empty database.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self { image: Image::default(), shapes: Arc::default(), limits, session: Mutex::new(None) }
    }

    /// A database from the bytes of a SQLite file, which may come from anybody. They are checked whole: header, size, structure, indexes, constraints, and
    /// what the schema defines. A file in WAL mode is taken without its log.
    ///
    /// # Errors
    /// `Image` if it is no database or a damaged one, `TooLarge` above the limit, `Refused` if it contains what a world's database may not, `Fuel` or
    /// `Watchdog` if checking it takes too long.
    pub fn import(bytes: &[u8], limits: Limits) -> Result<Self, SqlError> {
        if bytes.is_empty() {
            return Ok(Self::with_limits(limits));
        }
        check_header(bytes, &limits)?;
        let mut image = Image::from_bytes(bytes);
        // Versions of the file format: without a write-ahead log.
        image.write(18, &[1, 1]);
        let session = Session::open(&image, &limits)?;
        let (shapes, _) = call::during(own_call(&limits), || {
            let shapes = schema::check(&session, &limits)?;
            let finding: String =
                session.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(own_error)?;
            if finding != "ok" {
                return Err(SqlError::new(ErrorKind::Image, format!("the database is damaged: {finding}")));
            }
            schema::check_rowids(&session.connection).map_err(|error| match error.kind {
                ErrorKind::Fuel => own_stop(error),
                _ => error,
            })?;
            Ok(shapes)
        });
        Ok(Self { image, shapes: Arc::new(shapes?), limits, session: Mutex::new(Some(session)) })
    }

    /// The bytes of a SQLite file.
    #[must_use]
    pub fn export(&self) -> Vec<u8> {
        self.image.to_bytes()
    }

    /// Length of the image in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.image.len()
    }

    /// Runs one statement with parameters, or a script without. The script is one unit: if a statement fails, nothing of it has happened. It may contain
    /// transactions of its own, and must end them.
    ///
    /// # Errors
    /// Whatever stopped it; the database is as it was. Fuel and draws are spent all the same.
    pub fn run(&mut self, script: &str, parameters: &[Value], ambient: &mut Ambient) -> Result<Answer, SqlError> {
        self.write(Access::Write, script, parameters, ambient)
    }

    /// As [`run`](Self::run), for those who compare the database before and after each call: at most one statement writes, and nothing is changed that is no
    /// content. So there is nothing that a later statement of the same call could put back unseen.
    ///
    /// # Errors
    /// `Refused` for a second statement that writes, and for what would change no content; otherwise as [`run`](Self::run).
    pub fn step(&mut self, script: &str, parameters: &[Value], ambient: &mut Ambient) -> Result<Answer, SqlError> {
        self.write(Access::Step, script, parameters, ambient)
    }

    fn write(
        &mut self,
        access: Access,
        script: &str,
        parameters: &[Value],
        ambient: &mut Ambient,
    ) -> Result<Answer, SqlError> {
        let session = self.session.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let (session, call, result) =
            perform(&self.image, &self.shapes, &self.limits, session, access, (script, parameters, ambient))?;
        let answer =
            result.and_then(|answer| if call.is_last_rowid_taken { Err(schema::last_rowid()) } else { Ok(answer) });
        let image = session.image();
        let Ok(answer) = answer else {
            // What earlier statements of the script did goes with the connection.
            if image.is(&self.image) && session.connection.is_autocommit() && !memory::is_exceeded() {
                self.keep(session);
            }
            return answer;
        };
        if call.defines {
            // A connection that has made a schema may plan otherwise than one that has read it, so a fork would see other orders of rows.
            drop(session);
            let session = Session::open(&image, &self.limits)?;
            let (shapes, _) = call::during(own_call(&self.limits), || schema::check(&session, &self.limits));
            self.shapes = Arc::new(shapes?);
            self.keep(session);
        } else {
            self.keep(session);
        }
        self.image = image;
        Ok(answer)
    }

    /// Runs statements that only read.
    ///
    /// # Errors
    /// `ReadOnly` for a statement that writes; otherwise as [`run`](Self::run).
    pub fn query(&self, script: &str, parameters: &[Value], ambient: &mut Ambient) -> Result<Answer, SqlError> {
        let mut slot = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let (session, _, result) =
            perform(&self.image, &self.shapes, &self.limits, slot.take(), Access::Read, (script, parameters, ambient))?;
        if session.image().is(&self.image) && session.connection.is_autocommit() && !memory::is_exceeded() {
            *slot = Some(session);
        }
        result
    }

    /// Closes the connection that is kept for the next call, and so frees its memory: some 130 KiB, and up to 256 KiB of pages.
    pub fn rest(&self) {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// A digest of the image's bytes. Only what was written since the last one is hashed. The same calls give the same bytes, in this fork or that; other
    /// calls that lead to the same rows do not.
    #[must_use]
    pub fn pages_digest(&self) -> [u8; 32] {
        self.image.digest()
    }

    /// All rows, by table and primary key.
    ///
    /// # Errors
    /// `TooLarge`, `Fuel` or `Watchdog` if that is too much, `Image` if the image is damaged.
    pub fn content(&self) -> Result<Content, SqlError> {
        self.own(|connection| content::read(connection, &self.limits, None))
    }

    /// A digest of [`content`](Self::content): equal for databases that say the same, however they came to say it.
    ///
    /// # Errors
    /// As [`content`](Self::content).
    pub fn content_digest(&self) -> Result<[u8; 32], SqlError> {
        Ok(self.content()?.digest())
    }

    /// What is different in `later`, by table and key. Of tables whose pages are all the same nothing is read.
    ///
    /// # Errors
    /// As [`content`](Self::content).
    pub fn changes(&self, later: &Self) -> Result<Vec<RowChange>, SqlError> {
        if self.image.is(&later.image) {
            return Ok(Vec::new());
        }
        let schema = |connection: &Connection| Ok((schema::definitions(connection)?, schema::roots(connection)?));
        let (before, after) = (self.own(schema)?, later.own(schema)?);
        let only = if before == after { owners::changed_tables(&self.image, &later.image, &before.1) } else { None };
        let read =
            |database: &Self| database.own(|connection| content::read(connection, &database.limits, only.as_ref()));
        Ok(read(self)?.changes(&read(later)?))
    }

    /// Does something of this crate's own with the connection.
    fn own<R>(&self, work: impl FnOnce(&Connection) -> Result<R, SqlError>) -> Result<R, SqlError> {
        let mut slot = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let session = match slot.take() {
            Some(session) => session,
            None => Session::open(&self.image, &self.limits)?,
        };
        let (result, _) = call::during(own_call(&self.limits), || work(&session.connection));
        *slot = Some(session);
        result.map_err(|error| if error.kind == ErrorKind::Fuel { own_stop(error) } else { error })
    }

    fn keep(&mut self, session: Session) {
        *self.session.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(session);
    }
}

/// Runs a script in `session`, or in a new one, and moves the ambient on. The outer error is one of opening.
fn perform(
    image: &Image,
    shapes: &Shapes,
    limits: &Limits,
    session: Option<Session>,
    access: Access,
    (script, parameters, ambient): (&str, &[Value], &mut Ambient),
) -> Result<(Session, Call, Result<Answer, SqlError>), SqlError> {
    let session = match session {
        Some(session) => session,
        None => Session::open(image, limits)?,
    };
    let call = Call::new(access, ambient.now, ambient.random.clone(), ambient.fuel, limits);
    let (result, call) = call::during(call, || {
        let pieces = shapes.pieces(script, limits)?;
        run::run(&session.connection, &pieces, parameters, limits)
    });
    ambient.random = call.random.clone();
    ambient.fuel = call.fuel;
    Ok((session, call, result))
}

/// A call of this crate's own: no guest's statement runs in it, so clock and draws do not matter.
fn own_call(limits: &Limits) -> Call {
    Call::new(Access::Own, 0, Stream::new(Seed(0), "sql", "own"), limits.own_fuel, limits)
}

fn own_error(error: rusqlite::Error) -> SqlError {
    let error = SqlError::from(error);
    if error.kind == ErrorKind::Fuel { own_stop(error) } else { error }
}

fn own_stop(error: SqlError) -> SqlError {
    error.hint("the database takes too long to read whole")
}

/// Looks at what SQLite does not check, or says unclearly.
fn check_header(bytes: &[u8], limits: &Limits) -> Result<(), SqlError> {
    let most = limits.pages as usize * crate::limits::PAGE_BYTES;
    if bytes.len() > most {
        return Err(SqlError::new(ErrorKind::TooLarge, format!("the image has {} bytes, at most {most}", bytes.len())));
    }
    let Some(header) = bytes.first_chunk::<100>().filter(|header| header.starts_with(b"SQLite format 3\0")) else {
        return Err(SqlError::new(ErrorKind::Image, "file is not a database").hint("give a file of SQLite 3"));
    };
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        bytes => usize::from(bytes),
    };
    if !page.is_power_of_two() || page < 512 {
        return Err(SqlError::new(ErrorKind::Image, format!("pages of {page} bytes")));
    }
    if !bytes.len().is_multiple_of(page) {
        let message = format!("{} bytes are not a whole number of pages of {page}", bytes.len());
        return Err(SqlError::new(ErrorKind::Image, message).hint("the file was cut off, or is being written to"));
    }
    if !(1..=2).contains(&header[18]) || !(1..=2).contains(&header[19]) {
        return Err(SqlError::new(ErrorKind::Image, format!("unknown file format {}, {}", header[18], header[19])));
    }
    Ok(())
}
