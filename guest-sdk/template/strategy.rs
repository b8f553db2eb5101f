//! A starting point: it buys when the bid shows more shares than the offer, and sells when it is the other way round.
//!
//! It already trades, and does not earn yet: the price follows the imbalance by less than the spread costs. Change
//! `wanted_position` first: everything else supports it. `GUIDE.md` of the guest SDK is the whole interface on one page.

// The only crate that a strategy may use besides the standard library.
use assay_sdk::*;

/// The largest position to hold, long or short, in shares.
const POSITION_MAX: i64 = 100;
/// How often to decide.
const PERIOD: Duration = Duration::from_secs(5);
/// How long before the earliest close to be flat: anything still held then must be sold to others at their prices.
const GO_FLAT: Duration = Duration::from_secs(30);

/// What the strategy remembers between callbacks.
struct MyStrategy {
    clock: Timer,
    /// The time from which to hold nothing.
    flat_from: Time,
    /// The order that has not ended yet. Holding on to it keeps us from sending the same order twice.
    working: Option<OrderId>,
}

impl MyStrategy {
    /// The idea of the strategy: how many shares to hold, given the top of the book; `None` to stay as it is.
    fn wanted_position(&self, quote: &Quote) -> Option<i64> {
        // The bid's share of the visible shares at the best prices, 0 to 1. `None` while a side is empty.
        let imbalance = quote.imbalance()?;
        if imbalance > 0.7 {
            Some(POSITION_MAX)
        } else if imbalance < 0.3 {
            Some(-POSITION_MAX)
        } else {
            None
        }
    }
}

impl Strategy for MyStrategy {
    /// Once, before the market opens.
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        let clock = Timer::start(config.market_open, PERIOD, exchange);
        MyStrategy { clock, flat_from: config.market_close - GO_FLAT, working: None }
    }

    /// At the scenario's ticks and at requested wake-ups.
    fn on_tick(&mut self, exchange: &mut Exchange) {
        // In a halt nothing trades.
        if !self.clock.is_due(exchange) || exchange.session().phase.is_call() {
            return;
        }
        // An order that is still waiting was priced for an older market. The next decision comes after it has ended.
        if let Some(order) = self.working {
            exchange.cancel(order);
            return;
        }
        let quote = exchange.quote();
        let is_late = exchange.now() >= self.flat_from;
        let Some(wanted) = (if is_late { Some(0) } else { self.wanted_position(&quote) }) else { return };
        let missing = wanted - exchange.position();
        // `Quantity` is never 0: having nothing to trade is a separate case.
        let (Some(side), Some(quantity)) = (Side::toward(missing), Quantity::up_to(missing.unsigned_abs())) else {
            return;
        };
        if is_late {
            self.working = Some(exchange.market(side, quantity));
            return;
        }
        // Wait at the best price of our own side: we earn the spread if someone trades with us, and pay nothing if nobody does.
        if let Some(touch) = quote.level(side) {
            self.working = Some(exchange.limit(Limit::new(side, touch.price, quantity)));
        }
    }

    // Not here: `on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange)`, at every change of the top of the book. This
    // strategy looks at its own pace; a faster one would act there.

    /// The exchange answered a request, or an order traded.
    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        if let Some(fill) = update.fill() {
            exchange.log(format!("{} {} at {}", fill.side, fill.quantity, fill.price));
        }
        if let UpdateKind::Rejected { reason } = update.kind {
            exchange.log(format!("rejected: {reason}"));
        }
        if update.ends_order() && self.working == Some(update.order) {
            self.working = None;
        }
    }

    /// Once, after the close.
    fn on_simulation_end(&mut self, exchange: &mut Exchange) {
        let (shares, earned, fees) = (exchange.position(), exchange.realised(), exchange.fees());
        exchange.log(format!("done: holding {shares} shares, {earned} cents earned, {fees} paid in fees"));
    }
}

export!(MyStrategy);
