//@ expect: S015
// Grows the memory behind the back of the allocator.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        core::arch::wasm32::memory_grow::<0>(65_536);
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
