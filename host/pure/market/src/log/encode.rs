//! Events to bytes; the layout is described in the parent module.

use super::{LogVersion, MAGIC, OTHER_SYMBOL};
use crate::{AgentIndex, Event, EventKind};
use assay_model::{Level, OrderUpdate, Price, Quote, Request, RequestKind, SymbolIndex, Terms, UpdateKind};

/// Room for any record, the longest being a quote of 63 bytes, and for the header.
pub(super) const ROOM: usize = 64;

/// Writes a record into a place with room for any, so that nothing needs to grow on the way.
struct Writer<'a> {
    room: &'a mut [u8; ROOM],
    length: usize,
}

impl Writer<'_> {
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.room[self.length..self.length + N].copy_from_slice(&bytes);
        self.length += N;
    }

    #[inline(always)]
    fn u32(&mut self, number: u32) {
        self.put(number.to_le_bytes());
    }

    #[inline(always)]
    fn u64(&mut self, number: u64) {
        self.put(number.to_le_bytes());
    }

    #[inline(always)]
    fn i64(&mut self, number: i64) {
        self.put(number.to_le_bytes());
    }
}

/// Writes the header and returns its length.
pub(super) fn header(version: LogVersion, room: &mut [u8; ROOM]) -> usize {
    let mut out = Writer { room, length: 0 };
    out.put(MAGIC);
    out.put(version.major.to_le_bytes());
    out.put(version.minor.to_le_bytes());
    out.length
}

/// Writes the record of an event and returns its length.
pub(super) fn event(event: &Event, room: &mut [u8; ROOM]) -> usize {
    let mut out = Writer { room, length: 0 };
    let tag = match event.kind {
        EventKind::Opened => 0,
        EventKind::Closed => 1,
        EventKind::Request { .. } => 2,
        EventKind::Update { .. } => 3,
        EventKind::Trade { .. } => 4,
        EventKind::Quote(_) => 5,
        EventKind::Session(_) => 6,
    };
    if event.symbol != SymbolIndex::FIRST {
        out.put([OTHER_SYMBOL, event.symbol.0]);
    }
    out.put([tag]);
    out.u64(event.at.0);
    match event.kind {
        EventKind::Opened | EventKind::Closed => {}
        EventKind::Request { agent, request } => self::request(agent, &request, &mut out),
        EventKind::Update { agent, update } => self::update(agent, &update, &mut out),
        EventKind::Trade { price, quantity, taker_side, maker, taker } => {
            out.u32(price.ticks());
            out.u32(quantity);
            out.put([taker_side as u8]);
            for (agent, order) in [maker, taker] {
                out.u32(agent.0);
                out.u64(order.0);
            }
        }
        EventKind::Quote(quote) => self::quote(&quote, &mut out),
        EventKind::Session(session) => out.put([session as u8]),
    }
    out.length
}

fn request(agent: AgentIndex, request: &Request, out: &mut Writer<'_>) {
    out.u32(agent.0);
    out.u64(request.id.0);
    match request.kind {
        RequestKind::Limit { side, price, quantity, qualifiers } => {
            out.put([0, side as u8]);
            out.i64(price);
            out.u64(quantity);
            out.put([u8::from(qualifiers.hidden) | u8::from(qualifiers.post_only) << 1]);
        }
        RequestKind::Market { side, quantity } => {
            out.put([1, side as u8]);
            out.u64(quantity);
        }
        RequestKind::Cancel { order } => {
            out.put([2]);
            out.u64(order.0);
        }
        RequestKind::CancelAll => out.put([3]),
        RequestKind::Modify { order, price, quantity } => {
            out.put([4]);
            out.u64(order.0);
            out.i64(price);
            out.u64(quantity);
        }
        RequestKind::Reduce { order, by } => {
            out.put([5]);
            out.u64(order.0);
            out.u64(by);
        }
        RequestKind::Replace { order, price, quantity } => {
            out.put([6]);
            out.u64(order.0);
            out.i64(price);
            out.u64(quantity);
        }
        RequestKind::Order(terms) => {
            let Terms { side, time_in_force, display, post_only, trigger, .. } = terms;
            out.put([7, side as u8]);
            out.put([time_in_force as u8, display as u8, post_only as u8, trigger as u8]);
            for number in [terms.price as u32, terms.quantity, terms.shown, terms.trigger_at as u32] {
                out.u32(number);
            }
            out.u64(terms.expires.0);
        }
    }
}

fn update(agent: AgentIndex, update: &OrderUpdate, out: &mut Writer<'_>) {
    out.u32(agent.0);
    out.u64(update.request.0);
    out.u64(update.order.0);
    out.u64(update.at.0);
    out.u32(update.remaining);
    match update.kind {
        UpdateKind::Accepted => out.put([0]),
        UpdateKind::Fill { price, quantity, liquidity } => {
            out.put([1]);
            out.u32(price.ticks());
            out.u32(quantity);
            out.put([liquidity as u8]);
        }
        UpdateKind::Cancelled { reason } => out.put([2, reason as u8]),
        UpdateKind::CancelledAll { count } => {
            out.put([3]);
            out.u32(count);
        }
        UpdateKind::Modified { price } => {
            out.put([4]);
            out.u32(price.ticks());
        }
        UpdateKind::Reduced { by } => {
            out.put([5]);
            out.u32(by);
        }
        UpdateKind::Rejected { reason } => out.put([6, reason as u8]),
        UpdateKind::Triggered => out.put([7]),
    }
}

fn quote(quote: &Quote, out: &mut Writer<'_>) {
    out.u64(quote.sequence);
    out.u64(quote.at.0);
    for level in [quote.bid, quote.ask] {
        let (price, quantity) = level.map_or((0, 0), |Level { price, quantity }| (price.ticks(), quantity));
        out.u32(price);
        out.u64(quantity);
    }
    out.u32(quote.last.map_or(0, Price::ticks));
    out.u64(quote.volume);
}
