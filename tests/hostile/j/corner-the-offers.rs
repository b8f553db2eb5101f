//! Takes every offer that there is, offers the same shares far above, and lets those who must buy pay its price; what it has left it does at the bid.

use assay_sdk::*;

/// How far above the mid it offers, in the price, and how long it waits there.
const ABOVE: f64 = 1.008;
const WAIT: Duration = Duration::from_secs(40);
/// Levels that it takes, the shares that it takes at most, and the shares of an offer.
const LEVELS: u32 = 10;
const TAKEN_MAX: u64 = 900;
const OFFER: Quantity = Quantity::of(60);

struct Corner {
    clock: Timer,
    cornered: Option<Time>,
    mid: f64,
}

impl Strategy for Corner {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_millis(500), exchange);
        Corner { clock, cornered: None, mid: 0.0 }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let now = exchange.now();
        let room = (exchange.cash().max(0) / self.mid.max(1_000.0) as i64) as u64;
        match self.cornered {
            None => {
                let Some(mid) = quote.mid() else { return };
                self.mid = mid;
                let offers = exchange.depth(Side::Sell, LEVELS);
                let all: u64 = offers.iter().map(|level| level.quantity).sum();
                let shares = Quantity::up_to(all.min(TAKEN_MAX).min(room * 7 / 2));
                if let (Some(worst), Some(shares)) = (offers.last(), shares) {
                    exchange.limit(Limit::buy(worst.price, shares));
                }
                self.cornered = Some(now);
            }
            Some(since) if now - since < WAIT => {
                if exchange.open_orders().len() < 8
                    && exchange.position() > 0
                    && let Some(price) = Price::floor(self.mid * ABOVE)
                {
                    exchange.limit(Limit::sell(price + exchange.open_orders().len() as i64, OFFER).post_only());
                }
                // Whoever offers less than it does is bought out, while that is little.
                if let Some(ask) = quote.ask
                    && (ask.price.cents() as f64) < self.mid * ABOVE - 4.0
                    && ask.quantity < 80
                    && room > 200
                {
                    exchange.limit(Limit::buy(ask.price, Quantity::of(80)));
                }
            }
            Some(since) => {
                exchange.cancel_all();
                match Quantity::up_to(exchange.position().clamp(0, 100) as u64) {
                    Some(held) => _ = exchange.market(Side::Sell, held),
                    None if now - since > WAIT * 2 => self.cornered = None,
                    None => {}
                }
            }
        }
    }
}

export!(Corner);
