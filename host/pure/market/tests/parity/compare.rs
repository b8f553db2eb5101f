//! Our reference markets against those of ABIDES: is each figure the same, within margins that were stated beforehand?
//!
//! An equivalence test turns the burden of proof around: without enough seeds it shows nothing, where a test for differences would find "no difference". The
//! margins are those of average bioequivalence (FDA, Statistical Approaches to Establishing Bioequivalence, 2001): the ratio of geometric means lies
//! within 0.80 to 1.25 with both one-sided tests at 5 % (Schuirmann 1987), which is to say that its 90 % interval does.
//!
//! What ABIDES's runs gave lies beside this file, one CSV a market; `abides.py` made it. The figures of both are defined in [`stats`](super::stats).

use assay_market::Scenario;
use assay_model::Seed;
use statrs::distribution::{ContinuousCDF as _, StudentsT};
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use crate::stats::{COLUMNS, Row, deviation, mean, measure};

/// Within these the ratio of our geometric mean to that of ABIDES must lie.
pub(crate) const MARGINS: RangeInclusive<f64> = 0.80..=1.25;
/// Our seeds; none was looked at when the agents were written.
pub(crate) const SEEDS: RangeInclusive<u64> = 10_001..=10_300;
/// Each one-sided test is made at this level.
const LEVEL: f64 = 0.05;
/// Shown and not tested: ABIDES counts a message again each time that it waits for a busy agent, and hours, cancels and volumes are messages of their
/// own there.
const NOT_TESTED: &str = "messages";

/// One of our presets, a session of it, and what ABIDES's runs of the same session gave.
#[derive(Clone, Copy)]
pub(crate) struct Market {
    pub(crate) title: &'static str,
    pub(crate) preset: &'static str,
    pub(crate) close: &'static str,
    /// What else differs from the preset.
    pub(crate) changes: &'static str,
    pub(crate) recorded: &'static str,
}

/// The large buyer of `rmsc03` acts from half an hour after the open to half an hour before the close, so it trades only in the last two.
pub(crate) const MARKETS: [Market; 5] = [
    Market {
        title: "rmsc04, half an hour",
        preset: "rmsc04",
        close: "10:00:00",
        changes: "",
        recorded: include_str!("abides-rmsc04.csv"),
    },
    Market {
        title: "rmsc03, half an hour",
        preset: "rmsc03",
        close: "10:00:00",
        changes: "",
        recorded: include_str!("abides-rmsc03.csv"),
    },
    Market {
        title: "rmsc04, a day",
        preset: "rmsc04",
        close: "16:00:00",
        changes: "",
        recorded: include_str!("abides-rmsc04-day.csv"),
    },
    Market {
        title: "rmsc03 with its large buyer, an hour and a half",
        preset: "rmsc03",
        close: "11:00:00",
        changes: "agents.execution.active_until = 10:30:00",
        recorded: include_str!("abides-rmsc03-buyer.csv"),
    },
    Market {
        title: "rmsc03, a day",
        preset: "rmsc03",
        close: "16:00:00",
        changes: "",
        recorded: include_str!("abides-rmsc03-day.csv"),
    },
];

/// What an equivalence test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The interval lies within the margins.
    Equivalent,
    /// It lies outside.
    Differs,
    /// It crosses a margin: the seeds do not tell.
    Unclear,
    NotTested,
}

/// One figure of both.
pub(crate) struct Comparison {
    pub(crate) figure: &'static str,
    ours: Vec<f64>,
    theirs: Vec<f64>,
    /// Ours over theirs: of the geometric means, with the interval of the two tests.
    ratio: f64,
    interval: (f64, f64),
}

impl Comparison {
    fn new(figure: &'static str, ours: Vec<f64>, theirs: Vec<f64>) -> Self {
        let logs = |values: &[f64]| values.iter().map(|value| libm::log(*value)).collect::<Vec<_>>();
        let (difference, half) = welch(&logs(&ours), &logs(&theirs));
        let interval = (libm::exp(difference - half), libm::exp(difference + half));
        Self { figure, ours, theirs, ratio: libm::exp(difference), interval }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        let (low, high) = self.interval;
        match self.figure {
            NOT_TESTED => Verdict::NotTested,
            _ if MARGINS.contains(&low) && MARGINS.contains(&high) => Verdict::Equivalent,
            _ if low > *MARGINS.end() || high < *MARGINS.start() => Verdict::Differs,
            _ => Verdict::Unclear,
        }
    }
}

/// The difference of two means, and half the width of its interval at 1 − 2·[`LEVEL`] (Welch 1947, degrees of freedom of Satterthwaite).
fn welch(one: &[f64], other: &[f64]) -> (f64, f64) {
    let part = |values: &[f64]| deviation(values).powi(2) / values.len() as f64;
    let (a, b) = (part(one), part(other));
    let freedom = (a + b).powi(2) / (a * a / (one.len() as f64 - 1.0) + b * b / (other.len() as f64 - 1.0));
    let quantile = StudentsT::new(0.0, 1.0, freedom).expect("degrees of freedom").inverse_cdf(1.0 - LEVEL);
    (mean(one) - mean(other), quantile * (a + b).sqrt())
}

