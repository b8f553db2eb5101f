//! The real time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use assay_model::{Nanos, Time};
use futures::future::BoxFuture;

use crate::ports::Clock;

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }

    fn sleep(&self, length: Nanos) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(Duration::from_nanos(length.0)))
    }
}
