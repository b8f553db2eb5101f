//! Buys strength with a stop, protects the gain with a trailing stop: both wait at the exchange, so no latency lies between trade and order.
//!
//! Shows the rarer order terms: `stop`, `trail`, `GoodTill`.
//!
//! It loses on `calm`: a price without memory rewards no strength, and a stop takes liquidity. It is here for the order terms.

use assay_sdk::*;

/// Shares traded at a time.
const LOT: Quantity = Quantity::of(100);
/// Cents above the ask at which strength is believed.
const BREAKOUT: i64 = 3;
/// Cents given back before the gain is taken.
const GIVE_BACK: u32 = 6;
/// A breakout that has not come by then is looked for at another price.
const PATIENCE: Duration = Duration::from_secs(60);

struct Breakout {
    /// The one order under way: a stop that waits to buy, or a trailing stop that waits to sell.
    working: Option<OrderId>,
    close: Time,
}

impl Strategy for Breakout {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Breakout { working: None, close: config.market_close }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let Some(ask) = exchange.quote().ask.filter(|_| self.working.is_none()) else { return };
        let patience_ends = exchange.now() + PATIENCE;
        let held = u64::try_from(exchange.position()).ok().and_then(Quantity::new);
        let order = match held {
            Some(shares) => Order::market(Side::Sell, shares).trail(GIVE_BACK),
            None if patience_ends >= self.close => return,
            None => Order::limit(Side::Buy, ask.price + BREAKOUT + 2, LOT)
                .stop(ask.price + BREAKOUT)
                .time_in_force(TimeInForce::GoodTill(patience_ends)),
        };
        self.working = Some(exchange.order(order));
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if update.ends_order() && self.working == Some(update.order) {
            self.working = None;
        }
    }
}

export!(Breakout);
