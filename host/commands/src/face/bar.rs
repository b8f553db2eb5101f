//! Progress that a face draws, or nobody.

use std::sync::Arc;
use std::time::Duration;

/// A bar on a screen.
pub trait Drawn: Send + Sync {
    /// One more thing is done, or `count`.
    fn inc(&self, count: u64);
    /// So many are done.
    fn set_position(&self, done: u64);
    /// What `{msg}` of the template stands for.
    fn set_message(&self, text: String);
    /// What `{prefix}` stands for.
    fn set_prefix(&self, text: String);
    /// Has it drawn again at intervals, so that its clock goes on.
    fn enable_steady_tick(&self, every: Duration);
    /// Its clock starts again.
    fn reset_elapsed(&self);
    /// Takes it off the screen while something else is said.
    fn suspend(&self, say: &mut dyn FnMut());
    /// Takes it off the screen for good.
    fn finish_and_clear(&self);
}

/// Progress; clones are the same bar.
#[derive(Clone)]
pub struct Bar(Option<Arc<dyn Drawn>>);

impl Bar {
    pub(super) fn new(drawn: Option<Box<dyn Drawn>>) -> Self {
        Self(drawn.map(Arc::from))
    }

    /// One more thing is done, or `count`.
    pub fn inc(&self, count: u64) {
        self.each(|drawn| drawn.inc(count));
    }

    /// So many are done.
    pub fn set_position(&self, done: u64) {
        self.each(|drawn| drawn.set_position(done));
    }

    /// What `{msg}` of the template stands for.
    pub fn set_message(&self, text: impl Into<String>) {
        self.each(|drawn| drawn.set_message(text.into()));
    }

    /// What `{prefix}` stands for.
    pub fn set_prefix(&self, text: impl Into<String>) {
        self.each(|drawn| drawn.set_prefix(text.into()));
    }

    /// Has it drawn again at intervals.
    pub fn enable_steady_tick(&self, every: Duration) {
        self.each(|drawn| drawn.enable_steady_tick(every));
    }

    /// Its clock starts again.
    pub fn reset_elapsed(&self) {
        self.each(|drawn| drawn.reset_elapsed());
    }

    /// Takes it off the screen while something else is said.
    pub fn suspend(&self, say: impl FnOnce()) {
        let mut say = Some(say);
        let mut once = || {
            if let Some(say) = say.take() {
                say();
            }
        };
        match &self.0 {
            Some(drawn) => drawn.suspend(&mut once),
            None => once(),
        }
    }

    /// Takes it off the screen for good.
    pub fn finish_and_clear(&self) {
        self.each(|drawn| drawn.finish_and_clear());
    }

    fn each(&self, tell: impl FnOnce(&dyn Drawn)) {
        if let Some(drawn) = &self.0 {
            tell(drawn.as_ref());
        }
    }
}
