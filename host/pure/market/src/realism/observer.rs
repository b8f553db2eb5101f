//! Listens to one episode and keeps what the statistics need: the mid of each second, the volume of each minute, each taker order.

use assay_model::{Nanos, OrderId, Side, SymbolIndex, Time};

use super::statistics::{
    autocorrelation, coefficient_of_variation, correlation, decay, excess_kurtosis, hill, variance_ratio,
};
use super::{Observation, STATISTIC_COUNT, VOLATILITY_LAGS};
use crate::{AgentIndex, Event, EventKind, EventSink};

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
    /// Shares traded in each minute since the open.
    volume: Vec<f64>,
    /// Each taker order: when, which, and 1 for a buyer or −1 for a seller.
    takers: Vec<(Time, (AgentIndex, OrderId), f64)>,
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
            volume: vec![0.0; minutes],
            takers: Vec::new(),
        }
    }

    /// Samples the mid at the whole seconds before `until`.
    fn hold(&mut self, until: Time) {
        while self.next_second < until {
            self.seconds.extend(self.doubled_mid);
            self.next_second = self.next_second + Nanos::SECOND;
        }
    }

    /// The statistics; all `None` for a session shorter than [`SESSION_MIN`].
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
                if let (Some(bid), Some(ask)) = (quote.bid, quote.ask) {
                    self.doubled_mid = Some(bid.price.cents() + ask.price.cents());
                }
            }
            EventKind::Trade { quantity, taker_side, taker, .. } => {
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
