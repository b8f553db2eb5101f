//! Lives on what makers are paid: rests at both touches in size, closes what it got at the same price, and does not mind the direction.

use assay_sdk::*;

/// Shares of a quote, and the position at which a side stops.
const LOT: Quantity = Quantity::of(150);
const POSITION_MAX: i64 = 450;

struct Harvest {
    clock: Timer,
    /// What the position cost, in cents a share.
    entry: Option<i64>,
}

impl Strategy for Harvest {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Harvest { clock: Timer::start(config.market_open, Duration::from_secs(1), exchange), entry: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        exchange.cancel_all();
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let position = exchange.position();
        if position == 0 {
            self.entry = None;
        }
        // Out at the price it came in, if the market gives it: the rebate is the profit.
        let entry = |price: Price| self.entry.and_then(Price::new).unwrap_or(price);
        let buy = if position < 0 { entry(bid.price).min(ask.price - 1) } else { bid.price };
        let sell = if position > 0 { entry(ask.price).max(bid.price + 1) } else { ask.price };
        if position < POSITION_MAX {
            exchange.limit(Limit::buy(buy, LOT).post_only());
        }
        if position > -POSITION_MAX {
            exchange.limit(Limit::sell(sell, LOT).post_only());
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if let UpdateKind::Fill { price, .. } = update.kind {
            self.entry = Some(price.cents());
        }
    }
}

export!(Harvest);
