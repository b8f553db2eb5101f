//! The component model's canonical ABI for `wit/strategy.wit`, by hand: what a bindings generator would write.
//!
//! Invariants: callbacks carry scalars and allocate nothing; WebAssembly here has one thread; a callback cannot come during a
//! callback, because the component model forbids it and the [`Seat`]'s `RefCell` checks it; a panic ends the instance.

#![expect(unsafe_code, reason = "the ABI passes lists and strings as addresses")]

use crate::wire::{self, RawLevel, RawOpenOrder, RawOrder, RawQuote, RawSession, RawTrade};
use crate::{
    Config, Exchange, Host, Level, Limit, OpenOrder, Order, OrderId, OrderUpdate, Price, Quantity, Quote, RequestId,
    SessionState, Side, Strategy, Symbol, Time, Trade,
};
use std::alloc::{self, Layout};
use std::cell::RefCell;
use std::panic::PanicHookInfo;

/// The imports as the canonical ABI flattens them.
mod import {
    use super::{List, RawLevel, RawOpenOrder, RawQuote, RawSession, RawTrade};

    #[link(wasm_import_module = "assay:strategy/exchange@0.2.0")]
    unsafe extern "C" {
        #[link_name = "limit"]
        pub(super) safe fn limit(side: u32, price: i64, quantity: u64, hidden: u32, post_only: u32) -> u64;
        #[link_name = "market"]
        pub(super) safe fn market(side: u32, quantity: u64) -> u64;
        #[link_name = "order"]
        #[rustfmt::skip]
        pub(super) safe fn order(
            side: u32,
            price: i64,
            quantity: u64,
            time_in_force: u32,
            expires: u64,
            display: u32,
            shown: u64,
            post_only: u32,
            trigger: u32,
            trigger_at: i64,
        ) -> u64;
        #[link_name = "cancel"]
        pub(super) safe fn cancel(order: u64) -> u64;
        #[link_name = "cancel-all"]
        pub(super) safe fn cancel_all() -> u64;
        #[link_name = "modify"]
        pub(super) safe fn modify(order: u64, price: i64, quantity: u64) -> u64;
        #[link_name = "reduce"]
        pub(super) safe fn reduce(order: u64, by: u64) -> u64;
        #[link_name = "replace"]
        pub(super) safe fn replace(order: u64, price: i64, quantity: u64) -> u64;
        #[link_name = "symbol"]
        pub(super) safe fn symbol() -> u32;
        #[link_name = "select"]
        pub(super) fn select(symbol: u32, result: *mut RawQuote);
        #[link_name = "symbol-name"]
        pub(super) fn symbol_name(symbol: u32, result: *mut List<u8>);
        #[link_name = "depth"]
        pub(super) fn depth(side: u32, levels: u32, result: *mut List<RawLevel>);
        #[link_name = "trades"]
        pub(super) fn trades(count: u32, result: *mut List<RawTrade>);
        #[link_name = "new-trades"]
        pub(super) fn new_trades(result: *mut List<RawTrade>);
        #[link_name = "session"]
        pub(super) fn session(result: *mut RawSession);
        #[link_name = "queue-ahead"]
        pub(super) safe fn queue_ahead(order: u64) -> i64;
        #[link_name = "open-orders"]
        pub(super) fn open_orders(result: *mut List<RawOpenOrder>);
        #[link_name = "position"]
        pub(super) safe fn position() -> i64;
        #[link_name = "cash"]
        pub(super) safe fn cash() -> i64;
        #[link_name = "average-cost"]
        pub(super) safe fn average_cost() -> i64;
        #[link_name = "realised"]
        pub(super) safe fn realised() -> i64;
        #[link_name = "fees"]
        pub(super) safe fn fees() -> i64;
        #[link_name = "wake-at"]
        pub(super) safe fn wake_at(time: u64);
        #[link_name = "mute-market-data"]
        pub(super) safe fn mute_market_data();
        #[link_name = "log"]
        pub(super) fn log(text: *const u8, length: usize);
        #[link_name = "random"]
        pub(super) safe fn random() -> u64;
        #[link_name = "parameter"]
        pub(super) safe fn parameter(index: u32, default: f64) -> f64;
        #[link_name = "panicked"]
        pub(super) fn panicked(text: *const u8, length: usize);
    }
}

/// A list as an import returns it: memory from `cabi_realloc`, now ours.
#[derive(Debug)]
#[repr(C)]
pub struct List<T> {
    start: *mut T,
    length: usize,
}

impl<T> List<T> {
    const EMPTY: Self = Self { start: std::ptr::null_mut(), length: 0 };

    /// # Safety
    /// `self` was filled in by an import that returns a list of `T`.
    unsafe fn into_vec(self) -> Vec<T> {
        if self.length == 0 {
            return Vec::new();
        }
        // SAFETY: the ABI allocates exactly `length` elements by `cabi_realloc`, which uses the global allocator, and fills them.
        unsafe { Vec::from_raw_parts(self.start, self.length, self.length) }
    }
}

