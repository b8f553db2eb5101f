//! The scheduler of work that computes: workers that take units and try them, and one thread that hands on what comes of it.
//!
//! Invariants: those of the crate; when the call is over no unit is running.

use crate::course::{Intake, Next, RunEnd};
use crate::stop::Stop;
use crate::trouble::{Trouble, panic_words};
use crate::unit::{Sink, Source, Unit};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Attempts at a unit, the first included, before trouble that passes is its result: what fails three times in a row will not pass soon.
pub const ATTEMPTS_MAX: u32 = 3;

/// What came of a unit: a result, or trouble of the whole run.
type Attempted<T> = (Unit, Result<Result<T, Trouble>, Trouble>);

/// Does `work` for every unit of `source`, as many at once as there are `workers`, and has `sink` keep what comes of it. Trouble of the whole run and a sink
/// that fails ask `stop`, so that work that looks at it ends early; the first of them is how the run ended.
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
    let intake = &Mutex::new(Intake::new(source));
    let work = &work;
    let (done, results) = sync_channel(workers.get());
    thread::scope(|scope| {
        for _ in 0..workers.get() {
            let done = done.clone();
            scope.spawn(move || serve(intake, &done, stop, work));
        }
        // The results end with the last worker.
        drop(done);
        let (mut early, mut is_sink_whole) = (None, true);
        for (unit, result) in results {
            let failed = match result {
                Err(trouble) => RunEnd::Failed(trouble),
                Ok(result) if is_sink_whole => match sink.keep(&unit, result) {
                    Ok(()) => continue,
                    Err(failure) => {
                        is_sink_whole = false;
                        RunEnd::Unkept(failure)
                    }
                },
                Ok(_) => continue,
            };
            stop.stop();
            early.get_or_insert(failed);
        }
        RunEnd::of(early, stop)
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
        let Some(attempted) = next.and_then(|unit| attempt(unit, stop, work)) else { return };
        if done.send(attempted).is_err() {
            return;
        }
    }
}

/// Tries a unit until it has a result, or trouble that does not pass, or was tried often enough; nothing where it is undone.
fn attempt<T, W: Fn(&Unit) -> Result<T, Trouble>>(mut unit: Unit, stop: &Stop, work: &W) -> Option<Attempted<T>> {
    loop {
        let result = catch_unwind(AssertUnwindSafe(|| work(&unit)));
        let result = result.unwrap_or_else(|panic| Err(Trouble::bug(panic_words(panic.as_ref()))));
        match (Next::after(&unit, result.as_ref().err(), ATTEMPTS_MAX, stop), result) {
            (Next::Again, _) => unit.retry += 1,
            (Next::Undone, _) => return None,
            (Next::Ended, Err(trouble)) => return Some((unit, Err(trouble))),
            (Next::Kept | Next::Ended, result) => return Some((unit, Ok(result))),
        }
    }
}
