//! The host calls: what a running strategy can reach, each priced in fuel.
//!
//! Invariants: nothing here panics, blocks or depends on anything but the desk; whatever a guest passes is capped before it is
//! kept; a call that the fuel does not cover ends the callback before it has any effect.

use crate::engine::{CORE_INSTANCES_MAX, TABLE_ELEMENTS_MAX, TABLES_MAX};
use crate::interface::{EXCHANGE, WireLevel, WireOpenOrder, WireSide};
use crate::outcome::Limit;
use crate::price::{self, HostCallPrice};
use assay_model::{Desk, DeskLimit, Qualifiers, RequestId, RequestKind, Side, Time};
use wasmtime::component::{Linker, LinkerInstance, WasmStr};
use wasmtime::{AsContext as _, Engine, ResourceLimiter, StoreContextMut, Trap};

/// Bytes that one call may hand to the host; more ends the strategy. Far above any sensible log line, far below what would hurt.
pub const HOST_CALL_BYTES_MAX: usize = 1 << 20;
/// Bytes kept of one log line; the rest is cut off.
pub const LOG_LINE_BYTES_MAX: usize = 4 << 10;
/// Bytes kept of a panic message; the rest is cut off.
pub const PANIC_BYTES_MAX: usize = 4 << 10;

/// Why the host ended a callback; travels through the engine's error type and is taken out again by the instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Stop {
    /// A limit of the interface.
    #[error("the strategy ran into the limit on {0:?}")]
    Limit(Limit),
    /// Growth beyond the memory budget.
    #[error("the strategy asked for {requested_bytes} bytes of memory")]
    Memory { requested_bytes: u64 },
    /// The machine could not provide memory that the budget allows.
    #[error("the machine could not provide memory that the budget allows")]
    Machine,
}

/// What a store holds for one strategy.
pub(crate) struct Guest {
    pub(crate) desk: Desk,
    pub(crate) room: Room,
    pub(crate) host_calls: u64,
    /// What the strategy said before it trapped.
    pub(crate) panic_message: Option<String>,
}

/// Grants memory and tables, and remembers the peak. Refusal ends the callback: a failed growth that the guest could see would
/// let it behave differently on different machines.
pub(crate) struct Room {
    pub(crate) memory_bytes_max: u64,
    pub(crate) memory_bytes_peak: u64,
}

impl ResourceLimiter for Room {
    fn memory_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let requested_bytes = desired as u64;
        if requested_bytes > self.memory_bytes_max || maximum.is_some_and(|maximum| desired > maximum) {
            return Err(Stop::Memory { requested_bytes }.into());
        }
        self.memory_bytes_peak = self.memory_bytes_peak.max(requested_bytes);
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        Err(Stop::Machine.into())
    }

    fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if desired > TABLE_ELEMENTS_MAX || maximum.is_some_and(|maximum| desired > maximum) {
            return Err(Stop::Limit(Limit::TableElements).into());
        }
        Ok(true)
    }

    fn table_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        Err(Stop::Machine.into())
    }

    fn instances(&self) -> usize {
        // The component instance itself counts too.
        CORE_INSTANCES_MAX as usize + 1
    }

    fn tables(&self) -> usize {
        TABLES_MAX as usize
    }

    fn memories(&self) -> usize {
        1
    }
}

type Store<'a> = StoreContextMut<'a, Guest>;

/// Pays for a call, or ends the callback.
fn charge(store: &mut Store<'_>, price: u64) -> wasmtime::Result<()> {
    store.data_mut().host_calls += 1;
    let left = store.get_fuel()?;
    if left <= price {
        store.set_fuel(0)?;
        return Err(Trap::OutOfFuel.into());
    }
    store.set_fuel(left - price)
}

