//! SQL over a recorded run: reading only, over the run's tables only, within limits.
//!
//! ```text
//! text ─► one query? ─► tables of the run? ─► their files whole? ─► plan ─► rows, as they come
//! ```
//!
//! A query has no way out: the only tables are those of the run, each one file in a store that begins at the run's folder; there are no table
//! functions; statements other than queries are refused before they are planned; nothing is spilled to disk. It runs on a thread
//! of its own, so that the limit on time holds whatever the engine does.

use crate::engine::{self, Message};
use assay_data::{QueryError, QueryLimits, RunData, SQL_BYTES_MAX};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::{self, array::RecordBatch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Instant;

/// Enough for what nests as deep as [`SQL_BYTES_MAX`] allows: a sum of eight thousand terms takes tens of kilobytes a term, unoptimised. Pages
/// that are never touched cost nothing.
const STACK_BYTES: usize = 512 << 20;
/// Batches that may wait to be shown.
const BATCHES_MAX: usize = 2;

/// The rows of a query as they come: an iterator that ends with the last one, or with an error.
pub struct Answer {
    schema: SchemaRef,
    messages: Receiver<Message>,
    limits: QueryLimits,
    deadline: Instant,
    /// Tells the engine that nobody listens any more.
    abandoned: Arc<AtomicBool>,
    ended: bool,
}

/// Runs the query `sql` over a run. With `rows`, it returns at most that many.
///
/// # Errors
/// [`QueryError`]: everything that is known before the first row.
pub fn query(run: &RunData, sql: &str, rows: Option<usize>, limits: QueryLimits) -> Result<Answer, QueryError> {
    if sql.len() > SQL_BYTES_MAX {
        return Err(QueryError::TooLong { bytes: sql.len() });
    }
    let deadline = Instant::now() + limits.time;
    let (sender, messages) = sync_channel(BATCHES_MAX);
    let abandoned = Arc::new(AtomicBool::new(false));
    let (given_up, run, sql) = (Arc::clone(&abandoned), run.clone(), sql.to_owned());
    let work = move || {
        let send = |message| !given_up.load(Ordering::Relaxed) && sender.send(message).is_ok();
        match engine::run(&run, &sql, rows, limits.memory_bytes, &send) {
            Ok(()) => send(Message::Done),
            Err(error) => send(Message::Failed(error)),
        };
    };
    thread::Builder::new()
        .name("assay-query".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work)
        .map_err(|error| QueryError::Engine { what: format!("failed to start a thread: {error}") })?;
    let schema = Arc::new(arrow::datatypes::Schema::empty());
    let mut answer = Answer { schema, messages, limits, deadline, abandoned, ended: false };
    match answer.receive()? {
        Message::Schema(schema) => answer.schema = schema,
        _ => return Err(QueryError::Engine { what: "rows came before their schema".to_owned() }),
    }
    Ok(answer)
}

impl Answer {
    /// The columns.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn receive(&mut self) -> Result<Message, QueryError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        // A query that never runs out of rows always has some ready.
        if left.is_zero() {
            return Err(QueryError::TooSlow { limit: self.limits.time });
        }
        match self.messages.recv_timeout(left) {
            Ok(Message::Failed(error)) => Err(error),
            Ok(message) => Ok(message),
            Err(RecvTimeoutError::Timeout) => Err(QueryError::TooSlow { limit: self.limits.time }),
            Err(RecvTimeoutError::Disconnected) => {
                Err(QueryError::Engine { what: "the query engine panicked".to_owned() })
            }
        }
    }
}

impl Iterator for Answer {
    type Item = Result<RecordBatch, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = match self.receive() {
            Ok(Message::Batch(batch)) => return Some(Ok(batch)),
            Ok(Message::Schema(_)) => return self.next(),
            Ok(Message::Done | Message::Failed(_)) => None,
            Err(error) => Some(Err(error)),
        };
        self.ended = true;
        next
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").field("schema", &self.schema).finish_non_exhaustive()
    }
}
