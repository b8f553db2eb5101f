//! The scheduler: workers that take units and try them, and one thread that hands on what comes of it.
//!
//! Invariants: those of the crate; when the call is over no unit is running.

use crate::stop::Stop;
use crate::trouble::{Trouble, TroubleKind, panic_words};
use crate::unit::{Sink, Source, Unit};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Attempts at a unit, the first included, before trouble that passes is its result: what fails three times in a row will not pass soon.
pub const ATTEMPTS_MAX: u32 = 3;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd<F> {
    /// Every unit of the source has a result that was kept.
    Complete,
    /// It was asked to stop.
    Stopped,
    /// A unit had fatal trouble.
    Failed(Trouble),
    /// The sink failed.
    Unkept(F),
}

/// What came of a unit.
type Attempted<T> = (Unit, Result<T, Trouble>);

/// The source, and what was taken from it.
struct Intake<S> {
    source: S,
    taken: BTreeSet<(String, u32)>,
}

impl<S: Source> Intake<S> {
    /// The next unit that the run has not had yet. A stop may come while the source is waited for.
    fn take(&mut self, stop: &Stop) -> Option<Unit> {
        while !stop.is_asked() {
            let unit = self.source.deliver().filter(|_| !stop.is_asked())?;
            if self.taken.insert(unit.id()) {
                return Some(unit);
            }
        }
        None
    }
}

/// Does `work` for every unit of `source`, as many at once as there are `workers`, and has `sink` keep what comes of it. Fatal trouble and a sink that fails
/// ask `stop`, so that work that looks at it ends early; the first of them is how the run ended.
///
/// # Panics
/// The source or the sink panics.
pub fn run<T, S, K, W>(source: S, sink: &mut K, workers: NonZeroUsize, stop: &Stop, work: W) -> RunEnd<K::Failure>
where
    T: Send,
    S: Source + Send,
    K: Sink<T>,
    W: Fn(&Unit) -> Result<T, Trouble> + Sync,
{
    let intake = &Mutex::new(Intake { source, taken: BTreeSet::new() });
    let work = &work;
    let (done, results) = sync_channel(workers.get());
    thread::scope(|scope| {
        for _ in 0..workers.get() {
            let done = done.clone();
            scope.spawn(move || serve(intake, &done, stop, work));
        }
        // The results end with the last worker.
        drop(done);
        let (mut end, mut is_sink_whole) = (None, true);
        for (unit, result) in results {
            let failed = match result {
                Err(trouble) if trouble.kind == TroubleKind::Fatal => RunEnd::Failed(trouble),
                result if is_sink_whole => match sink.keep(&unit, result) {
                    Ok(()) => continue,
                    Err(failure) => {
                        is_sink_whole = false;
                        RunEnd::Unkept(failure)
                    }
                },
                _ => continue,
            };
            stop.stop();
            end.get_or_insert(failed);
        }
        end.unwrap_or(if stop.is_asked() { RunEnd::Stopped } else { RunEnd::Complete })
    })
}

/// One worker: the next unit, until there is none.
fn serve<T, S, W>(intake: &Mutex<Intake<S>>, done: &SyncSender<Attempted<T>>, stop: &Stop, work: &W)
where
    S: Source,
    W: Fn(&Unit) -> Result<T, Trouble>,
{
    loop {
        let next = intake.lock().unwrap_or_else(PoisonError::into_inner).take(stop);
        let Some(unit) = next else { return };
        let (unit, result) = attempt(unit, stop, work);
        let is_undone = stop.is_asked() && passes(&result);
        if is_undone || done.send((unit, result)).is_err() {
            return;
        }
    }
}

/// Tries a unit until it has a result, or trouble that does not pass, or was tried often enough.
fn attempt<T, W: Fn(&Unit) -> Result<T, Trouble>>(mut unit: Unit, stop: &Stop, work: &W) -> Attempted<T> {
    loop {
        let result = catch_unwind(AssertUnwindSafe(|| work(&unit))).unwrap_or_else(|panic| {
            Err(Trouble::new(TroubleKind::Bug, format!("internal error: {}", panic_words(panic.as_ref()))))
        });
        let next = unit.retry.saturating_add(1);
        if !passes(&result) || next >= ATTEMPTS_MAX || stop.is_asked() {
            return (unit, result);
        }
        unit.retry = next;
    }
}

fn passes<T>(result: &Result<T, Trouble>) -> bool {
    matches!(result, Err(trouble) if trouble.kind == TroubleKind::Passing)
}
