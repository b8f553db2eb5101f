//! The budget of a run: tokens and money, shared by all its models.
//!
//! ```text
//! reserve(estimate) ──► Reservation ──settle(usage)──► spent
//!                            └────────dropped────────► free again
//! ```
//!
//! Invariants: a request is only let through while what is spent and what the requests under way have reserved leave something, so a
//! run overshoots by at most what the last requests let through use beyond their estimates; a request that the reservations of others
//! keep out waits for them, and is refused only when what is *spent* has reached the budget.

use crate::price::Price;
use assay_rollout::ports::ModelError;
use assay_trace::Usage;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// How many bytes of text make one token where nobody has counted. Tokenizers take three to five for English and for code, so this counts
/// more than is used.
pub const BYTES_PER_TOKEN: u64 = 2;

/// What a run may use; no limit where there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Tokens of input and output together.
    pub tokens: Option<u64>,
    /// Money, in micro-dollars.
    pub microdollars: Option<u64>,
}

impl Budget {
    /// No limits.
    pub const UNLIMITED: Self = Self { tokens: None, microdollars: None };
}

/// Tokens and money together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Amount {
    /// Tokens of input and output together.
    pub tokens: u64,
    /// Money, in micro-dollars; what has no price adds nothing.
    pub microdollars: u64,
}

impl Amount {
    const fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            microdollars: self.microdollars.saturating_add(other.microdollars),
        }
    }

    const fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            microdollars: self.microdollars.saturating_sub(other.microdollars),
        }
    }
}

/// What a run has used of its budget.
#[derive(Debug)]
pub struct Ledger {
    budget: Budget,
    books: Mutex<Books>,
    settled: Notify,
}

#[derive(Clone, Copy, Default, Debug)]
struct Books {
    spent: Amount,
    reserved: Amount,
}

impl Ledger {
    /// An empty ledger.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self { budget, books: Mutex::default(), settled: Notify::new() }
    }

    /// What was spent so far, estimates included where nobody counted.
    #[must_use]
    pub fn spent(&self) -> Amount {
        self.books().spent
    }

    pub(crate) const fn limits_money(&self) -> bool {
        self.budget.microdollars.is_some()
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        // Every change is one assignment, so the books are whole even if a holder panicked.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves what a request is expected to use, once the requests under way leave something of the budget.
    pub(crate) async fn reserve(self: &Arc<Self>, estimate: Amount) -> Result<Reservation, ModelError> {
        loop {
            let mut settled = std::pin::pin!(self.settled.notified());
            settled.as_mut().enable();
            {
                let mut books = self.books();
                if let Some(what) = self.exhausted(books.spent) {
                    return Err(ModelError::BudgetSpent { what });
                }
                if self.exhausted(books.spent.plus(books.reserved)).is_none() {
                    books.reserved = books.reserved.plus(estimate);
                    return Ok(Reservation { ledger: Arc::clone(self), estimate, used: Amount::default() });
                }
            }
            settled.await;
        }
    }

    fn exhausted(&self, used: Amount) -> Option<String> {
        match self.budget {
            Budget { tokens: Some(max), .. } if used.tokens >= max => Some(format!("{} of {max} tokens", used.tokens)),
            Budget { microdollars: Some(max), .. } if used.microdollars >= max => {
                Some(format!("{} of {} dollars", dollars(used.microdollars), dollars(max)))
            }
            _ => None,
        }
    }
}

fn dollars(micro: u64) -> String {
    format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000)
}

/// What a request under way is expected to use. When it is dropped, what it has used so far is spent and the rest is free again.
#[derive(Debug)]
pub(crate) struct Reservation {
    ledger: Arc<Ledger>,
    estimate: Amount,
    used: Amount,
}

impl Reservation {
    /// The request is being served, and has used this so far: it is paid for even if nobody waits for the rest.
    pub(crate) const fn uses(&mut self, used: Amount) {
        self.used = used;
    }

    /// The request was served, and used this.
    pub(crate) fn settle(mut self, used: Amount) {
        self.used = used;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut books = self.ledger.books();
        books.reserved = books.reserved.minus(self.estimate);
        books.spent = books.spent.plus(self.used);
        drop(books);
        self.ledger.settled.notify_waiters();
    }
}

/// What a usage amounts to.
pub(crate) fn amount(usage: &Usage, price: Option<Price>) -> Amount {
    Amount { tokens: usage.total(), microdollars: price.map_or(0, |price| price.of(usage)) }
}

/// The usage that is assumed where the provider does not say, from the bytes that went each way.
pub(crate) const fn assumed(bytes_in: usize, bytes_out: usize) -> Usage {
    Usage {
        input: (bytes_in as u64).div_ceil(BYTES_PER_TOKEN),
        output: (bytes_out as u64).div_ceil(BYTES_PER_TOKEN),
        cache_read: 0,
        cache_write: 0,
        reasoning: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn tokens(tokens: u64) -> Amount {
        Amount { tokens, microdollars: 0 }
    }

    fn ledger(tokens: u64) -> Arc<Ledger> {
        Arc::new(Ledger::new(Budget { tokens: Some(tokens), microdollars: None }))
    }

    #[test]
    fn a_request_waits_for_the_reservations_of_others_and_is_refused_for_what_is_spent() {
        let ledger = ledger(100);
        let first = ledger.reserve(tokens(100)).now_or_never().expect("no wait").expect("all is left");
        let mut second = Box::pin(ledger.reserve(tokens(10)));
        assert!((&mut second).now_or_never().is_none(), "the first has reserved all");
        first.settle(tokens(40));
        let second = second.now_or_never().expect("the first is done").expect("60 are left");
        let mut third = Box::pin(ledger.reserve(tokens(10)));
        second.settle(tokens(60));
        let refused = (&mut third).now_or_never().expect("no wait").expect_err("nothing is left");
        assert_eq!(refused, ModelError::BudgetSpent { what: "100 of 100 tokens".to_owned() });
    }

    #[test]
    fn what_was_not_served_is_free_again() {
        let ledger = ledger(10);
        drop(ledger.reserve(tokens(10)).now_or_never().expect("no wait").expect("all is left"));
        assert!(ledger.reserve(tokens(1)).now_or_never().expect("no wait").is_ok());
        assert_eq!(ledger.spent(), tokens(0));
    }

    #[test]
    fn concurrent_requests_overshoot_by_no_more_than_their_own_excess() {
        let ledger = ledger(100);
        let mut under_way = Vec::new();
        while let Some(reservation) = ledger.reserve(tokens(30)).now_or_never() {
            under_way.push(reservation.expect("nothing is spent"));
        }
        assert_eq!(under_way.len(), 4, "the fourth begins while 10 are left");
        under_way.into_iter().for_each(|reservation| reservation.settle(tokens(30)));
        assert_eq!(ledger.spent(), tokens(120));
    }

    #[test]
    fn money_is_a_budget_too() {
        let ledger = Arc::new(Ledger::new(Budget { tokens: None, microdollars: Some(1_500_000) }));
        let spent = Amount { tokens: 1, microdollars: 1_600_000 };
        ledger.reserve(spent).now_or_never().expect("no wait").expect("all is left").settle(spent);
        let refused = ledger.reserve(spent).now_or_never().expect("no wait").expect_err("nothing is left");
        assert_eq!(refused, ModelError::BudgetSpent { what: "1.600000 of 1.500000 dollars".to_owned() });
    }
}
