//! Counts the steps of loops whose length somebody else decides, in tests only: `exchange/cost_tests.rs` compares them at n and 10 n.
//!
//! Invariant: outside tests this does nothing. Every loop over what traders can pile up takes a step for each round.

/// One round of such a loop.
#[cfg(not(test))]
#[inline(always)]
pub(crate) const fn step() {}

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// One round of such a loop.
#[cfg(test)]
pub(crate) fn step() {
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

/// Steps since the last call.
#[cfg(test)]
pub(crate) fn taken() -> u64 {
    STEPS.with(std::cell::Cell::take)
}
