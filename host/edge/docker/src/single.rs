//! Work that several ask for at once is done once.

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Flights by key. Each is a task of its own: it goes on when those who wait for it are gone.
pub(crate) struct SingleFlight<V: Clone> {
    flights: Mutex<HashMap<String, Shared<BoxFuture<'static, V>>>>,
}

impl<V: Clone> Default for SingleFlight<V> {
    fn default() -> Self {
        Self { flights: Mutex::default() }
    }
}

impl<V: Clone + Send + Sync + 'static> SingleFlight<V> {
    /// The result of the flight under this key: of the one that is on its way, or of a new one. Failures are shared like successes, and
    /// whoever comes after the end starts anew.
    pub(crate) async fn fly(&self, key: &str, start: impl FnOnce() -> BoxFuture<'static, V>) -> V {
        let flights = || self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        let flight = flights()
            .entry(key.to_owned())
            .or_insert_with(|| {
                let task = tokio::spawn(start());
                // A panic in the task is our bug and goes on in whoever waits.
                let joined =
                    async move { task.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())) };
                joined.boxed().shared()
            })
            .clone();
        let value = flight.clone().await;
        let mut flights = flights();
        if flights.get(key).is_some_and(|found| found.ptr_eq(&flight)) {
            flights.remove(key);
        }
        value
    }
}
