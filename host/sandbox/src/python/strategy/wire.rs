//! What goes between a Python strategy and its desk, as bytes: what it knows, what it asks for, and the answers to its questions.
//! `guest-sdk/python/assay/exchange.py` is the other side.
//!
//! Invariants: every number is little-endian and has a fixed place; each request pays the price of the host call of a compiled strategy
//! before it has any effect; bytes that mean nothing end the strategy, they never panic.

use super::super::state::Guest;
use super::super::stop::Stop;
use crate::host::{LOG_LINE_BYTES_MAX, queue_ahead};
use crate::interface::{case, maybe_side, order_update, session, side, view};
use crate::outcome::Limit;
use crate::price::{self, HostCallPrice};
use assay_model::{
    Desk, DeskLimit, Display, OrderUpdate, PostOnly, Print, Qualifiers, RequestId, RequestKind, Side, StrategyConfig,
    StrategyTerms, TICK_CENTS, Terms, Time, TimeInForce, Trigger,
};
use wasmtime::component::Linker;
use wasmtime::{StoreContextMut, Trap};

/// Numbers of a state.
const STATE: usize = 19;

/// What the strategy knows as a callback begins.
pub(crate) fn state(desk: &Desk) -> Vec<u8> {
    let (now, bid, bid_size, ask, ask_size, last, volume) = view(desk);
    let symbol = i64::from(desk.selected().0);
    let last_id = desk.last_request().0.cast_signed();
    let (now, volume) = (now.cast_signed(), volume.cast_signed());
    let (bid_size, ask_size) = (bid_size.cast_signed(), ask_size.cast_signed());
    let [phase, ends, indicative, matched, imbalance] = session(desk.session());
    let average = desk.average_cost().unwrap_or(0);
    let numbers: [i64; STATE] = [
        now,
        symbol,
        bid,
        bid_size,
        ask,
        ask_size,
        last,
        volume,
        desk.position(),
        average,
        desk.realised(),
        phase,
        ends,
        indicative,
        matched,
        imbalance,
        desk.cash(),
        desk.fees(),
        last_id,
    ];
    bytes(&numbers)
}

/// The same, and the configuration but for its name.
pub(crate) fn initialize(desk: &Desk, config: &StrategyConfig) -> Vec<u8> {
    let times = [config.market_open, config.market_close].map(|time| time.0.cast_signed());
    let lengths = [config.close_window, config.latency, config.tick_interval].map(|length| length.0.cast_signed());
    let terms = &config.terms;
    let StrategyTerms { margin_long, margin_short, maintenance_margin, price_band, .. } = *terms;
    let parts = [margin_long, margin_short, maintenance_margin, price_band].map(i64::from);
    let mut state = state(desk);
    state.extend(bytes(&[config.starting_cash]));
    state.extend(bytes(&times));
    state.extend(bytes(&lengths));
    state.extend(bytes(&[TICK_CENTS, terms.position_limit.cast_signed(), terms.loss_limit]));
    state.extend(bytes(&parts));
    for fee in [terms.maker_fee, terms.taker_fee] {
        state.extend(bytes(&[fee.microcents_per_share, fee.notional_millionths]));
    }
    state.extend(bytes(&[terms.picoseconds_per_fuel.cast_signed()]));
    state
}

/// The same, and an update.
pub(crate) fn update(desk: &Desk, update: &OrderUpdate) -> Vec<u8> {
    let mut state = state(desk);
    state.extend(bytes(&split(order_update(desk, update))));
    state
}

/// The update's part of the parameters of `on-order-update`.
fn split(raw: crate::interface::Update) -> [i64; 9] {
    let (_, _, _, _, _, _, _, request, order, status, reason, price, quantity, remaining, maker, side) = raw;
    let [request, order, quantity, remaining] = [request, order, quantity, remaining].map(u64::cast_signed);
    [request, order, status.into(), reason.into(), price, quantity, remaining, maker.into(), side.into()]
}

