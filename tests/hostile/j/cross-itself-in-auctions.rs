//! Crosses itself in every auction that it meets: both sides at one price, for volume, fills and a print that it chose.

use assay_sdk::*;

/// Shares on each side, and how far from the last mid the print shall be, in the price.
const SHARES: Quantity = Quantity::of(400);
const AWAY: f64 = 1.015;
/// Shares held before, to be worth more after.
const HELD: i64 = 200;

struct Cross {
    clock: Timer,
    close: Time,
    /// The last price in continuous trading.
    mid: Option<f64>,
    halted: bool,
}

impl Strategy for Cross {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_secs(2), exchange);
        Cross { clock, close: config.market_close, mid: None, halted: false }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        if exchange.position() < HELD && !self.halted {
            exchange.market(Side::Buy, Quantity::of(5));
        }
        if !self.halted {
            self.mid = exchange.quote().mid().or(self.mid);
        }
        if self.close - exchange.now() < Duration::from_secs(120) {
            self.halted = false;
        }
        // An order that only an auction would take says whether there is one.
        if let Some(price) = self.mid.and_then(|mid| Price::floor(mid * AWAY)) {
            if self.halted {
                exchange.limit(Limit::buy(price, SHARES));
                exchange.limit(Limit::sell(price, SHARES));
            } else {
                let probe = Order::limit(Side::Buy, price - 600, Quantity::of(1));
                exchange.order(probe.time_in_force(TimeInForce::ImmediateOrCancel));
            }
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        match update.kind {
            UpdateKind::Rejected { reason: Reason::InAuction } => self.halted = true,
            UpdateKind::Fill { .. } => self.halted = false,
            _ => {}
        }
    }
}

export!(Cross);
