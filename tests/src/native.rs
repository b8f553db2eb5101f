//! Runs a strategy's file as ordinary native code against the market: the peer that the sandbox is measured against, and the
//! proof that both sides of the SDK see the same market.

use assay_market::Trader;
use assay_model::{
    Desk, Display, OrderUpdate, PostOnly, Qualifiers, RequestKind, StrategyConfig, Terms, TimeInForce, Trigger,
    UpdateKind,
};
use assay_sdk::{
    Exchange, Host, Level, Limit, Liquidity, OpenOrder, Order, OrderId, Price, Quantity, Quote, Reason, RequestId,
    Side, Symbol, Time,
    native::{self, Driver},
    wire::{self, RawOrder},
};
use std::ops::ControlFlow;

/// A native strategy at its desk.
pub struct NativeTrader {
    driver: Box<dyn Driver>,
    exchange: Exchange<DeskHost>,
}

impl NativeTrader {
    /// Seats a strategy, as `export!` offers it natively, at a desk.
    #[must_use]
    pub fn new(driver: Box<dyn Driver>, desk: Desk) -> Self {
        Self { driver, exchange: native::exchange(DeskHost(desk)) }
    }

    /// Time and quote as the desk has them.
    fn view(&self) -> (Time, Quote) {
        let desk = &self.exchange.host().0;
        (Time(desk.now().0), quote(desk))
    }
}

/// The desk's quote in the SDK's terms.
fn quote(desk: &Desk) -> Quote {
    let level = |level: assay_model::Level| Level { price: Price::of(level.price.cents()), quantity: level.quantity };
    let quote = desk.quote();
    let last = quote.last.map(|price| Price::of(price.cents()));
    Quote { bid: quote.bid.map(level), ask: quote.ask.map(level), last, volume: quote.volume }
}

/// The desk as the SDK's host.
struct DeskHost(Desk);

impl DeskHost {
    /// # Panics
    /// When a callback submits more than the desk takes; in the sandbox that ends the strategy.
    fn submit(&mut self, kind: RequestKind) -> u64 {
        self.0.submit(kind).expect("native strategies of the tests stay within the desk's limits").0
    }
}

fn side(side: Side) -> assay_model::Side {
    match side {
        Side::Buy => assay_model::Side::Buy,
        Side::Sell => assay_model::Side::Sell,
    }
}

fn order(order: OrderId) -> assay_model::OrderId {
    assay_model::RequestId(order.number())
}