/// The host, as seen from inside.
#[derive(Debug)]
pub struct Imports(());

impl Host for Imports {
    #[inline]
    fn limit(&mut self, Limit { side, price, quantity, hidden, post_only }: Limit) -> OrderId {
        OrderId::from_number(import::limit(
            side as u32,
            price.cents(),
            quantity.shares(),
            hidden.into(),
            post_only.into(),
        ))
    }
    #[inline]
    fn market(&mut self, side: Side, quantity: Quantity) -> OrderId {
        OrderId::from_number(import::market(side as u32, quantity.shares()))
    }
    #[rustfmt::skip]
    fn order(&mut self, order: Order) -> OrderId {
        let RawOrder {
            side, price, quantity, time_in_force, expires, display, shown, post_only, trigger, trigger_at,
        } = order.into();
        OrderId::from_number(import::order(
            side, price, quantity, time_in_force, expires, display, shown, post_only, trigger, trigger_at,
        ))
    }
    #[inline]
    fn cancel(&mut self, order: OrderId) -> RequestId {
        RequestId::from_number(import::cancel(order.number()))
    }
    #[inline]
    fn cancel_all(&mut self) -> RequestId {
        RequestId::from_number(import::cancel_all())
    }
    #[inline]
    fn modify(&mut self, order: OrderId, price: Price, quantity: Quantity) -> RequestId {
        RequestId::from_number(import::modify(order.number(), price.cents(), quantity.shares()))
    }
    #[inline]
    fn reduce(&mut self, order: OrderId, by: Quantity) -> RequestId {
        RequestId::from_number(import::reduce(order.number(), by.shares()))
    }
    #[inline]
    fn replace(&mut self, order: OrderId, price: Price, quantity: Quantity) -> OrderId {
        OrderId::from_number(import::replace(order.number(), price.cents(), quantity.shares()))
    }
    #[inline]
    fn symbol(&self) -> Symbol {
        Symbol::from_number(import::symbol())
    }
    fn select(&mut self, symbol: Symbol) -> Quote {
        let mut raw = RawQuote::default();
        // SAFETY: the import writes a quote to where `raw` is.
        unsafe { import::select(symbol.number(), &mut raw) };
        raw.into()
    }
    fn symbol_name(&self, number: u32) -> String {
        let mut list = List::EMPTY;
        // SAFETY: the import writes a string's address and length to where `list` is.
        let bytes = unsafe {
            import::symbol_name(number, &mut list);
            list.into_vec()
        };
        String::from_utf8_lossy(&bytes).into_owned()
    }
    fn depth(&self, side: Side, levels: u32) -> Vec<Level> {
        let mut list = List::EMPTY;
        // SAFETY: the import writes a list to where `list` is.
        let raw = unsafe {
            import::depth(side as u32, levels, &mut list);
            list.into_vec()
        };
        raw.into_iter().map(Level::from).collect()
    }
    fn trades(&self, count: u32) -> Vec<Trade> {
        let mut list = List::EMPTY;
        // SAFETY: the import writes a list to where `list` is.
        let raw = unsafe {
            import::trades(count, &mut list);
            list.into_vec()
        };
        raw.into_iter().map(Trade::from).collect()
    }
    fn new_trades(&mut self) -> Vec<Trade> {
        let mut list = List::EMPTY;
        // SAFETY: the import writes a list to where `list` is.
        let raw = unsafe {
            import::new_trades(&mut list);
            list.into_vec()
        };
        raw.into_iter().map(Trade::from).collect()
    }
    fn session(&self) -> SessionState {
        let mut raw = RawSession::default();
        // SAFETY: the import writes a session's state to where `raw` is.
        unsafe { import::session(&mut raw) };
        raw.into()
    }
    #[inline]
    fn queue_ahead(&mut self, order: OrderId) -> Option<u64> {
        wire::queue_ahead(import::queue_ahead(order.number()))
    }
    fn open_orders(&self) -> Vec<OpenOrder> {
        let mut list = List::EMPTY;
        // SAFETY: the import writes a list to where `list` is.
        let raw = unsafe {
            import::open_orders(&mut list);
            list.into_vec()
        };
        raw.into_iter().map(OpenOrder::from).collect()
    }
    #[inline]
    fn position(&self) -> i64 {
        import::position()
    }
    #[inline]
    fn cash(&self) -> i64 {
        import::cash()
    }
    #[inline]
    fn average_cost(&self) -> Option<f64> {
        wire::average_cost(import::average_cost())
    }
    #[inline]
    fn realised(&self) -> i64 {
        import::realised()
    }
    #[inline]
    fn fees(&self) -> i64 {
        import::fees()
    }
    #[inline]
    fn wake_at(&mut self, time: Time) {
        import::wake_at(time.0);
    }
    fn mute_market_data(&mut self) {
        import::mute_market_data();
    }
    fn log(&mut self, message: &str) {
        // SAFETY: the host reads the text during the call only.
        unsafe { import::log(message.as_ptr(), message.len()) }
    }
    #[inline]
    fn random(&mut self) -> u64 {
        import::random()
    }
    #[inline]
    fn parameter(&self, index: u32, default: f64) -> f64 {
        import::parameter(index, default)
    }
}

