//! The host's side of the canonical ABI for `guest-sdk/wit/strategy.wit`, by hand, as the guest's side is in the SDK: enums as numbers,
//! records as their fields, lists and strings in the guest's memory (github.com/WebAssembly/component-model, CanonicalABI.md).
//!
//! By hand because it is small and called often: a call through an engine's component layer costs several times one to the module.
//! Invariants: numbering and layout are the WIT file's (a test compares the numbers, and the SDK's guests read every record); no address
//! or text of a guest is trusted.

use crate::guest::{Guest, HOST_CALL_BYTES_MAX, Reach};
use crate::outcome::Limit;
use crate::stop::Stop;
use assay_model::{
    Desk, Level, OpenOrder, OrderUpdate, Print, Reason, SessionState, Side, StrategyConfig, StrategyTerms, TICK_CENTS,
    UpdateKind,
};
use wasmtime::AsContextMut;

/// The imported interface.
pub(crate) const EXCHANGE: &str = "assay:strategy/exchange@0.2.0";
/// The exports beside the callbacks.
pub(crate) const MEMORY: &str = "memory";
pub(crate) const REALLOC: &str = "cabi_realloc";

/// `now` and `quote`: what every callback in the session begins with.
pub(crate) type View = (u64, i64, u64, i64, u64, i64, u64);
/// Parameters of `on-order-update`: a view and `order-update`. Sixteen: one more, and the interface passes them in memory.
pub(crate) type Update = (u64, i64, u64, i64, u64, i64, u64, u64, u64, u32, u32, i64, u64, u64, u32, u32);

/// A value of the enum `side`.
pub(crate) fn side(number: u32) -> wasmtime::Result<Side> {
    match number {
        0 => Ok(Side::Buy),
        1 => Ok(Side::Sell),
        _ => Err(Stop::Breach("there is no such side").into()),
    }
}

/// `maybe-side`
pub(crate) const fn maybe_side(side: Option<Side>) -> u8 {
    match side {
        None => 0,
        Some(Side::Buy) => 1,
        Some(Side::Sell) => 2,
    }
}

/// A value of an enum with these cases.
pub(crate) fn case<T: Copy>(cases: &[T], number: u32) -> wasmtime::Result<T> {
    Ok(*cases.get(number as usize).ok_or(Stop::Breach("there is no such case"))?)
}

/// The desk's time and quote; an empty side is all zero.
pub(crate) fn view(desk: &Desk) -> View {
    let quote = desk.quote();
    let (bid, bid_size) = quote.bid.map_or((0, 0), |level| (level.price.cents(), level.quantity));
    let (ask, ask_size) = quote.ask.map_or((0, 0), |level| (level.price.cents(), level.quantity));
    let last = quote.last.map_or(0, assay_model::Price::cents);
    (desk.now().0, bid, bid_size, ask, ask_size, last, quote.volume)
}

/// An update after the desk's view; fields that do not apply are zero.
pub(crate) fn order_update(desk: &Desk, update: &OrderUpdate) -> Update {
    let none = Reason::None;
    let (status, reason, price, quantity, maker) = match update.kind {
        UpdateKind::Accepted => (Status::Accepted, none, 0, 0, false),
        UpdateKind::Fill { price, quantity, liquidity } => {
            let status = if update.remaining == 0 { Status::Filled } else { Status::PartiallyFilled };
            let maker = matches!(liquidity, assay_model::Liquidity::Maker);
            (status, none, price.cents(), u64::from(quantity), maker)
        }
        UpdateKind::Cancelled { reason } => (Status::Cancelled, reason, 0, 0, false),
        UpdateKind::CancelledAll { count } => (Status::AllCancelled, none, 0, u64::from(count), false),
        UpdateKind::Modified { price } => (Status::Modified, none, price.cents(), 0, false),
        UpdateKind::Reduced { by } => (Status::Reduced, none, 0, u64::from(by), false),
        UpdateKind::Rejected { reason } => (Status::Rejected, reason, 0, 0, false),
        UpdateKind::Triggered => (Status::Triggered, none, 0, 0, false),
    };
    let (now, bid, bid_size, ask, ask_size, last, volume) = view(desk);
    let (request, order, remaining) = (update.request.0, update.order.0, u64::from(update.remaining));
    let (status, reason, maker) = (status as u32, reason as u32, u32::from(maker));
    let side = u32::from(maybe_side(desk.update_side()));
    let (size, rest) = (quantity, remaining);
    (now, bid, bid_size, ask, ask_size, last, volume, request, order, status, reason, price, size, rest, maker, side)
}

