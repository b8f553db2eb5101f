//! A market maker that joins the best prices, and steps back on the side on which it holds much.

use assay_sdk::*;

/// Shares in a quote, and the position at which a side stops quoting.
const LOT: u64 = 30;
const POSITION_MAX: i64 = 150;
/// The position from which on a side steps back, and by how many cents.
const LEAN_FROM: i64 = 60;
const STEP_BACK: i64 = 3;
/// How far a quote may be from where it should be before it is moved, in cents.
const TOLERANCE: i64 = 1;

struct Maker {
    legs: [Option<(OrderId, Price)>; 2],
}

impl Strategy for Maker {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Maker { legs: [None; 2] }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let position = exchange.position();
        for (leg, side) in self.legs.iter_mut().zip([Side::Buy, Side::Sell]) {
            let back = if position * side.sign() >= LEAN_FROM { STEP_BACK } else { 0 };
            let wanted = match side {
                Side::Buy => bid.price - back,
                Side::Sell => ask.price + back,
            };
            let room = u64::try_from(POSITION_MAX - position * side.sign()).unwrap_or(0).min(LOT);
            match (*leg, Quantity::new(room)) {
                (Some((_, price)), Some(_)) if (price - wanted).abs() <= TOLERANCE => {}
                (Some((order, _)), Some(lot)) => {
                    exchange.modify(order, wanted, lot);
                    *leg = Some((order, wanted));
                }
                (Some((order, _)), None) => {
                    exchange.cancel(order);
                    *leg = None;
                }
                (None, Some(lot)) => {
                    *leg = Some((exchange.limit(Limit::new(side, wanted, lot).post_only()), wanted));
                }
                (None, None) => {}
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

export!(Maker);
