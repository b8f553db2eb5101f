//! What a strategy is written against. `GUIDE.md` teaches it on one page.
//!
//! A strategy is one file: a type that implements [`Strategy`], and [`export!`]. Compiled for `wasm32-unknown-unknown` it becomes
//! the world of `wit/strategy.wit`; compiled for the machine at hand the same file offers `strategy()`, which a test or a
//! benchmark drives through [`native`].
//!
//! Invariants: no dependencies, features or build script, so that plain `rustc` compiles this folder; prices and quantities cannot
//! be out of bounds; all unsafe code is in `abi`, which exists in WebAssembly only.

#[cfg(target_family = "wasm")]
#[doc(hidden)]
pub mod abi;
mod exchange;
mod market;
#[cfg(not(target_family = "wasm"))]
pub mod native;
mod order;
mod orders;
mod parameter;
mod strategy;
mod timer;
mod units;
pub mod wire;

pub use exchange::{Exchange, Host};
pub use market::{Config, Fee, Indicative, Level, Phase, Quote, SessionState, Symbol, Trade};
pub use order::{Display, Order, PostOnly, TimeInForce, Trigger};
pub use orders::{Fill, Limit, Liquidity, OpenOrder, OrderId, OrderUpdate, Reason, RequestId, UpdateKind};
pub use parameter::{Parameter, declaration};
pub use strategy::Strategy;
pub use timer::Timer;
pub use units::{Duration, PRICE_MAX_CENTS, Price, QUANTITY_MAX, Quantity, Side, Time};

/// The guide's code blocks are tests.
#[cfg(doctest)]
#[doc = include_str!("../../GUIDE.md")]
struct Guide;

/// Makes a type that implements [`Strategy`] the strategy of this file.
///
/// In WebAssembly this defines the exports of the world; elsewhere, `pub fn strategy() -> Box<dyn native::Driver>`.
#[cfg(not(target_family = "wasm"))]
#[macro_export]
macro_rules! export {
    ($strategy:ty) => {
        /// A new instance of this file's strategy, to be driven natively.
        #[must_use]
        pub fn strategy() -> ::std::boxed::Box<dyn $crate::native::Driver> {
            $crate::native::driver::<$strategy>()
        }
    };
}

/// Makes a type that implements [`Strategy`] the strategy of this file: defines the exports of the world.
#[cfg(target_family = "wasm")]
#[macro_export]
macro_rules! export {
    ($strategy:ty) => {
        const _: () = {
            static SEAT: $crate::abi::Seat<$strategy> = $crate::abi::Seat::empty();
            #[unsafe(export_name = "initialize")]
            extern "C" fn initialize(config: ::std::boxed::Box<$crate::abi::RawConfig>) {
                SEAT.initialize($crate::abi::config(config));
            }
            #[unsafe(export_name = "on-tick")]
            extern "C" fn on_tick(now: u64, bid: i64, bid_size: u64, ask: i64, ask_size: u64, last: i64, volume: u64) {
                SEAT.on_tick(now, $crate::wire::quote(bid, bid_size, ask, ask_size, last, volume));
            }
            #[unsafe(export_name = "on-market-data")]
            extern "C" fn on_market_data(now: u64, bid: i64, bid_size: u64, ask: i64, ask_size: u64, last: i64, volume: u64) {
                SEAT.on_market_data(now, $crate::wire::quote(bid, bid_size, ask, ask_size, last, volume));
            }
            #[unsafe(export_name = "on-order-update")]
            #[rustfmt::skip]
            extern "C" fn on_order_update(
                now: u64, bid: i64, bid_size: u64, ask: i64, ask_size: u64, last: i64, volume: u64,
                request: u64, order: u64, status: u32, reason: u32, price: i64, quantity: u64, remaining: u64, maker: u32,
                side: u32,
            ) {
                SEAT.on_order_update(
                    now, $crate::wire::quote(bid, bid_size, ask, ask_size, last, volume),
                    $crate::wire::update(request, order, status, reason, price, quantity, remaining, maker != 0, side),
                );
            }
            #[unsafe(export_name = "on-simulation-end")]
            extern "C" fn on_simulation_end(now: u64) {
                SEAT.on_simulation_end(now);
            }
        };
    };
}