/// `status`, in the order of the WIT file.
#[derive(Clone, Copy)]
enum Status {
    Accepted,
    PartiallyFilled,
    Filled,
    Cancelled,
    AllCancelled,
    Modified,
    Reduced,
    Rejected,
    Triggered,
}

/// A record as it lies in a guest's memory, aligned to eight bytes.
pub(crate) trait Record {
    /// Its size.
    const BYTES: usize;
    /// Writes it to `bytes`, of which there are [`BYTES`](Self::BYTES), zeroed or not.
    fn write(&self, bytes: &mut [u8]);
}

/// `level`
impl Record for Level {
    const BYTES: usize = 16;
    fn write(&self, bytes: &mut [u8]) {
        bytes[..8].copy_from_slice(&self.price.cents().to_le_bytes());
        bytes[8..].copy_from_slice(&self.quantity.to_le_bytes());
    }
}

/// `open-order`
impl Record for OpenOrder {
    const BYTES: usize = 40;
    fn write(&self, bytes: &mut [u8]) {
        bytes.fill(0);
        bytes[..8].copy_from_slice(&self.id.0.to_le_bytes());
        bytes[8] = u8::from(self.side == Side::Sell);
        bytes[16..24].copy_from_slice(&self.price.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.remaining.to_le_bytes());
        bytes[32] = u8::from(self.accepted);
    }
}

/// `trade`
impl Record for Print {
    const BYTES: usize = 32;
    fn write(&self, bytes: &mut [u8]) {
        bytes[..8].copy_from_slice(&self.at.0.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.price.cents().to_le_bytes());
        bytes[16..24].copy_from_slice(&u64::from(self.quantity).to_le_bytes());
        bytes[24..].copy_from_slice(&u64::from(maybe_side(self.aggressor)).to_le_bytes());
    }
}

/// `session-state`, as numbers.
pub(crate) fn session(state: &SessionState) -> [i64; 5] {
    let ends = state.ends.map_or(0, |at| at.0.cast_signed());
    let (price, matched, imbalance) = state.indicative.map_or((0, 0, 0), |indicative| {
        (indicative.price.cents(), indicative.matched.cast_signed(), indicative.imbalance)
    });
    [i64::from(state.phase as u8), ends, price, matched, imbalance]
}

/// Bytes of `config`, which lie at a multiple of eight.
const CONFIG_BYTES: usize = 136;

/// `config` with the place of its text in the guest.
fn write_config(config: &StrategyConfig, (start, length): (u32, u32)) -> [u8; CONFIG_BYTES] {
    let mut bytes = [0; CONFIG_BYTES];
    let mut at = 0;
    let mut put = |field: &[u8]| {
        bytes[at..at + field.len()].copy_from_slice(field);
        at += field.len();
    };
    put(&start.to_le_bytes());
    put(&length.to_le_bytes());
    put(&config.starting_cash.to_le_bytes());
    let times = [config.market_open.0, config.market_close.0, config.close_window.0, config.latency.0];
    times.iter().for_each(|time| put(&time.to_le_bytes()));
    put(&config.tick_interval.0.to_le_bytes());
    let terms = &config.terms;
    put(&TICK_CENTS.to_le_bytes());
    put(&terms.position_limit.to_le_bytes());
    put(&terms.loss_limit.to_le_bytes());
    let StrategyTerms { margin_long, margin_short, maintenance_margin, price_band, .. } = *terms;
    [margin_long, margin_short, maintenance_margin, price_band].iter().for_each(|part| put(&part.to_le_bytes()));
    for fee in [terms.maker_fee, terms.taker_fee] {
        put(&fee.microcents_per_share.to_le_bytes());
        put(&fee.notional_millionths.to_le_bytes());
    }
    put(&terms.picoseconds_per_fuel.to_le_bytes());
    debug_assert_eq!(at, CONFIG_BYTES, "the record has no gaps");
    bytes
}

