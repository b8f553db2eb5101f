//! An observed market, as a model is told of it: questions are answered from the record of the observation.

use super::data::Recorded;
use super::{Told, chart, maybe, number, series};
use assay_evaluate::{Interval, KindRecord, ObservationRecord, ObservedMeasure};
use std::fmt::Write as _;

/// Characters of a name from a scenario, or of its summary.
const NAME_CHARS_MAX: usize = 300;
/// Halts that are told at a time.
const HALTS_MAX: usize = 40;

/// A market without a strategy, and its data if it was kept.
pub struct Market<'a> {
    /// Its record.
    pub record: &'a ObservationRecord,
    /// Its data.
    pub data: Option<Recorded<'a>>,
}

impl Told for Market<'_> {
    fn subject(&self) -> &'static str {
        "prices moved and agents earned as they did"
    }

    fn advice(&self) -> &'static str {
        "what that means for a strategy"
    }

    fn questions(&self) -> String {
        let data = self.data.as_ref().map_or_else(String::new, |data| format!("\n{}", data.questions()));
        format!("{}{data}", include_str!("../../prompts/questions-market.md"))
    }

    fn shown(&self) -> String {
        let record = self.record;
        let mut text = format!(
            "The market {} without a strategy, {} seeds: {}\n",
            name(&record.scenario.name),
            record.seeds.len() - record.not_run.len(),
            name(&record.scenario.summary)
        );
        text.push_str("\nWhat it is like, over all seeds:\n");
        text.push_str(&measures(record));
        text.push_str("\nWho trades, a session on average:\n");
        text.push_str(&kinds(record));
        let _infallible = writeln!(text, "\nTrading halts of all seeds: {}", record.halts_total);
        if let Some(jump) = record.jumps.first() {
            let _infallible = writeln!(
                text,
                "The largest move within a minute: {} basis points, in seed {}",
                number(jump.basis_points),
                jump.seed
            );
        }
        text
    }

    fn answer(&self, question: &str) -> Option<String> {
        let words: Vec<&str> = question.split_whitespace().collect();
        let found = match words.as_slice() {
            ["measures"] => Some(measures(self.record)),
            ["measure", key] => measure(self.record, key),
            ["kinds"] => Some(kinds(self.record)),
            ["halts"] => Some(halts(self.record)),
            ["jumps"] => Some(jumps(self.record)),
            words => {
                let series = self.record.series.as_ref();
                series.and_then(|series| series::answer(series, words).or_else(|| chart::answer(series, words)))
            }
        };
        found.or_else(|| self.data.as_ref()?.answer(question))
    }

    fn picture(&self, question: &str) -> Option<Vec<u8>> {
        chart::picture(self.record.series.as_ref()?, question)
    }
}

/// A name of somebody's: one line.
fn name(text: &str) -> String {
    let plain = |c: char| if c.is_control() || assay_validator::is_hidden(c) { ' ' } else { c };
    text.chars().take(NAME_CHARS_MAX).map(plain).collect()
}

fn between(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |one| format!(" (95% interval {} to {})", number(one.low), number(one.high)))
}

fn line(row: &ObservedMeasure, unit: &str) -> String {
    format!(
        "{} in {unit}: mean {}{}, lowest seed {}, highest {}\n",
        row.key,
        maybe(row.mean),
        between(row.interval),
        maybe(row.least),
        maybe(row.greatest)
    )
}

fn unit<'a>(record: &'a ObservationRecord, key: &str) -> &'a str {
    record.definitions.iter().find(|definition| definition.key == key).map_or("", |definition| &definition.unit)
}

fn measures(record: &ObservationRecord) -> String {
    let told = record.measures.iter().filter(|row| row.mean.is_some());
    told.map(|row| line(row, unit(record, &row.key))).collect()
}

fn measure(record: &ObservationRecord, key: &str) -> Option<String> {
    let definition = record.definitions.iter().find(|definition| definition.key == key)?;
    let row = record.measures.iter().find(|row| row.key == key)?;
    Some(format!("{}: {}\n{}", definition.title, definition.definition, line(row, &definition.unit)))
}

fn kinds(record: &ObservationRecord) -> String {
    let line = |kind: &KindRecord| {
        let dollars = |cents: f64| number(cents / 100.0);
        let interval = kind
            .pnl_interval
            .map_or_else(String::new, |one| format!(" (95% interval {} to {})", dollars(one.low), dollars(one.high)));
        format!(
            "{}: {} agents, {}% of the volume, takes {}% of what it trades, {} requests, profit at the middle {} dollars{interval}, impact after 5 seconds {} cents, comes with {}% of the squared moves of the price\n",
            name(&kind.name),
            kind.agents,
            number(kind.volume_share * 100.0),
            maybe(kind.taker_share.map(|share| share * 100.0)),
            number(kind.requests),
            dollars(kind.pnl_at_mid),
            maybe(kind.impact_5s),
            number(kind.moves_share * 100.0)
        )
    };
    record.kinds.iter().map(line).collect()
}

/// A time in seconds after the start of the course, which all seeds share.
fn second(record: &ObservationRecord, at_ns: u64) -> String {
    let start = record.series.as_ref().map_or(0, |series| series.start_ns);
    number(at_ns.saturating_sub(start) as f64 / 1e9)
}

fn halts(record: &ObservationRecord) -> String {
    let mut text = format!("{} in all\n", record.halts_total);
    for halt in record.halts.iter().take(HALTS_MAX) {
        let until = halt.until_ns.map_or_else(|| "the end".to_owned(), |until| second(record, until));
        let _infallible = writeln!(text, "seed {}: from second {} to {until}", halt.seed, second(record, halt.at_ns));
    }
    text
}

fn jumps(record: &ObservationRecord) -> String {
    let line = |jump: &assay_evaluate::JumpRecord| {
        format!(
            "seed {}: {} basis points in the minute from second {}\n",
            jump.seed,
            number(jump.basis_points),
            second(record, jump.at_ns)
        )
    };
    record.jumps.iter().map(line).collect()
}
