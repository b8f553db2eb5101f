//! What a strategy can do.
//!
//! [`Host`] lists the calls once; both ways of running a strategy implement it, and [`Exchange`] is what strategies see of it. In
//! WebAssembly the host is a type without size whose methods are the imports, natively it is a trait object: strategies write
//! `&mut Exchange` for both.

use crate::{
    Duration, Level, Limit, OpenOrder, Order, OrderId, Price, Quantity, Quote, RequestId, SessionState, Side, Symbol,
    Time, Trade,
};

/// The other side of [`Exchange`]: what runs the strategy. Strategies have no use for it.
#[expect(missing_docs, reason = "each method is the one of the same name on `Exchange`")]
pub trait Host {
    fn limit(&mut self, order: Limit) -> OrderId;
    fn market(&mut self, side: Side, quantity: Quantity) -> OrderId;
    fn order(&mut self, order: Order) -> OrderId;
    fn cancel(&mut self, order: OrderId) -> RequestId;
    fn cancel_all(&mut self) -> RequestId;
    fn modify(&mut self, order: OrderId, price: Price, quantity: Quantity) -> RequestId;
    fn reduce(&mut self, order: OrderId, by: Quantity) -> RequestId;
    fn replace(&mut self, order: OrderId, price: Price, quantity: Quantity) -> OrderId;
    fn symbol(&self) -> Symbol;
    fn select(&mut self, symbol: Symbol) -> Quote;
    fn symbol_name(&self, number: u32) -> String;
    fn depth(&self, side: Side, levels: u32) -> Vec<Level>;
    fn trades(&self, count: u32) -> Vec<Trade>;
    fn new_trades(&mut self) -> Vec<Trade>;
    fn session(&self) -> SessionState;
    fn queue_ahead(&mut self, order: OrderId) -> Option<u64>;
    fn open_orders(&self) -> Vec<OpenOrder>;
    fn position(&self) -> i64;
    fn cash(&self) -> i64;
    fn average_cost(&self) -> Option<f64>;
    fn realised(&self) -> i64;
    fn fees(&self) -> i64;
    fn wake_at(&mut self, time: Time);
    fn mute_market_data(&mut self);
    fn log(&mut self, message: &str);
    fn random(&mut self) -> u64;
    /// A host that sets no parameters leaves them at their defaults.
    fn parameter(&self, index: u32, default: f64) -> f64 {
        _ = index;
        default
    }
}

/// In WebAssembly the host is known when the strategy is compiled, so its calls are direct.
#[cfg(target_family = "wasm")]
type DefaultHost = crate::abi::Imports;
/// Natively one compiled strategy runs against any host.
#[cfg(not(target_family = "wasm"))]
type DefaultHost = dyn Host;

/// Your line to the exchange: requests, and what you know of the market and of yourself. Strategies write `&mut Exchange`.
///
/// Requests return at once with an id; their answers arrive as order updates, at least two latencies later.
#[derive(Debug)]
pub struct Exchange<H: ?Sized = DefaultHost> {
    now: Time,
    quote: Quote,
    host: H,
}

/// Requests.
impl<H: Host + ?Sized> Exchange<H> {
    /// Sends a limit order: `exchange.limit(Limit::buy(price, quantity).post_only())`.
    pub fn limit(&mut self, order: Limit) -> OrderId {
        self.host.limit(order)
    }

    /// Sends a market order: trades at whatever the book offers, and what finds no liquidity is cancelled.
    pub fn market(&mut self, side: Side, quantity: Quantity) -> OrderId {
        self.host.market(side, quantity)
    }

    /// Sends an order with any of the rarer terms: `exchange.order(Order::limit(side, price, quantity).iceberg(shown))`.
    pub fn order(&mut self, order: Order) -> OrderId {
        self.host.order(order)
    }

    /// Cancels an order.
    pub fn cancel(&mut self, order: OrderId) -> RequestId {
        self.host.cancel(order)
    }

    /// Cancels all your resting orders in the selected symbol.
    pub fn cancel_all(&mut self) -> RequestId {
        self.host.cancel_all()
    }

    /// Sets an order's price and *remaining* quantity; its id stays. It keeps its place in the queue only if the price stays and the
    /// quantity does not grow.
    pub fn modify(&mut self, order: OrderId, price: Price, quantity: Quantity) -> RequestId {
        self.host.modify(order, price, quantity)
    }

    /// Cancels `by` shares of what remains of an order; it keeps its place in the queue. If that is all, the answer is `Cancelled`.
    pub fn reduce(&mut self, order: OrderId, by: Quantity) -> RequestId {
        self.host.reduce(order, by)
    }

    /// Cancels an order and enters a new one on the same side, as hidden and post-only as the old, atomically: you never have both.
    /// If the new one is rejected, because the old has ended by then or for its own sake, an old one that still rests stays.
    pub fn replace(&mut self, order: OrderId, price: Price, quantity: Quantity) -> OrderId {
        self.host.replace(order, price, quantity)
    }

    /// Asks for an extra `on_tick` at `time`, or now if that is past.
    pub fn wake_at(&mut self, time: Time) {
        self.host.wake_at(time);
    }

    /// Asks for an extra `on_tick` after `delay`.
    pub fn wake_in(&mut self, delay: Duration) {
        self.host.wake_at(self.now + delay);
    }

    /// No more `on_market_data`; [`quote`](Self::quote) stays fresh in the other callbacks. Once muted, it stays so.
    pub fn mute_market_data(&mut self) {
        self.host.mute_market_data();
    }

