//! The desk: a trader's own view of the market and its outgoing requests.
//!
//! The market writes what the trader has *received* (quotes, depth, fills); the trader reads it and submits requests, which the
//! market collects after each callback. A guest in the sandbox and a native strategy use the same desk, so they see the same numbers.
//!
//! A market may have several symbols. Each callback is about one of them, which is then selected: quote, depth, position, open orders and
//! new orders are of the selected symbol until another is. Cash is one.
//!
//! Invariants: every buffer a guest can fill has a named limit; the position and cash follow fills only; `open` holds exactly the
//! orders that the trader has submitted and not yet seen end.

use crate::{
    Level, Nanos, OrderId, OrderUpdate, Quote, Request, RequestId, RequestKind, SYMBOLS_MAX, Seed, Side, Stream,
    SymbolIndex, Time, UpdateKind,
};
use std::collections::BTreeMap;

/// Levels of depth published to a trader, a side.
pub const DEPTH_LEVELS: usize = 10;
/// Requests one callback may submit: far above any sensible re-quote, far below what would swamp the event queue.
pub const REQUESTS_PER_CALLBACK_MAX: usize = 1_000;
/// Wake-up timers one callback may set.
pub const WAKEUPS_PER_CALLBACK_MAX: usize = 100;
/// Bytes of log kept for an episode; the rest is counted and dropped.
pub const LOG_BYTES_MAX: usize = 64 << 10;

/// What a strategy is told at the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrategyConfig {
    /// The traded symbol; the first of several.
    pub symbol: String,
    /// Cash at the start, in cents.
    pub starting_cash: i64,
    /// When the market opens for the strategy: the open of the session and the scenario's warm-up. Ticks begin then, and requests that
    /// arrive before are rejected; market data comes from the session's open on.
    pub market_open: Time,
    /// When the market closes.
    pub market_close: Time,
    /// One-way latency to the exchange, at least.
    pub latency: Nanos,
    /// Time between `on_tick` calls; zero means never.
    pub tick_interval: Nanos,
}

/// A limit of the desk that a trader ran into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeskLimit {
    /// More than [`REQUESTS_PER_CALLBACK_MAX`].
    Requests,
    /// More than [`WAKEUPS_PER_CALLBACK_MAX`].
    Wakeups,
}

/// One order the trader believes to be live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenOrder {
    /// Its id.
    pub id: OrderId,
    /// What it trades.
    pub symbol: SymbolIndex,
    /// Side.
    pub side: Side,
    /// Limit price in cents as submitted or last modified; 0 for a market order.
    pub price: i64,
    /// Remaining shares as last heard.
    pub remaining: u64,
    /// Whether the exchange has accepted it.
    pub accepted: bool,
}

/// A line that the strategy logged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogLine {
    /// When.
    pub at: Time,
    /// What; not trusted, may hold anything printable or not.
    pub text: String,
}

/// What the trader has of one symbol.
#[derive(Debug, Default)]
struct View {
    name: String,
    quote: Quote,
    bids: Vec<Level>,
    asks: Vec<Level>,
    position: i64,
}

/// See the module documentation.
#[derive(Debug)]
pub struct Desk {
    now: Time,
    views: Vec<View>,
    selected: SymbolIndex,
    cash: i64,
    open: BTreeMap<OrderId, OpenOrder>,
    last_id: u64,
    outbox: Vec<(SymbolIndex, Request)>,
    wakeups: Vec<Time>,
    market_data_muted: bool,
    log: Vec<LogLine>,
    log_bytes: usize,
    log_lines_dropped: u64,
    random: Stream,
}

impl Desk {
    /// A desk of one nameless symbol with no position and `starting_cash` cents; `seed` and `owner` key the strategy's random stream.
    #[must_use]
    pub fn new(seed: Seed, owner: &str, starting_cash: i64) -> Self {
        Self {
            now: Time(0),
            views: vec![View::default()],
            selected: SymbolIndex::FIRST,
            cash: starting_cash,
            open: BTreeMap::new(),
            last_id: 0,
            outbox: Vec::new(),
            wakeups: Vec::new(),
            market_data_muted: false,
            log: Vec::new(),
            log_bytes: 0,
            log_lines_dropped: 0,
            random: Stream::new(seed, owner, "strategy"),
        }
    }