fn bytes(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Links the one function that the SDK calls.
pub(crate) fn link(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker
        .instance("assay:python/exchange@0.1.0")?
        .func_wrap("ask", |store, (requests,): (Vec<u8>,)| Ok((carry_out(store, &requests)?,)))
}

/// The same for a cell, which has no exchange.
pub(crate) fn link_refused(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker
        .instance("assay:python/exchange@0.1.0")?
        .func_wrap("ask", |_, (_,): (Vec<u8>,)| Err::<(Vec<u8>,), _>(Stop::Breach("there is no exchange here").into()))
}

/// Carries out requests in order. The last may be a question; the answer to it, or nothing.
pub(crate) fn carry_out(mut store: StoreContextMut<'_, Guest>, requests: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut rest = Reader(requests);
    while let [code, ..] = rest.0 {
        let code = *code;
        rest.0 = &rest.0[1..];
        if let Some(answer) = answer(&mut store, code, &mut rest)? {
            return if rest.0.is_empty() {
                Ok(answer)
            } else {
                Err(Stop::Breach("a request behind a question").into())
            };
        }
    }
    Ok(Vec::new())
}

/// Bytes of requests that have not been read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Stop> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Stop::Breach("a request that is cut off"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn byte(&mut self) -> Result<u32, Stop> {
        self.array::<1>().map(|[byte]| u32::from(byte))
    }

    fn word(&mut self) -> Result<u32, Stop> {
        self.array().map(u32::from_le_bytes)
    }

    fn signed(&mut self) -> Result<i64, Stop> {
        self.array().map(i64::from_le_bytes)
    }

    /// A number of things; below zero there are none of them.
    fn count(&mut self) -> Result<u64, Stop> {
        self.signed().map(|number| u64::try_from(number).unwrap_or(0))
    }
}

/// Carries out one request, or answers one question.
fn answer(
    store: &mut StoreContextMut<'_, Guest>,
    code: u8,
    rest: &mut Reader<'_>,
) -> wasmtime::Result<Option<Vec<u8>>> {
    let (price, kind) = match code {
        0 => {
            let (to, hidden, post_only) = (side(rest.byte()?)?, rest.byte()? != 0, rest.byte()? != 0);
            let qualifiers = Qualifiers { hidden, post_only };
            (&price::LIMIT, RequestKind::Limit { side: to, price: rest.signed()?, quantity: rest.count()?, qualifiers })
        }
        1 => (&price::MARKET, RequestKind::Market { side: side(rest.byte()?)?, quantity: rest.count()? }),
        2 => (&price::ORDER, RequestKind::Order(terms(rest)?)),
        3 => (&price::CANCEL, RequestKind::Cancel { order: RequestId(rest.count()?) }),
        4 => (&price::CANCEL_ALL, RequestKind::CancelAll),
        5 => {
            let order = RequestId(rest.count()?);
            (&price::MODIFY, RequestKind::Modify { order, price: rest.signed()?, quantity: rest.count()? })
        }
        6 => (&price::REDUCE, RequestKind::Reduce { order: RequestId(rest.count()?), by: rest.count()? }),
        7 => {
            let order = RequestId(rest.count()?);
            (&price::REPLACE, RequestKind::Replace { order, price: rest.signed()?, quantity: rest.count()? })
        }
        8..=10 => return serve(store, code, rest).map(|()| None),
        _ => return question(store, code, rest).map(Some),
    };
    charge(store, price, 0)?;
    desk(store)?.submit(kind).map_err(stop)?;
    Ok(None)
}

fn terms(rest: &mut Reader<'_>) -> wasmtime::Result<Terms> {
    let to = side(rest.byte()?)?;
    let time_in_force = case(&TimeInForce::ALL, rest.byte()?)?;
    let display = case(&Display::ALL, rest.byte()?)?;
    let post_only = case(&PostOnly::ALL, rest.byte()?)?;
    let trigger = case(&Trigger::ALL, rest.byte()?)?;
    let terms = Terms::pressed(to, rest.signed()?, rest.count()?);
    let terms = terms.good_till(Time(rest.count()?)).iceberg(rest.count()?).stop(rest.signed()?);
    Ok(Terms { time_in_force, display, post_only, trigger, ..terms })
}

/// Wake-ups, muting and the log.
fn serve(store: &mut StoreContextMut<'_, Guest>, code: u8, rest: &mut Reader<'_>) -> wasmtime::Result<()> {
    match code {
        8 => {
            let at = Time(rest.count()?);
            charge(store, &price::WAKE_AT, 0)?;
            desk(store)?.wake_at(at).map_err(stop)?;
        }
        9 => {
            charge(store, &price::MUTE_MARKET_DATA, 0)?;
            desk(store)?.mute_market_data();
        }
        _ => {
            let length = rest.word()?;
            let text = String::from_utf8_lossy(rest.take(length as usize)?);
            charge(store, &price::LOG, u64::from(length))?;
            let head = text.floor_char_boundary(LOG_LINE_BYTES_MAX);
            let line = if head < text.len() { format!("{}…", &text[..head]) } else { text.into_owned() };
            desk(store)?.log(&line);
        }
    }
    Ok(())
}

