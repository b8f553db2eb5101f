//! A market on paper for one strategy: one symbol, quotes come from a script, depth is endless at the touch, and there is no latency.
//!
//! It keeps the order protocol: every request gets exactly one terminal answer. A marketable order trades whole at the touch;
//! a resting one trades whole, at its own price, once the script's market has moved through it. Orders with rarer terms are refused.

use assay_sdk::native::{self, Driver};
use assay_sdk::*;
use std::collections::BTreeSet;

/// When the paper market opens.
pub(crate) const OPEN: Time = Time(1_000_000_000_000);
/// Length of its session.
pub(crate) const SESSION: Duration = Duration::from_secs(600);

/// What a strategy asked for, as it arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ask {
    Limit(Limit),
    Market(Side, u64),
    Order(Order),
    Cancel(OrderId),
    CancelAll,
    Modify(OrderId, Price, u64),
    Reduce(OrderId, u64),
    Replace(OrderId, Price, u64),
}

/// The host's state.
#[derive(Default)]
pub(crate) struct Paper {
    last_id: u64,
    outbox: Vec<(u64, Ask)>,
    resting: Vec<(OrderId, Limit)>,
    wakeups: BTreeSet<Time>,
    position: i64,
    cash: i64,
    random: u64,
    market_data_muted: bool,
    /// Lines logged.
    pub log: Vec<String>,
    /// Every request so far.
    pub asked: Vec<Ask>,
}

impl Paper {
    fn ask(&mut self, ask: Ask) -> u64 {
        self.last_id += 1;
        self.outbox.push((self.last_id, ask));
        self.asked.push(ask);
        self.last_id
    }
}

impl Host for Paper {
    fn limit(&mut self, order: Limit) -> OrderId {
        OrderId::from_number(self.ask(Ask::Limit(order)))
    }
    fn market(&mut self, side: Side, quantity: Quantity) -> OrderId {
        OrderId::from_number(self.ask(Ask::Market(side, quantity.shares())))
    }
    fn order(&mut self, order: Order) -> OrderId {
        OrderId::from_number(self.ask(Ask::Order(order)))
    }
    fn cancel(&mut self, order: OrderId) -> RequestId {
        RequestId::from_number(self.ask(Ask::Cancel(order)))
    }
    fn cancel_all(&mut self) -> RequestId {
        RequestId::from_number(self.ask(Ask::CancelAll))
    }
    fn modify(&mut self, order: OrderId, price: Price, quantity: Quantity) -> RequestId {
        RequestId::from_number(self.ask(Ask::Modify(order, price, quantity.shares())))
    }
    fn reduce(&mut self, order: OrderId, by: Quantity) -> RequestId {
        RequestId::from_number(self.ask(Ask::Reduce(order, by.shares())))
    }
    fn replace(&mut self, order: OrderId, price: Price, quantity: Quantity) -> OrderId {
        OrderId::from_number(self.ask(Ask::Replace(order, price, quantity.shares())))
    }
    fn symbol(&self) -> Symbol {
        Symbol::FIRST
    }
    fn select(&mut self, _: Symbol) -> Quote {
        Quote::default()
    }
    fn symbol_name(&self, number: u32) -> String {
        if number == 0 { "PAPER".to_owned() } else { String::new() }
    }
    fn depth(&self, _: Side, _: u32) -> Vec<Level> {
        Vec::new()
    }
    fn trades(&self, _: u32) -> Vec<Trade> {
        Vec::new()
    }
    fn new_trades(&mut self) -> Vec<Trade> {
        Vec::new()
    }
    fn session(&self) -> SessionState {
        SessionState { phase: Phase::Continuous, ..SessionState::default() }
    }
    fn queue_ahead(&mut self, order: OrderId) -> Option<u64> {
        // Nobody else is in this market.
        self.resting.iter().any(|(id, _)| *id == order).then_some(0)
    }
    fn open_orders(&self) -> Vec<OpenOrder> {
        let open = |&(id, order): &(OrderId, Limit)| OpenOrder {
            id,
            side: order.side,
            price: Some(order.price),
            remaining: order.quantity.shares(),
            accepted: true,
        };
        self.resting.iter().map(open).collect()
    }
    fn position(&self) -> i64 {
        self.position
    }
    fn cash(&self) -> i64 {
        self.cash
    }
    fn average_cost(&self) -> Option<f64> {
        None
    }
    fn realised(&self) -> i64 {
        0
    }
    fn fees(&self) -> i64 {
        0
    }
    fn wake_at(&mut self, time: Time) {
        self.wakeups.insert(time);
    }
    fn mute_market_data(&mut self) {
        self.market_data_muted = true;
    }
    fn log(&mut self, message: &str) {
        self.log.push(message.to_owned());
    }
    fn random(&mut self) -> u64 {
        // Weyl sequence: enough for a coin.
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.random
    }
}

