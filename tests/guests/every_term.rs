//! A strategy that sends orders with every pair of terms in turn, around the touch, and keeps what it is told in its log.

use assay_sdk::*;

struct EveryTerm {
    sent: u64,
    open: Time,
}

const POST_ONLY: [PostOnly; 3] = [PostOnly::No, PostOnly::Reject, PostOnly::Slide];

impl EveryTerm {
    /// The order of this number: mixed radix over all terms, so that each meets each.
    fn order(&self, bid: Price, ask: Price, now: Time) -> Order {
        let mut digits = self.sent;
        let mut digit = |radix: usize| {
            let value = digits % radix as u64;
            digits /= radix as u64;
            value as usize
        };
        let side = Side::ALL[digit(2)];
        let quantity = Quantity::of(30);
        let lives = [
            TimeInForce::Day,
            TimeInForce::ImmediateOrCancel,
            TimeInForce::FillOrKill,
            TimeInForce::GoodTill(now + Duration::from_secs(2)),
            TimeInForce::AtOpen,
            TimeInForce::AtClose,
        ];
        let displays = [Display::Full, Display::Hidden, Display::Iceberg(Quantity::of(7)), Display::Comply];
        let (time_in_force, display) = (lives[digit(lives.len())], displays[digit(displays.len())]);
        let (post_only, at, trigger) = (POST_ONLY[digit(POST_ONLY.len())], digit(3), digit(3));
        let price = match at {
            0 => Some(if side == Side::Buy { bid } else { ask }),
            1 => Some(if side == Side::Buy { ask } else { bid }),
            _ => None,
        };
        let trigger = match trigger {
            0 => None,
            1 => Some(Trigger::Stop(if side == Side::Buy { ask } else { bid })),
            _ => Some(Trigger::Trail(2)),
        };
        Order { side, price, quantity, time_in_force, display, post_only, trigger }
    }
}

impl Strategy for EveryTerm {
    fn initialize(config: &Config, _: &mut Exchange) -> Self {
        EveryTerm { sent: 0, open: config.market_open }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let Quote { bid: Some(bid), ask: Some(ask), .. } = exchange.quote() else { return };
        if exchange.now() < self.open {
            return;
        }
        for _ in 0..3 {
            exchange.order(self.order(bid.price, ask.price, exchange.now()));
            self.sent += 1;
        }
        if self.sent.is_multiple_of(60) {
            exchange.cancel_all();
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        exchange.log(format!("{} {:?} {}", update.order.number(), update.kind, update.remaining));
    }
}

export!(EveryTerm);
