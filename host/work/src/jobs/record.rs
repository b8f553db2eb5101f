//! What is kept of a job.

use super::Plan;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// Characters of the word in an id.
const WORD_CHARS_MAX: usize = 40;

/// What a job is called: `7-maker`, which is also the name of its folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId {
    number: u64,
    text: String,
}

impl JobId {
    /// Of a number, and a word that may be anything.
    pub(super) fn new(number: u64, word: &str) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let word: String = word.chars().map(plain).take(WORD_CHARS_MAX).collect();
        let word = if word.is_empty() { "job" } else { &word };
        Self { number, text: format!("{number}-{word}") }
    }

    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// As it stands in addresses.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A text that is no id of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it is not an id of a job")]
pub struct NoJob;

impl FromStr for JobId {
    type Err = NoJob;

    fn from_str(text: &str) -> Result<Self, NoJob> {
        let (number, word) = text.split_once('-').ok_or(NoJob)?;
        let id = Self::new(number.parse().map_err(|_| NoJob)?, word);
        // Only as it is written here.
        if id.text == text { Ok(id) } else { Err(NoJob) }
    }
}

impl TryFrom<String> for JobId {
    type Error = NoJob;

    fn try_from(text: String) -> Result<Self, NoJob> {
        text.parse()
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> Self {
        id.text
    }
}

/// What a job does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A strategy over seeds.
    Run,
    /// A verdict.
    Gate,
    /// A session that improves a strategy.
    Refine,
    /// Episodes in which a model mends repositories.
    Rollout,
    /// Episodes of an agent in a world.
    World,
}

impl What {
    /// For people.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Gate => "gate",
            Self::Refine => "refinement",
            Self::Rollout => "rollout",
            Self::World => "run in a world",
        }
    }
}

/// How a job stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// For its turn.
    Waiting,
    /// Its process runs.
    Running,
    /// Its process has ended; without a code, by a signal.
    Ended {
        /// The exit code of the command.
        code: Option<i32>,
    },
    /// Somebody has ended it.
    Stopped,
    /// It ended with the server that ran it, and its command does not resume.
    Lost,
}

impl State {
    /// Whether nothing more will happen.
    #[must_use]
    pub const fn is_end(self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }

    /// Whether it came to a good end.
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Ended { code: Some(0) })
    }

    /// Whether the command has said all that it will say: yes, no, that it cannot be done as asked, or that a strategy failed. Everything else was broken off, or
    /// is worth trying again.
    #[must_use]
    pub const fn is_answer(self) -> bool {
        matches!(self, Self::Ended { code: Some(0..=3) })
    }

    /// For people; the exit codes are those of the command line.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Ended { code: Some(0) } => "done",
            Self::Ended { code: Some(1) } => "refused",
            Self::Ended { code: Some(2) } => "cannot be done as asked",
            Self::Ended { code: Some(3) } => "done: it failed",
            Self::Ended { code: Some(130) } => "interrupted",
            Self::Ended { code: Some(_) } => "failed",
            Self::Ended { code: None } => "killed",
            Self::Stopped => "stopped",
            Self::Lost => "lost",
        }
    }
}

/// A job as its folder has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// What it is called.
    pub id: JobId,
    /// What it does.
    pub what: What,
    /// What it is about.
    pub subject: String,
    /// How it stands.
    pub state: State,
    /// The words of its command.
    pub words: Vec<String>,
    /// The words that continue it.
    pub again: Option<Vec<String>>,
    /// The session that it works on.
    pub session: Option<PathBuf>,
    /// What the session is told before it goes on.
    pub hint: Option<String>,
    /// Where its results are.
    pub result: PathBuf,
    /// When it was asked for, in milliseconds since 1970.
    pub asked_ms: u64,
    /// When it last began.
    pub began_ms: Option<u64>,
    /// When it ended.
    pub ended_ms: Option<u64>,
    /// How often it was resumed after a server ended.
    pub resumes: u32,
}

impl Job {
    pub(super) fn new(id: JobId, plan: Plan) -> Self {
        let Plan { what, subject, words, again, session, hint, result, .. } = plan;
        Self {
            id,
            what,
            subject,
            state: State::Waiting,
            words,
            again,
            session,
            hint,
            result,
            asked_ms: now_ms(),
            began_ms: None,
            ended_ms: None,
            resumes: 0,
        }
    }

    /// Whether it has ended, and its command resumes where it did. Sessions do so on their own page.
    pub(super) const fn resumes(&self) -> bool {
        self.state.is_end() && self.again.is_some() && self.session.is_none()
    }

    pub(super) fn begin(&mut self) {
        (self.state, self.began_ms) = (State::Running, Some(now_ms()));
    }

    pub(super) fn end(&mut self, state: State) {
        (self.state, self.ended_ms) = (state, Some(now_ms()));
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
