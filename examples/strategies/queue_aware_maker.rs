//! A market maker that values its place in the queue: it moves a quote only when the market has left it by more than a cent, takes fewer shares where it
//! holds many, and stops quoting a side at its limit.

use assay_sdk::*;

/// Shares in a quote, and the position at which a side stops quoting.
const LOT: u64 = 40;
const POSITION_MAX: i64 = 200;
/// Distance of a quote from the middle, in cents, and how far it may be from there before it is moved.
const HALF_SPREAD: f64 = 3.0;
const TOLERANCE: i64 = 1;
/// How far the middle sinks for each share held, in cents.
const SKEW: f64 = 0.02;
/// No new quotes this long before the close.
const LAST: Duration = Duration::from_secs(60);

struct Maker {
    close: Time,
    legs: [Option<(OrderId, Price)>; 2],
}

impl Strategy for Maker {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Maker { close: config.market_close, legs: [None; 2] }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let position = exchange.position();
        let middle = (bid.price.cents() + ask.price.cents()) as f64 / 2.0 - SKEW * position as f64;
        let closing = self.close - exchange.now() < LAST;
        for (leg, side) in self.legs.iter_mut().zip([Side::Buy, Side::Sell]) {
            let wanted = match side {
                Side::Buy => Price::floor(middle - HALF_SPREAD).map(|price| price.min(ask.price - 1)),
                Side::Sell => Price::ceil(middle + HALF_SPREAD).map(|price| price.max(bid.price + 1)),
            };
            let room = u64::try_from(POSITION_MAX - position * side.sign()).unwrap_or(0).min(LOT);
            match (*leg, wanted, Quantity::new(room)) {
                (Some((_, price)), Some(wanted), Some(_)) if (price - wanted).abs() <= TOLERANCE && !closing => {}
                (Some((order, _)), Some(wanted), Some(lot)) if !closing => {
                    exchange.modify(order, wanted, lot);
                    *leg = Some((order, wanted));
                }
                (Some((order, _)), ..) => {
                    exchange.cancel(order);
                    *leg = None;
                }
                (None, Some(wanted), Some(lot)) if !closing => {
                    *leg = Some((exchange.limit(Limit::new(side, wanted, lot).post_only()), wanted));
                }
                _ => {}
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
