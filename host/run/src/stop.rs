//! The one signal that ends a run before its time.
//!
//! Invariants: clones are the same signal; once asked, it stays asked.

use tokio::sync::watch;

/// Asks a run to stop: from a signal handler, or from anywhere.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Not yet.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Now.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was asked for.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is asked for.
    pub async fn asked(&self) {
        // Fails only when the sender is gone, which `self` holds.
        let _ = self.0.subscribe().wait_for(|asked| *asked).await;
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}
