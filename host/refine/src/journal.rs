//! The log of a session in its folder, and the state that it folds to.
//!
//! ```text
//! FOLDER/log.jsonl       one event a line; the only truth
//! FOLDER/programs/HASH   sources by BLAKE3
//! FOLDER/replies/HASH    replies of models by BLAKE3, as they came
//! FOLDER/stop            there if the session is to stop
//! ```
//!
//! Invariants: an event is in the file before the state takes it; a file that an event names is there before the event; one process at a time
//! writes. A last line without its end was being written when the process was killed, and is cut off. A log may come from anybody: whoever goes on with it
//! has looked at the bounds of its plan.

use crate::core::bounds::Beyond;
use crate::core::event::{Body, Event, Program};
use crate::core::state::{Misplaced, State};
use assay_files::Folder;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

/// The log.
pub const LOG_NAME: &str = "log.jsonl";
/// A file of this name asks the session to stop.
pub const STOP_NAME: &str = "stop";
/// Bytes of a log: about 20,000 candidates.
pub const LOG_BYTES_MAX: u64 = 64 << 20;
/// Bytes of a source or a reply.
pub const TEXT_BYTES_MAX: u64 = 8 << 20;
const PROGRAMS: &str = "programs";
const REPLIES: &str = "replies";

/// A stored text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Text {
    /// A source.
    Program(String),
    /// A reply of a model.
    Reply(String),
}

