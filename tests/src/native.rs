//! Runs a strategy's file as ordinary native code against the market: the peer that the sandbox is measured against, and the
//! proof that both sides of the SDK see the same market.

use assay_market::Trader;
use assay_model::{
    Desk, Display, OrderUpdate, PostOnly, Print, Qualifiers, RequestKind, StrategyConfig, TICK_CENTS, Terms,
    TimeInForce, Trigger, UpdateKind,
};
use assay_sdk::{
    Config, Exchange, Host, Indicative, Level, Limit, Liquidity, OpenOrder, Order, OrderId, Phase, Price, Quantity,
    Quote, Reason, RequestId, SessionState, Side, Symbol, Time, Trade,
    native::{self, Driver},
    wire::{self, RawConfig, RawFee, RawOrder},
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

fn sdk_side(side: assay_model::Side) -> Side {
    match side {
        assay_model::Side::Buy => Side::Buy,
        assay_model::Side::Sell => Side::Sell,
    }
}

fn trade(print: &Print) -> Trade {
    Trade {
        at: Time(print.at.0),
        price: Price::of(print.price.cents()),
        quantity: print.quantity.into(),
        aggressor: print.aggressor.map(sdk_side),
    }
}

/// The configuration in the SDK's terms.
fn sdk_config(config: &StrategyConfig) -> Config {
    let fee = |fee: assay_model::Fee| RawFee {
        microcents_per_share: fee.microcents_per_share,
        notional_millionths: fee.notional_millionths,
    };
    let terms = &config.terms;
    let raw = RawConfig {
        symbol: (),
        starting_cash: config.starting_cash,
        market_open: config.market_open.0,
        market_close: config.market_close.0,
        close_window: config.close_window.0,
        latency: config.latency.0,
        tick_interval: config.tick_interval.0,
        tick_size: TICK_CENTS,
        position_limit: terms.position_limit,
        loss_limit: terms.loss_limit,
        margin_long: terms.margin_long,
        margin_short: terms.margin_short,
        maintenance_margin: terms.maintenance_margin,
        price_band: terms.price_band,
        maker_fee: fee(terms.maker_fee),
        taker_fee: fee(terms.taker_fee),
        picoseconds_per_fuel: terms.picoseconds_per_fuel,
    };
    wire::config(config.symbol.clone(), &raw)
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
    fn trades(&self, count: u32) -> Vec<Trade> {
        self.0.prints(count as usize).map(trade).collect()
    }
    fn new_trades(&mut self) -> Vec<Trade> {
        self.0.take_prints().map(trade).collect()
    }
    fn session(&self) -> SessionState {
        let state = self.0.session();
        let indicative = state.indicative.map(|indicative| Indicative {
            price: Price::of(indicative.price.cents()),
            matched: indicative.matched,
            imbalance: indicative.imbalance,
        });
        SessionState { phase: Phase::ALL[state.phase as usize], ends: state.ends.map(|at| Time(at.0)), indicative }
    }
    fn queue_ahead(&mut self, target: OrderId) -> Option<u64> {
        self.0.queue_ahead(order(target))
    }
    fn open_orders(&self) -> Vec<OpenOrder> {
        let open = |order: &assay_model::OpenOrder| OpenOrder {
            id: OrderId::from_number(order.id.0),
            side: sdk_side(order.side),
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
    fn average_cost(&self) -> Option<f64> {
        wire::average_cost(self.0.average_cost().unwrap_or(0))
    }
    fn realised(&self) -> i64 {
        self.0.realised()
    }
    fn fees(&self) -> i64 {
        self.0.fees()
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
        self.driver.initialize(&sdk_config(config), &mut self.exchange);
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
            side: self.exchange.host().0.update_side().map(sdk_side),
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
