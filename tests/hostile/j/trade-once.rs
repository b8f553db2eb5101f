//! One trade, so that nothing can be said of it: no ratio, no drawdown to speak of, and a profit target of a few cents.

use assay_sdk::*;

/// Shares, and the profit in cents a share that it waits for.
const SHARES: Quantity = Quantity::of(20);
const PROFIT: i64 = 3;

struct Once {
    bought: bool,
}

impl Strategy for Once {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Once { bought: false }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if let (false, Some(ask)) = (self.bought, exchange.quote().ask) {
            self.bought = true;
            exchange.limit(Limit::buy(ask.price, SHARES));
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        if let UpdateKind::Fill { price, quantity, liquidity: Liquidity::Taker } = update.kind
            && exchange.position() > 0
        {
            exchange.limit(Limit::sell(price + PROFIT, quantity));
        }
    }
}

export!(Once);
