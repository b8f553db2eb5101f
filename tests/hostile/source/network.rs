//@ expect: S011
// Calls home.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = std::net::TcpStream::connect("203.0.113.7:443");
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
