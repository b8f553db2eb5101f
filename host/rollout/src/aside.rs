//! Work that computes for long, such as patches and logs of megabytes, done so that it holds up nobody else's episode.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;

/// Pieces of such work at once: each may hold some hundred megabytes, and more of them than processors finish no sooner.
const AT_ONCE_MAX: usize = 4;

static SLOTS: Semaphore = Semaphore::const_new(AT_ONCE_MAX);

/// Does work on this thread, which the runtime replaces meanwhile. The slot is held for the work alone, never across a wait.
pub(crate) async fn aside<T>(work: impl FnOnce() -> T) -> T {
    // Nobody closes it.
    let _slot = SLOTS.acquire().await;
    blocking(work)
}

/// The same for work that mostly waits, from where nothing can be awaited.
pub(crate) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}
