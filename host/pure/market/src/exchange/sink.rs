//! Who listens to an exchange: told of everything that happens, and shown the book.

use super::Exchange;
use crate::{Event, LeftOut, LevelChange, OthersQuote};
use assay_model::{Nanos, SymbolIndex, Time};

/// Receives events as they happen.
pub trait EventSink {
    /// Takes one event.
    fn event(&mut self, event: &Event);

    /// How often it wants to see the book, if at all; a simulation asks once, before the first event.
    fn depth_interval(&self) -> Option<Nanos> {
        None
    }

    /// Shows it the exchange as it stands before anything that happens at `at`: a whole number of intervals after the open, up to
    /// the close. Looking changes nothing.
    fn depth(&mut self, _at: Time, _exchange: &Exchange) {}

    /// Whether [`level`](Self::level) is to be called at all. Asked once, before the first event.
    fn watches_depth(&self) -> bool {
        false
    }

    /// Takes one level of the visible book that the request just handled may have changed; comes before the quote. After the
    /// close the book stands as it was at the close, as the quote does.
    fn level(&mut self, change: &LevelChange) {
        let _ = change;
    }

    /// The agents, one by one or all from one on, without whose orders it wants to know the best prices. Asked once, before the first event.
    fn leaves_out(&self) -> Vec<LeftOut> {
        Vec::new()
    }

    /// Takes others' best prices when the request just handled has changed them; comes before the quote. Hidden shares count as little
    /// as they do in a quote.
    fn others(&mut self, quote: &OthersQuote) {
        let _ = quote;
    }

    /// Shows it a symbol's exchange as it stands at the close, once, after a closing auction and before the orders left expire. Looking
    /// changes nothing.
    fn closing(&mut self, at: Time, symbol: SymbolIndex, exchange: &Exchange) {
        let _ = (at, symbol, exchange);
    }
}

/// Listens to nothing.
impl EventSink for () {
    fn event(&mut self, _: &Event) {}
}
