//! LOBSTER files as a recording: it reproduces the order book file, says of each wrong row what is wrong, and what a strategy changes is counted.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod errors;
mod naive;
mod strategy;

use assay_market::replay::Recording;
use assay_market::replay::lobster::{LobsterError, LobsterSettings, read};
use assay_market::{Draft, Event, EventKind, EventSink, Exchange, Inert, Scenario, ScenarioData, simulate};
use assay_model::{Level, Nanos, Quote, Seed, Side, Time};
use naive::{Files, Shape, generate};
use proptest::prelude::*;
use std::num::NonZeroU32;
use std::sync::Arc;

const SCENARIO: &str = "name = \"recorded\"\nsymbol = \"REC\"\n\
    [market]\ndate = 2012-06-21\nopen = 09:30:00\nclose = 16:00:00\n\
    [replay]\nformat = \"lobster\"\nmessages = \"m.csv\"\norderbook = \"b.csv\"\n";

const SHAPE: Shape = Shape {
    seed: 1,
    rows: 1_000,
    levels: 5,
    before: 60,
    pace: 1_000_000_000,
    out_of_turn: 0,
    halts: false,
    newer: false,
};

fn draft() -> Draft {
    Draft::parse(SCENARIO).unwrap()
}

fn settings() -> LobsterSettings {
    draft().lobster_settings(NonZeroU32::MIN)
}

fn recording(files: &Files) -> Result<Recording, LobsterError> {
    read(files.messages.as_bytes(), files.orderbook.as_bytes(), &settings())
}

fn scenario(recording: Recording) -> Scenario {
    draft().complete(ScenarioData { recording: Some(Arc::new(recording)), series: None }).unwrap()
}

/// Time and levels (asks, bids) of each row, as the files have them.
fn rows(files: &Files) -> Vec<(Time, [Vec<Level>; 2])> {
    let rows = files.messages.lines().zip(files.orderbook.lines()).map(|(message, book)| {
        let (seconds, decimals) = message.split(',').next().unwrap().split_once('.').unwrap();
        let nanos: u64 = format!("{decimals:0<9}").parse().unwrap();
        let at = settings().midnight + Nanos(seconds.parse::<u64>().unwrap() * 1_000_000_000 + nanos);
        let cells: Vec<i64> = book.split(',').map(|cell| cell.parse().unwrap()).collect();
        let side = |first: usize| {
            let levels = cells.chunks(4).filter(|level| level[first + 1] > 0);
            let level = |level: &[i64]| Level {
                price: assay_model::Price::new(level[first] / 100).unwrap(),
                quantity: level[first + 1] as u64,
            };
            levels.map(level).collect::<Vec<_>>()
        };
        (at, [side(0), side(2)])
    });
    rows.collect()
}

/// Plays the recording on an exchange by itself and compares all levels shown after each row, or after the last one of several at one time.
fn reproduces(files: &Files, recording: &Recording, levels: usize) {
    let mut exchange = Exchange::new(recording.participants());
    exchange.open(settings().open, &mut ());
    let mut requests = recording.requests().iter().peekable();
    let rows = rows(files);
    let halts = recording.halts();
    for (number, (at, [asks, bids])) in rows.iter().enumerate() {
        while let Some(next) = requests.next_if(|next| next.at <= *at) {
            exchange.handle(next.at, next.agent, &next.request, &mut ());
        }
        let is_last_of_its_time = rows.get(number + 1).is_none_or(|(next, _)| next > at);
        let is_halted = halts.iter().any(|halt| halt.from <= *at && halt.until.is_none_or(|until| *at < until));
        if *at < settings().open || !is_last_of_its_time || is_halted {
            continue;
        }
        let mut found = Vec::new();
        exchange.depth(Side::Sell, levels, &mut found);
        assert_eq!(&found, asks, "asks after row {}", number + 1);
        exchange.depth(Side::Buy, levels, &mut found);
        assert_eq!(&found, bids, "bids after row {}", number + 1);
    }
    assert_eq!(requests.next(), None, "every request has its row");
}

#[test]
fn every_row_of_the_order_book_file_is_reproduced() {
    for (levels, out_of_turn, halts, newer) in [
        (1, 0, false, false),
        (2, 0, false, true),
        (5, 0, false, false),
        (50, 0, false, false),
        (1, 3, false, false),
        (5, 3, true, false),
        (10, 0, true, true),
    ] {
        for seed in 1..=6 {
            let shape = Shape { seed, levels, out_of_turn, halts, newer, ..SHAPE };
            let files = generate(shape);
            let recording = recording(&files).unwrap_or_else(|error| panic!("{shape:?}: {error}"));
            reproduces(&files, &recording, levels);
            assert_eq!(recording.halts().len(), usize::from(halts));
        }
    }
}

/// The top of the book over time.
#[derive(Default)]
struct Tops(Vec<Quote>);

impl EventSink for Tops {
    fn event(&mut self, event: &Event) {
        if let EventKind::Quote(quote) = event.kind {
            self.0.push(quote);
        }
    }
}

