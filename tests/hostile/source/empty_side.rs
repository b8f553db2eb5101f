//@ expect: S030
// Takes a side of the book for granted; a warning.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let bid = quote.bid.unwrap();
        exchange.log(bid.price.to_string());
    }
}

assay_sdk::export!(Attack);
