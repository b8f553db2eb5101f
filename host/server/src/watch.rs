//! Who looks at something that streams follow: one for all of them.
//!
//! Invariant: something is looked at as long as a stream follows it, and no more often for a hundred streams than for one.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch::{Receiver, Sender, channel};

/// The number of a state, once somebody has looked.
pub(crate) type Number = Option<u64>;

/// Looks once. `None` where there is nothing to look at any more.
pub(crate) trait Look: Send + 'static {
    fn look(&mut self) -> impl Future<Output = Number> + Send;
}

/// See the module documentation.
#[derive(Clone, Default)]
pub(crate) struct Watchers(Arc<Mutex<HashMap<String, Arc<Sender<Number>>>>>);

impl Watchers {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Sender<Number>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows something by its name, looked at after each `pause`. What comes ends where there is nothing to look at any more.
    pub(crate) fn follow<L: Look>(&self, name: String, pause: Duration, look: L) -> Receiver<Number> {
        let mut all = self.all();
        if let Some(to) = all.get(&name) {
            return to.subscribe();
        }
        let (to, from) = channel(None);
        let to = Arc::new(to);
        all.insert(name.clone(), Arc::clone(&to));
        tokio::spawn(self.clone().look_after(name, pause, look, to));
        from
    }

    async fn look_after<L: Look>(self, name: String, pause: Duration, mut look: L, to: Arc<Sender<Number>>) {
        while let Some(number) = look.look().await {
            to.send_if_modified(|old| old.replace(number) != Some(number));
            tokio::time::sleep(pause).await;
            if self.is_forgotten(&name) {
                return;
            }
        }
        self.all().remove(&name);
    }

    /// Forgets what nobody follows.
    fn is_forgotten(&self, name: &str) -> bool {
        let mut all = self.all();
        let is_alone = all.get(name).is_none_or(|to| to.receiver_count() == 0);
        if is_alone {
            all.remove(name);
        }
        is_alone
    }
}
