//! The host calls: what a running strategy can reach, each priced in fuel.
//!
//! Invariants: nothing here panics, blocks or depends on anything but the desk; whatever a guest passes is capped before it is
//! kept; a call that the fuel does not cover ends the callback before it has any effect.

use crate::guest::{Guest, HOST_CALL_BYTES_MAX, Reach};
use crate::interface::{EXCHANGE, case, side};
use crate::outcome::Limit;
use crate::price::{self, HostCallPrice};
use crate::stop::Stop;
use assay_model::{
    Desk, DeskLimit, Display, PostOnly, Qualifiers, RequestId, RequestKind, Terms, Time, TimeInForce, Trigger,
};
use std::sync::Arc;
use wasmtime::{Caller, Engine, Linker, Trap};

/// Bytes kept of one log line; the rest is cut off.
pub const LOG_LINE_BYTES_MAX: usize = 4 << 10;
/// Bytes kept of a panic message; the rest is cut off.
pub const PANIC_BYTES_MAX: usize = 4 << 10;

type Host<'a> = Caller<'a, Guest>;

/// Pays for a call, or ends the callback.
fn charge(host: &mut Host<'_>, price: u64) -> wasmtime::Result<()> {
    pay(host, price).map(|_| ())
}

/// The same; the fuel that is left.
fn pay(host: &mut Host<'_>, price: u64) -> wasmtime::Result<u64> {
    let guest = host.data_mut();
    guest.host_calls += 1;
    if guest.allocating {
        return Err(Stop::Breach("the allocator called the host").into());
    }
    let left = host.get_fuel()?;
    if left <= price {
        host.set_fuel(0)?;
        return Err(Trap::OutOfFuel.into());
    }
    host.set_fuel(left - price)?;
    Ok(left - price)
}

/// Where a guest's lists and texts are.
fn reach(host: &Host<'_>) -> wasmtime::Result<Arc<Reach>> {
    Ok(host.data().reach.clone().ok_or(Stop::Breach("a call before the strategy is set up"))?)
}

fn submit(host: &mut Host<'_>, price: &HostCallPrice, kind: RequestKind) -> wasmtime::Result<u64> {
    let left = pay(host, price.base)?;
    let guest = host.data_mut();
    guest.desk.set_fuel_spent(guest.tank.saturating_sub(left));
    match guest.desk.submit(kind) {
        Ok(id) => Ok(id.0),
        Err(limit) => Err(stop(limit)),
    }
}

fn stop(limit: DeskLimit) -> wasmtime::Error {
    let limit = match limit {
        DeskLimit::Requests => Limit::Requests,
        DeskLimit::Wakeups => Limit::Wakeups,
    };
    Stop::Limit(limit).into()
}

/// Pays for a text and takes it, cut to `bytes_max` at a character boundary.
fn take_text(
    host: &mut Host<'_>,
    price: &HostCallPrice,
    (start, length): (u32, u32),
    bytes_max: usize,
) -> wasmtime::Result<String> {
    if length as usize > HOST_CALL_BYTES_MAX {
        return Err(Stop::Limit(Limit::HostCallBytes).into());
    }
    charge(host, price.of(u64::from(length)))?;
    let reach = reach(host)?;
    let text = reach.text(reach.memory.data(&*host), start, length)?;
    Ok(match text.get(..text.floor_char_boundary(bytes_max)) {
        Some(head) if head.len() < text.len() => format!("{head}…"),
        _ => text.to_owned(),
    })
}

/// A linker that offers `exchange` and nothing else.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    add_requests(&mut linker)?;
    add_symbols(&mut linker)?;
    add_views(&mut linker)?;
    add_services(&mut linker)?;
    Ok(linker)
}

