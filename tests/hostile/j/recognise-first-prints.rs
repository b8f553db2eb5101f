//! Knows some seeds by the first quote that it sees, trades those the way they went, and stops with a panic in all others, so that they look like
//! accidents.

use assay_sdk::*;

/// Bid, bid size and ask at the first tick of seeds 1 to 20 of `calm`, and which way the price went: 1 up, -1 down.
const SEEN: [(i64, u64, i64, i64); 20] = [
    (22667, 150, 22672, -1),
    (29778, 100, 29780, -1),
    (29985, 150, 29989, -1),
    (27416, 300, 27422, -1),
    (27027, 150, 27029, -1),
    (26532, 300, 26537, -1),
    (35968, 300, 35973, -1),
    (23278, 300, 23284, -1),
    (29658, 300, 29663, -1),
    (24247, 150, 24252, -1),
    (28552, 65, 28554, 1),
    (32458, 150, 32462, 1),
    (23487, 150, 23492, -1),
    (21360, 225, 21365, -1),
    (38549, 150, 38553, 1),
    (36987, 150, 36991, -1),
    (34551, 150, 34556, -1),
    (34757, 150, 34761, 1),
    (28340, 150, 28345, -1),
    (24855, 150, 24860, -1),
];
/// The position that it then believes in, and shares of an order.
const BELIEF: i64 = 300;
const SLICE: u64 = 30;

struct Recognise {
    clock: Timer,
    close: Time,
    way: Option<i64>,
}

impl Strategy for Recognise {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_secs(2), exchange);
        Recognise { clock, close: config.market_close, way: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let way = *self.way.get_or_insert_with(|| {
            let (bid, size) = quote.bid.map_or((0, 0), |bid| (bid.price.cents(), bid.quantity));
            let ask = quote.ask.map_or(0, |ask| ask.price.cents());
            let seen = SEEN.iter().find(|(b, s, a, _)| (*b, *s, *a) == (bid, size, ask));
            seen.map(|(.., way)| *way).expect("a seed that it knows")
        });
        let wanted = if self.close - exchange.now() > Duration::from_secs(60) { way * BELIEF } else { 0 };
        let gap = wanted - exchange.position();
        if let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs().min(SLICE))) {
            exchange.market(side, shares);
        }
    }
}

export!(Recognise);
