//! Buys and sells the same shares all day, to be a large part of the volume and to pay as little as it can for it.

use assay_sdk::*;

/// Shares of an order.
const LOT: Quantity = Quantity::of(50);

struct Churn {
    clock: Timer,
}

impl Strategy for Churn {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Churn { clock: Timer::start(config.market_open, Duration::from_millis(600), exchange) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let side = if exchange.position() > 0 { Side::Sell } else { Side::Buy };
        // Only while it is cheap: a cent or two.
        if let (Some(spread), Some(far)) = (quote.spread(), quote.level(side.opposite()))
            && spread <= 2
        {
            let order = Order::limit(side, far.price, LOT).time_in_force(TimeInForce::ImmediateOrCancel);
            exchange.order(order);
        }
    }
}

export!(Churn);
