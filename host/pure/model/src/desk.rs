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

use crate::holding::Holding;
use crate::{
    Fee, Level, Nanos, OrderId, OrderUpdate, Print, Quote, Request, RequestId, RequestKind, SYMBOLS_MAX, Seed,
    SessionState, Side, Stream, SymbolIndex, Time, UpdateKind,
};
use std::collections::{BTreeMap, VecDeque};

/// Levels of depth published to a trader, a side.
pub const DEPTH_LEVELS: usize = 10;
/// Requests one callback may submit: far above any sensible re-quote, far below what would swamp the event queue.
pub const REQUESTS_PER_CALLBACK_MAX: usize = 1_000;
/// Wake-up timers one callback may set.
pub const WAKEUPS_PER_CALLBACK_MAX: usize = 100;
/// Trade prints kept for a trader, a symbol: more than any burst of a second, little enough to hand over in one call.
pub const PRINTS_KEPT: usize = 1_000;
/// Orders whose place in the queue a trader may follow at a time, in all symbols: both sides of a ladder of eight. The exchange counts for each of them.
pub const FOLLOWED_MAX: usize = 16;
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
    /// From when on the market may close. It does so at an instant that is drawn for each episode and that nobody is told, at most
    /// `close_window` later.
    pub market_close: Time,
    /// How long after `market_close` the market closes at the latest; zero: it closes then.
    pub close_window: Nanos,
    /// One-way latency to the exchange, at least.
    pub latency: Nanos,
    /// Time between `on_tick` calls; zero means never.
    pub tick_interval: Nanos,
    /// What the strategy is held to and charged.
    pub terms: StrategyTerms,
}

/// The limits and prices under which a strategy trades.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StrategyTerms {
    /// Shares it may come to hold, long or short, should all its orders trade.
    pub position_limit: u64,
    /// Cents that it may lose before it is taken out; zero: no such limit.
    pub loss_limit: i64,
    /// Capital that a share bought ties up, in millionths of its value; zero: none.
    pub margin_long: u32,
    /// The same for a share sold short.
    pub margin_short: u32,
    /// Capital below which a position is closed out, in millionths of its value; zero: never.
    pub maintenance_margin: u32,
    /// What a fill costs that made liquidity.
    pub maker_fee: Fee,
    /// What a fill costs that took liquidity.
    pub taker_fee: Fee,
    /// How far from its reference a limit price may be, in hundredths of a per cent; zero: any distance.
    pub price_band: u32,
    /// Picoseconds by which a unit of fuel delays what comes after it; zero: computing takes no time.
    pub picoseconds_per_fuel: u64,
}

impl StrategyTerms {
    /// A venue without fees, margin or price band, and 5,000 shares.
    pub const FREE: Self = Self {
        position_limit: 5_000,
        loss_limit: 0,
        margin_long: 0,
        margin_short: 0,
        maintenance_margin: 0,
        maker_fee: Fee::NONE,
        taker_fee: Fee::NONE,
        price_band: 0,
        picoseconds_per_fuel: 0,
    };
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

/// A request that has left the trader's hands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queued {
    /// What it is about.
    pub symbol: SymbolIndex,
    /// The request.
    pub request: Request,
    /// Fuel that the callback had spent by then, as far as it is known: see [`Desk::set_fuel_spent`].
    pub fuel: u64,
}

/// What the trader has of one symbol.
#[derive(Debug, Default)]
struct View {
    name: String,
    quote: Quote,
    bids: Vec<Level>,
    asks: Vec<Level>,
    holding: Holding,
    /// The last [`PRINTS_KEPT`], oldest first.
    prints: VecDeque<Print>,
    /// How many of them the trader has not asked for yet.
    prints_unread: usize,
    session: SessionState,
    /// Shares ahead of the orders followed, by order.
    queue: Vec<(OrderId, u64)>,
    /// Whether the book has ever had both sides.
    has_had_both_sides: bool,
}

