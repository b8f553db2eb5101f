//! Buy and hold: the smallest strategy that does something, and the one to beat in a rising market.
//!
//! Look here first for the shape of a strategy file: a type, [`Strategy`] for it, and `export!`.
//! On `calm` it pays one spread and two fees for a price that is as likely to fall as to rise, so it ends a little below zero.

use assay_sdk::*;

/// How much to buy. `of` checks at compile time: `Quantity::of(0)` in a `const` does not compile.
const SHARES: Quantity = Quantity::of(100);

struct BuyAndHold {
    bought: bool,
}

impl Strategy for BuyAndHold {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        BuyAndHold { bought: false }
    }

    // The first tick comes when the market opens for us. Quotes come before: an order sent then would be too early.
    fn on_tick(&mut self, exchange: &mut Exchange) {
        // The ask is `None` while nobody offers.
        let Some(ask) = exchange.quote().ask else { return };
        if !self.bought {
            // A limit at the ask trades at once like a market order, but never at a worse price than the one seen.
            exchange.limit(Limit::buy(ask.price, SHARES));
            self.bought = true;
        }
    }

    fn on_simulation_end(&mut self, exchange: &mut Exchange) {
        exchange.log(format!("holding {} shares", exchange.position()));
    }
}

export!(BuyAndHold);