/// Where a component's one strategy sits.
#[derive(Debug)]
pub struct Seat<S>(RefCell<(Exchange, Option<S>)>);

// SAFETY: the module has no shared memory, hence one thread.
unsafe impl<S> Sync for Seat<S> {}

impl<S> Seat<S> {
    /// An empty seat.
    #[must_use]
    pub const fn empty() -> Self {
        Self(RefCell::new((Exchange::new(Imports(())), None)))
    }
}

impl<S: Strategy> Seat<S> {
    /// Runs a callback on the strategy.
    #[inline]
    fn call(&self, callback: impl FnOnce(&mut S, &mut Exchange)) {
        let (exchange, strategy) = &mut *self.0.borrow_mut();
        callback(strategy.as_mut().expect("`initialize` is the first callback"), exchange);
    }

    /// Makes the strategy.
    pub fn initialize(&self, config: Config) {
        std::panic::set_hook(Box::new(report));
        let (exchange, strategy) = &mut *self.0.borrow_mut();
        *strategy = Some(S::initialize(&config, exchange));
    }

    /// `on-tick`
    #[inline]
    pub fn on_tick(&self, now: u64, quote: Quote) {
        self.call(|strategy, exchange| {
            exchange.begin(Time(now), &quote);
            strategy.on_tick(exchange);
        });
    }

    /// `on-market-data`
    #[inline]
    pub fn on_market_data(&self, now: u64, quote: Quote) {
        self.call(|strategy, exchange| {
            exchange.begin(Time(now), &quote);
            strategy.on_market_data(&quote, exchange);
        });
    }

    /// `on-order-update`
    #[inline]
    pub fn on_order_update(&self, now: u64, quote: Quote, update: OrderUpdate) {
        self.call(|strategy, exchange| {
            exchange.begin(Time(now), &quote);
            strategy.on_order_update(&update, exchange);
        });
    }

    /// `on-simulation-end`
    #[inline]
    pub fn on_simulation_end(&self, now: u64) {
        self.call(|strategy, exchange| {
            exchange.begin_at(Time(now));
            strategy.on_simulation_end(exchange);
        });
    }
}

/// The argument of `initialize`, which has too many fields to be passed flat.
pub type RawConfig = wire::RawConfig<List<u8>>;

/// The argument of `initialize`: memory from `cabi_realloc`, which is the global allocator's, so the address that the host passes is a box.
/// Safe code has no way to make one, because it has no way to make a [`List`].
#[must_use]
pub fn config(raw: Box<RawConfig>) -> Config {
    let mut raw = *raw;
    let symbol = std::mem::replace(&mut raw.symbol, List::EMPTY);
    // SAFETY: only the host makes records with a list in it, and it has filled this one in.
    let bytes = unsafe { symbol.into_vec() };
    wire::config(String::from_utf8_lossy(&bytes).into_owned(), &raw)
}

/// Where the host writes lists and strings that it passes in.
///
/// # Safety
/// As the canonical ABI calls it: `old` is null, or `old_size` bytes at `align` that an earlier call returned.
#[unsafe(export_name = "cabi_realloc")]
unsafe extern "C" fn cabi_realloc(old: *mut u8, old_size: usize, align: usize, size: usize) -> *mut u8 {
    if size == 0 {
        return std::ptr::without_provenance_mut(align);
    }
    // SAFETY: `align` is a power of two and the sizes are in bounds, by the ABI; `old` came from here.
    let (layout, start) = unsafe {
        let layout = Layout::from_size_align_unchecked(size, align);
        if old_size == 0 {
            (layout, alloc::alloc(layout))
        } else {
            (layout, alloc::realloc(old, Layout::from_size_align_unchecked(old_size, align), size))
        }
    };
    if start.is_null() {
        alloc::handle_alloc_error(layout);
    }
    start
}

/// Tells the host why the trap that follows.
fn report(info: &PanicHookInfo<'_>) {
    let why = info.payload_as_str().unwrap_or("a panic without a message");
    let message = match info.location() {
        Some(place) => format!("{}:{}:{}: {why}", place.file(), place.line(), place.column()),
        None => why.to_owned(),
    };
    // SAFETY: the host reads the text during the call only.
    unsafe { import::panicked(message.as_ptr(), message.len()) }
}
