//! The objects of a repository, read by `git cat-file` in a cleaned environment.
//!
//! Invariants: a size is asked for before an object is, and what is larger than its limit is never read; an answer that does not come within
//! the deadline ends the child, so that a pipe that has come among the objects since they were looked through holds nobody up, and all answers of a history
//! have one deadline; the child dies with its owner, however that ends.

#![expect(unsafe_code, reason = "what a child does before it becomes another program has no safe form")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Signal, set_parent_process_death_signal};

use tempfile::TempDir;
use thiserror::Error;

use super::parse::{Oid, Sort};

/// How long `git` may take for one object.
const ANSWER_MAX: Duration = Duration::from_secs(60);
/// How long all answers of one history may take together. The objects of 100,000 commits take a minute.
const ANSWERS_MAX: Duration = Duration::from_secs(600);
/// The longest line of an answer: an id, a word and a number.
const LINE_BYTES_MAX: u64 = 300;
/// What `git` may take at once, in its own notation; a blob that is larger ends it.
const ALLOCATION_MAX: &str = "1g";

/// Why an object was not read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum ObjectError {
    /// It is not in the repository.
    #[error("the object {0} is missing")]
    Missing(String),
    /// It is larger than it may be.
    #[error("the object {id} has {bytes} bytes, more than {max}")]
    TooLarge { id: String, bytes: u64, max: u64 },
    /// It is something else than was asked for.
    #[error("the object {0} is not what stands there")]
    NotThat(String),
    /// `git` failed: nothing more can be read.
    #[error("git failed: {0}")]
    Git(String),
}

/// What is asked of the child.
#[derive(Clone, Copy)]
enum Ask {
    Size,
    Content,
}

/// What it answers: sort, size and content; nothing for an object that is missing.
type Answer = Result<Option<(String, u64, Vec<u8>)>, String>;

/// See the module documentation.
pub(crate) struct Objects {
    child: Child,
    stdin: ChildStdin,
    asks: Sender<Ask>,
    answers: Receiver<Answer>,
    /// How long answers may still take.
    patience: Duration,
    /// Bytes of an id.
    pub(crate) id_bytes: usize,
    /// The git folder that the child is given.
    _own: TempDir,
}

impl Drop for Objects {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Objects {
    /// Starts `git` over a folder of objects whose ids are as long as this one.
    pub(crate) fn open(git: &Path, objects: &Path, like: &Oid) -> Result<Self, ObjectError> {
        let failed = |what: &str, error: &dyn std::fmt::Display| ObjectError::Git(format!("{what}: {error}"));
        let id_bytes = like.as_str().len() / 2;
        let own = own_folder(id_bytes).map_err(|error| failed("cannot make a temporary folder", &error))?;
        let mut child = command(git, own.path(), objects)
            .spawn()
            .map_err(|error| failed(&format!("cannot start {}", git.display()), &error))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ObjectError::Git("it has no pipes".to_owned()));
        };
        let (asks, asked) = channel();
        let (sender, answers) = channel();
        std::thread::spawn(move || answer(BufReader::new(stdout), &asked, &sender));
        Ok(Self { child, stdin, asks, answers, patience: ANSWERS_MAX, id_bytes, _own: own })
    }

    /// The content of an object of this sort with at most `max` bytes.
    pub(crate) fn read(&mut self, id: &Oid, sort: Sort, max: u64) -> Result<Vec<u8>, ObjectError> {
        let (found, bytes) = self.look(id)?;
        if found != sort {
            return Err(ObjectError::NotThat(id.to_string()));
        }
        if bytes > max {
            return Err(ObjectError::TooLarge { id: id.to_string(), bytes, max });
        }
        match self.ask(id, Ask::Content)? {
            Some((_, _, content)) => Ok(content),
            None => Err(ObjectError::Missing(id.to_string())),
        }
    }

    /// What an object is, and its size.
    pub(crate) fn look(&mut self, id: &Oid) -> Result<(Sort, u64), ObjectError> {
        let (word, bytes, _) = self.ask(id, Ask::Size)?.ok_or_else(|| ObjectError::Missing(id.to_string()))?;
        let sort = Sort::of(&word).ok_or_else(|| ObjectError::NotThat(id.to_string()))?;
        Ok((sort, bytes))
    }

    fn ask(&mut self, id: &Oid, ask: Ask) -> Result<Option<(String, u64, Vec<u8>)>, ObjectError> {
        let word = match ask {
            Ask::Size => "info",
            Ask::Content => "contents",
        };
        let gone = || ObjectError::Git("it ended; the repository may be damaged".to_owned());
        self.asks.send(ask).map_err(|_| gone())?;
        writeln!(self.stdin, "{word} {id}").and_then(|()| self.stdin.flush()).map_err(|_| gone())?;
        let began = Instant::now();
        let answer = self.answers.recv_timeout(ANSWER_MAX.min(self.patience));
        self.patience = self.patience.saturating_sub(began.elapsed());
        match answer {
            Ok(answer) => answer.map_err(ObjectError::Git),
            Err(_) => {
                let _ = self.child.kill();
                let most = if self.patience.is_zero() { ANSWERS_MAX } else { ANSWER_MAX }.as_secs();
                let what = if self.patience.is_zero() { "for the history, at" } else { "for" };
                Err(ObjectError::Git(format!("it took more than {most} s {what} the object {id}")))
            }
        }
    }
}