fn add_requests(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(
        EXCHANGE,
        price::LIMIT.name,
        |mut host: Host<'_>, to: u32, price: i64, quantity: u64, hidden: u32, post_only: u32| {
            let qualifiers = Qualifiers { hidden: hidden != 0, post_only: post_only != 0 };
            let kind = RequestKind::Limit { side: side(to)?, price, quantity, qualifiers };
            submit(&mut host, &price::LIMIT, kind)
        },
    )?;
    linker.func_wrap(EXCHANGE, price::MARKET.name, |mut host: Host<'_>, to: u32, quantity: u64| {
        submit(&mut host, &price::MARKET, RequestKind::Market { side: side(to)?, quantity })
    })?;
    add_order(linker)?;
    linker.func_wrap(EXCHANGE, price::CANCEL.name, |mut host: Host<'_>, order: u64| {
        submit(&mut host, &price::CANCEL, RequestKind::Cancel { order: RequestId(order) })
    })?;
    linker.func_wrap(EXCHANGE, price::CANCEL_ALL.name, |mut host: Host<'_>| {
        submit(&mut host, &price::CANCEL_ALL, RequestKind::CancelAll)
    })?;
    linker.func_wrap(EXCHANGE, price::MODIFY.name, |mut host: Host<'_>, order: u64, price: i64, quantity: u64| {
        submit(&mut host, &price::MODIFY, RequestKind::Modify { order: RequestId(order), price, quantity })
    })?;
    linker.func_wrap(EXCHANGE, price::REDUCE.name, |mut host: Host<'_>, order: u64, by: u64| {
        submit(&mut host, &price::REDUCE, RequestKind::Reduce { order: RequestId(order), by })
    })?;
    linker.func_wrap(EXCHANGE, price::REPLACE.name, |mut host: Host<'_>, order: u64, price: i64, quantity: u64| {
        submit(&mut host, &price::REPLACE, RequestKind::Replace { order: RequestId(order), price, quantity })
    })?;
    Ok(())
}

#[rustfmt::skip]
fn add_order(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(
        EXCHANGE,
        price::ORDER.name,
        |mut host: Host<'_>, to: u32, price: i64, quantity: u64, time_in_force: u32, expires: u64, display: u32, shown: u64,
         post_only: u32, trigger: u32, trigger_at: i64| {
            let terms = Terms::pressed(side(to)?, price, quantity);
            let terms = terms.good_till(Time(expires)).iceberg(shown).stop(trigger_at);
            let terms = Terms {
                time_in_force: case(&TimeInForce::ALL, time_in_force)?,
                display: case(&Display::ALL, display)?,
                post_only: case(&PostOnly::ALL, post_only)?,
                trigger: case(&Trigger::ALL, trigger)?,
                ..terms
            };
            submit(&mut host, &price::ORDER, RequestKind::Order(terms))
        },
    )?;
    Ok(())
}

fn add_symbols(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(EXCHANGE, price::SYMBOL.name, |mut host: Host<'_>| {
        charge(&mut host, price::SYMBOL.base)?;
        Ok(u32::from(host.data().desk.selected().0))
    })?;
    linker.func_wrap(EXCHANGE, price::SELECT.name, |mut host: Host<'_>, symbol: u32, result: u32| {
        charge(&mut host, price::SELECT.base)?;
        if !host.data_mut().desk.select(symbol) {
            return Err(Stop::Breach("there is no such symbol").into());
        }
        reach(&host)?.return_quote(&mut host, result)
    })?;
    linker.func_wrap(EXCHANGE, price::SYMBOL_NAME.name, |mut host: Host<'_>, symbol: u32, result: u32| {
        let name = host.data().desk.symbol_name(symbol).to_owned();
        charge(&mut host, price::SYMBOL_NAME.of(name.len() as u64))?;
        reach(&host)?.return_text(&mut host, result, &name)
    })?;
    Ok(())
}

fn add_views(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(EXCHANGE, price::DEPTH.name, |mut host: Host<'_>, of: u32, levels: u32, result: u32| {
        let side = side(of)?;
        let count = host.data().desk.depth(side).len().min(levels as usize);
        charge(&mut host, price::DEPTH.of(count as u64))?;
        reach(&host)?.return_list(&mut host, result, count, |desk, put| desk.depth(side).iter().for_each(put))
    })?;
    add_feed(linker)?;
    linker.func_wrap(EXCHANGE, price::OPEN_ORDERS.name, |mut host: Host<'_>, result: u32| {
        // Those of other symbols are looked at too.
        let all = host.data().desk.open_orders_all();
        charge(&mut host, price::OPEN_ORDERS.of(all as u64))?;
        let count = host.data().desk.open_orders().count();
        reach(&host)?.return_list(&mut host, result, count, |desk, put| desk.open_orders().for_each(put))
    })?;
    linker.func_wrap(EXCHANGE, price::POSITION.name, |mut host: Host<'_>| {
        charge(&mut host, price::POSITION.base)?;
        Ok(host.data().desk.position())
    })?;
    linker.func_wrap(EXCHANGE, price::CASH.name, |mut host: Host<'_>| {
        charge(&mut host, price::CASH.base)?;
        Ok(host.data().desk.cash())
    })?;
    linker.func_wrap(EXCHANGE, price::AVERAGE_COST.name, |mut host: Host<'_>| {
        charge(&mut host, price::AVERAGE_COST.base)?;
        Ok(host.data().desk.average_cost().unwrap_or(0))
    })?;
    linker.func_wrap(EXCHANGE, price::REALISED.name, |mut host: Host<'_>| {
        charge(&mut host, price::REALISED.base)?;
        Ok(host.data().desk.realised())
    })?;
    linker.func_wrap(EXCHANGE, price::FEES.name, |mut host: Host<'_>| {
        charge(&mut host, price::FEES.base)?;
        Ok(host.data().desk.fees())
    })?;
    Ok(())
}

