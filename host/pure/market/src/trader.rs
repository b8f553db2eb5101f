//! The port through which a strategy takes part in the market.
//!
//! The market drives a [`Trader`]: it writes what the trader has received to the trader's desk, calls it back, then collects the
//! requests and wake-ups the desk has queued. A guest, a native strategy and the inert baseline are all traders.

use assay_model::{Desk, OrderUpdate, StrategyConfig};
use std::ops::ControlFlow;

/// What a trader's fuel is spent by; a scenario says for each how long it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FuelOf {
    /// The strategy's own code. Its requests leave one by one, as they are submitted.
    Code,
    /// A Python interpreter that runs the strategy. Its requests leave together, at the end of the callback.
    Python,
}

/// A strategy as the market sees it. Every callback may return `Break`: the strategy has failed and must not be called again;
/// the exchange then cancels its orders (`Reason::TraderStopped`) and the market goes on without it.
pub trait Trader {
    /// The trader's desk; the same one for the whole episode.
    fn desk(&mut self) -> &mut Desk;
    /// Whether quotes are sent to the desk at all. Asked once, before anything else.
    fn watches_market(&self) -> bool {
        true
    }
    /// What spends its fuel. Asked once, before anything else.
    fn fuel_of(&self) -> FuelOf {
        FuelOf::Code
    }
    /// Fuel that the last callback has spent; 0 for a trader whose work is not metered.
    fn fuel_spent(&self) -> u64 {
        0
    }
    /// Whether nobody wants the rest of the episode any more. Asked now and then, also while nothing happens that the trader is called for. Once a trader says
    /// so, no more of the market happens, and what is left of the episode is worth nothing.
    fn gives_up(&mut self) -> bool {
        false
    }
    /// Before the market opens.
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()>;
    /// At every tick interval and wake-up, from open to close. What falls due while the trader still computes is one call.
    fn on_tick(&mut self) -> ControlFlow<()>;
    /// The desk has a new quote; not called once the desk is muted. Of quotes that came while the trader still computed, it is called at the newest.
    fn on_market_data(&mut self) -> ControlFlow<()>;
    /// The desk has taken in this update.
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()>;
    /// After the close, when every order has ended.
    fn on_simulation_end(&mut self) -> ControlFlow<()>;
}

/// A trader that is present, connected and does nothing: the baseline against which a strategy is measured.
#[derive(Debug)]
pub struct Inert(Desk);

impl Inert {
    /// An inert trader at this desk.
    #[must_use]
    pub fn new(desk: Desk) -> Self {
        Self(desk)
    }
}

impl Trader for Inert {
    fn desk(&mut self) -> &mut Desk {
        &mut self.0
    }
    fn watches_market(&self) -> bool {
        false
    }
    fn initialize(&mut self, _: &StrategyConfig) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_order_update(&mut self, _: &OrderUpdate) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A trader that gives up once `is_over` says so: at its next callback, or where the market does not call it, within some thousand of the market's own turns.
#[derive(Debug)]
pub struct Until<T, F> {
    inner: T,
    is_over: F,
    gave_up: bool,
}

impl<T, F: Fn() -> bool> Until<T, F> {
    /// The trader, until `is_over`, which is asked at every callback.
    pub const fn new(inner: T, is_over: F) -> Self {
        Self { inner, is_over, gave_up: false }
    }

    /// The trader, if it has not given up.
    pub fn into_finished(self) -> Option<T> {
        (!self.gave_up).then_some(self.inner)
    }

    fn ask(&mut self) -> bool {
        self.gave_up = self.gave_up || (self.is_over)();
        self.gave_up
    }

    fn try_callback(&mut self, callback: impl FnOnce(&mut T) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.ask() { ControlFlow::Break(()) } else { callback(&mut self.inner) }
    }
}

impl<T: Trader, F: Fn() -> bool> Trader for Until<T, F> {
    fn desk(&mut self) -> &mut Desk {
        self.inner.desk()
    }
    fn watches_market(&self) -> bool {
        self.inner.watches_market()
    }
    fn fuel_of(&self) -> FuelOf {
        self.inner.fuel_of()
    }
    fn fuel_spent(&self) -> u64 {
        self.inner.fuel_spent()
    }
    fn gives_up(&mut self) -> bool {
        self.ask()
    }
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()> {
        self.try_callback(|inner| inner.initialize(config))
    }
    fn on_tick(&mut self) -> ControlFlow<()> {
        self.try_callback(T::on_tick)
    }
    fn on_market_data(&mut self) -> ControlFlow<()> {
        self.try_callback(T::on_market_data)
    }
    fn on_order_update(&mut self, update: &OrderUpdate) -> ControlFlow<()> {
        self.try_callback(|inner| inner.on_order_update(update))
    }
    fn on_simulation_end(&mut self) -> ControlFlow<()> {
        self.try_callback(T::on_simulation_end)
    }
}