/// A git folder that holds nothing.
fn own_folder(id_bytes: usize) -> std::io::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    for name in ["objects", "refs"] {
        std::fs::create_dir(folder.path().join(name))?;
    }
    std::fs::write(folder.path().join("HEAD"), "ref: refs/heads/none\n")?;
    let format = if id_bytes == 32 {
        "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
    } else {
        "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
    };
    std::fs::write(folder.path().join("config"), format)?;
    Ok(folder)
}

/// `git cat-file`, with nothing of this machine's or the repository's configuration.
fn command(git: &Path, own: &Path, objects: &Path) -> Command {
    let mut command = Command::new(git);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command
        .env_clear()
        .env("PATH", path)
        .env("HOME", own)
        .env("LC_ALL", "C")
        .env("GIT_DIR", own)
        .env("GIT_OBJECT_DIRECTORY", objects)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1")
        // A small object may be stored as the difference from one of gigabytes.
        .env("GIT_ALLOC_LIMIT", ALLOCATION_MAX)
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never"])
        .args(["--no-pager", "cat-file", "--batch-command"])
        .current_dir(own)
        // Ctrl-C at the terminal is ours to handle.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // SAFETY: the function makes one system call, and neither allocates nor locks.
    unsafe {
        // It would notice that its input has ended, but not while it waits for a file.
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?));
    }
    command
}

/// Reads answers until the child or whoever asks is gone.
fn answer(mut from: BufReader<ChildStdout>, asks: &Receiver<Ask>, to: &Sender<Answer>) {
    for ask in asks {
        let answer = one(&mut from, ask);
        let is_last = answer.is_err();
        if to.send(answer).is_err() || is_last {
            return;
        }
    }
}

fn one(from: &mut BufReader<ChildStdout>, ask: Ask) -> Answer {
    let mut line = Vec::new();
    from.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&line);
    let Some(text) = text.strip_suffix('\n') else {
        return Err("it ended; the repository may be damaged".to_owned());
    };
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        [_, "missing"] => Ok(None),
        [_, sort, size] => {
            let size: u64 = size.parse().map_err(|_| format!("it said `{}`", text.escape_debug()))?;
            let mut content = Vec::new();
            if matches!(ask, Ask::Content) {
                // The limit was compared with this size already, which is the object's own.
                from.by_ref().take(size + 1).read_to_end(&mut content).map_err(|error| error.to_string())?;
                if content.pop() != Some(b'\n') || content.len() as u64 != size {
                    return Err("it ended in the middle of an object".to_owned());
                }
            }
            Ok(Some((sort.to_owned(), size, content)))
        }
        _ => Err(format!("it said `{}`", text.escape_debug())),
    }
}