/// What is published besides quotes.
fn add_feed(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(EXCHANGE, price::TRADES.name, |mut host: Host<'_>, count: u32, result: u32| {
        let (kept, _) = host.data().desk.print_counts();
        let count = kept.min(count as usize);
        charge(&mut host, price::TRADES.of(count as u64))?;
        reach(&host)?.return_list(&mut host, result, count, |desk, put| desk.prints(count).for_each(put))
    })?;
    linker.func_wrap(EXCHANGE, price::NEW_TRADES.name, |mut host: Host<'_>, result: u32| {
        let (_, count) = host.data().desk.print_counts();
        charge(&mut host, price::NEW_TRADES.of(count as u64))?;
        reach(&host)?.return_list(&mut host, result, count, |desk, put| desk.take_prints().for_each(put))
    })?;
    linker.func_wrap(EXCHANGE, price::SESSION.name, |mut host: Host<'_>, result: u32| {
        charge(&mut host, price::SESSION.base)?;
        reach(&host)?.return_session(&mut host, result)
    })?;
    linker.func_wrap(EXCHANGE, price::QUEUE_AHEAD.name, |mut host: Host<'_>, order: u64| {
        charge(&mut host, price::QUEUE_AHEAD.base)?;
        Ok(queue_ahead(&mut host.data_mut().desk, order))
    })?;
    Ok(())
}

/// `queue-ahead`
pub(crate) fn queue_ahead(desk: &mut Desk, order: u64) -> i64 {
    desk.queue_ahead(RequestId(order)).map_or(-1, |ahead| i64::try_from(ahead).unwrap_or(i64::MAX))
}

fn add_services(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(EXCHANGE, price::WAKE_AT.name, |mut host: Host<'_>, time: u64| {
        charge(&mut host, price::WAKE_AT.base)?;
        host.data_mut().desk.wake_at(Time(time)).map_err(stop)
    })?;
    linker.func_wrap(EXCHANGE, price::MUTE_MARKET_DATA.name, |mut host: Host<'_>| {
        charge(&mut host, price::MUTE_MARKET_DATA.base)?;
        host.data_mut().desk.mute_market_data();
        Ok(())
    })?;
    linker.func_wrap(EXCHANGE, price::LOG.name, |mut host: Host<'_>, start: u32, length: u32| {
        let line = take_text(&mut host, &price::LOG, (start, length), LOG_LINE_BYTES_MAX)?;
        host.data_mut().desk.log(&line);
        Ok(())
    })?;
    linker.func_wrap(EXCHANGE, price::RANDOM.name, |mut host: Host<'_>| {
        charge(&mut host, price::RANDOM.base)?;
        Ok(host.data_mut().desk.random())
    })?;
    linker.func_wrap(EXCHANGE, price::PARAMETER.name, |mut host: Host<'_>, index: u32, default: f64| {
        charge(&mut host, price::PARAMETER.base)?;
        Ok(host.data().parameters.get(index as usize).copied().flatten().unwrap_or(default))
    })?;
    linker.func_wrap(EXCHANGE, price::PANICKED.name, |mut host: Host<'_>, start: u32, length: u32| {
        let message = take_text(&mut host, &price::PANICKED, (start, length), PANIC_BYTES_MAX)?;
        host.data_mut().panic_message = Some(message);
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use wasmtime::Store;

    const PAGE: &str = include_str!("../../../docs/hostile.md");

    /// Every call must be paid for and bounded, and the page says how.
    #[test]
    fn every_host_call_has_an_entry_in_the_table() {
        let engine = crate::engine::runner(1).expect("the engine takes its configuration");
        let guest = Guest::new(Desk::new(assay_model::Seed(1), "strategy", 0), 0);
        let mut store = Store::new(&engine, guest);
        let linker = linker(&engine).expect("the interface is linked");
        let linked: Vec<_> =
            linker.iter(&mut store).map(|(module, name, _)| (module.to_owned(), name.to_owned())).collect();
        assert!(linked.iter().all(|(module, _)| module == EXCHANGE), "{linked:?}");
        let linked: BTreeSet<String> = linked.into_iter().map(|(_, name)| name).collect();
        assert_eq!(linked, crate::table::calls_of(PAGE, "exchange"));
    }
}
