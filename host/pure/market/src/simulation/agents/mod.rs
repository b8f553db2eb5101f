//! Background agents, one file a kind: the population of ABIDES's reference markets (Byrd, Hybinette & Balch 2020), and kinds of ours that make order
//! flow lifelike (metaorder, Hawkes, informed, dealer) or hostile (spoofer).
//!
//! An agent acts on wake-ups and on the exchange's answers, and reaches the exchange through its [`Context`] only. Invariant: its draws come from
//! streams of its own, one for each purpose, so the n-th draw for a purpose is the same whatever happens in the market.
//!
//! The former differ from ABIDES on purpose in this: the next wake-up is counted from when the last was due and not from the answer to a query, so a
//! market maker that finds a one-sided market tries again (there, it never wakes again); cancelling all is one request; touch and
//! traded volume are one query; opening hours are known; and a belief's variance follows from the one before it was observed.

mod dealer;
mod execution;
mod flow;
mod hawkes;
mod informed;
mod market_maker;
mod metaorder;
mod momentum;
mod noise;
mod size;
mod spoofer;
mod value;

pub(crate) use dealer::Dealer;
pub(crate) use execution::Execution;
pub(crate) use hawkes::Hawkes;
pub(crate) use informed::Informed;
pub(crate) use market_maker::MarketMaker;
pub(crate) use metaorder::Metaorder;
pub(crate) use momentum::Momentum;
pub(crate) use noise::Noise;
pub(crate) use spoofer::Spoofer;
pub(crate) use value::{Value, ValueGroup};

use assay_model::{Nanos, OrderUpdate, Qualifiers, RequestKind, Side, Stream, Time, UpdateKind};

use crate::owner::Owner;
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// Opening hours, which every agent knows.
#[derive(Clone, Copy)]
pub(crate) struct Hours {
    pub(crate) open: Time,
    pub(crate) close: Time,
}

/// A background agent.
pub(crate) trait Agent {
    /// A wake-up that it asked for.
    fn wake(&mut self, context: &mut Context<'_, '_>);
    /// The answer to its query.
    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot);
    /// Something happened to one of its requests or orders.
    fn update(&mut self, _context: &mut Context<'_, '_>, _update: &OrderUpdate) {}
    /// The book has become one-sided; only for those who watch for it.
    fn imbalance(&mut self, _context: &mut Context<'_, '_>) {}
    /// Reads what the next wake-up will need, so that it is near then; for kinds of which there are many.
    fn look(&self) {}
    /// Whether it is sent a snapshot after each trade, with what takers bought and sold since the last.
    fn hears_trades(&self) -> bool {
        false
    }
    /// The imbalance from which it wants to be told, if it does.
    fn imbalance_threshold(&self) -> Option<f64> {
        None
    }
}

/// Wake-ups of a Poisson process. The next one is counted from when the last was due, so the times depend on the stream alone.
struct Arrivals {
    stream: Stream,
    next: Time,
}

impl Arrivals {
    /// The process from the open on.
    fn new(owner: Owner<'_>, interval: Nanos, hours: Hours) -> Self {
        let mut arrivals = Self { stream: owner.stream("wake"), next: hours.open };
        arrivals.advance(interval);
        arrivals
    }

    /// The time of the next wake-up, which becomes the last. The mean interval is the same always; agents have it in their settings.
    fn advance(&mut self, interval: Nanos) -> Time {
        let wait = self.stream.exponential(interval.0 as f64).round();
        self.next = self.next + Nanos(wait as u64);
        self.next
    }
}

/// Wake-ups at public news, beside an agent's own ones.
#[derive(Default)]
struct News {
    /// When the next one comes, once the agent has asked to be woken for it.
    next: Option<Time>,
}

impl News {
    /// Whether this wake-up is for news. From the first wake-up on, the agent is woken for all that comes.
    fn is_out(&mut self, context: &mut Context<'_, '_>) -> bool {
        let is_out = self.next.is_some_and(|next| context.now() >= next);
        if is_out || self.next.is_none() {
            self.next = Some(context.wake_at_news());
        }
        is_out
    }
}

/// Orders of an agent that have not ended, as far as it has heard.
#[derive(Default)]
struct LiveOrders(u32);

impl LiveOrders {
    /// Sends a limit order; nothing if it is of no shares.
    fn limit(&mut self, context: &mut Context<'_, '_>, side: Side, price: i64, quantity: u32) {
        if quantity > 0 {
            self.0 += 1;
            let quantity = u64::from(quantity);
            context.submit(RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() });
        }
    }

    /// Cancels them all, if there are any.
    fn cancel_all(&self, context: &mut Context<'_, '_>) {
        if self.0 > 0 {
            context.submit(RequestKind::CancelAll);
        }
    }

    fn update(&mut self, update: &OrderUpdate) {
        let ended = match update.kind {
            UpdateKind::Fill { .. } => update.remaining == 0,
            UpdateKind::Cancelled { .. } | UpdateKind::Rejected { .. } => true,
            _ => false,
        };
        // A cancel-all that comes too late is refused when every order has ended already.
        self.0 = self.0.saturating_sub(u32::from(ended));
    }
}
