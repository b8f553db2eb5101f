//! Running a strategy's file as ordinary code, in tests and benchmarks.
//!
//! ```
//! mod holder {
//!     use assay_sdk::*;
//!
//!     struct Holder;
//!
//!     impl Strategy for Holder {
//!         fn initialize(_: &Config, _: &mut Exchange) -> Self {
//!             Holder
//!         }
//!     }
//!
//!     export!(Holder);
//! }
//!
//! let driver: Box<dyn assay_sdk::native::Driver> = holder::strategy();
//! ```
//!
//! A file joins a crate with `#[path = "…/holder.rs"] mod holder;`. The host keeps an [`exchange`](exchange()) around its own state and
//! lends it to every callback.

use crate::{Config, Exchange, Host, OrderUpdate, Quote, Strategy, Time};

/// A strategy of any type, driven by a host. In each callback `exchange.quote()` is the `quote` that came with it, or the last one.
pub trait Driver {
    /// Makes the strategy. Comes first.
    fn initialize(&mut self, config: &Config, exchange: &mut Exchange);
    /// See [`Strategy::on_tick`].
    fn on_tick(&mut self, now: Time, quote: &Quote, exchange: &mut Exchange);
    /// See [`Strategy::on_market_data`].
    fn on_market_data(&mut self, now: Time, quote: &Quote, exchange: &mut Exchange);
    /// See [`Strategy::on_order_update`].
    fn on_order_update(&mut self, now: Time, quote: &Quote, update: &OrderUpdate, exchange: &mut Exchange);
    /// See [`Strategy::on_simulation_end`].
    fn on_simulation_end(&mut self, now: Time, exchange: &mut Exchange);
}

/// A line to `host`: `&mut` of it is a `&mut Exchange`.
#[must_use]
pub const fn exchange<H: Host>(host: H) -> Exchange<H> {
    Exchange::new(host)
}

/// A driver of a strategy of type `S`; [`export!`](crate::export) calls it.
#[must_use]
pub fn driver<S: Strategy>() -> Box<dyn Driver> {
    Box::new(Seat::<S>(None))
}

/// A strategy, once it is made.
struct Seat<S>(Option<S>);

impl<S> Seat<S> {
    fn strategy(&mut self) -> &mut S {
        self.0.as_mut().expect("`initialize` is the first callback")
    }
}

impl<S: Strategy> Driver for Seat<S> {
    fn initialize(&mut self, config: &Config, exchange: &mut Exchange) {
        self.0 = Some(S::initialize(config, exchange));
    }
    fn on_tick(&mut self, now: Time, quote: &Quote, exchange: &mut Exchange) {
        exchange.begin(now, quote);
        self.strategy().on_tick(exchange);
    }
    fn on_market_data(&mut self, now: Time, quote: &Quote, exchange: &mut Exchange) {
        exchange.begin(now, quote);
        self.strategy().on_market_data(quote, exchange);
    }
    fn on_order_update(&mut self, now: Time, quote: &Quote, update: &OrderUpdate, exchange: &mut Exchange) {
        exchange.begin(now, quote);
        self.strategy().on_order_update(update, exchange);
    }
    fn on_simulation_end(&mut self, now: Time, exchange: &mut Exchange) {
        exchange.begin_at(now);
        self.strategy().on_simulation_end(exchange);
    }
}
