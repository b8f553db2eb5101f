//! Sells a given number of shares short over the session at the offer or better, buys them back towards the end, and keeps within its means all the
//! while: what is refused for want of them is asked for again in a smaller size.

use assay_sdk::*;

/// The position to build, and the shares of an order at first.
const SHARES: i64 = 300;
const LOT: u64 = 30;
/// Time between looks, and how long before the close it begins to buy back.
const PERIOD: Duration = Duration::from_secs(10);
const BACK: Duration = Duration::from_secs(300);

struct Patient {
    clock: Timer,
    close: Time,
    lot: u64,
}

impl Strategy for Patient {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Patient { clock: Timer::start(config.market_open, PERIOD, exchange), close: config.market_close, lot: LOT }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        if !exchange.open_orders().is_empty() {
            exchange.cancel_all();
            return;
        }
        let left = self.close - exchange.now();
        let wanted = if left > BACK { -SHARES } else { 0 };
        let gap = wanted - exchange.position();
        let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs().min(self.lot))) else {
            return;
        };
        if left < Duration::from_secs(60) {
            exchange.market(side, shares);
        } else if let Some(near) = exchange.quote().level(side) {
            exchange.limit(Limit::new(side, near.price, shares).post_only());
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if let UpdateKind::Rejected { reason } = update.kind
            && reason != Reason::WouldTrade
            && reason != Reason::UnknownOrder
        {
            self.lot = (self.lot / 2).max(1);
        }
    }
}

export!(Patient);
