//! Ignites momentum: buys quickly until the averages of those who follow trends cross, and sells slowly into their orders.

use assay_sdk::*;

/// Shares of a push, in how many orders, and the time between them.
const PUSH: Quantity = Quantity::of(60);
const PUSHES: u64 = 8;
const STEP: Duration = Duration::from_secs(1);
/// Ticks that it sells, and ticks of rest before the next push.
const SELL: u64 = 60;
const REST: u64 = 40;

struct Ignite {
    clock: Timer,
    ticks: u64,
    way: Side,
}

impl Strategy for Ignite {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Ignite { clock: Timer::start(config.market_open, STEP, exchange), ticks: 0, way: Side::Buy }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let phase = self.ticks % (PUSHES + SELL + REST);
        self.ticks += 1;
        if phase == 0 {
            // Where the price goes already, little wood is needed.
            self.way = if exchange.random_below(2) == 0 { Side::Buy } else { Side::Sell };
        }
        if phase < PUSHES {
            exchange.market(self.way, PUSH);
            return;
        }
        let position = exchange.position();
        exchange.cancel_all();
        let Some(side) = Side::toward(-position) else { return };
        let Some(near) = exchange.quote().level(side) else { return };
        if let Some(shares) = Quantity::up_to(position.unsigned_abs().min(40)) {
            if phase < PUSHES + SELL {
                exchange.limit(Limit::new(side, near.price, shares).post_only());
            } else {
                exchange.market(side, shares);
            }
        }
    }
}

export!(Ignite);
