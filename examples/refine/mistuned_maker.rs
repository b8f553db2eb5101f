//! A market maker whose parameters are set badly on purpose: it quotes far from the middle, in small lots, and hardly leans against what it holds.
//!
//! `make demo-refine` lets the tuner find better values, and proves that they are better.

use assay_sdk::*;

parameters! {
    struct Settings {
        /// Distance of a quote from the middle, in cents.
        half_spread: f64 = 14.0 in 0.5..=20.0 log,
        /// How far a quote may be from where it should be before it is moved, in cents.
        tolerance: i64 = 6 in 0..=8,
        /// How far the middle sinks for each share held, in cents.
        skew: f64 = 0.001 in 0.001..=0.2 log,
        /// Shares in a quote.
        lot: u64 = 10 in 5..=100 log,
        /// The position at which a side stops quoting, in shares.
        position_max: i64 = 400 in 40..=400,
    }
}

/// No new quotes this long before the close.
const LAST: Duration = Duration::from_secs(60);

struct Maker {
    settings: Settings,
    close: Time,
    legs: [Option<(OrderId, Price)>; 2],
}

impl Strategy for Maker {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Maker { settings: Settings::read(exchange), close: config.market_close, legs: [None; 2] }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let Settings { half_spread, tolerance, skew, lot, position_max } = self.settings;
        let position = exchange.position();
        let middle = (bid.price.cents() + ask.price.cents()) as f64 / 2.0 - skew * position as f64;
        let closing = self.close - exchange.now() < LAST;
        for (leg, side) in self.legs.iter_mut().zip([Side::Buy, Side::Sell]) {
            let wanted = match side {
                Side::Buy => Price::floor(middle - half_spread).map(|price| price.min(ask.price - 1)),
                Side::Sell => Price::ceil(middle + half_spread).map(|price| price.max(bid.price + 1)),
            };
            let room = u64::try_from(position_max - position * side.sign()).unwrap_or(0).min(lot);
            match (*leg, wanted, Quantity::new(room)) {
                (Some((_, price)), Some(wanted), Some(_)) if (price - wanted).abs() <= tolerance && !closing => {}
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
