//! Leaves orders at absurd prices for the moment in which trading stops or begins again, when others must trade and nobody quotes.

use assay_sdk::*;

/// How far from the last quiet mid, in the price, and shares of an order.
const AWAY: f64 = 0.003;
const LOT: Quantity = Quantity::of(80);
/// Largest position either way, and how far back the price must be before it is closed, in the price.
const POSITION_MAX: i64 = 240;
const BACK: f64 = 0.001;

struct Ambush {
    clock: Timer,
    quiet: Option<f64>,
}

impl Strategy for Ambush {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Ambush { clock: Timer::start(config.market_open, Duration::from_secs(4), exchange), quiet: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let mid = exchange.quote().mid();
        let quiet = match (self.quiet, mid) {
            (None, mid) => mid,
            (Some(quiet), Some(mid)) => Some(quiet + 0.1 * (mid - quiet)),
            (quiet, None) => quiet,
        };
        self.quiet = quiet;
        let Some(quiet) = quiet else { return };
        exchange.cancel_all();
        let position = exchange.position();
        if let Some(mid) = mid
            && (mid - quiet).abs() < BACK * quiet
            && let (Some(side), Some(shares)) = (Side::toward(-position), Quantity::up_to(position.unsigned_abs()))
        {
            exchange.market(side, shares);
        }
        if let Some(bid) = Price::floor(quiet * (1.0 - AWAY)).filter(|_| position < POSITION_MAX) {
            exchange.limit(Limit::buy(bid, LOT));
        }
        if let Some(ask) = Price::ceil(quiet * (1.0 + AWAY)).filter(|_| position > -POSITION_MAX) {
            exchange.limit(Limit::sell(ask, LOT));
        }
    }
}

export!(Ambush);
