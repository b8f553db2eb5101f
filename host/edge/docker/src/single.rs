//! Work that several ask for at once is done once.

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// Flights by key. Each is a task of its own: it goes on when those who wait for it are gone, and removes itself at its end.
pub(crate) struct SingleFlight<V: Clone> {
    inner: Arc<Inner<V>>,
}

/// What flights share.
struct Inner<V: Clone> {
    flights: Mutex<HashMap<String, Flight<V>>>,
    /// Told whenever one is over.
    landed: Notify,
}

impl<V: Clone> Inner<V> {
    fn flights(&self) -> MutexGuard<'_, HashMap<String, Flight<V>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is on its way, and how it is broken off.
struct Flight<V: Clone> {
    value: Shared<BoxFuture<'static, V>>,
    task: AbortHandle,
}

impl<V: Clone> Default for SingleFlight<V> {
    fn default() -> Self {
        Self { inner: Arc::new(Inner { flights: Mutex::default(), landed: Notify::new() }) }
    }
}

impl<V: Clone + Send + Sync + 'static> SingleFlight<V> {
    /// The result of the flight under this key: of the one that is on its way, or of a new one. Failures are shared like successes, and
    /// whoever comes after the end starts anew.
    pub(crate) async fn fly(&self, key: &str, start: impl FnOnce() -> BoxFuture<'static, V>) -> V {
        // The lock is released before anything is waited for.
        let value = {
            let mut flights = self.inner.flights();
            let new = || {
                let (flight, landing) = (start(), Landing { inner: Arc::clone(&self.inner), key: key.to_owned() });
                let task = tokio::spawn(async move {
                    let _landing = landing;
                    flight.await
                });
                let abort = task.abort_handle();
                let joined = async move {
                    match task.await {
                        Ok(value) => value,
                        // A panic in the task is our bug and goes on in whoever waits.
                        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                        // It was broken off, so there is nothing to wait for, and whoever waits is about to be dropped.
                        Err(_) => std::future::pending().await,
                    }
                };
                Flight { value: joined.boxed().shared(), task: abort }
            };
            flights.entry(key.to_owned()).or_insert_with(new).value.clone()
        };
        value.await
    }

    /// Breaks off all flights, and waits until each has let go of what it held. Whoever still waits for one gets nothing.
    pub(crate) async fn stop(&self) {
        loop {
            // Made before the look, so that no landing in between is missed.
            let landed = self.inner.landed.notified();
            let tasks: Vec<AbortHandle> = self.inner.flights().values().map(|flight| flight.task.clone()).collect();
            if tasks.is_empty() {
                return;
            }
            tasks.iter().for_each(AbortHandle::abort);
            landed.await;
        }
    }
}

/// Removes a flight when it is over, whether or not anybody still waits for it.
struct Landing<V: Clone> {
    inner: Arc<Inner<V>>,
    key: String,
}

impl<V: Clone> Drop for Landing<V> {
    fn drop(&mut self) {
        self.inner.flights().remove(&self.key);
        self.inner.landed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::SingleFlight;
    use futures::FutureExt as _;
    use std::sync::Arc;
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
        while !flights.inner.flights().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(flights.fly("key", now(3)).await, 3, "what ended is not given again");
    }

    #[tokio::test]
    async fn flights_that_are_stopped_have_let_go_of_what_they_held() {
        let flights = SingleFlight::<u32>::default();
        let held = Arc::new(());
        for (key, begins) in [("begun", true), ("not begun", false)] {
            let holds = Arc::clone(&held);
            let never = || {
                async move {
                    let _holds = holds;
                    std::future::pending::<u32>().await
                }
                .boxed()
            };
            assert!(flights.fly(key, never).now_or_never().is_none(), "{key}");
            if begins {
                tokio::task::yield_now().await;
            }
        }
        flights.stop().await;
        assert_eq!(Arc::strong_count(&held), 1);
        assert_eq!(flights.fly("begun", || async { 4 }.boxed()).await, 4, "another may begin");
        flights.stop().await;
    }
}
