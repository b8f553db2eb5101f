//! A strategy that uses every export and every import once, with a different number in every place.

use assay_sdk::*;

parameters! {
    /// With every type and both scales.
    struct Settings {
        a: f64 = -0.5 in -1.0..=1_000.0,
        b: i64 = 20 in 1..=30 log,
        c: u64 = 21 in 0..=22,
    }
}

struct EveryCall;

impl Strategy for EveryCall {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.log(format!("{config:?}"));
        let Settings { a, b, c } = Settings::read(exchange);
        exchange.log(format!("{a} {b} {c}"));
        EveryCall
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let (price, quantity) = (Price::of(99_001), Quantity::of(11));
        let order = exchange.limit(Limit::buy(price, quantity).hidden());
        exchange.limit(Limit::sell(price + 1, Quantity::of(12)).post_only());
        exchange.market(Side::Sell, Quantity::of(13));
        let full = Order::limit(Side::Sell, price + 9, Quantity::of(17)).iceberg(Quantity::of(18)).slide();
        exchange.order(full.time_in_force(TimeInForce::GoodTill(Time(19))).stop(price + 8));
        exchange.modify(order, price + 2, Quantity::of(14));
        exchange.reduce(order, Quantity::of(15));
        let order = exchange.replace(order, price + 3, Quantity::of(16));
        exchange.cancel(order);
        exchange.cancel_all();
        exchange.wake_at(exchange.now() + Duration::from_secs(1));
        exchange.wake_in(Duration::from_secs(2));
        exchange.log(format!("{:?} {:?}", exchange.now(), exchange.quote()));
        exchange.log(format!("{:?} {:?}", exchange.depth(Side::Buy, 10), exchange.depth(Side::Sell, 1)));
        exchange.log(format!("{:?}", exchange.open_orders()));
        let new_trades = exchange.new_trades();
        exchange.log(format!("{:?} {new_trades:?} {:?}", exchange.trades(3), exchange.session()));
        let ahead = exchange.queue_ahead(order);
        exchange.log(format!("{ahead:?} {:?} {} {}", exchange.average_cost(), exchange.realised(), exchange.fees()));
        exchange.log(format!("{:?} {:?}", exchange.symbols(), exchange.find("PAPER")));
        let symbol = exchange.symbol();
        exchange.select(symbol);
        exchange.mute_market_data();
        let (random, below) = (exchange.random(), exchange.random_below(6));
        exchange.log(format!("{} {} {random} {below}", exchange.position(), exchange.cash()));
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        exchange.log(format!("{quote:?} {:?}", exchange.now()));
    }

    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        exchange.log(format!("{update:?} {:?}", exchange.now()));
    }

    fn on_simulation_end(&mut self, _: &mut Exchange) {
        panic!("the end");
    }
}

export!(EveryCall);
