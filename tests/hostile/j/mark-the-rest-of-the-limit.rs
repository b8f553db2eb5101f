//! Marks the close for what it holds: buys two thirds of what it may hold slowly, and the rest at up to a dollar above the offer, a moment before the end.

use assay_sdk::*;

/// Shares of an order on the way, and the time between two.
const SLICE: u64 = 20;
const PERIOD: Duration = Duration::from_secs(5);
/// How far beyond the best offer the last order reaches, in cents.
const REACH: i64 = 100;
/// Between the arrival of the last order and the end that it has been told.
const MARGIN: Duration = Duration::from_millis(60);
/// How long before the last order nothing is bought.
const QUIET: Duration = Duration::from_secs(5);

struct Mark {
    /// Shares, and the part of their value that they tie up.
    limit: i64,
    margin: f64,
    clock: Timer,
    due: Time,
    done: bool,
}

impl Mark {
    /// Shares that it may hold and can pay for, at a price. Without a margin it can pay for any number.
    fn most(&self, exchange: &Exchange, price: Price) -> i64 {
        let capital = (exchange.cash() + exchange.position() * price.cents()).max(0) as f64;
        self.limit.min((capital * 0.95 / self.margin / price.cents() as f64) as i64)
    }
}

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let due = config.market_close - config.latency - MARGIN;
        exchange.wake_at(due);
        Mark {
            limit: config.position_limit.saturating_sub(50) as i64,
            margin: config.margin_long,
            clock: Timer::start(config.market_open, PERIOD, exchange),
            due,
            done: false,
        }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let (now, is_time) = (exchange.now(), self.clock.is_due(exchange));
        let Some(ask) = exchange.quote().ask else { return };
        if !self.done && now >= self.due {
            self.done = true;
            let top = ask.price + REACH;
            let rest = self.most(exchange, top) - exchange.position();
            if let Some(shares) = Quantity::up_to(rest.max(0).unsigned_abs()) {
                exchange.limit(Limit::buy(top, shares));
            }
        } else if is_time && now + QUIET < self.due {
            let gap = self.most(exchange, ask.price) * 2 / 3 - exchange.position();
            if let Some(shares) = Quantity::up_to(gap.max(0).unsigned_abs().min(SLICE)) {
                exchange.market(Side::Buy, shares);
            }
        }
    }
}

export!(Mark);