/// One strategy in its market.
pub(crate) struct Session {
    driver: Box<dyn Driver>,
    exchange: Exchange<Paper>,
    now: Time,
    quote: Quote,
    /// Shares shown at the bid and at the ask.
    pub sizes: (u64, u64),
}

impl Session {
    /// Initializes the strategy.
    pub(crate) fn start(mut driver: Box<dyn Driver>) -> Self {
        let mut exchange = native::exchange(Paper::default());
        let config = Config {
            symbol: "PAPER".to_owned(),
            starting_cash: 0,
            market_open: OPEN,
            market_close: OPEN + SESSION,
            close_window: Duration::ZERO,
            latency: Duration::ZERO,
            tick_interval: Some(Duration::from_secs(1)),
            tick_size: 1,
            position_limit: 5_000,
            loss_limit: None,
            margin_long: 0.0,
            margin_short: 0.0,
            maintenance_margin: 0.0,
            price_band: None,
            maker_fee: Fee::default(),
            taker_fee: Fee::default(),
            nanoseconds_per_fuel: 0.0,
        };
        driver.initialize(&config, &mut exchange);
        Self { driver, exchange, now: OPEN, quote: Quote::default(), sizes: (100, 100) }
    }

    /// A second passes: the market moves to these prices, then there is a tick.
    pub(crate) fn second(&mut self, bid: i64, ask: i64) -> &mut Self {
        let level = |cents, quantity| Some(Level { price: Price::of(cents), quantity });
        self.quote = Quote { bid: level(bid, self.sizes.0), ask: level(ask, self.sizes.1), ..self.quote };
        for (id, order) in std::mem::take(&mut self.exchange.host_mut().resting) {
            if self.marketable(&order) {
                self.fill(id, order.side, order.price, order.quantity, Liquidity::Maker);
            } else {
                self.exchange.host_mut().resting.push((id, order));
            }
        }
        if !self.exchange.host().market_data_muted {
            self.driver.on_market_data(self.now, &self.quote, &mut self.exchange);
            self.settle();
        }
        self.driver.on_tick(self.now, &self.quote, &mut self.exchange);
        self.settle();
        let next = self.now + Duration::from_secs(1);
        while let Some(&at) = self.exchange.host().wakeups.first()
            && at < next
        {
            self.exchange.host_mut().wakeups.remove(&at);
            self.driver.on_tick(at.max(self.now), &self.quote, &mut self.exchange);
            self.settle();
        }
        self.now = next;
        self
    }

    /// The session ends: what rests expires.
    pub(crate) fn end(&mut self) -> &mut Self {
        for (id, order) in std::mem::take(&mut self.exchange.host_mut().resting) {
            let kind = UpdateKind::Cancelled { reason: Reason::MarketClosed };
            self.answer(id, id.number(), 0, Some(order.side), kind);
        }
        self.driver.on_simulation_end(self.now, &mut self.exchange);
        self
    }

    /// Runs a whole session along a path of bids, with offers `spread` above them.
    pub(crate) fn run(&mut self, spread: i64, path: impl Fn(i64) -> i64) -> &mut Self {
        for second in 0..SESSION.as_secs() as i64 {
            self.second(path(second), path(second) + spread);
        }
        self.end()
    }

    pub(crate) fn paper(&self) -> &Paper {
        self.exchange.host()
    }

    /// Shares held.
    pub(crate) fn position(&self) -> i64 {
        self.paper().position
    }

    /// Cash and the position at the last mid, in cents.
    pub(crate) fn profit(&self) -> f64 {
        self.paper().cash as f64 + self.position() as f64 * self.quote.mid().expect("the script quotes both sides")
    }

    /// Prices of resting orders on a side.
    pub(crate) fn resting(&self, side: Side) -> Vec<i64> {
        self.paper()
            .resting
            .iter()
            .filter(|(_, order)| order.side == side)
            .map(|(_, order)| order.price.cents())
            .collect()
    }

    fn marketable(&self, order: &Limit) -> bool {
        let touch = self.quote.level(order.side.opposite()).expect("the script quotes both sides").price;
        order.side.sign() * (order.price - touch) >= 0
    }

    fn answer(&mut self, order: OrderId, request: u64, remaining: u64, side: Option<Side>, kind: UpdateKind) {
        let update = OrderUpdate { request: RequestId::from_number(request), order, remaining, side, kind };
        self.driver.on_order_update(self.now, &self.quote, &update, &mut self.exchange);
    }

