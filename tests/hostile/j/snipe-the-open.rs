//! Fills the exchange with orders around the instant at which it may first trade, priced by what it saw in the warm-up, to be first at stale quotes.

use assay_sdk::*;

/// Shares of an order, and when it takes its profit, in cents a share.
const SHARES: Quantity = Quantity::of(100);
const HOLD: Duration = Duration::from_secs(30);

struct Snipe {
    open: Time,
    close: Time,
    latency: Duration,
    average: Option<f64>,
    fired: bool,
}

impl Strategy for Snipe {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        for step in 0..40 {
            exchange.wake_at(config.market_open + Duration::from_micros(50 * step));
        }
        let (open, close, latency) = (config.market_open, config.market_close, config.latency);
        Snipe { open, close, latency, average: None, fired: false }
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let Some(mid) = quote.mid() else { return };
        let average = self.average.map_or(mid, |average| average + 0.05 * (mid - average));
        self.average = Some(average);
        let now = exchange.now();
        if now + self.latency < self.open || self.fired {
            return;
        }
        // Whoever is far from the average of the warm-up is late.
        let side = if mid < average { Side::Buy } else { Side::Sell };
        if let Some(far) = quote.level(side.opposite()) {
            self.fired = true;
            exchange.limit(Limit::new(side, far.price, SHARES));
            exchange.wake_in(HOLD);
        }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let now = exchange.now();
        let position = exchange.position();
        let late = now - self.open > HOLD || self.close - now < HOLD;
        if let (true, Some(side), Some(shares)) = (late, Side::toward(-position), Quantity::up_to(position.unsigned_abs())) {
            exchange.market(side, shares);
        }
    }
}

export!(Snipe);
