//! The call that runs on this thread: what SQLite's callbacks may know and use up. SQLite calls back without saying for whom, and always on the thread
//! that asked.

use crate::limits::Limits;
use crate::memory::Charge;
use assay_model::Stream;
use rustix::time::{ClockId, clock_gettime};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// A guest's statements.
    Write,
    /// A guest's statements, of which one may change what is compared, and none anything else.
    Step,
    /// A guest's statements that may change nothing.
    Read,
    /// The crate's own statements.
    Own,
}

/// Why a call was ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    Fuel,
    Watchdog,
}

/// The call that runs on this thread.
pub(crate) struct Call {
    pub(crate) access: Access,
    /// Milliseconds since the epoch; SQLite's clock is no finer.
    pub(crate) now_ms: i64,
    pub(crate) random: Stream,
    pub(crate) fuel: u64,
    pub(crate) value_bytes: usize,
    memory_bytes: usize,
    /// Bytes that temporary files may still take.
    pub(crate) temporary_bytes: usize,
    /// Steps of the running statement, counted in the intervals at which SQLite calls.
    pub(crate) steps: u64,
    pub(crate) stop: Option<Stop>,
    /// Why the authorizer refused the statement.
    pub(crate) refused: Option<String>,
    /// The table that the running statement itself writes to.
    pub(crate) target: Option<String>,
    /// Whether the running statement writes.
    pub(crate) writes: bool,
    /// Whether one before it did.
    pub(crate) has_written: bool,
    /// Whether a statement of the call defines, alters or drops something.
    pub(crate) defines: bool,
    /// Whether the row with the greatest possible rowid was written.
    pub(crate) is_last_rowid_taken: bool,
    /// What `changes()` and `total_changes()` say.
    pub(crate) changes: i64,
    pub(crate) total_changes: i64,
    watchdog: Duration,
    began: Instant,
    began_cpu: Duration,
}

impl Call {
    pub(crate) fn new(access: Access, now_ns: i64, random: Stream, fuel: u64, limits: &Limits) -> Self {
        Self {
            access,
            now_ms: now_ns.div_euclid(1_000_000),
            random,
            fuel,
            value_bytes: limits.value_bytes as usize,
            memory_bytes: limits.memory_bytes,
            temporary_bytes: limits.temporary_bytes as usize,
            steps: 0,
            stop: None,
            refused: None,
            target: None,
            writes: false,
            has_written: false,
            defines: false,
            is_last_rowid_taken: false,
            changes: 0,
            total_changes: 0,
            watchdog: limits.watchdog,
            began: Instant::now(),
            began_cpu: thread_time(),
        }
    }

    /// Counts steps; true if the statement must end.
    pub(crate) fn step(&mut self, steps: u64) -> bool {
        self.steps += steps;
        if self.steps > self.fuel {
            self.stop = Some(Stop::Fuel);
        } else if self.began.elapsed() > self.watchdog && thread_time().saturating_sub(self.began_cpu) > self.watchdog {
            self.stop = Some(Stop::Watchdog);
        }
        self.stop.is_some()
    }

    /// Forgets what belongs to one statement.
    pub(crate) fn begin_statement(&mut self) {
        self.steps = 0;
        self.refused = None;
        self.target = None;
        self.has_written |= self.writes;
        self.writes = false;
    }

    /// Pays for the statement that has ended: `steps` of its own, or what was counted if that is more.
    /// Returns what it cost.
    pub(crate) fn pay(&mut self, steps: u64) -> u64 {
        let steps = steps.max(self.steps);
        self.fuel = self.fuel.saturating_sub(steps);
        self.steps = 0;
        steps
    }
}

fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

thread_local! {
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
}

/// Makes `call` the thread's call while `work` runs, and returns it with the result.
pub(crate) fn during<R>(call: Call, work: impl FnOnce() -> R) -> (R, Call) {
    /// Takes the call back even if `work` panics.
    struct Put;
    impl Drop for Put {
        fn drop(&mut self) {
            CALL.with_borrow_mut(|slot| *slot = None);
        }
    }
    let charge = Charge::begin(call.memory_bytes);
    CALL.with_borrow_mut(|slot| *slot = Some(call));
    let put = Put;
    let result = work();
    drop(charge);
    let call = CALL.with_borrow_mut(Option::take);
    drop(put);
    (result, call.unwrap_or_else(|| unreachable!("only this function takes the call, and no call runs within another")))
}

/// Uses the thread's call. `None` outside of calls, which is while a connection is opened or closed.
pub(crate) fn with<R>(work: impl FnOnce(&mut Call) -> R) -> Option<R> {
    // A connection may be closed while the thread ends.
    CALL.try_with(|slot| slot.try_borrow_mut().ok()?.as_mut().map(work)).ok().flatten()
}
