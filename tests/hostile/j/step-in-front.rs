//! Steps in front of everybody by a cent on both sides, in size, whatever the price is worth: others have done the thinking.

use assay_sdk::*;

/// Shares of a quote, and the position at which a side stops.
const LOT: Quantity = Quantity::of(60);
const POSITION_MAX: i64 = 300;

struct Front {
    clock: Timer,
    legs: [Option<(OrderId, Price)>; 2],
}

impl Strategy for Front {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Front { clock: Timer::start(config.market_open, Duration::from_millis(500), exchange), legs: [None; 2] }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        for (leg, side) in [(0, Side::Buy), (1, Side::Sell)] {
            let (near, far) = if side == Side::Buy { (bid, ask) } else { (ask, bid) };
            let full = exchange.position() * side.sign() >= POSITION_MAX;
            let mine = self.legs[leg].is_some_and(|(_, price)| price == near.price);
            // A cent better than the best, unless that is its own or would trade.
            let better = if mine { near.price } else { near.price + side.sign() };
            let price = if better == far.price { near.price } else { better };
            match self.legs[leg] {
                Some((order, _)) if full => {
                    exchange.cancel(order);
                    self.legs[leg] = None;
                }
                Some((_, old)) if old == price => {}
                Some((order, _)) => {
                    exchange.modify(order, price, LOT);
                    self.legs[leg] = Some((order, price));
                }
                None if full => {}
                None => self.legs[leg] = Some((exchange.limit(Limit::new(side, price, LOT).post_only()), price)),
            }
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        for leg in &mut self.legs {
            if update.ends_order() && leg.is_some_and(|(order, _)| order == update.order) {
                *leg = None;
            }
        }
    }
}

export!(Front);
