//! Market making with inventory skew: quote both sides, earn the spread, and lean the quotes against what you hold.
//!
//! Whoever buys from everyone who sells ends up holding what falls. So the centre of the two quotes is not the middle but a price that
//! sinks with a long position and rises with a short one (the idea of Avellaneda and Stoikov, 2008, in its simplest form): the side
//! that would bring the position back to zero becomes the better price in the market and trades first.
//!
//! It looks at the market at the scenario's ticks, not at every change: its own quotes are part of the mid, and answering each change that
//! they make with another would be a conversation with itself.

use assay_sdk::*;

/// Shares in each quote.
const LOT: Quantity = Quantity::of(50);
/// The position at which a side stops quoting, in shares.
const POSITION_MAX: i64 = 500;
/// Distance of each quote from the centre, in cents.
const HALF_SPREAD: f64 = 2.0;
/// How far the centre moves against the position, in cents a lot held.
const SKEW_PER_LOT: f64 = 0.5;

/// One side of the market and the order that rests there.
struct Leg {
    side: Side,
    /// The order, and the price we last asked for; `None` if that was refused.
    working: Option<(OrderId, Option<Price>)>,
}

impl Leg {
    /// Brings the resting order to `price`, or takes it out for `None`.
    fn quote(&mut self, price: Option<Price>, exchange: &mut Exchange) {
        match (self.working, price) {
            // An unchanged price keeps its place in the queue: sending it again would gain nothing.
            (Some((_, asked)), Some(_)) if asked == price => {}
            (Some((id, _)), Some(new)) => {
                exchange.modify(id, new, LOT);
                self.working = Some((id, price));
            }
            // Post-only: a maker that takes by accident pays the spread that it wanted to earn.
            (None, Some(new)) => {
                self.working = Some((exchange.limit(Limit::new(self.side, new, LOT).post_only()), price));
            }
            (Some((id, _)), None) => {
                exchange.cancel(id);
                self.working = None;
            }
            (None, None) => {}
        }
    }

    /// Hears what became of a request.
    fn hear(&mut self, update: &OrderUpdate) {
        if let Some((id, asked)) = &mut self.working
            && *id == update.order
        {
            if update.ends_order() {
                // Exactly one update ends each order. The next look at the market quotes the side again.
                self.working = None;
            } else if matches!(update.kind, UpdateKind::Rejected { .. }) {
                // The order rests where it was; ask again.
                *asked = None;
            }
        }
    }
}

struct MarketMaker {
    bid: Leg,
    ask: Leg,
}

impl Strategy for MarketMaker {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        MarketMaker { bid: Leg { side: Side::Buy, working: None }, ask: Leg { side: Side::Sell, working: None } }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let quote = exchange.quote();
        let (Some(best_bid), Some(best_ask), Some(imbalance)) = (quote.bid, quote.ask, quote.imbalance()) else {
            return;
        };
        // The price between bid and ask, nearer to the side with fewer shares, which gives way first.
        let middle = best_bid.price.cents() as f64 + imbalance * (best_ask.price - best_bid.price) as f64;
        let position = exchange.position();
        let lots = position as f64 / LOT.shares() as f64;
        let centre = middle - SKEW_PER_LOT * lots;
        // Rounded away from the centre, which can only widen our spread, and short of the other side, which would be refused.
        let bid = Price::floor(centre - HALF_SPREAD).map(|bid| bid.min(best_ask.price - 1));
        let ask = Price::ceil(centre + HALF_SPREAD).map(|ask| ask.max(best_bid.price + 1));
        self.bid.quote(bid.filter(|_| position < POSITION_MAX), exchange);
        self.ask.quote(ask.filter(|_| position > -POSITION_MAX), exchange);
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        self.bid.hear(update);
        self.ask.hear(update);
    }
}

export!(MarketMaker);
