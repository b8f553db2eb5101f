//! The port through which a strategy takes part in the market.
//!
//! The market drives a [`Trader`]: it writes what the trader has received to the trader's desk, calls it back, then collects the
//! requests and wake-ups the desk has queued. A guest, a native strategy and the inert baseline are all traders.

use assay_model::{Desk, OrderUpdate, StrategyConfig};
use std::ops::ControlFlow;

/// A strategy as the market sees it. Every callback may return `Break`: the strategy has failed and must not be called again;
/// the exchange then cancels its orders (`Reason::TraderStopped`) and the market goes on without it.
pub trait Trader {
    /// The trader's desk; the same one for the whole episode.
    fn desk(&mut self) -> &mut Desk;
    /// Whether quotes are sent to the desk at all. Asked once, before anything else.
    fn watches_market(&self) -> bool {
        true
    }
    /// Before the market opens.
    fn initialize(&mut self, config: &StrategyConfig) -> ControlFlow<()>;
    /// At every tick interval and wake-up, from open to close.
    fn on_tick(&mut self) -> ControlFlow<()>;
    /// The desk has a new quote; not called once the desk is muted.
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