impl Host for DeskHost {
    fn limit(&mut self, limit: Limit) -> OrderId {
        let qualifiers = Qualifiers { hidden: limit.hidden, post_only: limit.post_only };
        let (price, quantity) = (limit.price.cents(), limit.quantity.shares());
        OrderId::from_number(self.submit(RequestKind::Limit { side: side(limit.side), price, quantity, qualifiers }))
    }
    fn market(&mut self, taken: Side, quantity: Quantity) -> OrderId {
        OrderId::from_number(self.submit(RequestKind::Market { side: side(taken), quantity: quantity.shares() }))
    }
    fn order(&mut self, order: Order) -> OrderId {
        let raw = RawOrder::from(order);
        let terms = Terms::pressed(side(order.side), raw.price, raw.quantity);
        let terms = terms.good_till(assay_model::Time(raw.expires)).iceberg(raw.shown).stop(raw.trigger_at);
        OrderId::from_number(self.submit(RequestKind::Order(Terms {
            time_in_force: TimeInForce::ALL[raw.time_in_force as usize],
            display: Display::ALL[raw.display as usize],
            post_only: PostOnly::ALL[raw.post_only as usize],
            trigger: Trigger::ALL[raw.trigger as usize],
            ..terms
        })))
    }
    fn cancel(&mut self, target: OrderId) -> RequestId {
        RequestId::from_number(self.submit(RequestKind::Cancel { order: order(target) }))
    }
    fn cancel_all(&mut self) -> RequestId {
        RequestId::from_number(self.submit(RequestKind::CancelAll))
    }
    fn modify(&mut self, target: OrderId, price: Price, quantity: Quantity) -> RequestId {
        let kind = RequestKind::Modify { order: order(target), price: price.cents(), quantity: quantity.shares() };
        RequestId::from_number(self.submit(kind))
    }
    fn reduce(&mut self, target: OrderId, by: Quantity) -> RequestId {
        RequestId::from_number(self.submit(RequestKind::Reduce { order: order(target), by: by.shares() }))
    }
    fn replace(&mut self, target: OrderId, price: Price, quantity: Quantity) -> OrderId {
        let kind = RequestKind::Replace { order: order(target), price: price.cents(), quantity: quantity.shares() };
        OrderId::from_number(self.submit(kind))
    }
    fn symbol(&self) -> Symbol {
        Symbol::from_number(u32::from(self.0.selected().0))
    }
    fn select(&mut self, symbol: Symbol) -> Quote {
        assert!(self.0.select(symbol.number()), "native strategies of the tests name symbols that there are");
        quote(&self.0)
    }
    fn symbol_name(&self, number: u32) -> String {
        self.0.symbol_name(number).to_owned()
    }
    fn depth(&self, wanted: Side, levels: u32) -> Vec<Level> {
        let level =
            |level: &assay_model::Level| Level { price: Price::of(level.price.cents()), quantity: level.quantity };
        self.0.depth(side(wanted)).iter().take(levels as usize).map(level).collect()
    }
    fn open_orders(&self) -> Vec<OpenOrder> {
        let open = |order: &assay_model::OpenOrder| OpenOrder {
            id: OrderId::from_number(order.id.0),
            side: if order.side == assay_model::Side::Buy { Side::Buy } else { Side::Sell },
            price: wire::price(order.price),
            remaining: order.remaining,
            accepted: order.accepted,
        };
        self.0.open_orders().map(open).collect()
    }
    fn position(&self) -> i64 {
        self.0.position()
    }
    fn cash(&self) -> i64 {
        self.0.cash()
    }
    fn wake_at(&mut self, time: Time) {
        self.0
            .wake_at(assay_model::Time(time.0))
            .expect("native strategies of the tests stay within the desk's limits");
    }
    fn mute_market_data(&mut self) {
        self.0.mute_market_data();
    }
    fn log(&mut self, message: &str) {
        self.0.log(message);
    }
    fn random(&mut self) -> u64 {
        self.0.random()
    }
}

impl Trader for NativeTrader {
    fn desk(&mut self) -> &mut Desk {
        &mut self.exchange.host_mut().0
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        let config = wire::config(
            config.symbol.clone(),
            config.starting_cash,
            config.market_open.0,
            config.market_close.0,
            config.latency.0,
            config.tick_interval.0,
        );
        self.driver.initialize(&config, &mut self.exchange);
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        let (now, quote) = self.view();
        self.driver.on_tick(now, &quote, &mut self.exchange);
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        let (now, quote) = self.view();
        self.driver.on_market_data(now, &quote, &mut self.exchange);
        ControlFlow::Continue(())
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        let (now, quote) = self.view();
        let update = assay_sdk::OrderUpdate {
            request: RequestId::from_number(update.request.0),
            order: OrderId::from_number(update.order.0),
            remaining: u64::from(update.remaining),
            kind: kind(&update.kind),
        };
        self.driver.on_order_update(now, &quote, &update, &mut self.exchange);
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        let now = Time(self.exchange.host().0.now().0);
        self.driver.on_simulation_end(now, &mut self.exchange);
        ControlFlow::Continue(())
    }
}

fn kind(kind: &UpdateKind) -> assay_sdk::UpdateKind {
    use assay_sdk::UpdateKind as Sdk;
    let reason = |reason: assay_model::Reason| Reason::ALL[reason as usize];
    match *kind {
        UpdateKind::Accepted => Sdk::Accepted,
        UpdateKind::Fill { price, quantity, liquidity } => Sdk::Fill {
            price: Price::of(price.cents()),
            quantity: Quantity::of(u64::from(quantity)),
            liquidity: match liquidity {
                assay_model::Liquidity::Maker => Liquidity::Maker,
                assay_model::Liquidity::Taker => Liquidity::Taker,
            },
        },
        UpdateKind::Cancelled { reason: why } => Sdk::Cancelled { reason: reason(why) },
        UpdateKind::CancelledAll { count } => Sdk::AllCancelled { count: u64::from(count) },
        UpdateKind::Modified { price } => Sdk::Modified { price: Price::of(price.cents()) },
        UpdateKind::Reduced { by } => Sdk::Reduced { by: u64::from(by) },
        UpdateKind::Rejected { reason: why } => Sdk::Rejected { reason: reason(why) },
        UpdateKind::Triggered => Sdk::Triggered,
    }
}