impl Reach {
    /// The text at an address.
    pub(crate) fn text<'a>(&self, bytes: &'a [u8], start: u32, length: u32) -> wasmtime::Result<&'a str> {
        let end = u64::from(start) + u64::from(length);
        let text = usize::try_from(end).ok().and_then(|end| bytes.get(start as usize..end));
        let text = text.ok_or(Stop::Breach("a text that is not in memory"))?;
        Ok(str::from_utf8(text).map_err(|_| Stop::Breach("a text that is not UTF-8"))?)
    }

    /// Has the guest make room; the host calls that its allocator may try are refused.
    fn allocate(
        &self,
        mut store: impl AsContextMut<Data = Guest>,
        align: usize,
        bytes: usize,
    ) -> wasmtime::Result<usize> {
        if bytes > HOST_CALL_BYTES_MAX {
            return Err(Stop::Limit(Limit::HostCallBytes).into());
        }
        store.as_context_mut().data_mut().allocating = true;
        let start = self.realloc.call(&mut store, (0, 0, align as u32, bytes as u32))? as usize;
        store.as_context_mut().data_mut().allocating = false;
        let inside = start.checked_add(bytes).is_some_and(|end| end <= self.memory.data_size(&store));
        if !inside || !start.is_multiple_of(align) {
            return Err(Stop::Breach("the allocator returned an address that is not in memory, or not aligned").into());
        }
        Ok(start)
    }

    /// Puts a list of `count` records into the guest and its address and length to `result`.
    pub(crate) fn return_list<T: Record>(
        &self,
        mut store: impl AsContextMut<Data = Guest>,
        result: u32,
        count: usize,
        items: impl FnOnce(&mut Desk, &mut dyn FnMut(&T)),
    ) -> wasmtime::Result<()> {
        let start = self.allocate(&mut store, 8, count.saturating_mul(T::BYTES))?;
        let (bytes, guest) = self.memory.data_and_store_mut(&mut store);
        let mut places = bytes[start..start + count * T::BYTES].chunks_exact_mut(T::BYTES);
        items(&mut guest.desk, &mut |item| {
            if let Some(place) = places.next() {
                item.write(place);
            }
        });
        let place = place::<8>(bytes, result, 4)?;
        place[..4].copy_from_slice(&(start as u32).to_le_bytes());
        place[4..].copy_from_slice(&(count as u32).to_le_bytes());
        Ok(())
    }

    /// Puts a text into the guest and its address and length to `result`.
    pub(crate) fn return_text(
        &self,
        mut store: impl AsContextMut<Data = Guest>,
        result: u32,
        text: &str,
    ) -> wasmtime::Result<()> {
        let start = self.allocate(&mut store, 1, text.len())?;
        let bytes = self.memory.data_mut(&mut store);
        bytes[start..start + text.len()].copy_from_slice(text.as_bytes());
        let place = place::<8>(bytes, result, 4)?;
        place[..4].copy_from_slice(&(start as u32).to_le_bytes());
        place[4..].copy_from_slice(&(text.len() as u32).to_le_bytes());
        Ok(())
    }

    /// Puts the desk's quote to `result`.
    pub(crate) fn return_quote(&self, mut store: impl AsContextMut<Data = Guest>, result: u32) -> wasmtime::Result<()> {
        let (bytes, guest) = self.memory.data_and_store_mut(&mut store);
        let (_, bid, bid_size, ask, ask_size, last, volume) = view(&guest.desk);
        let fields = [bid as u64, bid_size, ask as u64, ask_size, last as u64, volume];
        for (place, field) in place::<48>(bytes, result, 8)?.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        Ok(())
    }

    /// Puts the state of the session to `result`.
    pub(crate) fn return_session(
        &self,
        mut store: impl AsContextMut<Data = Guest>,
        result: u32,
    ) -> wasmtime::Result<()> {
        let (bytes, guest) = self.memory.data_and_store_mut(&mut store);
        let numbers = session(guest.desk.session());
        for (place, number) in place::<40>(bytes, result, 8)?.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        Ok(())
    }

    /// Puts the argument of `initialize` into the guest; where it is.
    pub(crate) fn config(
        &self,
        mut store: impl AsContextMut<Data = Guest>,
        config: &StrategyConfig,
    ) -> wasmtime::Result<u32> {
        let symbol = config.symbol.as_bytes();
        let text = self.allocate(&mut store, 1, symbol.len())?;
        self.memory.data_mut(&mut store)[text..text + symbol.len()].copy_from_slice(symbol);
        let record = self.allocate(&mut store, 8, CONFIG_BYTES)?;
        let bytes = write_config(config, (text as u32, symbol.len() as u32));
        self.memory.data_mut(&mut store)[record..record + CONFIG_BYTES].copy_from_slice(&bytes);
        Ok(record as u32)
    }
}

/// `BYTES` of a guest's memory at an address that it gave, which must be a multiple of `align`.
fn place<const BYTES: usize>(memory: &mut [u8], start: u32, align: u32) -> wasmtime::Result<&mut [u8; BYTES]> {
    let place = memory.get_mut(start as usize..).and_then(|bytes| bytes.first_chunk_mut());
    let place = place.filter(|_| start.is_multiple_of(align));
    Ok(place.ok_or(Stop::Breach("a result that is not in memory"))?)
}