/// The market as ABIDES has it: no closing window, so that both sides close at the same time.
pub(crate) fn scenario(market: &Market) -> Scenario {
    changed(market, "")
}

/// The same with further changes.
pub(crate) fn changed(market: &Market, changes: &str) -> Scenario {
    let Market { preset, close, changes: own, .. } = market;
    let text = format!(
        "base = \"{preset}\"\nmarket.close = {close}\nmarket.close_window = \"0s\"\nstrategy.nanoseconds_per_fuel = 0\n{own}\n{changes}\n"
    );
    Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares a scenario over these seeds with what ABIDES's runs gave, figure by figure.
pub(crate) fn compare(scenario: &Scenario, seeds: RangeInclusive<u64>, recorded: &str) -> Vec<Comparison> {
    let theirs = read(recorded);
    // On two threads, because a day takes a while; the order of the seeds is kept.
    let seeds: Vec<u64> = seeds.collect();
    let share = seeds.len().div_ceil(2).max(1);
    let ours: Vec<Row> = std::thread::scope(|scope| {
        let workers: Vec<_> = seeds
            .chunks(share)
            .map(|seeds| scope.spawn(|| seeds.iter().map(|seed| measure(scenario, Seed(*seed))).collect::<Vec<_>>()))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no episode fails")).collect()
    });
    let column = |rows: &[Row], index: usize| rows.iter().map(|row| row[index]).collect::<Vec<f64>>();
    let figures = COLUMNS.iter().enumerate();
    figures.map(|(index, figure)| Comparison::new(figure, column(&ours, index), column(&theirs, index))).collect()
}

/// The rows of a CSV in order of seed; its columns are the seed and [`COLUMNS`].
fn read(recorded: &str) -> Vec<Row> {
    let mut lines = recorded.lines().filter(|line| !line.starts_with('#'));
    let heading: Vec<&str> = lines.next().into_iter().flat_map(|line| line.split(',')).collect();
    assert_eq!(heading[1..], COLUMNS, "the columns of the recorded figures");
    lines
        .map(|line| {
            let values: Vec<f64> = line.split(',').map(|value| value.parse().expect("a number")).collect();
            values[1..].try_into().expect("a value for each column")
        })
        .collect()
}

/// The comparison as a section of a Markdown page.
pub(crate) fn table(title: &str, comparisons: &[Comparison]) -> String {
    let named = |verdict: Verdict| -> String {
        let figures = comparisons.iter().filter(|comparison| comparison.verdict() == verdict);
        figures.map(|comparison| comparison.figure).collect::<Vec<_>>().join(", ")
    };
    let tested = comparisons.iter().filter(|comparison| comparison.verdict() != Verdict::NotTested).count();
    let equivalent = comparisons.iter().filter(|comparison| comparison.verdict() == Verdict::Equivalent).count();
    let (ours, theirs) = comparisons.first().map_or((0, 0), |first| (first.ours.len(), first.theirs.len()));
    let mut text = format!(
        "## {title}\n\n{ours} of our seeds, {theirs} of ABIDES: {equivalent} of {tested} figures are equivalent"
    );
    for (word, verdict) in [("not shown", Verdict::Unclear), ("different", Verdict::Differs)] {
        let figures = named(verdict);
        if !figures.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "; {word}: {figures}");
        }
    }
    text += ".\n\n| figure      | ours, mean ± sd     | ABIDES, mean ± sd   | ratio | 90 % interval  | ratio of sd | verdict    |\n";
    text += "|-------------|--------------------:|--------------------:|------:|----------------|------------:|------------|\n";
    for comparison in comparisons {
        let spread = |values: &[f64]| {
            let mean = mean(values);
            let decimals = if mean < 1_000.0 { 2 } else { 0 };
            format!("{mean:.decimals$} ± {:.decimals$}", deviation(values))
        };
        let verdict = match comparison.verdict() {
            Verdict::Equivalent => "equivalent",
            Verdict::Differs => "different",
            Verdict::Unclear => "not shown",
            Verdict::NotTested => "not tested",
        };
        let Comparison { figure, ours, theirs, ratio, interval: (low, high) } = comparison;
        let (interval, spreads) = (format!("{low:.3} to {high:.3}"), deviation(ours) / deviation(theirs));
        let (ours, theirs) = (spread(ours), spread(theirs));
        let _ = writeln!(
            text,
            "| {figure:<11} | {ours:>19} | {theirs:>19} | {ratio:.3} | {interval:<14} | {spreads:>11.2} | {verdict:<10} |"
        );
    }
    text
}
