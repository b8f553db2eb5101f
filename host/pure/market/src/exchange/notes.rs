//! What is noted of every trade for the rules that look back: band, position and loss, stops, circuit breakers.
//!
//! In one place, so that an exchange without such rules asks one question for each trade.

use super::band::Band;
use super::exposure::Exposures;
use crate::AgentIndex;
use assay_model::{Liquidity, Price, Side, Time};

/// See the module documentation.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) band: Option<Band>,
    /// The traders with limits of their own.
    pub(super) exposures: Exposures,
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
    /// The band, unless it forbids nothing.
    #[inline]
    pub(super) fn limits(&self) -> Option<&Band> {
        self.band.as_ref().filter(|band| band.is_limited())
    }

    #[inline(never)]
    pub(super) fn trade(&mut self, trade: &Noted) {
        let Noted { at, price, quantity, taker_side, maker, taker, prints } = *trade;
        self.first = self.first.or(Some(price));
        if prints {
            self.prints.push(price);
        }
        let mut is_watched = false;
        for (agent, side, liquidity) in
            [(maker, taker_side.opposite(), Liquidity::Maker), (taker, taker_side, Liquidity::Taker)]
        {
            if let Some(exposure) = self.exposures.of_mut(agent) {
                is_watched = true;
                exposure.trades(side, quantity, price, liquidity);
            }
        }
        if let Some(band) = &mut self.band {
            band.trade(at, price, quantity, is_watched);
        }
    }
}
