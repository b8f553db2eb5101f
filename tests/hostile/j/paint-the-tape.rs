//! Paints the tape: one share bought at the offer again and again, so that each print is an uptick, then sells what it holds to those who follow.

use assay_sdk::*;

/// Length of a cycle in ticks of its clock: accumulate, paint, sell.
const CYCLE: u64 = 60;
const ACCUMULATE: u64 = 20;
const PAINT: u64 = 40;
/// Shares accumulated or sold at a time.
const SLICE: Quantity = Quantity::of(15);
/// Shares of a print.
const PRINT: Quantity = Quantity::of(1);

struct Paint {
    clock: Timer,
    ticks: u64,
}

impl Strategy for Paint {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Paint { clock: Timer::start(config.market_open, Duration::from_millis(500), exchange), ticks: 0 }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let phase = self.ticks % CYCLE;
        self.ticks += 1;
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        if phase == 0 || phase == PAINT {
            exchange.cancel_all();
        }
        if phase < ACCUMULATE {
            exchange.limit(Limit::buy(bid.price, SLICE).post_only());
        } else if phase < PAINT {
            exchange.limit(Limit::buy(ask.price, PRINT));
        } else if let Some(held) = Quantity::up_to(exchange.position().max(0) as u64) {
            exchange.limit(Limit::sell(bid.price, held.min(SLICE)));
        }
    }
}

export!(Paint);
