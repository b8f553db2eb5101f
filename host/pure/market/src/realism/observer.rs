//! Listens to one episode and keeps what the statistics need: the mid of each second, the volume of each minute, each taker order.

use assay_model::{Nanos, OrderId, Side, SymbolIndex, Time};

use super::statistics::{
    autocorrelation, coefficient_of_variation, correlation, decay, excess_kurtosis, hill, variance_ratio,
};
use super::{Observation, STATISTIC_COUNT, VOLATILITY_LAGS};
use crate::{AgentIndex, Event, EventKind, EventSink, Session};
use std::collections::VecDeque;

/// Shortest session that is judged: four half-hours, so that the first, the last and those of midday are different ones.
pub const SESSION_MIN: Nanos = Nanos::from_secs(2 * 60 * 60);

const MINUTE: usize = 60;
const HALF_HOUR: usize = 30;
/// Longest lag, in minutes, and in taker orders, up to which a decay is fitted.
const VOLATILITY_LAG: usize = 34;
const SIDE_LAG: usize = 144;
/// Share of the returns that are the tail.
const TAIL: f64 = 0.05;

/// See the module documentation.
#[derive(Debug)]
pub struct Observer {
    open: Time,
    close: Time,
    /// The last two-sided mid, doubled.
    doubled_mid: Option<i64>,
    /// The mid at each whole second, doubled, from the first at which there was one.
    seconds: Vec<i64>,
    next_second: Time,
    /// The spread while both sides are there, and for how many seconds' marks they have been; in cents.
    spread: Option<i64>,
    spreads: (i64, u64),
    /// Shares traded in each minute since the open.
    volume: Vec<f64>,
    /// Each taker order: when, which, and 1 for a buyer or −1 for a seller.
    takers: Vec<(Time, (AgentIndex, OrderId), f64)>,
    costs: Costs,
    /// Orders are being collected for an auction, in which nobody takes.
    in_auction: bool,
}

/// What takers pay and what of it makers keep, by Huang & Stoll (1996): sums over trades of shares times cents.
#[derive(Debug, Default)]
struct Costs {
    /// Trades that wait for the mid a minute later.
    waiting: VecDeque<Paid>,
    effective: f64,
    realised: f64,
    impact: f64,
}

/// One trade, in half cents.
#[derive(Debug)]
struct Paid {
    due: Time,
    sign: i64,
    price: i64,
    mid: i64,
    shares: u32,
}

impl Costs {
    /// The mid is `mid` until `until`: trades whose minute is over before that are counted, with both parts, so that these add up.
    fn hold(&mut self, mid: Option<i64>, until: Time) {
        let Some(mid) = mid else { return };
        while let Some(trade) = self.waiting.pop_front_if(|trade| trade.due < until) {
            let sum = |half_cents: i64| (trade.sign * half_cents * i64::from(trade.shares)) as f64;
            self.effective += sum(trade.price - trade.mid);
            self.realised += sum(trade.price - mid);
            self.impact += sum(mid - trade.mid);
        }
    }

    /// `part` over the effective spread.
    fn share(&self, part: f64) -> Option<f64> {
        (self.effective > 0.0).then(|| part / self.effective)
    }
}

impl Observer {
    /// An observer of a session.
    #[must_use]
    pub fn new(open: Time, close: Time) -> Self {
        let minutes = close.since(open).0.div_ceil(MINUTE as u64 * Nanos::SECOND.0) as usize;
        Self {
            open,
            close,
            doubled_mid: None,
            seconds: Vec::new(),
            next_second: open,
            spread: None,
            spreads: (0, 0),
            volume: vec![0.0; minutes],
            takers: Vec::new(),
            costs: Costs::default(),
            in_auction: false,
        }
    }

    /// Samples the mid at the whole seconds before `until`.
    fn hold(&mut self, until: Time) {
        self.costs.hold(self.doubled_mid, until);
        while self.next_second < until {
            self.seconds.extend(self.doubled_mid);
            if let Some(spread) = self.spread {
                self.spreads = (self.spreads.0 + spread, self.spreads.1 + 1);
            }
            self.next_second = self.next_second + Nanos::SECOND;
        }
    }

