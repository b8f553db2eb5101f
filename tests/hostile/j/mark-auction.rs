//! Marks the close in its auction, if there is one, and in every auction before it: bids at the price that the band allows.

use assay_sdk::*;

/// How far up it bids, in the price.
const LIFT: f64 = 1.045;
/// Shares that it wants to be paid for.
const SHARES: Quantity = Quantity::of(300);

struct Mark {
    close: Time,
    refused: bool,
    clock: Timer,
}

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_secs(5), exchange);
        Mark { close: config.market_close, refused: false, clock }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let Some(top) = exchange.quote().mid().and_then(|mid| Price::floor(mid * LIFT)) else { return };
        let left = self.close - exchange.now();
        if exchange.position() < SHARES.shares() as i64 && left < Duration::from_secs(120) {
            exchange.market(Side::Buy, Quantity::of(20));
        }
        if left < Duration::from_secs(11) {
            let bid = Order::limit(Side::Buy, top, Quantity::of(500));
            let terms = if self.refused { bid } else { bid.time_in_force(TimeInForce::AtClose) };
            exchange.order(terms);
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if let UpdateKind::Rejected { reason } = update.kind {
            self.refused |= reason == Reason::NoAuction;
        }
    }
}

export!(Mark);
