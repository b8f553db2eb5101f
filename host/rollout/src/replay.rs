//! Replay: the recorded cells run again, with the recorded answers of the host, and everything that comes out is compared.
//!
//! Invariants: neither a model nor a test bench is asked; the first difference ends the replay and is reported with what was recorded and what was
//! found; a session that keeps its word shows none. Also compared is where the code came from: each cell is a block of the message before it,
//! unless a supervisor put in another.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use assay_model::Time;
use assay_trace::{CodeCell, Digest, EventKind, Metadata, Record, Role, StateHash, Trajectory, TrajectoryId};
use assay_tree::Tree;
use futures::future::{BoxFuture, FutureExt as _, ready};
use serde_json::Value;
use thiserror::Error;

use crate::code_blocks;
use crate::host_calls::described;
use crate::ports::{Cell, Host, HostAnswer, HostCall, Session, SessionError, SessionLimits, SessionStart, Sessions};
use crate::record::{CELL_INTERRUPTED, HOST_CALL, PATCH, RecordedCall, SUPERVISOR, error_text, files_digest};
use crate::text::cut_middle;

/// The longest text of one side of a difference, in bytes.
const SHOWN_BYTES_MAX: usize = 2_000;

/// What a replay found.
#[derive(Clone)]
pub struct Replayed {
    /// Cells that ran.
    pub cells: usize,
    /// Calls of the host that were answered from the record.
    pub calls: usize,
    /// State hashes that were compared and are equal.
    pub states: usize,
    /// The first difference; none where everything is equal.
    pub divergence: Option<Divergence>,
    /// Whether a cell was broken off when it was recorded: it cannot be replayed, and nothing after it was.
    pub was_interrupted: bool,
    /// The files that each sub-agent began with: the base for a replay of its own trajectory.
    pub sub_agents: BTreeMap<TrajectoryId, Tree>,
    /// The files at the end.
    pub tree: Tree,
}

/// The first difference between a record and its replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// The step; 0 before the first.
    pub step: usize,
    /// The cell, from 1; 0 before the first.
    pub cell: usize,
    /// What differs: `base files`, `code`, `call`, `stdout`, `stderr`, `dropped bytes`, `error`, `fuel`, `state`, `files at the end`.
    pub what: &'static str,
    /// As recorded, cut to a length that can be shown.
    pub recorded: String,
    /// As found.
    pub found: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, cell, what, recorded, found } = self;
        write!(f, "step {step}, cell {cell}: {what} differs\n  recorded: {recorded}\n  found:    {found}")
    }
}

/// Why there is no replay.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReplayError {
    /// The record lacks what a session is started with: it was not written by the loop.
    #[error("failed to replay: the trajectory's metadata lacks `{what}`, so it is not from a bug-fix episode")]
    NotOurs {
        /// What is missing.
        what: &'static str,
    },
    /// The session's host failed.
    #[error("failed to replay")]
    Session(#[from] SessionError),
}

/// Runs a trajectory again over the files that it began with.
///
/// # Errors
/// It is not a record of the loop, or the session's host fails. That something differs is not an error.
pub async fn replay(trajectory: &Trajectory, base: &Tree, sessions: &dyn Sessions) -> Result<Replayed, ReplayError> {
    Ok(replay_to(trajectory, base, sessions, usize::MAX).await?.0)
}

/// The same up to a step, and the files as they were before the last step that was replayed.
///
/// # Errors
/// As [`replay`].
pub async fn replay_to(
    trajectory: &Trajectory,
    base: &Tree,
    sessions: &dyn Sessions,
    last: usize,
) -> Result<(Replayed, Tree), ReplayError> {
    let start = session_start(trajectory.metadata(), base)?;
    let mut replay = Replay {
        session: sessions.start(start).await?,
        host: Recorded::default(),
        blocks: VecDeque::new(),
        is_replaced: false,
        sent: Vec::new(),
        counts: Replayed {
            cells: 0,
            calls: 0,
            states: 0,
            divergence: None,
            was_interrupted: false,
            sub_agents: BTreeMap::new(),
            tree: base.fork(),
        },
    };
    let recorded_base = trajectory.metadata().hashes.get("files").map_or("", String::as_str);
    let mut difference = compare("base files", recorded_base, &files_digest(base).to_string());
    let (mut step, mut before) = (0, base.fork());
    for placed in trajectory.placed().take_while(|placed| placed.step <= last) {
        if placed.step > step {
            before = replay.session.tree();
        }
        step = placed.step;
        if difference.is_some() || replay.counts.was_interrupted {
            break;
        }
        difference = replay.take(placed.record).await?;
    }
    let Replay { session, host, mut counts, .. } = replay;
    let cell = counts.cells;
    counts.divergence = difference.map(|(what, recorded, found)| Divergence { step, cell, what, recorded, found });
    counts.calls = host.answered();
    counts.sub_agents = host.into_forks();
    counts.tree = session.tree();
    Ok((counts, before))
}

