//! A strategy that quotes every symbol of its market at its touch, and trades one against the other when their mids part.

use assay_sdk::*;

struct TwoSymbols {
    symbols: Vec<(Symbol, String)>,
}

impl Strategy for TwoSymbols {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        TwoSymbols { symbols: exchange.symbols() }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let mut mids = Vec::new();
        for (symbol, name) in &self.symbols {
            exchange.select(*symbol);
            assert_eq!(exchange.find(name), Some(exchange.symbol()));
            mids.extend(exchange.quote().mid());
            exchange.cancel_all();
            if let Quote { bid: Some(bid), ask: Some(ask), .. } = exchange.quote() {
                exchange.limit(Limit::buy(bid.price, Quantity::of(5)));
                exchange.limit(Limit::sell(ask.price, Quantity::of(5)));
            }
        }
        if let [first, second] = mids[..] {
            let cheap = if first < second { 0 } else { 1 };
            exchange.select(self.symbols[cheap].0);
            exchange.market(Side::Buy, Quantity::of(1));
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        if update.ends_order() && exchange.now().0 % 7 == 0 {
            let (symbol, position) = (exchange.symbol().number(), exchange.position());
            exchange.log(format!("{symbol} {position} {} {}", exchange.open_orders().len(), exchange.cash()));
        }
    }
}

export!(TwoSymbols);
