//! The trader's orders as the exchange saw them: what was submitted, what filled, what messages it took.

use super::measure::{FILLS_MIN, Measure, Sample};
use crate::Session;
use assay_model::{
    Liquidity, OrderId, OrderUpdate, Price, Quantity, Reason, Request, RequestKind, Side, TimeInForce, Trigger,
    UpdateKind,
};
use std::collections::BTreeMap;

/// One live order. The map that holds these is bounded by the exchange's limit on open orders.
#[derive(Debug)]
struct Live {
    side: Side,
    remaining: u32,
    filled: bool,
    waits: Waits,
    /// Shares that have been counted as resting and remain.
    rested: u32,
    /// The mid in half cents when the order arrived.
    arrival_mid: Option<i64>,
}

/// Whether an order is in the book, as far as it is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Waits {
    No,
    /// For its trigger.
    Stop,
    /// For the auction that is being called, after which it rests.
    Call,
    /// For an auction, after which it ends.
    Auction,
}

/// A fill of the trader's.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnFill {
    pub(super) side: Side,
    pub(super) price: Price,
    pub(super) quantity: u32,
    pub(super) liquidity: Liquidity,
}

/// See the module documentation.
#[derive(Debug, Default)]
pub(super) struct Orders {
    live: BTreeMap<OrderId, Live>,
    /// Orders that are just being handled: what is left of them afterwards rests, if they do not wait.
    touched: Vec<OrderId>,
    submitted: u64,
    submitted_shares: u64,
    rejections: u64,
    rejections_too_many_open: u64,
    filled_orders: u64,
    fills: u64,
    filled_shares: u64,
    rested_shares: u64,
    /// Fills and shares outside auctions, in which nobody makes or takes.
    continuous_fills: u64,
    continuous_shares: u64,
    maker_shares: u64,
    messages: u64,
    message_shares: u64,
    shortfall_fills: u64,
    shortfall_half_cents: i128,
    shortfall_base_half_cents: i128,
}

impl OwnFill {
    /// The side of whoever took.
    pub(super) fn taker_side(&self) -> Side {
        match self.liquidity {
            Liquidity::Taker => self.side,
            Liquidity::Maker => self.side.opposite(),
        }
    }
}

impl Orders {
    /// A request arrives while the mid (in half cents) is `mid`, or unknown.
    pub(super) fn request(&mut self, request: &Request, mid: Option<i64>, session: Session) {
        let (side, quantity) = match request.kind {
            RequestKind::Limit { side, quantity, .. } | RequestKind::Market { side, quantity } => {
                (Some(side), quantity)
            }
            RequestKind::Order(terms) => (Some(terms.side), u64::from(terms.quantity)),
            RequestKind::Replace { order, quantity, .. } => {
                // A replacement is a cancellation and an order.
                self.messages += 1;
                (self.live.get(&order).map(|old| old.side), quantity)
            }
            // Counted when answered, one for each order that it cancels.
            RequestKind::CancelAll => return,
            RequestKind::Cancel { .. } | RequestKind::Modify { .. } | RequestKind::Reduce { .. } => {
                self.messages += 1;
                return;
            }
        };
        self.messages += 1;
        self.submitted += 1;
        // A quantity that no order may have would drown the others; the order is rejected anyway.
        let shares = Quantity::new(quantity).map_or(0, Quantity::shares);
        self.submitted_shares += u64::from(shares);
        self.message_shares += u64::from(shares);
        if let Some(side) = side {
            let waits = waits(&request.kind, session);
            let order = Live { side, remaining: shares, filled: false, waits, rested: 0, arrival_mid: mid };
            self.live.insert(request.id, order);
            self.touched.push(request.id);
        }
    }

    /// Trading goes on after an auction: what it has left of the orders collected for it rests.
    pub(super) fn resume(&mut self) {
        for (id, order) in &mut self.live {
            if order.waits == Waits::Call {
                order.waits = Waits::No;
                self.touched.push(*id);
            }
        }
    }