/// What differs, as recorded, as found.
type Difference = (&'static str, String, String);

fn compare(what: &'static str, recorded: &str, found: &str) -> Option<Difference> {
    if recorded == found {
        return None;
    }
    // Long texts are shown from shortly before the first difference on.
    let same = recorded.bytes().zip(found.bytes()).take_while(|(one, other)| one == other).count();
    let from = |text: &str| {
        let start = text.floor_char_boundary(same.saturating_sub(40));
        cut_middle(&text[start..], SHOWN_BYTES_MAX).into_owned()
    };
    Some((what, from(recorded), from(found)))
}

struct Replay {
    session: Box<dyn Session>,
    host: Recorded,
    /// What of the newest reply has not run yet.
    blocks: VecDeque<String>,
    /// Whether a supervisor put in the next cell.
    is_replaced: bool,
    /// Sub-agents that were sent off since the last call.
    sent: Vec<TrajectoryId>,
    counts: Replayed,
}

impl Replay {
    async fn take(&mut self, record: &Record) -> Result<Option<Difference>, ReplayError> {
        let event = match record {
            Record::Message(message) if message.role() == Role::Assistant => {
                self.blocks = code_blocks::find(&message.text()).into_iter().map(|block| block.code).collect();
                return Ok(None);
            }
            Record::Event(event) => event,
            Record::Message(_) | Record::Verdict(_) => return Ok(None),
        };
        match &event.kind {
            EventKind::CodeCell(cell) => return self.run(cell).await,
            EventKind::State(state) => return Ok(self.compare_state(state)),
            EventKind::SubAgent(sub_agent) => self.sent.push(sub_agent.trajectory_id.clone()),
            EventKind::Other(other) => match other.kind() {
                HOST_CALL => {
                    let call = serde_json::from_str(other.body()).unwrap_or_default();
                    self.host.expect(call, self.sent.pop());
                }
                SUPERVISOR => self.is_replaced |= is_replaced_cell(other.body()),
                CELL_INTERRUPTED => self.counts.was_interrupted = true,
                PATCH => {
                    let body: Value = serde_json::from_str(other.body()).unwrap_or_default();
                    let recorded = body["files"].as_str().unwrap_or_default();
                    return Ok(compare("files at the end", recorded, &files_digest(&self.session.tree()).to_string()));
                }
                _ => {}
            },
            _ => {}
        }
        Ok(None)
    }

    async fn run(&mut self, recorded: &CodeCell) -> Result<Option<Difference>, ReplayError> {
        self.counts.cells += 1;
        let block = self.blocks.pop_front().unwrap_or_default();
        if !std::mem::take(&mut self.is_replaced)
            && let Some(difference) = compare("code", &recorded.source, &block)
        {
            return Ok(Some(difference));
        }
        let found = self.session.run(&recorded.source, &self.host).await?;
        Ok(self.host.difference().or_else(|| compare_cells(recorded, &found)))
    }

    fn compare_state(&mut self, recorded: &StateHash) -> Option<Difference> {
        let files = [("files".to_owned(), files_digest(&self.session.tree()))];
        let found = StateHash::new(self.session.parts().into_iter().chain(files).collect());
        let parts = recorded.differing_parts(&found);
        if parts.is_empty() {
            self.counts.states += 1;
            return None;
        }
        let of = |state: &StateHash| {
            let digest = |part: &String| state.parts().get(part).map_or("none".to_owned(), Digest::to_string);
            parts.iter().map(|part| format!("{part} {}", digest(part))).collect::<Vec<_>>().join(", ")
        };
        Some(("state", of(recorded), of(&found)))
    }
}

fn is_replaced_cell(body: &str) -> bool {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    body["before"] == "cell" && body["decision"] == "replace"
}

fn compare_cells(recorded: &CodeCell, found: &Cell) -> Option<Difference> {
    let error = found.error.as_ref().map(error_text).unwrap_or_default();
    compare("stdout", &recorded.stdout, &found.stdout)
        .or_else(|| compare("stderr", &recorded.stderr, &found.stderr))
        .or_else(|| compare("dropped bytes", &recorded.dropped_bytes.to_string(), &found.dropped_bytes.to_string()))
        .or_else(|| compare("error", recorded.error.as_deref().unwrap_or_default(), &error))
        .or_else(|| compare("fuel", &recorded.fuel.to_string(), &found.fuel.to_string()))
}

/// The session that a trajectory was recorded in.
fn session_start(metadata: &Metadata, base: &Tree) -> Result<SessionStart, ReplayError> {
    let limit = |what: &'static str| metadata.limits.get(what).copied().ok_or(ReplayError::NotOurs { what });
    let note = |what: &'static str| metadata.meta.get(what).ok_or(ReplayError::NotOurs { what });
    let folder = note("folder")?.as_str().ok_or(ReplayError::NotOurs { what: "folder" })?;
    let time = note("session_time_ns")?.as_u64().ok_or(ReplayError::NotOurs { what: "session_time_ns" })?;
    let output_bytes = limit("session_output_bytes_per_cell")?;
    let limits = SessionLimits {
        fuel_per_cell: limit("session_fuel_per_cell")?,
        fuel: limit("session_fuel")?,
        memory_bytes: limit("session_memory_bytes")?,
        output_bytes_per_cell: usize::try_from(output_bytes).unwrap_or(usize::MAX),
        host_calls_per_cell: u32::try_from(limit("session_host_calls_per_cell")?).unwrap_or(u32::MAX),
    };
    let (tree, folder) = (base.fork(), folder.to_owned());
    Ok(SessionStart { tree, folder, seed: metadata.seed, time: Time(time), limits })
}

/// Answers calls from the record.
#[derive(Default)]
struct Recorded(Mutex<Tape>);

#[derive(Default)]
struct Tape {
    calls: VecDeque<(RecordedCall, Option<TrajectoryId>)>,
    answered: usize,
    difference: Option<Difference>,
    forks: BTreeMap<TrajectoryId, Tree>,
}

impl Recorded {
    fn tape(&self) -> std::sync::MutexGuard<'_, Tape> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a recorded call, and the sub-agent that it sent off.
    fn expect(&self, call: RecordedCall, sent: Option<TrajectoryId>) {
        self.tape().calls.push_back((call, sent));
    }

    fn answered(&self) -> usize {
        self.tape().answered
    }

    fn into_forks(self) -> BTreeMap<TrajectoryId, Tree> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).forks
    }

    /// What differed in the calls of the last cell; calls that were recorded and did not come are a difference too.
    fn difference(&self) -> Option<Difference> {
        let mut tape = self.tape();
        let left = tape.calls.pop_front();
        tape.calls.clear();
        let missing = left.map(|(call, _)| ("call", format!("{} {}", call.call, call.arguments), "none".to_owned()));
        tape.difference.take().or(missing)
    }
}

impl Host for Recorded {
    fn call(&self, call: HostCall, tree: Tree) -> BoxFuture<'_, HostAnswer> {
        let (name, arguments, _) = described(&call);
        let found = format!("{name} {arguments} over {}", files_digest(&tree));
        let mut tape = self.tape();
        let recorded = tape.calls.pop_front();
        let told = recorded.as_ref().map_or("none".to_owned(), |(recorded, _)| {
            format!("{} {} over {}", recorded.call, recorded.arguments, recorded.files)
        });
        let difference = compare("call", &told, &found);
        let answer = match recorded {
            Some((recorded, sent)) if difference.is_none() => {
                tape.answered += 1;
                tape.forks.extend(sent.map(|id| (id, tree)));
                recorded.answer.ok_or_else(|| recorded.error.unwrap_or_default())
            }
            _ => Err("the replay has diverged from the record".to_owned()),
        };
        // The first difference is the one to report.
        if tape.difference.is_none() {
            tape.difference = difference;
        }
        drop(tape);
        ready(answer).boxed()
    }
}