    /// The mean spread so far, in cents, at the whole seconds at which both sides were there.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        (self.spreads.1 > 0).then(|| self.spreads.0 as f64 / self.spreads.1 as f64)
    }

    /// The statistics; all `None` for a session shorter than [`SESSION_MIN`]. Those of the reference strategies are not known from a market without them.
    #[must_use]
    pub fn finish(mut self) -> Observation {
        self.hold(self.close + Nanos(1));
        if self.close.since(self.open) < SESSION_MIN || self.seconds.is_empty() {
            return [None; STATISTIC_COUNT];
        }
        let levels: Vec<f64> = self.seconds.iter().map(|mid| libm::log(*mid as f64)).collect();
        let minutes = returns(&levels, MINUTE);
        let five_minutes = returns(&levels, 5 * MINUTE);
        let sizes: Vec<f64> = minutes.iter().map(|change| change.abs()).collect();
        let (kurtosis, kurtosis_of_five) = (excess_kurtosis(&minutes), excess_kurtosis(&five_minutes));
        // The grid begins at the first mid; the last returns end at the close, and so does the last volume.
        let volume = &self.volume[self.volume.len() - sizes.len().min(self.volume.len())..];
        let sides: Vec<f64> = self.takers.iter().map(|(_, _, side)| *side).collect();
        let waits: Vec<f64> = self.takers.windows(2).map(|pair| pair[1].0.since(pair[0].0).0 as f64).collect();
        let (first, last) = self.edges();
        let [one, five, ten] = VOLATILITY_LAGS.map(|lag| autocorrelation(&sizes, lag));
        [
            autocorrelation(&minutes, 1),
            variance_ratio(&levels, 5 * MINUTE),
            kurtosis,
            hill(&minutes, TAIL),
            kurtosis.zip(kurtosis_of_five).map(|(one, five)| one - five),
            one,
            five,
            ten,
            decay(&sizes, VOLATILITY_LAG),
            correlation(volume, &sizes),
            autocorrelation(&sides, 1),
            decay(&sides, SIDE_LAG),
            coefficient_of_variation(&waits),
            first,
            last,
            self.costs.share(self.costs.realised),
            self.costs.share(self.costs.impact),
            None,
            None,
            None,
        ]
    }

    /// Volume of the first and of the last half-hour, to the mean of the two half-hours around midday.
    fn edges(&self) -> (Option<f64>, Option<f64>) {
        let minutes = self.volume.len();
        let sum = |from: usize| self.volume[from..from + HALF_HOUR].iter().sum::<f64>();
        let midday = (sum(minutes / 2 - HALF_HOUR) + sum(minutes / 2)) / 2.0;
        let ratio = |edge: f64| (midday > 0.0).then(|| edge / midday);
        (ratio(sum(0)), ratio(sum(minutes - HALF_HOUR)))
    }
}

/// Differences between neighbours of every `step`-th level, the last one included.
fn returns(levels: &[f64], step: usize) -> Vec<f64> {
    let mut grid: Vec<f64> = levels.iter().rev().step_by(step).copied().collect();
    grid.reverse();
    grid.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

impl EventSink for Observer {
    fn event(&mut self, event: &Event) {
        // A market's realism is that of its first symbol.
        if event.symbol != SymbolIndex::FIRST {
            return;
        }
        match event.kind {
            EventKind::Quote(quote) => {
                self.hold(event.at);
                self.spread = None;
                if let (Some(bid), Some(ask)) = (quote.bid, quote.ask) {
                    self.doubled_mid = Some(bid.price.cents() + ask.price.cents());
                    self.spread = Some(ask.price.cents() - bid.price.cents());
                }
            }
            EventKind::Session(session) => self.in_auction = session == Session::Call,
            EventKind::Trade { price, quantity, taker_side, taker, .. } => {
                if let Some(mid) = self.doubled_mid.filter(|_| !self.in_auction) {
                    let due = event.at + Nanos::from_secs(MINUTE as u64);
                    let paid = Paid { due, sign: taker_side.sign(), price: 2 * price.cents(), mid, shares: quantity };
                    self.costs.waiting.push_back(paid);
                }
                let minute = (event.at.since(self.open).0 / (MINUTE as u64 * Nanos::SECOND.0)) as usize;
                if let Some(volume) = self.volume.get_mut(minute) {
                    *volume += f64::from(quantity);
                }
                if self.takers.last().is_none_or(|(_, last, _)| *last != taker) {
                    self.takers.push((event.at, taker, if taker_side == Side::Buy { 1.0 } else { -1.0 }));
                }
            }
            _ => {}
        }
    }
}
