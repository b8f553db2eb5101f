//! Quotes absurd prices on both sides all day, for whoever finds nothing better, and helps a little when a side is thin by taking the rest of it.

use assay_sdk::*;

/// How far from the mid it quotes, in the price, and shares of a quote.
const AWAY: f64 = 0.012;
const LOT: Quantity = Quantity::of(100);
/// A side with no more shares than this within reach is taken.
const THIN: u64 = 120;
/// Largest position either way.
const POSITION_MAX: i64 = 300;

struct Stub {
    clock: Timer,
    anchor: Option<f64>,
}

impl Strategy for Stub {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Stub { clock: Timer::start(config.market_open, Duration::from_secs(1), exchange), anchor: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let Some(mid) = exchange.quote().mid() else { return };
        // A slow middle: its own quotes must not become it.
        let anchor = self.anchor.map_or(mid, |anchor| anchor + 0.02 * (mid - anchor));
        self.anchor = Some(anchor);
        exchange.cancel_all();
        let position = exchange.position();
        let (low, high) = (anchor * (1.0 - AWAY), anchor * (1.0 + AWAY));
        for side in [Side::Buy, Side::Sell] {
            let rest: Vec<Level> = exchange.depth(side, 10);
            let near: u64 = rest.iter().map(|level| level.quantity).sum();
            if near > 0 && near <= THIN && let (Some(last), Some(shares)) = (rest.last(), Quantity::up_to(near)) {
                exchange.limit(Limit::new(side.opposite(), last.price, shares));
            }
        }
        if let Some(bid) = Price::floor(low).filter(|_| position < POSITION_MAX) {
            exchange.limit(Limit::buy(bid, LOT).post_only());
        }
        if let Some(ask) = Price::ceil(high).filter(|_| position > -POSITION_MAX) {
            exchange.limit(Limit::sell(ask, LOT).post_only());
        }
        // What it holds goes when the price is back near the middle.
        if let Some(shares) = Quantity::up_to(position.unsigned_abs())
            && let Some(side) = Side::toward(-position)
            && (mid - anchor).abs() < anchor * 0.001
        {
            exchange.market(side, shares.min(Quantity::of(50)));
        }
    }
}

export!(Stub);
