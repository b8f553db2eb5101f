//! What a strategy offers.

use crate::{Config, Exchange, OrderUpdate, Quote};

/// A trading strategy. The exchange calls it back; it answers with requests to `exchange`.
///
/// Callbacks never overlap, and nothing arrives while one runs.
pub trait Strategy: Sized + 'static {
    /// Once, before the market opens: orders sent here are rejected, wake-ups are kept.
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self;

    /// At every tick interval and at every wake-up asked for, from open to close.
    fn on_tick(&mut self, exchange: &mut Exchange) {
        _ = exchange;
    }

    /// The top of the book, the last price, the volume or the session changed. Begins when the market is open for you and its book has had
    /// both sides; a side can go empty later. A strategy that leaves this method out is called for the first change only.
    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        _ = quote;
        exchange.mute_market_data();
    }

    /// Something happened to a request or an order of yours.
    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        _ = (update, exchange);
    }

    /// Once, after the market has closed and every order has ended.
    fn on_simulation_end(&mut self, exchange: &mut Exchange) {
        _ = exchange;
    }
}
