//! Stuffs the exchange with hundreds of requests a tick, far from the market, and makes a market meanwhile.

use assay_sdk::*;

/// Pairs of order and cancellation in each tick.
const NOISE: usize = 300;
/// Shares of its real quotes, and the position at which a side stops.
const LOT: Quantity = Quantity::of(30);
const POSITION_MAX: i64 = 150;

struct Stuff {
    clock: Timer,
    real: [Option<OrderId>; 2],
}

impl Strategy for Stuff {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Stuff { clock: Timer::start(config.market_open, Duration::from_secs(2), exchange), real: [None; 2] }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        for number in 0..NOISE {
            let away = 20 + (number % 40) as i64;
            let order = exchange.limit(Limit::buy(bid.price - away, Quantity::of(1)).post_only());
            exchange.cancel(order);
        }
        for (real, side, price) in
            [(0, Side::Buy, bid.price), (1, Side::Sell, ask.price)]
        {
            let full = exchange.position() * side.sign() >= POSITION_MAX;
            match self.real[real] {
                Some(order) if full => _ = exchange.cancel(order),
                Some(order) => _ = exchange.modify(order, price, LOT),
                None if full => {}
                None => self.real[real] = Some(exchange.limit(Limit::new(side, price, LOT).post_only())),
            }
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        for real in &mut self.real {
            if update.ends_order() && *real == Some(update.order) {
                *real = None;
            }
        }
    }
}

export!(Stuff);