#[test]
fn with_an_inert_strategy_the_touch_is_that_of_the_file() {
    for seed in 1..=5 {
        let files = generate(Shape { seed, ..SHAPE });
        let scenario = scenario(recording(&files).unwrap());
        let mut tops = Tops::default();
        let mut trader = Inert::new(scenario.new_desk(Seed(seed)));
        let summary = simulate(&scenario, Seed(seed), &mut trader, &mut tops);
        let rows = rows(&files);
        for (number, (at, [asks, bids])) in rows.iter().enumerate() {
            if rows.get(number + 1).is_some_and(|(next, _)| next == at) {
                continue;
            }
            let quote = &tops.0[tops.0.partition_point(|quote| quote.at <= *at) - 1];
            assert_eq!(quote.ask, asks.first().copied(), "seed {seed}, row {}", number + 1);
            assert_eq!(quote.bid, bids.first().copied(), "seed {seed}, row {}", number + 1);
        }
        let recording = &scenario.replay.as_ref().unwrap().recording;
        let (counts, findings) = (summary.replay.unwrap(), recording.findings().unwrap());
        assert_eq!(counts.requests, recording.requests().len() as u64);
        assert_eq!(counts.traded, findings.executed + findings.executed_hidden);
        assert_eq!((counts.unfilled, counts.late, counts.refused), (0, 0, 0), "all that was recorded happens again");
        assert!(findings.executed > 0 && findings.executed_hidden > 0 && findings.hidden_left_out > 0);
        assert!(findings.crosses_left_out > 0 && findings.revealed > 0);
    }
}

#[test]
fn a_session_may_be_a_part_of_the_file() {
    let files = generate(SHAPE);
    let all = rows(&files);
    let (open, close) = (all[250].0, all[750].0);
    let part = LobsterSettings { open, close, ..settings() };
    let recording = read(files.messages.as_bytes(), files.orderbook.as_bytes(), &part).unwrap();
    let requests = recording.requests();
    assert_eq!(requests.first().unwrap().at, open, "the book of the open comes first");
    assert!(requests.last().unwrap().at < close);
    let findings = recording.findings().unwrap();
    assert_eq!(findings.messages + findings.messages_outside, all.len() as u64);
    let mut exchange = Exchange::new(recording.participants());
    exchange.open(open, &mut ());
    for next in requests {
        exchange.handle(next.at, next.agent, &next.request, &mut ());
    }
    let last = all.iter().rfind(|(at, _)| *at < close).unwrap();
    assert_eq!(exchange.quote().ask, last.1[0].first().copied());
    assert_eq!(exchange.quote().bid, last.1[1].first().copied());
}

#[test]
fn the_hash_tells_recordings_apart_and_not_files() {
    let files = generate(SHAPE);
    let hash = |files: &Files| recording(files).unwrap().hash();
    let windows = Files {
        messages: files.messages.replace('\n', "\r\n"),
        orderbook: files.orderbook.trim_end().replace('\n', "\r\n"),
    };
    assert_eq!(hash(&files), hash(&windows), "line ends and the last one of them do not matter");
    assert_eq!(hash(&files), hash(&generate(Shape { newer: true, ..SHAPE })));
    assert_ne!(hash(&files), hash(&generate(Shape { seed: 2, ..SHAPE })));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Whatever the bytes are, there is a recording or an error.
    #[test]
    fn arbitrary_bytes_never_panic(messages in prop::collection::vec(any::<u8>(), 0..300), book in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&messages[..], &book[..], &settings());
    }

    /// The same for files that are nearly right: cells changed, doubled and dropped.
    #[test]
    fn damaged_files_never_panic(seed in 0u64..1_000, damages in prop::collection::vec((any::<bool>(), any::<u16>(), 0usize..12), 1..6)) {
        let files = generate(Shape { seed, rows: 60, before: 20, levels: 3, out_of_turn: 5, halts: seed % 2 == 0, ..SHAPE });
        let (mut messages, mut book) = (files.messages.into_bytes(), files.orderbook.into_bytes());
        for (in_book, place, what) in damages {
            let bytes = if in_book { &mut book } else { &mut messages };
            let place = usize::from(place) % bytes.len();
            match b"0179-,.\n\r\xff ".get(what) {
                Some(byte) => bytes[place] = *byte,
                None => drop(bytes.drain(place..(place + 7).min(bytes.len()))),
            }
            if bytes.is_empty() {
                bytes.push(b'1');
            }
        }
        let _ = read(&messages[..], &book[..], &settings());
    }

    /// Any market, shown at any depth, is reproduced.
    #[test]
    fn any_market_is_reproduced(seed in 0u64..1_000_000, levels in 1usize..8, before in 8usize..80, out_of_turn in 0u64..4, halts: bool) {
        let files = generate(Shape { seed, rows: 300, levels, before, out_of_turn, halts, ..SHAPE });
        let recording = recording(&files).map_err(|error| TestCaseError::fail(error.to_string()))?;
        reproduces(&files, &recording, levels);
    }
}

#[test]
fn the_example_is_what_its_generator_makes() {
    let files = generate(Shape::EXAMPLE);
    let hint = "cargo run -p assay-market --example lobster_files -- examples/replay";
    assert_eq!(files.messages, include_str!("../../../../../examples/replay/messages.csv"), "{hint}");
    assert_eq!(files.orderbook, include_str!("../../../../../examples/replay/orderbook.csv"), "{hint}");
}
