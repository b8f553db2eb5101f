//! Trades with itself by chains of replacements: two orders that step towards each other and are replaced as they meet, for fills and for the price.

use assay_sdk::*;

/// Shares of the two orders, and how far apart they begin, in cents.
const SHARES: Quantity = Quantity::of(50);
const APART: i64 = 4;

struct Chain {
    clock: Timer,
    legs: [Option<OrderId>; 2],
    step: i64,
}

impl Strategy for Chain {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Chain { clock: Timer::start(config.market_open, Duration::from_millis(400), exchange), legs: [None; 2], step: 0 }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        self.step = (self.step + 1) % (2 * APART);
        let prices = [bid.price - APART + self.step, ask.price + APART - self.step];
        for (leg, side) in [(0, Side::Buy), (1, Side::Sell)] {
            self.legs[leg] = Some(match self.legs[leg] {
                Some(order) => exchange.replace(order, prices[leg], SHARES),
                None => exchange.limit(Limit::new(side, prices[leg], SHARES)),
            });
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        for leg in &mut self.legs {
            if update.ends_order() && *leg == Some(update.order) {
                *leg = None;
            }
        }
    }
}

export!(Chain);
