//! What a market looks like over one episode, in the figures that were measured of ABIDES in the same way. The example `market_stats` prints them.

use assay_market::{Event, EventKind, EventSink, Inert, Scenario, simulate};
use assay_model::{Nanos, Quote, Reason, RequestKind, Seed, Time, UpdateKind};

const MINUTE: Nanos = Nanos::from_secs(60);

/// Seconds of trading in a year.
const YEAR: f64 = 252.0 * 6.5 * 3_600.0;

/// Names of the figures, in the order of a row.
pub(crate) const COLUMNS: [&str; 10] = [
    "messages",
    "orders",
    "cancels",
    "trades",
    "volume",
    "spread",
    "mid range",
    "1-min sd bp",
    "tick vol %",
    "bid size",
];

/// One value for each of [`COLUMNS`].
pub(crate) type Row = [f64; COLUMNS.len()];

/// The figures of one episode with an inert trader.
pub(crate) fn measure(scenario: &Scenario, seed: Seed) -> Row {
    let mut stats = Stats::default();
    let summary = simulate(scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut stats);
    let returns: Vec<f64> = stats.minutes.windows(2).map(|pair| 1e4 * libm::log(pair[1] / pair[0])).collect();
    let (low, high) = stats.range.unwrap_or_default();
    let counts = [summary.messages, stats.orders, stats.cancels, stats.trades, stats.volume];
    let mut row = [0.0; COLUMNS.len()];
    row[..5].copy_from_slice(&counts.map(|count| count as f64));
    let (spread, bid_size) = (stats.spread / stats.two_sided, stats.bid_size / stats.two_sided);
    let session = scenario.close.since(scenario.open).0 as f64 * 1e-9;
    let tick_volatility = 100.0 * (stats.squared_returns * YEAR / session).sqrt();
    let range = (high - low) as f64 / 2.0;
    row[5..].copy_from_slice(&[spread, range, deviation(&returns), tick_volatility, bid_size]);
    row
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of a sample (n − 1).
pub(crate) fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (values.len() as f64 - 1.0)).sqrt()
}

#[derive(Default)]
struct Stats {
    orders: u64,
    cancels: u64,
    trades: u64,
    volume: u64,
    quote: Quote,
    /// Nanoseconds with two sides, and over them the sums of spread and best-bid size.
    two_sided: f64,
    spread: f64,
    bid_size: f64,
    /// Doubled mid of the last state that lasted, and the sum of the squares of the logarithmic returns from one such to the next.
    last_doubled_mid: Option<i64>,
    squared_returns: f64,
    /// Lowest and highest doubled mid.
    range: Option<(i64, i64)>,
    /// Mid at each whole minute, from the first at which there was one.
    minutes: Vec<f64>,
    next_minute: Time,
}

impl Stats {
    /// The last quote has held until now.
    fn hold(&mut self, until: Time) {
        let weight = until.since(self.quote.at).0 as f64;
        let (Some(bid), Some(ask)) = (self.quote.bid, self.quote.ask) else { return };
        if weight == 0.0 {
            // A state that lasted no time, such as a ladder half sent.
            return;
        }
        self.two_sided += weight;
        self.spread += weight * (ask.price.cents() - bid.price.cents()) as f64;
        self.bid_size += weight * bid.quantity as f64;
        let doubled_mid = ask.price.cents() + bid.price.cents();
        let (low, high) = self.range.unwrap_or((doubled_mid, doubled_mid));
        self.range = Some((low.min(doubled_mid), high.max(doubled_mid)));
        let last = self.last_doubled_mid.replace(doubled_mid).unwrap_or(doubled_mid);
        let step = libm::log(doubled_mid as f64 / last as f64);
        self.squared_returns += step * step;
        while self.next_minute <= until {
            self.minutes.push(doubled_mid as f64 / 2.0);
            self.next_minute = self.next_minute + MINUTE;
        }
    }
}

impl EventSink for Stats {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Opened | EventKind::Session(_) => self.next_minute = event.at + MINUTE,
            EventKind::Closed => self.hold(event.at),
            EventKind::Request { request, .. } => {
                self.orders += u64::from(matches!(request.kind, RequestKind::Limit { .. }));
            }
            EventKind::Update { update, .. } => {
                self.cancels += u64::from(update.kind == UpdateKind::Cancelled { reason: Reason::Requested });
            }
            EventKind::Trade { quantity, .. } => {
                self.trades += 1;
                self.volume += u64::from(quantity);
            }
            EventKind::Quote(quote) => {
                self.hold(event.at);
                self.quote = quote;
            }
        }
    }
}
