//! The book without some agents' orders: what its position is marked at and closed against.
//!
//! An agent's own quotes are not a market for what it holds. Invariant: telling of it changes nothing, and costs the logarithm of the
//! levels at most, however many orders the agent has put in front of the others'.

use super::{Answers, Exchange, Phase};
use crate::{AgentIndex, EventSink, LeftOut, OthersQuote};
use assay_model::{Level, Price, Side};

/// Whose orders are left out, with others' best bid and offer as last told.
#[derive(Debug, Default)]
pub(super) struct Others(Vec<(LeftOut, [Option<Price>; 2])>);

impl Others {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Exchange {
    /// The same, but the sink is told the best prices without each of these agents' or groups' orders. Before the first order.
    #[must_use]
    pub fn telling_others(mut self, left_out: &[LeftOut]) -> Self {
        if left_out.is_empty() {
            return self;
        }
        self.book.watch_without(left_out);
        Self { others: Others(left_out.iter().map(|left_out| (*left_out, [None; 2])).collect()), ..self }
    }

    /// Visible levels of a side without the shares of this agent, best first. Orders that wait or are collected for an auction are not
    /// in the book, nor is what an iceberg does not show.
    pub fn levels_without(&self, side: Side, agent: AgentIndex) -> impl Iterator<Item = Level> {
        self.book.levels_without(side, agent)
    }

    #[inline(never)]
    pub(super) fn tell_others<O: EventSink + ?Sized>(&mut self, answers: &mut Answers<'_, O>) {
        if self.phase == Phase::Closed {
            return;
        }
        let Answers { at, symbol, out } = answers;
        for (number, (left_out, last)) in self.others.0.iter_mut().enumerate() {
            let [bid, ask] = [Side::Buy, Side::Sell].map(|side| self.book.best_without(number, side));
            if *last != [bid, ask] {
                *last = [bid, ask];
                out.others(&OthersQuote { at: *at, symbol: *symbol, left_out: *left_out, bid, ask });
            }
        }
    }
}