    /// Writes a line to the report.
    pub fn log(&mut self, message: impl AsRef<str>) {
        self.host.log(message.as_ref());
    }

    /// 64 random bits from this run's seed, the strategy's own.
    pub fn random(&mut self) -> u64 {
        self.host.random()
    }

    /// A random number in `0..bound` (Lemire 2019 without the rejection step: the bias is below `bound / 2^64`); 0 if `bound` is 0.
    pub fn random_below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.host.random()) * u128::from(bound)) >> 64) as u64
    }
}

/// For [`parameters!`](crate::parameters).
impl<H: Host + ?Sized> Exchange<H> {
    /// What the parameter of this number is set to, or `default`.
    #[doc(hidden)]
    #[must_use]
    pub fn parameter(&self, index: u32, default: f64) -> f64 {
        self.host.parameter(index, default)
    }
}

/// Markets with several symbols. Each callback is about one, which is then selected: `quote`, `depth`, `position`, `open_orders` and
/// new orders are of the selected symbol, and so are trades, session, average cost and what was realised. `on_tick` is about the first.
/// Cash is one.
impl<H: Host + ?Sized> Exchange<H> {
    /// Every symbol with its name, the first first.
    #[must_use]
    pub fn symbols(&self) -> Vec<(Symbol, String)> {
        let named = |number| (Symbol::from_number(number), self.host.symbol_name(number));
        (0..).map(named).take_while(|(_, name)| !name.is_empty()).collect()
    }

    /// The symbol of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.symbols().into_iter().find(|(_, found)| found == name).map(|(symbol, _)| symbol)
    }

    /// The symbol that is selected: at first the one that this callback is about.
    #[must_use]
    pub fn symbol(&self) -> Symbol {
        self.host.symbol()
    }

    /// Selects a symbol until the end of the callback. One that the market does not have ends the strategy.
    pub fn select(&mut self, symbol: Symbol) {
        self.quote = self.host.select(symbol);
    }
}

/// What you know.
impl<H: Host + ?Sized> Exchange<H> {
    /// The time of this callback.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// The newest quote that has reached you; empty before the first.
    #[must_use]
    pub fn quote(&self) -> Quote {
        self.quote
    }

    /// Up to `levels` (at most 10) price levels as of the last quote, best first. Dearer than [`quote`](Self::quote).
    #[must_use]
    pub fn depth(&self, side: Side, levels: u32) -> Vec<Level> {
        self.host.depth(side, levels)
    }

    /// The last `count` trades on the tape that have reached you, oldest first; 1,000 are kept.
    #[must_use]
    pub fn trades(&self, count: u32) -> Vec<Trade> {
        self.host.trades(count)
    }

    /// The trades that have reached you since you last asked, oldest first. Each is told once.
    pub fn new_trades(&mut self) -> Vec<Trade> {
        self.host.new_trades()
    }

    /// Whether the market trades, is halted or collects orders for an auction, as of the last market data.
    #[must_use]
    pub fn session(&self) -> SessionState {
        self.host.session()
    }

    /// Visible shares that stand before this order of yours at its price, as of the last market data; `None` if that is not known: the order does
    /// not rest, or no market data has arrived since you first asked about it. The 16 orders last asked about are followed.
    pub fn queue_ahead(&mut self, order: OrderId) -> Option<u64> {
        self.host.queue_ahead(order)
    }

    /// Your orders that have not ended, as far as you have heard, oldest first; those under way included.
    #[must_use]
    pub fn open_orders(&self) -> Vec<OpenOrder> {
        self.host.open_orders()
    }

    /// Shares you hold; negative when short.
    #[must_use]
    pub fn position(&self) -> i64 {
        self.host.position()
    }

    /// Your cash in cents, fees paid; may be negative.
    #[must_use]
    pub fn cash(&self) -> i64 {
        self.host.cash()
    }

    /// The average price in cents that you paid for the shares you hold (or got for those you are short), fees left out; `None` when flat.
    /// Known to a thousandth of a cent.
    #[must_use]
    pub fn average_cost(&self) -> Option<f64> {
        self.host.average_cost()
    }

    /// Cents that closed shares earned against their average cost, fees left out.
    #[must_use]
    pub fn realised(&self) -> i64 {
        self.host.realised()
    }

    /// Fees charged so far, less rebates, in cents; `cash` has paid them already.
    #[must_use]
    pub fn fees(&self) -> i64 {
        self.host.fees()
    }
}

/// For what runs the strategy.
impl<H: Host> Exchange<H> {
    /// A line to `host`.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(host: H) -> Self {
        Self { now: Time(0), quote: Quote { bid: None, ask: None, last: None, volume: 0 }, host }
    }

    /// The host.
    #[doc(hidden)]
    #[must_use]
    pub const fn host(&self) -> &H {
        &self.host
    }

    /// The host.
    #[doc(hidden)]
    #[must_use]
    pub const fn host_mut(&mut self) -> &mut H {
        &mut self.host
    }
}

impl<H: ?Sized> Exchange<H> {
    /// A callback begins, with what the host knows at that time.
    #[inline]
    pub(crate) fn begin(&mut self, now: Time, quote: &Quote) {
        self.now = now;
        self.quote = *quote;
    }

    /// A callback begins and the last quote stands.
    pub(crate) fn begin_at(&mut self, now: Time) {
        self.now = now;
    }
}
