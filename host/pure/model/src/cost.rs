//! What models cost, for a person.
//!
//! Invariant: a cost that nobody knows is never shown as none.

/// Micro-dollars as dollars: `$0.0123`.
#[must_use]
pub fn dollars(microdollars: u64) -> String {
    format!("${}.{:04}", microdollars / 1_000_000, microdollars % 1_000_000 / 100)
}

/// The known part of a cost in dollars; `unknown` where another part is not known, and this one is nothing.
#[must_use]
pub fn known_dollars(microdollars: u64, is_partly_unknown: bool) -> String {
    if microdollars == 0 && is_partly_unknown { "unknown".to_owned() } else { dollars(microdollars) }
}
