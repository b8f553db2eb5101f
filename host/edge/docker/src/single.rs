//! Work that several ask for at once is done once.

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

type Flights<V> = Arc<Mutex<HashMap<String, Shared<BoxFuture<'static, V>>>>>;

/// Flights by key. Each is a task of its own: it goes on when those who wait for it are gone, and removes itself at its end.
pub(crate) struct SingleFlight<V: Clone> {
    flights: Flights<V>,
}

impl<V: Clone> Default for SingleFlight<V> {
    fn default() -> Self {
        Self { flights: Arc::default() }
    }
}

impl<V: Clone + Send + Sync + 'static> SingleFlight<V> {
    /// The result of the flight under this key: of the one that is on its way, or of a new one. Failures are shared like successes, and
    /// whoever comes after the end starts anew.
    pub(crate) async fn fly(&self, key: &str, start: impl FnOnce() -> BoxFuture<'static, V>) -> V {
        // The lock is released before anything is waited for.
        let flight = {
            let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || {
                let (flight, landing) = (start(), Landing { flights: self.flights.clone(), key: key.to_owned() });
                let task = tokio::spawn(async move {
                    let _landing = landing;
                    flight.await
                });
                // A panic in the task is our bug and goes on in whoever waits.
                let joined =
                    async move { task.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())) };
                joined.boxed().shared()
            };
            flights.entry(key.to_owned()).or_insert_with(new).clone()
        };
        flight.await
    }
}

/// Removes a flight when it is over, whether or not anybody still waits for it.
struct Landing<V: Clone> {
    flights: Flights<V>,
    key: String,
}

impl<V: Clone> Drop for Landing<V> {
    fn drop(&mut self) {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::SingleFlight;
    use futures::FutureExt as _;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn a_flight_that_nobody_waits_for_is_not_what_the_next_one_gets() {
        let flights = SingleFlight::<u32>::default();
        let (land, landed) = oneshot::channel::<()>();
        let slow = || {
            async move {
                let _ = landed.await;
                1
            }
            .boxed()
        };
        let now = |value| move || async move { value }.boxed();
        assert!(flights.fly("key", slow).now_or_never().is_none(), "whoever waited is gone");
        assert!(flights.fly("key", now(2)).now_or_never().is_none(), "it is still on its way");
        land.send(()).expect("it waits");
        while !flights.flights.lock().expect("no panic").is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(flights.fly("key", now(3)).await, 3, "what ended is not given again");
    }
}