#[cfg(test)]
mod tests {
    use assay_model::{Display, Phase, PostOnly, Reason, Side, TimeInForce, Trigger};
    use wit_parser::{Resolve, TypeDefKind};

    const WIT: &str = include_str!("../../../guest-sdk/wit/strategy.wit");
    const PYTHON: &str = include_str!("../../../guest-sdk/python/assay/orders.py");

    /// `AllCancelled` as `all-cancelled`.
    fn kebab(name: &str) -> String {
        let mut kebab = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() && !kebab.is_empty() {
                kebab.push('-');
            }
            kebab.extend(letter.to_lowercase());
        }
        kebab
    }

    /// The cases of an enum of the WIT file.
    fn cases(name: &str) -> Vec<String> {
        let mut resolve = Resolve::default();
        resolve.push_str("strategy.wit", WIT).expect("the interface is valid");
        let mut types = resolve.types.iter();
        let (_, found) = types.find(|(_, found)| found.name.as_deref() == Some(name)).expect("the type exists");
        match &found.kind {
            TypeDefKind::Enum(cases) => cases.cases.iter().map(|case| case.name.clone()).collect(),
            other => panic!("{name} is {other:?}"),
        }
    }

    /// The members of an `IntEnum` of the Python SDK, as the WIT file would spell them, and their numbers.
    fn members(class: &str) -> Vec<(String, usize)> {
        let start = format!("\nclass {class}(enum.IntEnum):\n");
        let (_, rest) = PYTHON.split_once(start.as_str()).expect("the class exists");
        let body = rest.split("\nclass ").next().unwrap_or_default();
        body.lines()
            .filter_map(|line| {
                let (name, number) = line.strip_prefix("    ")?.split_once(" = ")?;
                Some((name.to_lowercase().replace('_', "-"), number.parse().ok()?))
            })
            .collect()
    }

    #[test]
    fn terms_are_numbered_as_in_the_wit_file_and_in_python() {
        let terms = [
            ("TimeInForce", TimeInForce::ALL.map(|term| (kebab(&format!("{term:?}")), term as usize)).to_vec()),
            ("Display", Display::ALL.map(|term| (kebab(&format!("{term:?}")), term as usize)).to_vec()),
            ("PostOnly", PostOnly::ALL.map(|term| (kebab(&format!("{term:?}")), term as usize)).to_vec()),
            ("Trigger", Trigger::ALL.map(|term| (kebab(&format!("{term:?}")), term as usize)).to_vec()),
        ];
        for (name, ours) in terms {
            let wit: Vec<(String, usize)> = cases(&kebab(name)).into_iter().zip(0..).collect();
            assert_eq!(ours, wit, "{name}: assay_model (left) and strategy.wit (right)");
            assert_eq!(ours, members(name), "{name}: assay_model (left) and orders.py (right)");
        }
    }

    #[test]
    fn enums_are_numbered_as_in_the_wit_file() {
        let reasons: Vec<String> = Reason::ALL.iter().map(|reason| kebab(&format!("{reason:?}"))).collect();
        assert_eq!(cases("reason"), reasons);
        assert!(Reason::ALL.iter().enumerate().all(|(number, reason)| *reason as usize == number));
        assert_eq!(cases("side"), ["buy", "sell"]);
        assert_eq!(cases("maybe-side"), ["none", "buy", "sell"]);
        assert_eq!([None, Some(Side::Buy), Some(Side::Sell)].map(super::maybe_side), [0, 1, 2]);
        let phases: Vec<String> = Phase::ALL.iter().map(|phase| kebab(&format!("{phase:?}"))).collect();
        assert_eq!(cases("phase"), phases);
        assert!(Phase::ALL.iter().enumerate().all(|(number, phase)| *phase as usize == number));
        use super::Status::{
            Accepted, AllCancelled, Cancelled, Filled, Modified, PartiallyFilled, Reduced, Rejected, Triggered,
        };
        for (name, status) in [
            ("accepted", Accepted),
            ("partially-filled", PartiallyFilled),
            ("filled", Filled),
            ("cancelled", Cancelled),
            ("all-cancelled", AllCancelled),
            ("modified", Modified),
            ("reduced", Reduced),
            ("rejected", Rejected),
            ("triggered", Triggered),
        ] {
            assert_eq!(cases("status")[status as usize], name);
        }
        assert_eq!(cases("status").len(), 9);
    }
}