fn submit(store: &mut Store<'_>, price: &HostCallPrice, kind: RequestKind) -> wasmtime::Result<(u64,)> {
    charge(store, price.base)?;
    match store.data_mut().desk.submit(kind) {
        Ok(id) => Ok((id.0,)),
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

/// Pays for a string and takes it, cut to `bytes_max` at a character boundary.
fn take_text(
    store: &mut Store<'_>,
    price: &HostCallPrice,
    text: &WasmStr,
    bytes_max: usize,
) -> wasmtime::Result<String> {
    let (length, kept) = {
        let text = text.to_str(store.as_context())?;
        let kept = match text.get(..text.floor_char_boundary(bytes_max)) {
            Some(head) if head.len() < text.len() => format!("{head}…"),
            _ => text.clone().into_owned(),
        };
        (text.len() as u64, kept)
    };
    charge(store, price.of(length))?;
    Ok(kept)
}

/// A linker that offers `exchange` and nothing else.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    let mut exchange = linker.instance(EXCHANGE)?;
    add_requests(&mut exchange)?;
    add_views(&mut exchange)?;
    add_services(&mut exchange)?;
    Ok(linker)
}

fn add_requests(exchange: &mut LinkerInstance<'_, Guest>) -> wasmtime::Result<()> {
    exchange.func_wrap(
        price::LIMIT.name,
        |mut store: Store<'_>, (side, price, quantity, hidden, post_only): (WireSide, i64, u64, bool, bool)| {
            let qualifiers = Qualifiers { hidden, post_only };
            submit(&mut store, &price::LIMIT, RequestKind::Limit { side: side.into(), price, quantity, qualifiers })
        },
    )?;
    exchange.func_wrap(price::MARKET.name, |mut store: Store<'_>, (side, quantity): (WireSide, u64)| {
        submit(&mut store, &price::MARKET, RequestKind::Market { side: side.into(), quantity })
    })?;
    exchange.func_wrap(price::CANCEL.name, |mut store: Store<'_>, (order,): (u64,)| {
        submit(&mut store, &price::CANCEL, RequestKind::Cancel { order: RequestId(order) })
    })?;
    exchange.func_wrap(price::CANCEL_ALL.name, |mut store: Store<'_>, (): ()| {
        submit(&mut store, &price::CANCEL_ALL, RequestKind::CancelAll)
    })?;
    exchange.func_wrap(price::MODIFY.name, |mut store: Store<'_>, (order, price, quantity): (u64, i64, u64)| {
        submit(&mut store, &price::MODIFY, RequestKind::Modify { order: RequestId(order), price, quantity })
    })?;
    exchange.func_wrap(price::REDUCE.name, |mut store: Store<'_>, (order, by): (u64, u64)| {
        submit(&mut store, &price::REDUCE, RequestKind::Reduce { order: RequestId(order), by })
    })?;
    exchange.func_wrap(price::REPLACE.name, |mut store: Store<'_>, (order, price, quantity): (u64, i64, u64)| {
        submit(&mut store, &price::REPLACE, RequestKind::Replace { order: RequestId(order), price, quantity })
    })
}

fn add_views(exchange: &mut LinkerInstance<'_, Guest>) -> wasmtime::Result<()> {
    exchange.func_wrap(price::DEPTH.name, |mut store: Store<'_>, (side, levels): (WireSide, u32)| {
        let depth = store.data().desk.depth(Side::from(side));
        let levels: Vec<_> = depth
            .iter()
            .take(levels as usize)
            .map(|level| WireLevel { price: level.price.cents(), quantity: level.quantity })
            .collect();
        charge(&mut store, price::DEPTH.of(levels.len() as u64))?;
        Ok((levels,))
    })?;
    exchange.func_wrap(price::OPEN_ORDERS.name, |mut store: Store<'_>, (): ()| {
        // Paid first: the list may be long.
        let count = store.data().desk.open_orders().len();
        charge(&mut store, price::OPEN_ORDERS.of(count as u64))?;
        let orders: Vec<_> = store.data().desk.open_orders().map(WireOpenOrder::from).collect();
        Ok((orders,))
    })?;
    exchange.func_wrap(price::POSITION.name, |mut store: Store<'_>, (): ()| {
        charge(&mut store, price::POSITION.base)?;
        Ok((store.data().desk.position(),))
    })?;
    exchange.func_wrap(price::CASH.name, |mut store: Store<'_>, (): ()| {
        charge(&mut store, price::CASH.base)?;
        Ok((store.data().desk.cash(),))
    })
}

fn add_services(exchange: &mut LinkerInstance<'_, Guest>) -> wasmtime::Result<()> {
    exchange.func_wrap(price::WAKE_AT.name, |mut store: Store<'_>, (time,): (u64,)| {
        charge(&mut store, price::WAKE_AT.base)?;
        store.data_mut().desk.wake_at(Time(time)).map_err(stop)
    })?;
    exchange.func_wrap(price::MUTE_MARKET_DATA.name, |mut store: Store<'_>, (): ()| {
        charge(&mut store, price::MUTE_MARKET_DATA.base)?;
        store.data_mut().desk.mute_market_data();
        Ok(())
    })?;
    exchange.func_wrap(price::LOG.name, |mut store: Store<'_>, (message,): (WasmStr,)| {
        let line = take_text(&mut store, &price::LOG, &message, LOG_LINE_BYTES_MAX)?;
        store.data_mut().desk.log(&line);
        Ok(())
    })?;
    exchange.func_wrap(price::RANDOM.name, |mut store: Store<'_>, (): ()| {
        charge(&mut store, price::RANDOM.base)?;
        Ok((store.data_mut().desk.random(),))
    })?;
    exchange.func_wrap(price::PANICKED.name, |mut store: Store<'_>, (message,): (WasmStr,)| {
        let message = take_text(&mut store, &price::PANICKED, &message, PANIC_BYTES_MAX)?;
        store.data_mut().panic_message = Some(message);
        Ok(())
    })
}
