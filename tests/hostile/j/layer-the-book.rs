//! Layers one side of the book five deep, waits until the quotes of others have moved, takes the other side, and turns everything round.

use assay_sdk::*;

/// Layers, how far apart in cents, and shares in each.
const LAYERS: i64 = 5;
const APART: i64 = 1;
const SHOWN: Quantity = Quantity::of(100);
/// Ticks of its clock that a side is layered.
const HOLD: u64 = 8;
/// Shares traded at each turn.
const TAKE: i64 = 60;

struct Layer {
    clock: Timer,
    ticks: u64,
    side: Side,
}

impl Strategy for Layer {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_millis(700), exchange);
        Layer { clock, ticks: 0, side: Side::Buy }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        self.ticks += 1;
        if self.ticks.is_multiple_of(HOLD) {
            // Bids have lifted the price: sell, and hold the opposite for the next turn.
            exchange.cancel_all();
            let wanted = -self.side.sign() * TAKE;
            let gap = wanted - exchange.position();
            if let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs())) {
                exchange.market(side, shares);
            }
            self.side = self.side.opposite();
            return;
        }
        let Some(near) = exchange.quote().level(self.side) else { return };
        exchange.cancel_all();
        for layer in 0..LAYERS {
            let price = near.price - self.side.sign() * APART * layer;
            exchange.limit(Limit::new(self.side, price, SHOWN).post_only());
        }
    }
}

export!(Layer);