    /// An answer leaves; returns the fill it reports.
    pub(super) fn update(&mut self, update: &OrderUpdate, session: Session) -> Option<OwnFill> {
        let mut fill = None;
        match update.kind {
            UpdateKind::Accepted => {}
            UpdateKind::Triggered => {
                if let Some(order) = self.live.get_mut(&update.order) {
                    order.waits = if session == Session::Call { Waits::Call } else { Waits::No };
                    self.touched.push(update.order);
                }
            }
            // The exchange's own doing: no message of the trader's.
            UpdateKind::Modified { .. } if update.request == update.order => {}
            UpdateKind::Reduced { .. } if update.request == update.order => {
                if let Some(order) = self.live.get_mut(&update.order) {
                    order.remaining = update.remaining;
                }
            }
            UpdateKind::Fill { price, quantity, liquidity } => {
                fill = self.fill(update, price, quantity, liquidity, session);
            }
            UpdateKind::Cancelled { reason } => {
                if let Some(order) = self.live.remove(&update.order)
                    && matches!(reason, Reason::Requested | Reason::Replaced)
                {
                    self.message_shares += u64::from(order.remaining);
                }
            }
            UpdateKind::CancelledAll { count } => self.messages += u64::from(count.max(1)),
            UpdateKind::Modified { .. } => {
                self.message_shares += u64::from(update.remaining);
                if let Some(order) = self.live.get_mut(&update.order) {
                    let growth = u64::from(update.remaining.saturating_sub(order.remaining));
                    self.submitted_shares += growth;
                    order.remaining = update.remaining;
                    order.rested = order.rested.min(order.remaining);
                    if session == Session::Call && order.waits == Waits::No {
                        order.waits = Waits::Call;
                    }
                    self.touched.push(update.order);
                }
            }
            UpdateKind::Reduced { by } => {
                self.message_shares += u64::from(by);
                if let Some(order) = self.live.get_mut(&update.order) {
                    order.remaining = update.remaining;
                }
            }
            UpdateKind::Rejected { reason } => {
                self.rejections += 1;
                self.rejections_too_many_open += u64::from(reason == Reason::TooManyOpenOrders);
                // Only requests that make orders have an order of their own id.
                self.live.remove(&update.request);
            }
        }
        if update.remaining == 0 && matches!(update.kind, UpdateKind::Fill { .. } | UpdateKind::Reduced { .. }) {
            self.live.remove(&update.order);
        }
        fill
    }

    fn fill(
        &mut self,
        update: &OrderUpdate,
        price: Price,
        quantity: u32,
        liquidity: Liquidity,
        session: Session,
    ) -> Option<OwnFill> {
        let shares = u64::from(quantity);
        self.fills += 1;
        self.filled_shares += shares;
        if session == Session::Continuous {
            self.continuous_fills += 1;
            self.continuous_shares += shares;
            self.maker_shares += if liquidity == Liquidity::Maker { shares } else { 0 };
        }
        let order = self.live.get_mut(&update.order)?;
        if !order.filled {
            order.filled = true;
            self.filled_orders += 1;
        }
        order.remaining = update.remaining;
        order.rested = order.rested.min(order.remaining);
        if let Some(mid) = order.arrival_mid {
            self.shortfall_fills += 1;
            self.shortfall_half_cents +=
                i128::from(order.side.sign() * (2 * price.cents() - mid)) * i128::from(quantity);
            self.shortfall_base_half_cents += i128::from(mid) * i128::from(quantity);
        }
        Some(OwnFill { side: order.side, price, quantity, liquidity })
    }

    /// The exchange has handled the last request whole.
    pub(super) fn settle(&mut self) {
        for id in self.touched.drain(..) {
            if let Some(order) = self.live.get_mut(&id).filter(|order| order.waits == Waits::No) {
                self.rested_shares += u64::from(order.remaining.saturating_sub(order.rested));
                order.rested = order.remaining;
            }
        }
    }

    pub(super) fn submitted(&self) -> u64 {
        self.submitted
    }

    pub(super) fn rejections(&self) -> u64 {
        self.rejections
    }

    pub(super) fn rejections_too_many_open(&self) -> u64 {
        self.rejections_too_many_open
    }

    pub(super) fn fills(&self) -> u64 {
        self.fills
    }

    pub(super) fn filled_shares(&self) -> u64 {
        self.filled_shares
    }

    pub(super) fn fill_rate_orders(&self) -> Measure {
        Measure::ratio(self.filled_orders, self.submitted, Sample::Orders)
    }

    pub(super) fn fill_rate_quantity(&self) -> Measure {
        Measure::ratio(self.filled_shares, self.submitted_shares, Sample::Orders)
    }

    pub(super) fn fill_rate_passive(&self) -> Measure {
        Measure::ratio(self.maker_shares, self.rested_shares, Sample::RestingShares)
    }

    pub(super) fn maker_share(&self) -> Measure {
        let shares = self.continuous_shares;
        Measure::given(Sample::Fills, self.continuous_fills, 1, || self.maker_shares as f64 / shares as f64)
    }

    pub(super) fn order_to_trade(&self) -> Measure {
        Measure::given(Sample::Fills, self.fills, 1, || self.messages as f64 / self.fills as f64 - 1.0)
    }

    pub(super) fn order_to_trade_volume(&self) -> Measure {
        Measure::given(Sample::Fills, self.fills, 1, || self.message_shares as f64 / self.filled_shares as f64 - 1.0)
    }

    pub(super) fn shortfall_basis_points(&self) -> Measure {
        Measure::given(Sample::Fills, self.shortfall_fills, FILLS_MIN, || {
            self.shortfall_half_cents as f64 / self.shortfall_base_half_cents as f64 * 1e4
        })
    }
}

/// What an order waits for when it arrives.
fn waits(kind: &RequestKind, session: Session) -> Waits {
    match kind {
        RequestKind::Order(terms) if terms.trigger != Trigger::None => Waits::Stop,
        RequestKind::Order(terms) if matches!(terms.time_in_force, TimeInForce::AtOpen | TimeInForce::AtClose) => {
            Waits::Auction
        }
        _ if session == Session::Call => Waits::Call,
        _ => Waits::No,
    }
}