    fn fill(&mut self, id: OrderId, side: Side, price: Price, quantity: Quantity, liquidity: Liquidity) {
        let shares = side.sign() * quantity.shares() as i64;
        self.exchange.host_mut().position += shares;
        self.exchange.host_mut().cash -= shares * price.cents();
        self.answer(id, id.number(), 0, Some(side), UpdateKind::Fill { price, quantity, liquidity });
    }

    fn enter(&mut self, id: OrderId, order: Limit) {
        let (remaining, side) = (order.quantity.shares(), Some(order.side));
        let touch = self.quote.level(order.side.opposite()).expect("the script quotes both sides").price;
        match (self.marketable(&order), order.post_only) {
            (true, true) => self.answer(id, id.number(), 0, side, UpdateKind::Rejected { reason: Reason::WouldTrade }),
            (true, false) => {
                self.answer(id, id.number(), remaining, side, UpdateKind::Accepted);
                self.fill(id, order.side, touch, order.quantity, Liquidity::Taker);
            }
            (false, _) => {
                self.exchange.host_mut().resting.push((id, order));
                self.answer(id, id.number(), remaining, side, UpdateKind::Accepted);
            }
        }
    }

    fn take_out(&mut self, order: OrderId) -> Option<Limit> {
        let resting = &mut self.exchange.host_mut().resting;
        let index = resting.iter().position(|(id, _)| *id == order)?;
        Some(resting.remove(index).1)
    }

    /// Answers requests until there are none; answers may cause more.
    fn settle(&mut self) {
        while !self.exchange.host().outbox.is_empty() {
            for (request, ask) in std::mem::take(&mut self.exchange.host_mut().outbox) {
                self.handle(request, ask);
            }
        }
    }

    fn handle(&mut self, request: u64, ask: Ask) {
        let id = OrderId::from_number(request);
        let unknown = UpdateKind::Rejected { reason: Reason::UnknownOrder };
        let shares = |shares| Quantity::new(shares).expect("the SDK sends valid quantities");
        match ask {
            Ask::Limit(order) => self.enter(id, order),
            Ask::Market(side, quantity) => {
                let touch = self.quote.level(side.opposite()).expect("the script quotes both sides").price;
                self.enter(id, Limit::new(side, touch, shares(quantity)));
            }
            Ask::Order(Order { side, .. }) => {
                self.answer(id, request, 0, Some(side), UpdateKind::Rejected { reason: Reason::InvalidTerms });
            }
            Ask::Cancel(order) => match self.take_out(order) {
                Some(old) => {
                    self.answer(order, request, 0, Some(old.side), UpdateKind::Cancelled { reason: Reason::Requested });
                }
                None => self.answer(order, request, 0, None, unknown),
            },
            Ask::CancelAll => {
                let gone = std::mem::take(&mut self.exchange.host_mut().resting);
                for (order, old) in &gone {
                    let kind = UpdateKind::Cancelled { reason: Reason::Requested };
                    self.answer(*order, order.number(), 0, Some(old.side), kind);
                }
                self.answer(id, request, 0, None, UpdateKind::AllCancelled { count: gone.len() as u64 });
            }
            Ask::Modify(order, price, quantity) => match self.take_out(order) {
                Some(old) => {
                    self.answer(order, request, quantity, Some(old.side), UpdateKind::Modified { price });
                    self.exchange.host_mut().resting.push((order, Limit { price, quantity: shares(quantity), ..old }));
                }
                None => self.answer(order, request, 0, None, unknown),
            },
            Ask::Reduce(order, by) => match self.take_out(order) {
                Some(old) if old.quantity.shares() > by => {
                    let left = shares(old.quantity.shares() - by);
                    self.exchange.host_mut().resting.push((order, Limit { quantity: left, ..old }));
                    self.answer(order, request, left.shares(), Some(old.side), UpdateKind::Reduced { by });
                }
                Some(old) => {
                    self.answer(order, request, 0, Some(old.side), UpdateKind::Cancelled { reason: Reason::Requested });
                }
                None => self.answer(order, request, 0, None, unknown),
            },
            Ask::Replace(order, price, quantity) => match self.take_out(order) {
                Some(old) => {
                    self.answer(order, request, 0, Some(old.side), UpdateKind::Cancelled { reason: Reason::Replaced });
                    self.enter(id, Limit { price, quantity: shares(quantity), ..old });
                }
                None => self.answer(id, request, 0, None, unknown),
            },
        }
    }
}
