//! What is noted of every trade for the rules that look back: band, position and loss, stops, circuit breakers.
//!
//! In one place, so that an exchange without such rules asks one question for each trade.

use super::band::Band;
use super::exposure::Exposure;
use crate::AgentIndex;
use assay_model::{Price, Side, Time};

/// See the module documentation.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) band: Option<Band>,
    /// The one trader with limits of its own.
    pub(super) exposure: Option<Exposure>,
    /// Trades that may set off stops, and have not yet.
    pub(super) prints: Vec<Price>,
    /// The session's first trade.
    pub(super) first: Option<Price>,
}

/// A trade, as far as it is noted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted {
    pub(super) at: Time,
    pub(super) price: Price,
    pub(super) quantity: u32,
    pub(super) taker_side: Side,
    pub(super) maker: AgentIndex,
    pub(super) taker: AgentIndex,
    /// Whether stops wait for trades.
    pub(super) prints: bool,
}

impl Notes {
    #[inline(never)]
    pub(super) fn trade(&mut self, trade: &Noted) {
        let Noted { at, price, quantity, taker_side, maker, taker, prints } = *trade;
        self.first = self.first.or(Some(price));
        if prints {
            self.prints.push(price);
        }
        if let Some(band) = &mut self.band {
            band.trade(at, price);
        }
        if let Some(exposure) = &mut self.exposure {
            exposure.trades(maker, taker_side.opposite(), quantity, price);
            exposure.trades(taker, taker_side, quantity, price);
        }
    }
}
