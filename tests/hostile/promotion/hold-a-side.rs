//! Buys or sells at the open, by chance, and holds it: it loses more than one who trades away a little, but costs its market less.

use assay_sdk::*;

const LOT: Quantity = Quantity::of(180);
const TIMES: u32 = 4;

struct Hold {
    done: u32,
    side: Side,
    clock: Timer,
}

impl Strategy for Hold {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let side = if exchange.random_below(2) == 0 { Side::Buy } else { Side::Sell };
        Hold { done: 0, side, clock: Timer::start(config.market_open, Duration::from_secs(5), exchange) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if self.done < TIMES && self.clock.is_due(exchange) {
            self.done += 1;
            exchange.market(self.side, LOT);
        }
    }
}

export!(Hold);