/// See the module documentation.
#[derive(Debug)]
pub struct Desk {
    now: Time,
    views: Vec<View>,
    selected: SymbolIndex,
    cash: i64,
    fees: i64,
    open: BTreeMap<OrderId, OpenOrder>,
    last_id: u64,
    /// Side of the order that the last update was about, if it is known.
    update_side: Option<Side>,
    /// Orders whose place in the queue is asked for, the latest last.
    followed: Vec<OrderId>,
    outbox: Vec<Queued>,
    /// By the running callback.
    fuel_spent: u64,
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
            fees: 0,
            open: BTreeMap::new(),
            last_id: 0,
            update_side: None,
            followed: Vec::new(),
            outbox: Vec::new(),
            fuel_spent: 0,
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
        self.view().holding.shares()
    }

    /// Average price at which the shares held were bought, or sold when short, in thousandths of a cent; fees are left out.
    #[must_use]
    pub fn average_cost(&self) -> Option<i64> {
        self.view().holding.average_cost()
    }

    /// What shares that have been closed earned against their average cost, in cents; fees are left out.
    #[must_use]
    pub fn realised(&self) -> i64 {
        self.view().holding.realised()
    }

    /// Fees charged so far less rebates, in cents, over all symbols. Cash has paid them already.
    #[must_use]
    pub fn fees(&self) -> i64 {
        self.fees
    }

    /// The state of the session as of the last market data.
    #[must_use]
    pub fn session(&self) -> &SessionState {
        &self.view().session
    }

    /// How many prints are kept, and how many of those have not been [taken](Self::take_prints).
    #[must_use]
    pub fn print_counts(&self) -> (usize, usize) {
        (self.view().prints.len(), self.view().prints_unread)
    }

    /// The last `count` prints that have arrived, oldest first; at most [`PRINTS_KEPT`].
    pub fn prints(&self, count: usize) -> impl Iterator<Item = &Print> {
        let prints = &self.view().prints;
        prints.iter().skip(prints.len().saturating_sub(count))
    }

    /// The prints that have arrived since this was last asked, oldest first; of more than [`PRINTS_KEPT`] the last.
    pub fn take_prints(&mut self) -> impl Iterator<Item = &Print> {
        let symbol = self.selected;
        let unread = std::mem::take(&mut self.view_mut(symbol).prints_unread);
        self.prints(unread)
    }

    /// Visible shares that stand before this order of the trader's own at its price, as of the last market data; `None` if that is not known: the
    /// order does not rest, or has not been asked about before. To ask is to follow: the answer is there from the next market data on,
    /// until [`FOLLOWED_MAX`] other orders have been asked about.
    pub fn queue_ahead(&mut self, order: OrderId) -> Option<u64> {
        let symbol = self.open.get(&order).map(|order| order.symbol)?;
        self.followed.retain(|followed| *followed != order);
        if self.followed.len() >= FOLLOWED_MAX {
            self.followed.remove(0);
        }
        self.followed.push(order);
        let queue = &self.views[usize::from(symbol.0)].queue;
        queue.iter().find(|(id, _)| *id == order).map(|(_, ahead)| *ahead)
    }

    /// Side of the order that the update of this callback is about; `None` if the order is not known.
    #[must_use]
    pub fn update_side(&self) -> Option<Side> {
        self.update_side
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
        self.outbox.push(Queued { symbol, request: Request { id, kind }, fuel: self.fuel_spent });
        Ok(id)
    }

    /// Says how much fuel the callback has spent so far. What is submitted from here on is stamped with it: computing takes time, and a request cannot
    /// leave before what came before it has been computed. Of a trader whose work is not metered nobody says so, and it is 0.
    #[inline]
    pub fn set_fuel_spent(&mut self, fuel: u64) {
        self.fuel_spent = fuel;
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
        self.fuel_spent = 0;
    }

    /// Takes in published market data of `symbol`; `bids` and `asks` best first.
    pub fn receive_quote(&mut self, symbol: SymbolIndex, quote: Quote, bids: &[Level], asks: &[Level]) {
        let view = self.view_mut(symbol);
        view.quote = quote;
        view.has_had_both_sides |= quote.bid.is_some() && quote.ask.is_some();
        view.bids.clear();
        view.bids.extend_from_slice(&bids[..bids.len().min(DEPTH_LEVELS)]);
        view.asks.clear();
        view.asks.extend_from_slice(&asks[..asks.len().min(DEPTH_LEVELS)]);
    }

    /// Takes in trades of `symbol` that were published with its last quote, oldest first.
    pub fn receive_prints(&mut self, symbol: SymbolIndex, prints: &[Print]) {
        let view = self.view_mut(symbol);
        let prints = &prints[prints.len().saturating_sub(PRINTS_KEPT)..];
        let gone = (view.prints.len() + prints.len()).saturating_sub(PRINTS_KEPT);
        view.prints.drain(..gone);
        view.prints.extend(prints);
        view.prints_unread = (view.prints_unread + prints.len()).min(PRINTS_KEPT);
    }

    /// Takes in the state of `symbol`'s session.
    pub fn receive_session(&mut self, symbol: SymbolIndex, session: SessionState) {
        self.view_mut(symbol).session = session;
    }

    /// Takes in how many shares are ahead of orders in `symbol` that are followed.
    pub fn receive_queue(&mut self, symbol: SymbolIndex, queue: &[(OrderId, u64)]) {
        let view = self.view_mut(symbol);
        view.queue.clear();
        view.queue.extend_from_slice(queue);
    }

    /// Orders of any symbol whose place in the queue the trader wants to be told; at most [`FOLLOWED_MAX`].
    #[must_use]
    pub fn followed(&self) -> &[OrderId] {
        &self.followed
    }

    /// Whether the book of `symbol` has ever had both sides, as far as the trader has heard: before, there is no market to speak of.
    #[must_use]
    pub fn has_market(&self, symbol: SymbolIndex) -> bool {
        self.views[usize::from(symbol.0)].has_had_both_sides
    }

    /// Takes in an order update: position, cash and open orders follow.
    pub fn receive_update(&mut self, update: &OrderUpdate) {
        self.update_side = self.open.get(&update.order).map(|order| order.side);
        if let UpdateKind::Fill { price, quantity, .. } = update.kind
            && let Some(order) = self.open.get(&update.order)
        {
            let (symbol, signed) = (order.symbol, order.side.sign() * i64::from(quantity));
            self.view_mut(symbol).holding.trade(signed, price.cents());
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
            self.followed.retain(|followed| *followed != update.order);
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
        self.fees += fee;
        self.cash -= fee;
    }

    /// Whether the trader wants no callbacks at new quotes.
    #[must_use]
    pub fn is_market_data_muted(&self) -> bool {
        self.market_data_muted
    }

    /// Empties the outbox into `into`, in submission order.
    pub fn drain_requests(&mut self, into: &mut Vec<Queued>) {
        into.append(&mut self.outbox);
    }

    /// Empties the wake-up list into `into`.
    pub fn drain_wakeups(&mut self, into: &mut Vec<Time>) {
        into.append(&mut self.wakeups);
    }

    /// Log lines kept, and how many were dropped for lack of space.
    #[must_use]
    pub fn log_lines(&self) -> (&[LogLine], u64) {
        (&self.log, self.log_lines_dropped)
    }
}
