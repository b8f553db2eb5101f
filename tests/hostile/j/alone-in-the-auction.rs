//! Stands beside the price of each auction when nobody else seems to: bids below the indicative price and offers above it, moved every second, and closes
//! what it got as soon as trading has resumed.

use assay_sdk::*;

/// Cents from the indicative price, and shares of an order.
const AWAY: f64 = 3.0;
const LOT: Quantity = Quantity::of(1_000);

struct Alone {
    clock: Timer,
}

impl Alone {
    fn quote(exchange: &mut Exchange, price: f64) {
        exchange.cancel_all();
        if let (Some(bid), Some(ask)) = (Price::floor(price - AWAY), Price::ceil(price + AWAY)) {
            exchange.limit(Limit::buy(bid, LOT));
            exchange.limit(Limit::sell(ask, LOT));
        }
    }

    fn close(exchange: &mut Exchange) {
        let position = exchange.position();
        exchange.cancel_all();
        if let (Some(side), Some(shares)) = (Side::toward(-position), Quantity::up_to(position.unsigned_abs())) {
            exchange.market(side, shares);
        }
    }
}

impl Strategy for Alone {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        Alone { clock: Timer::start(config.market_open, Duration::from_secs(1), exchange) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let session = exchange.session();
        match session.indicative {
            Some(indicative) => Self::quote(exchange, indicative.price.cents() as f64),
            None if session.phase.is_call() => {}
            None => Self::close(exchange),
        }
    }
}

export!(Alone);
