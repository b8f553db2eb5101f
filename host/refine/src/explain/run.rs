//! A run of a strategy, as a model is told of it: questions are answered from the run's record. Nothing is run, and nothing outside the record is read.
//!
//! Invariants: an answer repeats nothing of the question, so every number in it is the run's; what a strategy logged stands on lines of its own, without
//! control characters. Who the counterparties were is in the data of the run ([`Recorded`]), not in its record.

use super::data::Recorded;
use super::series::{self, LATER_NS};
use super::{Told, chart, maybe};
use assay_evaluate::{EpisodeRecord, MeasureMap, RunRecord, SeriesRecord, outcome_name};
use assay_model::Side;
use std::fmt::Write as _;

/// What the record answers.
pub(super) const QUESTIONS: &str = include_str!("../../prompts/questions-run.md");
/// Characters of a line that a strategy logged.
const LOG_CHARS_MAX: usize = 200;

/// A run, and its data if it was kept.
pub struct Run<'a> {
    /// Its record.
    pub record: &'a RunRecord,
    /// Its plain summary.
    pub summary: &'a str,
    /// Its data.
    pub data: Option<Recorded<'a>>,
}

impl Told for Run<'_> {
    fn subject(&self) -> &'static str {
        "a trading strategy did as it did"
    }

    fn advice(&self) -> &'static str {
        "what to change"
    }

    fn questions(&self) -> String {
        let data = self.data.as_ref().map_or_else(String::new, |data| format!("\n{}", data.questions()));
        format!("{QUESTIONS}{data}")
    }

    fn shown(&self) -> String {
        format!("{}\n{}", self.summary, worst(self.record))
    }

    fn answer(&self, question: &str) -> Option<String> {
        answer(self.record, question).or_else(|| self.data.as_ref()?.answer(question))
    }

    fn picture(&self, question: &str) -> Option<Vec<u8>> {
        chart::picture(self.record.series.as_ref()?, question)
    }
}

fn answer(record: &RunRecord, question: &str) -> Option<String> {
    let words: Vec<&str> = question.split_whitespace().collect();
    let episode = |seed: &str| {
        let seed: u64 = seed.parse().ok()?;
        record.episodes.iter().find(|episode| episode.seed == seed)
    };
    match words.as_slice() {
        ["seeds"] => Some(record.episodes.iter().map(seed_line).collect()),
        ["seed", seed] => episode(seed).map(measures),
        ["curve", seed] => episode(seed).map(curve),
        ["log", seed] => episode(seed).map(log),
        ["measure", key] => measure(record, key),
        ["fills", from, to] => record.series.as_ref().and_then(|series| fills(series, from, to)),
        words => {
            let series = record.series.as_ref()?;
            series::answer(series, words).or_else(|| chart::answer(series, words))
        }
    }
}

/// The seed that did worst against the trader in its place, with everything that was measured: what every explanation begins with.
fn worst(record: &RunRecord) -> String {
    let paired =
        |episode: &EpisodeRecord| Some(value(&episode.measures, "pnl")? - value(&episode.baseline_measures, "pnl")?);
    let scored = record.episodes.iter().filter_map(|episode| Some((paired(episode)?, episode)));
    let worst = scored.min_by(|a, b| a.0.total_cmp(&b.0));
    worst.map_or(String::new(), |(_, episode)| {
        format!("The worst seed against the baseline is {}:\n{}", episode.seed, measures(episode))
    })
}

fn value(measures: &MeasureMap, key: &str) -> Option<f64> {
    measures.get(key)?.value.filter(|value| value.is_finite())
}

fn seed_line(episode: &EpisodeRecord) -> String {
    format!(
        "seed {}: {}, pnl {}, baseline {}, fills {}\n",
        episode.seed,
        outcome_name(episode),
        maybe(value(&episode.measures, "pnl")),
        maybe(value(&episode.baseline_measures, "pnl")),
        maybe(value(&episode.measures, "fills"))
    )
}

fn measures(episode: &EpisodeRecord) -> String {
    let mut text = seed_line(episode);
    for key in episode.measures.keys() {
        let (own, other) = (value(&episode.measures, key), value(&episode.baseline_measures, key));
        if own.is_some() {
            let _infallible = writeln!(text, "{key}: {}, baseline {}", maybe(own), maybe(other));
        }
    }
    text
}

fn curve(episode: &EpisodeRecord) -> String {
    let points: Vec<String> = episode.pnl_curve.iter().map(|cents| format!("{:.2}", cents / 100.0)).collect();
    format!("profit in dollars at the ends of {} equal parts of the session: {}", points.len(), points.join(", "))
}

fn log(episode: &EpisodeRecord) -> String {
    let line = |text: &str| -> String {
        let plain = |c: char| if c.is_control() || assay_validator::is_hidden(c) { ' ' } else { c };
        text.chars().take(LOG_CHARS_MAX).map(plain).collect()
    };
    episode.log.iter().map(|one| format!("{}\n", line(&one.text))).collect()
}

fn measure(record: &RunRecord, key: &str) -> Option<String> {
    let definition = record.measures.iter().find(|definition| definition.key == key)?;
    let mut text = format!("{} ({}): {}\n", definition.title, definition.unit, definition.definition);
    for episode in &record.episodes {
        let (own, other) = (value(&episode.measures, key), value(&episode.baseline_measures, key));
        let _infallible = writeln!(text, "seed {}: {}, baseline {}", episode.seed, maybe(own), maybe(other));
    }
    Some(text)
}

fn fills(series: &SeriesRecord, from: &str, to: &str) -> Option<String> {
    let (from, to) = (series::moment(series, from)?, series::moment(series, to)?);
    let mid = |at_ns: u64| series.mid.last.get(series::bucket(series, at_ns)?).copied().flatten();
    let mut text =
        format!("seed {}, {} fills in all, thinned to {}\n", series.seed, series.fills_total, series.fills.len());
    for fill in series.fills.iter().filter(|fill| (from..=to).contains(&fill.at_ns)) {
        let (verb, sign) = match fill.side {
            Side::Buy => ("bought", 1.0),
            Side::Sell => ("sold", -1.0),
        };
        let (now, later) = (mid(fill.at_ns), fill.at_ns.checked_add(LATER_NS).and_then(mid));
        let against = now.zip(later).map(|(now, later)| sign * (now - later));
        let _infallible = writeln!(
            text,
            "second {}: {verb} {} at {} cents, {}; middle {}, 5 seconds later {}: {} cents against it",
            series::seconds(series, fill.at_ns),
            fill.quantity,
            fill.price,
            if fill.maker { "maker" } else { "taker" },
            maybe(now),
            maybe(later),
            maybe(against)
        );
    }
    Some(text)
}
