//! A taker whose only parameter says on which side it trades next: it guesses, so every value is as good as any other, and luck is most of what it earns.

use assay_sdk::*;

parameters! {
    struct Settings {
        /// Decides, trade by trade, on which side.
        salt: u64 = 1 in 1..=1000000,
    }
}

/// Ticks between two trades.
const EVERY: u64 = 5;
/// Shares of a trade.
const LOT: u64 = 40;
/// The position beyond which it only goes back, in shares.
const POSITION_MAX: i64 = 200;

struct Taker {
    settings: Settings,
    /// Another one in each seed, so that no value can suit them all.
    draw: u64,
    ticks: u64,
}

/// Mixes two numbers to one in which neither is seen (the finaliser of splitmix64).
fn mixed(salt: u64, moment: u64) -> u64 {
    let mut x = salt.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(moment);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Strategy for Taker {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let draw = exchange.random();
        Taker { settings: Settings::read(exchange), draw, ticks: 0 }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        self.ticks += 1;
        if self.ticks % EVERY != 0 {
            return;
        }
        let position = exchange.position();
        let buys = if position.abs() >= POSITION_MAX {
            position < 0
        } else {
            mixed(self.settings.salt, self.draw.wrapping_add(self.ticks)) % 2 == 0
        };
        let side = if buys { Side::Buy } else { Side::Sell };
        if let Some(lot) = Quantity::new(LOT) {
            exchange.market(side, lot);
        }
    }
}

export!(Taker);
