//! Events to bytes; the layout is described in the parent module.

use super::{LogVersion, MAGIC, OTHER_SYMBOL};
use crate::{AgentIndex, Event, EventKind};
use assay_model::{Level, OrderUpdate, Price, Quote, Request, RequestKind, SymbolIndex, Terms, UpdateKind};

pub(super) fn header(version: LogVersion, out: &mut Vec<u8>) {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&version.major.to_le_bytes());
    out.extend_from_slice(&version.minor.to_le_bytes());
}

pub(super) fn event(event: &Event, out: &mut Vec<u8>) {
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
        out.extend_from_slice(&[OTHER_SYMBOL, event.symbol.0]);
    }
    out.push(tag);
    u64(event.at.0, out);
    match event.kind {
        EventKind::Opened | EventKind::Closed => {}
        EventKind::Request { agent, request } => self::request(agent, &request, out),
        EventKind::Update { agent, update } => self::update(agent, &update, out),
        EventKind::Trade { price, quantity, taker_side, maker, taker } => {
            u32(price.ticks(), out);
            u32(quantity, out);
            out.push(taker_side as u8);
            for (agent, order) in [maker, taker] {
                u32(agent.0, out);
                u64(order.0, out);
            }
        }
        EventKind::Quote(quote) => self::quote(&quote, out),
        EventKind::Session(session) => out.push(session as u8),
    }
}

fn request(agent: AgentIndex, request: &Request, out: &mut Vec<u8>) {
    u32(agent.0, out);
    u64(request.id.0, out);
    match request.kind {
        RequestKind::Limit { side, price, quantity, qualifiers } => {
            out.extend_from_slice(&[0, side as u8]);
            i64(price, out);
            u64(quantity, out);
            out.push(u8::from(qualifiers.hidden) | u8::from(qualifiers.post_only) << 1);
        }
        RequestKind::Market { side, quantity } => {
            out.extend_from_slice(&[1, side as u8]);
            u64(quantity, out);
        }
        RequestKind::Cancel { order } => {
            out.push(2);
            u64(order.0, out);
        }
        RequestKind::CancelAll => out.push(3),
        RequestKind::Modify { order, price, quantity } => {
            out.push(4);
            u64(order.0, out);
            i64(price, out);
            u64(quantity, out);
        }
        RequestKind::Reduce { order, by } => {
            out.push(5);
            u64(order.0, out);
            u64(by, out);
        }
        RequestKind::Replace { order, price, quantity } => {
            out.push(6);
            u64(order.0, out);
            i64(price, out);
            u64(quantity, out);
        }
        RequestKind::Order(terms) => {
            let Terms { side, time_in_force, display, post_only, trigger, .. } = terms;
            out.extend_from_slice(&[7, side as u8]);
            out.extend_from_slice(&[time_in_force as u8, display as u8, post_only as u8, trigger as u8]);
            for number in [terms.price as u32, terms.quantity, terms.shown, terms.trigger_at as u32] {
                u32(number, out);
            }
            u64(terms.expires.0, out);
        }
    }
}

fn update(agent: AgentIndex, update: &OrderUpdate, out: &mut Vec<u8>) {
    u32(agent.0, out);
    u64(update.request.0, out);
    u64(update.order.0, out);
    u64(update.at.0, out);
    u32(update.remaining, out);
    match update.kind {
        UpdateKind::Accepted => out.push(0),
        UpdateKind::Fill { price, quantity, liquidity } => {
            out.push(1);
            u32(price.ticks(), out);
            u32(quantity, out);
            out.push(liquidity as u8);
        }
        UpdateKind::Cancelled { reason } => out.extend_from_slice(&[2, reason as u8]),
        UpdateKind::CancelledAll { count } => {
            out.push(3);
            u32(count, out);
        }
        UpdateKind::Modified { price } => {
            out.push(4);
            u32(price.ticks(), out);
        }
        UpdateKind::Reduced { by } => {
            out.push(5);
            u32(by, out);
        }
        UpdateKind::Rejected { reason } => out.extend_from_slice(&[6, reason as u8]),
        UpdateKind::Triggered => out.push(7),
    }
}

fn quote(quote: &Quote, out: &mut Vec<u8>) {
    u64(quote.sequence, out);
    u64(quote.at.0, out);
    for level in [quote.bid, quote.ask] {
        let (price, quantity) = level.map_or((0, 0), |Level { price, quantity }| (price.ticks(), quantity));
        u32(price, out);
        u64(quantity, out);
    }
    u32(quote.last.map_or(0, Price::ticks), out);
    u64(quote.volume, out);
}

fn u32(number: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn u64(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn i64(number: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes());
}