/// Why a session's folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system.
    #[error("failed to {what} {name}")]
    Files {
        /// What was tried.
        what: &'static str,
        /// With which file.
        name: String,
        /// Why it failed.
        source: io::Error,
    },
    /// Another process has it.
    #[error("another process is running this session")]
    Busy,
    /// There is a session already.
    #[error("there is a session in this folder already")]
    Exists,
    /// There is none.
    #[error("there is no session in this folder")]
    Missing,
    /// Its process ended before it wrote down anything.
    #[error("the log is empty: nothing of a session is in this folder")]
    Empty,
    /// A line is no event.
    #[error("line {line} of the log is damaged: {why}")]
    Damaged {
        /// Which, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// An event cannot come where it is.
    #[error(transparent)]
    Misplaced(#[from] Misplaced),
    /// Its plan is none that a session can have.
    #[error(transparent)]
    Beyond(#[from] Beyond),
    /// The log would grow beyond its limit.
    #[error("the log has reached {LOG_BYTES_MAX} bytes")]
    Full,
    /// A stored text is not what its name says.
    #[error("the stored text {hash} is missing or damaged")]
    Text {
        /// Its name.
        hash: String,
    },
}

fn files(what: &'static str, name: &str) -> impl FnOnce(io::Error) -> JournalError {
    move |source| JournalError::Files { what, name: name.to_owned(), source }
}

/// A session's log, open to be written.
pub struct Journal {
    folder: Folder,
    file: File,
    bytes: u64,
    state: State,
    owner: u32,
}

impl Journal {
    /// Begins a session in a folder that has none, with the source of the origin. `owner` is this process.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn begin(path: &Path, body: Body, source: &str, owner: u32) -> Result<Self, JournalError> {
        Self::copy(path, &[Event { seq: 1, at_ms: 0, owner, body }], &[Text::Program(source.to_owned())], owner)
    }

    /// Begins a session in a folder that has none with events of another, and the texts that they name.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn copy(path: &Path, events: &[Event], texts: &[Text], owner: u32) -> Result<Self, JournalError> {
        let folder = Folder::make(path).map_err(files("make the folder", &path.display().to_string()))?;
        let state = State::fold(events)?.ok_or(JournalError::Missing)?;
        let mut bytes = Vec::new();
        for event in events {
            bytes.extend(line(event)?);
        }
        for name in [PROGRAMS, REPLIES] {
            folder.make_folder(name, 0o700).map_err(|error| files("make the folder", name)(error.into()))?;
        }
        for text in texts {
            match text {
                Text::Program(text) => keep(&folder, PROGRAMS, text)?,
                Text::Reply(text) => keep(&folder, REPLIES, text)?,
            };
        }
        let mut file = folder.new_file(LOG_NAME, 0o600).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => JournalError::Exists,
            _ => files("make", LOG_NAME)(error),
        })?;
        lock(&file)?;
        file.write_all(&bytes).and_then(|()| file.sync_data()).map_err(files("write", LOG_NAME))?;
        folder.sync().map_err(files("write", LOG_NAME))?;
        Ok(Self { folder, file, bytes: bytes.len() as u64, state, owner })
    }

    /// Opens a session to go on with it.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn open(path: &Path, owner: u32) -> Result<Self, JournalError> {
        let folder = open_folder(path)?;
        let mut file = folder.existing_file_to_change(LOG_NAME).map_err(missing)?;
        lock(&file)?;
        let (events, bytes) = events_of(&file)?;
        let state = State::fold(&events)?.ok_or(JournalError::Empty)?;
        state.plan().validate()?;
        file.set_len(bytes)
            .and_then(|()| file.seek(SeekFrom::Start(bytes)))
            .map_err(files("cut the end of", LOG_NAME))?;
        Ok(Self { folder, file, bytes, state, owner })
    }

    /// The state.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Where the session is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes down what happened after `at_ms` milliseconds of work.
    ///
    /// # Errors
    /// [`JournalError`]; nothing has happened then.
    pub fn note(&mut self, at_ms: u64, body: Body) -> Result<Event, JournalError> {
        // What was paid for, and what cannot be done twice, must survive more than the end of this process.
        let is_dear = matches!(
            body,
            Body::Asked { .. }
                | Body::Answered { .. }
                | Body::Unsealed { .. }
                | Body::Decided { .. }
                | Body::Ended { .. }
        );
        let event = Event { seq: self.state.seq() + 1, at_ms, owner: self.owner, body };
        let mut state = self.state.clone();
        state.apply(&event)?;
        let line = line(&event)?;
        if self.bytes + line.len() as u64 > LOG_BYTES_MAX {
            return Err(JournalError::Full);
        }
        let written = self.file.write_all(&line).and_then(|()| if is_dear { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            // Half a line would be in the way of the next one.
            let _ = self.file.set_len(self.bytes).and_then(|()| self.file.seek(SeekFrom::Start(self.bytes)));
            return Err(files("write", LOG_NAME)(error));
        }
        self.bytes += line.len() as u64;
        self.state = state;
        Ok(event)
    }

    /// Stores a source; its hash.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn keep_program(&self, text: &str) -> Result<String, JournalError> {
        keep(&self.folder, PROGRAMS, text)
    }

    /// Stores a reply; its hash.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn keep_reply(&self, text: &str) -> Result<String, JournalError> {
        keep(&self.folder, REPLIES, text)
    }

    /// A stored source.
    ///
    /// # Errors
    /// [`JournalError::Text`].
    pub fn program(&self, hash: &str) -> Result<String, JournalError> {
        stored(&self.folder, PROGRAMS, hash)
    }

    /// A stored reply.
    ///
    /// # Errors
    /// [`JournalError::Text`].
    pub fn reply(&self, hash: &str) -> Result<String, JournalError> {
        stored(&self.folder, REPLIES, hash)
    }

    /// Writes a file of the result.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn write(&self, name: &str, text: &str) -> Result<(), JournalError> {
        self.folder.write(name, text.as_bytes(), 0o644).map_err(files("write", name))
    }

    /// Whether somebody asked the session to stop; the question is then answered, and the file gone.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn take_stop(&self) -> Result<bool, JournalError> {
        match self.folder.kind(STOP_NAME) {
            Ok(None) => Ok(false),
            _ => {
                self.folder.remove_file(STOP_NAME).map_err(|error| files("remove", STOP_NAME)(error.into()))?;
                Ok(true)
            }
        }
    }
}

/// What a session's folder holds, read beside a process that may be writing.
pub struct Kept {
    folder: Arc<Folder>,
    /// Its events.
    pub events: Vec<Event>,
    /// What they fold to.
    pub state: State,
    /// Whether a process is running it.
    pub is_running: bool,
}

