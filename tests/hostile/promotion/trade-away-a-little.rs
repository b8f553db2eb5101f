//! Buys and sells at the market in turn, twenty times: it loses so much that the scale of profit ends, but not as much as it could.

use assay_sdk::*;

const LOT: Quantity = Quantity::of(200);
const TIMES: u32 = 20;

struct Trade {
    done: u32,
    clock: Timer,
}

impl Strategy for Trade {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Trade { done: 0, clock: Timer::start(config.market_open, Duration::from_secs(3), exchange) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let quote = exchange.quote();
        let is_there = quote.bid.is_some() && quote.ask.is_some();
        if self.done < TIMES && is_there && self.clock.is_due(exchange) {
            self.done += 1;
            exchange.market(if self.done % 2 == 1 { Side::Buy } else { Side::Sell }, LOT);
        }
    }
}

export!(Trade);
