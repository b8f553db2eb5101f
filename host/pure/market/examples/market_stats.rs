//! Prints what a scenario's market looks like, seed by seed: the figures by which it is compared with ABIDES.
//!
//! `cargo run --release -p assay-market --example market_stats -- rmsc04 10`

use assay_market::{Event, EventKind, EventSink, Inert, Scenario, Summary, simulate};
use assay_model::{Nanos, Quote, Reason, RequestKind, Seed, Time, UpdateKind};

const MINUTE: Nanos = Nanos::from_secs(60);
const COLUMNS: [&str; 10] =
    ["messages", "events", "orders", "cancels", "trades", "volume", "spread", "mid range", "1-min sd bp", "bid size"];

/// Follows one episode.
#[derive(Default)]
struct Stats {
    orders: u64,
    cancels: u64,
    trades: u64,
    volume: u64,
    quote: Option<Quote>,
    /// Time with two sides, and the sums over it of spread and best-bid size, weighted by nanoseconds.
    two_sided: f64,
    spread: f64,
    bid_size: f64,
    /// Doubled mid: lowest, highest, and the last at the end of each minute.
    range: Option<(i64, i64)>,
    minutes: Vec<f64>,
    next_minute: Time,
}

impl Stats {
    /// The old quote has held until now.
    fn hold(&mut self, until: Time) {
        let Some(quote) = self.quote else { return };
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let weight = until.since(quote.at).0 as f64;
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
        while self.next_minute <= until {
            self.minutes.push(doubled_mid as f64 / 2.0);
            self.next_minute = self.next_minute + MINUTE;
        }
    }

    fn row(&self, summary: &Summary) -> [f64; COLUMNS.len()] {
        let returns: Vec<f64> = self.minutes.windows(2).map(|pair| 1e4 * libm::log(pair[1] / pair[0])).collect();
        let (low, high) = self.range.unwrap_or_default();
        let counts = [summary.messages, summary.events, self.orders, self.cancels, self.trades, self.volume];
        let mut row = [0.0; COLUMNS.len()];
        row[..6].copy_from_slice(&counts.map(|count| count as f64));
        row[6..].copy_from_slice(&[
            self.spread / self.two_sided,
            (high - low) as f64 / 2.0,
            deviation(&returns),
            self.bid_size / self.two_sided,
        ]);
        row
    }
}

impl EventSink for Stats {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Opened => self.next_minute = event.at + MINUTE,
            EventKind::Closed => self.hold(event.at),
            EventKind::Request { request, .. } => {
                self.orders += u64::from(matches!(request.kind, RequestKind::Limit { .. }))
            }
            EventKind::Update { update, .. } => {
                self.cancels += u64::from(matches!(update.kind, UpdateKind::Cancelled { .. }))
            }
            EventKind::Trade { quantity, .. } => {
                self.trades += 1;
                self.volume += u64::from(quantity);
            }
            EventKind::Quote(quote) => {
                self.hold(event.at);
                self.quote = Some(quote);
            }
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (values.len() as f64 - 1.0)).sqrt()
}

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example is a program")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let preset = arguments.next().unwrap_or_else(|| "rmsc04".to_owned());
    let seeds = arguments.next().and_then(|seeds| seeds.parse().ok()).unwrap_or(10);
    let scenario = Scenario::preset(&preset).expect("the first argument is a preset");
    println!("{:>12}{}", "seed", COLUMNS.map(|name| format!("{name:>12}")).concat());
    let line = |name: &str, row: [f64; COLUMNS.len()]| {
        println!(
            "{name:>12}{}",
            row.map(|value| if value < 1000.0 { format!("{value:>12.2}") } else { format!("{value:>12.0}") }).concat()
        );
    };
    let mut rows = Vec::new();
    for seed in (1..=seeds).map(Seed) {
        let mut stats = Stats::default();
        let summary = simulate(&scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut stats);
        let row = stats.row(&summary);
        line(&seed.0.to_string(), row);
        rows.push(row);
    }
    let columns: [Vec<f64>; COLUMNS.len()] = std::array::from_fn(|column| rows.iter().map(|row| row[column]).collect());
    line("mean", columns.each_ref().map(|column| mean(column)));
    line("sd", columns.each_ref().map(|column| deviation(column)));
    line("min", columns.each_ref().map(|column| column.iter().copied().reduce(f64::min).unwrap_or(f64::NAN)));
    line("max", columns.each_ref().map(|column| column.iter().copied().reduce(f64::max).unwrap_or(f64::NAN)));
}
