//! A maker whose only parameter says at which ticks it looks at its quotes: every value is as good as any other, and no two send the same orders.

use assay_sdk::*;

parameters! {
    struct Settings {
        /// Decides, tick by tick, whether it looks.
        salt: u64 = 1 in 1..=1000000,
    }
}

/// Distance of a quote from the middle, in cents.
const HALF_SPREAD: f64 = 3.0;
/// How far the middle sinks for each share held, in cents.
const SKEW: f64 = 0.02;
/// Shares in a quote.
const LOT: u64 = 20;
/// The position at which a side stops quoting, in shares.
const POSITION_MAX: i64 = 200;

struct Maker {
    settings: Settings,
    /// Another one in each seed, so that no value can suit them all.
    draw: u64,
    ticks: u64,
    legs: [Option<(OrderId, Price)>; 2],
}

/// Mixes two numbers to one in which neither is seen (the finaliser of splitmix64).
fn mixed(salt: u64, moment: u64) -> u64 {
    let mut x = salt.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(moment);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Strategy for Maker {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let draw = exchange.random();
        Maker { settings: Settings::read(exchange), draw, ticks: 0, legs: [None; 2] }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        self.ticks += 1;
        if mixed(self.settings.salt, self.draw.wrapping_add(self.ticks)) % 2 == 0 {
            return;
        }
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let position = exchange.position();
        let middle = (bid.price.cents() + ask.price.cents()) as f64 / 2.0 - SKEW * position as f64;
        for (leg, side) in self.legs.iter_mut().zip([Side::Buy, Side::Sell]) {
            let wanted = match side {
                Side::Buy => Price::floor(middle - HALF_SPREAD).map(|price| price.min(ask.price - 1)),
                Side::Sell => Price::ceil(middle + HALF_SPREAD).map(|price| price.max(bid.price + 1)),
            };
            let room = u64::try_from(POSITION_MAX - position * side.sign()).unwrap_or(0).min(LOT);
            match (*leg, wanted, Quantity::new(room)) {
                (Some((_, price)), Some(wanted), Some(_)) if price == wanted => {}
                (Some((order, _)), Some(wanted), Some(lot)) => {
                    exchange.modify(order, wanted, lot);
                    *leg = Some((order, wanted));
                }
                (Some((order, _)), ..) => {
                    exchange.cancel(order);
                    *leg = None;
                }
                (None, Some(wanted), Some(lot)) => {
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