    /// The same, for the symbols of these names.
    ///
    /// # Panics
    /// Unless there are 1 to [`SYMBOLS_MAX`] names.
    #[must_use]
    pub fn with_symbols(self, names: impl IntoIterator<Item = String>) -> Self {
        let views: Vec<View> = names.into_iter().map(|name| View { name, ..View::default() }).collect();
        assert!((1..=SYMBOLS_MAX).contains(&views.len()), "a market has 1 to {SYMBOLS_MAX} symbols");
        Self { views, ..self }
    }

    fn view(&self) -> &View {
        &self.views[usize::from(self.selected.0)]
    }

    fn view_mut(&mut self, symbol: SymbolIndex) -> &mut View {
        &mut self.views[usize::from(symbol.0)]
    }
}

/// What the trader reads and does.
impl Desk {
    /// The time of the current callback.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// The symbol that is selected: at first the one that the callback is about.
    #[must_use]
    pub fn selected(&self) -> SymbolIndex {
        self.selected
    }

    /// Selects a symbol until the end of the callback; false if there is none of that number.
    pub fn select(&mut self, number: u32) -> bool {
        let symbol = u8::try_from(number).ok().filter(|number| usize::from(*number) < self.views.len());
        self.selected = symbol.map_or(self.selected, SymbolIndex);
        symbol.is_some()
    }

    /// The name of the symbol of this number; empty if there is none.
    #[must_use]
    pub fn symbol_name(&self, number: u32) -> &str {
        self.views.get(number as usize).map_or("", |view| view.name.as_str())
    }

    /// The last quote received.
    #[must_use]
    pub fn quote(&self) -> &Quote {
        &self.view().quote
    }

    /// Depth as of the last quote, best first, at most [`DEPTH_LEVELS`].
    #[must_use]
    pub fn depth(&self, side: Side) -> &[Level] {
        match side {
            Side::Buy => &self.view().bids,
            Side::Sell => &self.view().asks,
        }
    }

    /// Shares held; negative when short.
    #[must_use]
    pub fn position(&self) -> i64 {
        self.view().position
    }

    /// Cash in cents, over all symbols.
    #[must_use]
    pub fn cash(&self) -> i64 {
        self.cash
    }

    /// Orders submitted and not known to have ended, oldest first.
    pub fn open_orders(&self) -> impl Iterator<Item = &OpenOrder> {
        self.open.values().filter(|order| order.symbol == self.selected)
    }

    /// How many orders of any symbol have been submitted and are not known to have ended.
    #[must_use]
    pub fn open_orders_all(&self) -> usize {
        self.open.len()
    }

    /// Queues a request and returns its id at once; the answer comes as an order update.
    ///
    /// # Errors
    /// [`DeskLimit::Requests`] when this callback has already submitted its fill.
    pub fn submit(&mut self, kind: RequestKind) -> Result<RequestId, DeskLimit> {
        if self.outbox.len() >= REQUESTS_PER_CALLBACK_MAX {
            return Err(DeskLimit::Requests);
        }
        self.last_id += 1;
        let id = RequestId(self.last_id);
        // Whoever names an order means its symbol.
        let named = match kind {
            RequestKind::Cancel { order }
            | RequestKind::Modify { order, .. }
            | RequestKind::Reduce { order, .. }
            | RequestKind::Replace { order, .. } => self.open.get(&order),
            _ => None,
        };
        let symbol = named.map_or(self.selected, |order| order.symbol);
        let order = match kind {
            RequestKind::Limit { side, price, quantity, .. } => Some((side, price, quantity)),
            RequestKind::Market { side, quantity } => Some((side, 0, quantity)),
            RequestKind::Order(terms) => Some((terms.side, i64::from(terms.price), u64::from(terms.quantity))),
            // A replace of an order we do not know is on its way to a rejection; its side cannot be known.
            RequestKind::Replace { price, quantity, .. } => named.map(|old| (old.side, price, quantity)),
            _ => None,
        };
        if let Some((side, price, remaining)) = order {
            self.open.insert(id, OpenOrder { id, symbol, side, price, remaining, accepted: false });
        }
        self.outbox.push((symbol, Request { id, kind }));
        Ok(id)
    }

