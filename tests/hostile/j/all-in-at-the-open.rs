//! Bets all it has and all that it can borrow on the toss of a coin at the open, and holds.

use assay_sdk::*;

/// What it buys, in multiples of its cash.
const LEVERAGE: i64 = 4;

struct AllIn {
    clock: Timer,
    side: Side,
    size: u64,
    wanted: Option<i64>,
}

impl Strategy for AllIn {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let side = if exchange.random_below(2) == 0 { Side::Buy } else { Side::Sell };
        let clock = Timer::start(config.market_open, Duration::from_millis(200), exchange);
        AllIn { clock, side, size: 40, wanted: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let Some(mid) = exchange.quote().mid() else { return };
        let cash = exchange.cash();
        let wanted = *self.wanted.get_or_insert_with(|| (cash * LEVERAGE * 49 / 50 / mid as i64).min(4_980));
        let missing = wanted - exchange.position().abs();
        if let Some(shares) = Quantity::up_to(self.size.min(missing.max(0) as u64)) {
            exchange.market(self.side, shares);
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if let UpdateKind::Rejected { .. } = update.kind {
            self.size /= 2;
        }
    }
}

export!(AllIn);