impl Kept {
    /// Reads it.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        Self::read_in(Arc::new(open_folder(path)?))
    }

    /// Reads that of a folder which somebody holds open.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn read_in(folder: Arc<Folder>) -> Result<Self, JournalError> {
        let file = folder.file(LOG_NAME).map_err(missing)?;
        // The lock is let go at once: whoever wants to go on with the session must not be kept from it by a reader.
        let is_running = match file.try_lock_shared() {
            Ok(()) => file.unlock().map(|()| false).map_err(files("unlock", LOG_NAME))?,
            Err(why) => matches!(why, TryLockError::WouldBlock),
        };
        let (events, _) = events_of(&file)?;
        let state = State::fold(&events)?.ok_or(JournalError::Empty)?;
        Ok(Self { folder, events, state, is_running })
    }

    /// A stored source.
    ///
    /// # Errors
    /// [`JournalError::Text`].
    pub fn program(&self, hash: &str) -> Result<String, JournalError> {
        stored(&self.folder, PROGRAMS, hash)
    }

    /// Asks the process that runs it to stop.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn ask_to_stop(&self) -> Result<(), JournalError> {
        self.folder.write(STOP_NAME, b"", 0o600).map_err(files("write", STOP_NAME))
    }

    /// The texts that its events name, up to one of this number.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn texts(&self, up_to: u64) -> Result<Vec<Text>, JournalError> {
        let program = |hash: &str| stored(&self.folder, PROGRAMS, hash).map(Text::Program);
        let named = self.events.iter().filter(|event| event.seq <= up_to).filter_map(|event| match &event.body {
            Body::Began { plan } => Some(program(&plan.source_hash)),
            Body::Written { program: Program::Source(hash), .. } => Some(program(hash)),
            Body::Answered { reply, .. } => Some(stored(&self.folder, REPLIES, reply).map(Text::Reply)),
            _ => None,
        });
        named.collect()
    }
}

/// A stored source of the session in a folder, for whoever runs beside the journal.
///
/// # Errors
/// [`JournalError`].
pub fn program(path: &Path, hash: &str) -> Result<String, JournalError> {
    stored(&open_folder(path)?, PROGRAMS, hash)
}

/// A reply as it is kept: no longer than what is read again.
#[must_use]
pub fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX as usize));
    text
}

fn keep(folder: &Folder, kind: &'static str, text: &str) -> Result<String, JournalError> {
    let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
    let below = folder.folder(kind).map_err(|error| files("open", kind)(error.into()))?;
    below.write(&hash, text.as_bytes(), 0o600).map_err(files("write", kind))?;
    Ok(hash)
}

/// The folder of a session is no link: what a resumed session writes would land where somebody else wants it.
fn open_folder(path: &Path) -> Result<Folder, JournalError> {
    Folder::open(path, assay_files::Links::Refused).map_err(|error| match error.is_missing() {
        true => JournalError::Missing,
        false => files("open the folder", &path.display().to_string())(error.into()),
    })
}

fn missing(error: assay_files::OpenError) -> JournalError {
    if error.is_missing() { JournalError::Missing } else { files("open", LOG_NAME)(error.into()) }
}

fn lock(file: &File) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Busy),
        Err(TryLockError::Error(error)) => Err(files("lock", LOG_NAME)(error)),
    }
}

fn line(event: &Event) -> Result<Vec<u8>, JournalError> {
    let mut line = serde_json::to_vec(event).map_err(|error| files("write", LOG_NAME)(error.into()))?;
    line.push(b'\n');
    Ok(line)
}

/// The events of whole lines, and how many bytes those take.
fn events_of(file: &File) -> Result<(Vec<Event>, u64), JournalError> {
    let mut text = Vec::new();
    file.take(LOG_BYTES_MAX + 1).read_to_end(&mut text).map_err(files("read", LOG_NAME))?;
    if text.len() as u64 > LOG_BYTES_MAX {
        return Err(JournalError::Full);
    }
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let lines = text[..whole].split_inclusive(|byte| *byte == b'\n').enumerate();
    let events = lines.map(|(index, line)| {
        serde_json::from_slice(line).map_err(|error| JournalError::Damaged { line: index + 1, why: error.to_string() })
    });
    Ok((events.collect::<Result<_, _>>()?, whole as u64))
}

fn stored(folder: &Folder, kind: &str, hash: &str) -> Result<String, JournalError> {
    let text = || JournalError::Text { hash: hash.to_owned() };
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let below = folder.folder(kind).ok().filter(|_| is_hash).ok_or_else(text)?;
    let found = below.read_text(hash, TEXT_BYTES_MAX).map_err(|_| text())?;
    if blake3::hash(found.as_bytes()).to_hex().as_str() == hash { Ok(found) } else { Err(text()) }
}
