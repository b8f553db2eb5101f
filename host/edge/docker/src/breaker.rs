//! A circuit breaker: an engine that fails most jobs is left alone for a while, and the rollouts see why.

use assay_rollout::ports::BenchError;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Jobs that are looked back on.
const WINDOW: usize = 20;
/// With fewer, nothing is concluded.
const JOBS_MIN: usize = 5;
/// The rest that the engine is given: long enough for a daemon to be started again.
pub(crate) const REST: Duration = Duration::from_secs(30);

/// It opens when more than half of the last jobs failed.
#[derive(Default)]
pub(crate) struct Breaker(Mutex<State>);

#[derive(Default)]
struct State {
    /// Whether each of the last jobs failed, the newest at the end.
    failed: VecDeque<bool>,
    resting: Option<(Instant, String)>,
}

impl Breaker {
    /// Whether a job may go ahead at this time.
    pub(crate) fn admit(&self, now: Instant) -> Result<(), BenchError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &state.resting {
            Some((until, why)) if now < *until => {
                let seconds = (*until - now).as_secs() + 1;
                Err(BenchError::Resting { why: format!("{why} (for another {seconds} s)") })
            }
            _ => {
                state.resting = None;
                Ok(())
            }
        }
    }

    /// How a job went: `failure` is why it has no result, if the engine is to blame.
    pub(crate) fn record(&self, failure: Option<String>, now: Instant) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed.push_back(failure.is_some());
        if state.failed.len() > WINDOW {
            state.failed.pop_front();
        }
        let failures = state.failed.iter().filter(|failed| **failed).count();
        if let Some(why) = failure
            && state.failed.len() >= JOBS_MIN
            && failures * 2 > state.failed.len()
        {
            state.resting = Some((now + REST, why));
            state.failed.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Breaker, REST};
    use assay_rollout::ports::BenchError;
    use std::time::Instant;

    #[test]
    fn it_opens_when_more_than_half_failed_and_closes_after_the_rest() {
        let check = |jobs: &str, opens: bool| {
            let (breaker, now) = (Breaker::default(), Instant::now());
            for job in jobs.chars() {
                breaker.record((job == 'x').then(|| "no space".to_owned()), now);
            }
            let admitted = breaker.admit(now);
            assert_eq!(admitted.is_err(), opens, "{jobs}: {admitted:?}");
            if opens {
                assert!(matches!(admitted, Err(BenchError::Resting { why }) if why.contains("no space")));
                assert!(breaker.admit(now + REST).is_ok(), "{jobs}: it must be tried again");
                breaker.record(Some("no space".into()), now + REST);
                assert!(breaker.admit(now + REST).is_ok(), "{jobs}: one failure concludes nothing");
            }
        };
        check("xxxx", false);
        check("xxxxx", true);
        check("..xxx", true);
        check("...xx", false);
        check("...xxx", false);
        check("...xxxx", true);
        check(&format!("{}{}", "x".repeat(4), ".".repeat(20)), false);
        check(&format!("{}{}", ".".repeat(20), "x".repeat(10)), false);
        check(&format!("{}{}", ".".repeat(20), "x".repeat(11)), true);
    }
}