    /// Asks for an extra `on_tick` at `at` (now, if that is past).
    ///
    /// # Errors
    /// [`DeskLimit::Wakeups`] when this callback has already set its fill.
    pub fn wake_at(&mut self, at: Time) -> Result<(), DeskLimit> {
        if self.wakeups.len() >= WAKEUPS_PER_CALLBACK_MAX {
            return Err(DeskLimit::Wakeups);
        }
        self.wakeups.push(at);
        Ok(())
    }

    /// Asks for no more callbacks at new quotes. The desk still takes them in.
    pub fn mute_market_data(&mut self) {
        self.market_data_muted = true;
    }

    /// Keeps a log line, or counts it as dropped once [`LOG_BYTES_MAX`] is reached.
    pub fn log(&mut self, text: &str) {
        // The line itself costs memory too, else empty lines would be free.
        let cost = text.len() + size_of::<LogLine>();
        if self.log_bytes + cost > LOG_BYTES_MAX {
            self.log_lines_dropped += 1;
        } else {
            self.log_bytes += cost;
            self.log.push(LogLine { at: self.now, text: text.to_owned() });
        }
    }

    /// The number of the last request; the next one has the number after it.
    #[must_use]
    pub fn last_request(&self) -> RequestId {
        RequestId(self.last_id)
    }

    /// Something that another random stream of the same strategy can be keyed by; draws nothing.
    #[must_use]
    pub fn random_key(&self) -> u64 {
        self.random.clone().bits()
    }

    /// 64 random bits from the strategy's own stream.
    pub fn random(&mut self) -> u64 {
        self.random.bits()
    }
}

/// What the market writes and collects.
impl Desk {
    /// Starts a callback at `now` about `symbol`, which is one of the market's.
    pub fn begin(&mut self, now: Time, symbol: SymbolIndex) {
        self.now = now;
        self.selected = symbol;
    }

    /// Takes in published market data of `symbol`; `bids` and `asks` best first.
    pub fn receive_quote(&mut self, symbol: SymbolIndex, quote: Quote, bids: &[Level], asks: &[Level]) {
        let view = self.view_mut(symbol);
        view.quote = quote;
        view.bids.clear();
        view.bids.extend_from_slice(&bids[..bids.len().min(DEPTH_LEVELS)]);
        view.asks.clear();
        view.asks.extend_from_slice(&asks[..asks.len().min(DEPTH_LEVELS)]);
    }

    /// Takes in an order update: position, cash and open orders follow.
    pub fn receive_update(&mut self, update: &OrderUpdate) {
        if let UpdateKind::Fill { price, quantity, .. } = update.kind
            && let Some(order) = self.open.get(&update.order)
        {
            let (symbol, signed) = (order.symbol, order.side.sign() * i64::from(quantity));
            self.view_mut(symbol).position += signed;
            self.cash -= signed * price.cents();
        }
        let ended = match update.kind {
            UpdateKind::Cancelled { .. } => true,
            UpdateKind::Fill { .. } => update.remaining == 0,
            // A rejected cancel or modify leaves its order alone; a rejected order never lived.
            UpdateKind::Rejected { .. } => update.request == update.order,
            _ => false,
        };
        if ended {
            self.open.remove(&update.order);
        } else if let Some(order) = self.open.get_mut(&update.order) {
            match update.kind {
                UpdateKind::Accepted => order.accepted = true,
                UpdateKind::Modified { price } => order.price = price.cents(),
                _ => {}
            }
            if !matches!(update.kind, UpdateKind::Rejected { .. }) {
                order.remaining = u64::from(update.remaining);
            }
        }
    }

    /// Charges a fee (negative: a rebate) in cents.
    pub fn charge(&mut self, fee: i64) {
        self.cash -= fee;
    }

    /// Whether the trader wants no callbacks at new quotes.
    #[must_use]
    pub fn is_market_data_muted(&self) -> bool {
        self.market_data_muted
    }

    /// Empties the outbox into `into`, in submission order, each with the symbol that it is about.
    pub fn drain_requests(&mut self, into: &mut Vec<(SymbolIndex, Request)>) {
        into.append(&mut self.outbox);
    }

    /// Empties the wake-up list into `into`.
    pub fn drain_wakeups(&mut self, into: &mut Vec<Time>) {
        into.append(&mut self.wakeups);
    }

    /// Log lines kept, and how many were dropped for want of room.
    #[must_use]
    pub fn log_lines(&self) -> (&[LogLine], u64) {
        (&self.log, self.log_lines_dropped)
    }
}