fn question(store: &mut StoreContextMut<'_, Guest>, code: u8, rest: &mut Reader<'_>) -> wasmtime::Result<Vec<u8>> {
    match code {
        11 => {
            let symbol = rest.word()?;
            charge(store, &price::SELECT, 0)?;
            if !desk(store)?.select(symbol) {
                return Err(Stop::Breach("there is no such symbol").into());
            }
            // From the quote to the session, as they lie in a state.
            Ok(state(desk(store)?)[16..128].to_vec())
        }
        12 => {
            let name = desk(store)?.symbol_name(rest.word()?).as_bytes().to_vec();
            charge(store, &price::SYMBOL_NAME, name.len() as u64)?;
            Ok(name)
        }
        13 => {
            let (of, levels) = (side(rest.byte()?)?, rest.word()?);
            let numbers: Vec<i64> = desk(store)?
                .depth(of)
                .iter()
                .take(levels as usize)
                .flat_map(|level| [level.price.cents(), level.quantity.cast_signed()])
                .collect();
            charge(store, &price::DEPTH, numbers.len() as u64 / 2)?;
            Ok(bytes(&numbers))
        }
        14 => {
            // Those of other symbols are looked at too.
            let all = desk(store)?.open_orders_all();
            charge(store, &price::OPEN_ORDERS, all as u64)?;
            let mut answer = Vec::new();
            for order in desk(store)?.open_orders() {
                answer.extend(bytes(&[order.id.0.cast_signed(), order.price, order.remaining.cast_signed()]));
                answer.extend([u8::from(order.side == Side::Sell), u8::from(order.accepted)]);
            }
            Ok(answer)
        }
        15 => {
            charge(store, &price::RANDOM, 0)?;
            Ok(desk(store)?.random().to_le_bytes().to_vec())
        }
        16 => {
            let (kept, _) = desk(store)?.print_counts();
            let count = kept.min(rest.word()? as usize);
            charge(store, &price::TRADES, count as u64)?;
            Ok(desk(store)?.prints(count).flat_map(trade).collect())
        }
        17 => {
            let (_, count) = desk(store)?.print_counts();
            charge(store, &price::NEW_TRADES, count as u64)?;
            Ok(desk(store)?.take_prints().flat_map(trade).collect())
        }
        18 => {
            let order = rest.count()?;
            charge(store, &price::QUEUE_AHEAD, 0)?;
            Ok(queue_ahead(desk(store)?, order).to_le_bytes().to_vec())
        }
        _ => Err(Stop::Breach("there is no such request").into()),
    }
}

/// A trade, as the SDK reads it.
fn trade(print: &Print) -> Vec<u8> {
    let aggressor = i64::from(maybe_side(print.aggressor));
    bytes(&[print.at.0.cast_signed(), print.price.cents(), print.quantity.into(), aggressor])
}

fn desk<'a>(store: &'a mut StoreContextMut<'_, Guest>) -> Result<&'a mut Desk, Stop> {
    let seat = &mut store.data_mut().seat;
    if seat.is_taken { Ok(&mut seat.desk) } else { Err(Stop::Breach("there is no exchange here")) }
}

/// Pays for a request, or ends the callback.
fn charge(store: &mut StoreContextMut<'_, Guest>, price: &HostCallPrice, units: u64) -> wasmtime::Result<()> {
    // To set the fuel begins a new slice, so whoever calls often is looked at here and not between slices.
    store.data().shared.lock().on_time()?;
    store.data_mut().seat.host_calls += 1;
    let (left, price) = (store.get_fuel()?, price.of(units));
    if left <= price {
        store.set_fuel(0)?;
        return Err(Trap::OutOfFuel.into());
    }
    store.set_fuel(left - price)
}

fn stop(limit: DeskLimit) -> Stop {
    Stop::Desk(match limit {
        DeskLimit::Requests => Limit::Requests,
        DeskLimit::Wakeups => Limit::Wakeups,
    })
}
