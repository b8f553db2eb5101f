//! The scheduler of work that waits: a task for each attempt, on the runtime of whoever calls, and one place that hands on what comes of it.
//!
//! Invariants: those of the crate; when the call is over no unit is running, however it ended, but for one that computes for longer than [`HOLD_MAX`]
//! without a pause: it is undone at its next one.

use crate::course::{Intake, Next, RunEnd};
use crate::stop::Stop;
use crate::trouble::{Trouble, panic_words};
use crate::unit::{Source, Unit};
use std::collections::{HashMap, VecDeque};
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};

/// How long an attempt that is cut off may hold on to its thread. Computing over megabytes takes seconds on a busy machine; whoever asked for a
/// stop does not wait for longer, and nothing is lost, since what is undone runs next time.
const HOLD_MAX: Duration = Duration::from_secs(10);

/// Work that waits.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What an attempt came to: a result, or trouble and what there is of it all the same, which is nothing after a panic.
pub type Attempt<T, L> = Result<T, (Trouble, Option<L>)>;

/// How units are tried, and where results go.
pub trait Tasks<T, L, F> {
    /// Begins an attempt. Dropping the future must undo it.
    fn begin(&mut self, unit: &Unit) -> BoxFuture<'static, Attempt<T, L>>;

    /// Whether a unit begins although the run had trouble that ends it: because it needs nothing of what is missing.
    fn begins_anyway(&self, _: &Unit) -> bool {
        false
    }

    /// Keeps what units came to, all that ended at about the same time in one go, as [`Sink`](crate::Sink) does. Those in `again` failed, and are tried once
    /// more after all that wait. It is called after each attempt, also where nothing is to be kept: it may have failed in the meantime.
    ///
    /// # Errors
    /// A result cannot be kept, and no other can.
    fn keep(
        &mut self,
        results: Vec<(Unit, Attempt<T, L>)>,
        again: Vec<(Unit, Trouble, Option<L>)>,
    ) -> BoxFuture<'_, Result<(), F>>;
}

/// Tries every unit of `source`, `at_once` at a time and each up to `attempts` times. The source must not wait. After trouble of the whole run, what is under
/// way ends by itself; at a stop, and where nothing more can be kept, it is cut off.
pub async fn run_tasks<T, L, F>(
    source: impl Source,
    tasks: &mut (dyn Tasks<T, L, F> + Send),
    at_once: NonZeroUsize,
    attempts: u32,
    stop: &Stop,
) -> RunEnd<F>
where
    T: Send + 'static,
    L: Send + 'static,
{
    let (mut intake, mut waiting) = (Intake::new(source), VecDeque::new());
    let (mut running, mut under_way) = (HashMap::new(), JoinSet::new());
    let mut halted: Option<Trouble> = None;
    let end = loop {
        while running.len() < at_once.get()
            && !stop.is_asked()
            && let Some(unit) = intake.take(stop).or_else(|| waiting.pop_front())
        {
            if halted.is_none() || tasks.begins_anyway(&unit) {
                running.insert(under_way.spawn(tasks.begin(&unit)).id(), unit);
            }
        }
        let joined = tokio::select! {
            joined = under_way.join_next_with_id() => joined,
            () = stop.asked() => break RunEnd::Stopped,
        };
        let Some(first) = joined else { break RunEnd::of(halted.map(RunEnd::Failed), stop) };
        // Whatever else has ended is kept with it.
        let mut ended = vec![first];
        ended.extend(std::iter::from_fn(|| under_way.try_join_next_with_id()));
        let (mut results, mut again) = (Vec::new(), Vec::new());
        for joined in ended {
            let (id, attempt) = joined.unwrap_or_else(|error| (error.id(), Err((fallen(error), None))));
            let Some(unit) = running.remove(&id) else { continue };
            let trouble = attempt.as_ref().err().map(|(trouble, _)| trouble);
            match (Next::after(&unit, trouble, attempts, stop), attempt) {
                (Next::Again, Err((trouble, left))) => {
                    waiting.push_back(Unit { retry: unit.retry + 1, ..unit.clone() });
                    again.push((unit, trouble, left));
                }
                (Next::Ended, Err((trouble, _))) => _ = halted.get_or_insert(trouble),
                (Next::Undone, _) => {}
                (Next::Kept | Next::Again | Next::Ended, attempt) => results.push((unit, attempt)),
            }
        }
        if let Err(failure) = tasks.keep(results, again).await {
            break RunEnd::Unkept(failure);
        }
    };
    if !under_way.is_empty() {
        // Those that hold on longer are cut off all the same.
        let _ = tokio::time::timeout(HOLD_MAX, under_way.shutdown()).await;
    }
    end
}

/// The trouble of a task that panicked.
fn fallen(error: JoinError) -> Trouble {
    Trouble::bug(error.try_into_panic().map_or_else(|error| error.to_string(), |panic| panic_words(&*panic)))
}
