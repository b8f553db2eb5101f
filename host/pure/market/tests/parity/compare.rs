//! Our reference markets against those of ABIDES, seed by seed: the distribution of each figure over seeds 1 to 30, by the two-sample test of
//! Kolmogorov and Smirnov, with Holm's correction for testing several figures at once.
//!
//! What ABIDES's runs gave lies beside this file, one CSV a market, with where it comes from. The figures of both are defined in [`stats`](super::stats).

use assay_market::Scenario;
use assay_model::Seed;
use std::fmt::Write as _;

use crate::stats::{COLUMNS, Row, deviation, mean, measure};

/// The chance, over all figures of a market together, of an objection to equal markets.
pub(crate) const SIGNIFICANCE: f64 = 0.01;
/// The markets, from 09:30 to 10:00, and what ABIDES's runs of them gave.
pub(crate) const MARKETS: [(&str, &str); 2] =
    [("rmsc04", include_str!("abides-rmsc04.csv")), ("rmsc03", include_str!("abides-rmsc03.csv"))];
/// Shown and not tested: ABIDES counts a message again each time that it waits for a busy agent, and hours, cancels and volumes are messages of their
/// own there.
const NOT_TESTED: &str = "messages";

/// One figure of both.
pub(crate) struct Comparison {
    pub(crate) figure: &'static str,
    pub(crate) ours: Vec<f64>,
    pub(crate) theirs: Vec<f64>,
    /// The largest distance between the two empirical distributions.
    pub(crate) distance: f64,
    /// The chance of so large a distance between samples of one distribution.
    pub(crate) chance: f64,
    /// The same, corrected for the number of figures; none if it is not tested.
    pub(crate) corrected: Option<f64>,
}

impl Comparison {
    pub(crate) fn objects(&self) -> bool {
        self.corrected.is_some_and(|chance| chance < SIGNIFICANCE)
    }
}

/// A preset's first half-hour.
pub(crate) fn half_hour(preset: &str) -> Scenario {
    let scenario = Scenario::preset(preset).expect("a preset of this name");
    let text = scenario.to_toml().replace("close = 16:00:00", "close = 10:00:00");
    Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares a market with what ABIDES's runs gave, figure by figure.
pub(crate) fn compare(scenario: &Scenario, recorded: &str) -> Vec<Comparison> {
    let theirs = read(recorded);
    let ours: Vec<Row> = (1..=theirs.len() as u64).map(|seed| measure(scenario, Seed(seed))).collect();
    let mut comparisons: Vec<Comparison> = COLUMNS
        .iter()
        .enumerate()
        .map(|(index, figure)| {
            let column = |rows: &[Row]| rows.iter().map(|row| row[index]).collect::<Vec<f64>>();
            let (ours, theirs) = (column(&ours), column(&theirs));
            let (distance, chance) = kolmogorov_smirnov(&ours, &theirs);
            Comparison { figure, ours, theirs, distance, chance, corrected: None }
        })
        .collect();
    correct(&mut comparisons);
    comparisons
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

/// Holm's correction (Holm 1979): the least chance counts as many times as there are tests, the next once less, and none less than the one before.
fn correct(comparisons: &mut [Comparison]) {
    let mut tested: Vec<&mut Comparison> =
        comparisons.iter_mut().filter(|comparison| comparison.figure != NOT_TESTED).collect();
    tested.sort_by(|one, other| one.chance.total_cmp(&other.chance));
    let (count, mut least) = (tested.len(), 0.0f64);
    for (rank, comparison) in tested.into_iter().enumerate() {
        least = least.max((count - rank) as f64 * comparison.chance).min(1.0);
        comparison.corrected = Some(least);
    }
}

/// The two-sample test of Kolmogorov and Smirnov: the distance, and the exact chance of at least that if there are no ties, by counting
/// lattice paths (Hodges 1958). Ties make the test milder.
pub(crate) fn kolmogorov_smirnov(one: &[f64], other: &[f64]) -> (f64, f64) {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let (one, other) = (sorted(one), sorted(other));
    // Distances are counted in units of 1 / (n m), so that they are whole.
    let (n, m) = (one.len(), other.len());
    let apart = |i: usize, j: usize| (i * m).abs_diff(j * n);
    let distance = one.iter().chain(&other).map(|value| {
        let up_to = |values: &[f64]| values.partition_point(|each| each <= value);
        apart(up_to(&one), up_to(&other))
    });
    let distance = distance.max().unwrap_or(0);
    // Chance to come from nothing to (i, j) without ever being so far apart, row by row; all orders of the values are equally likely.
    let mut near = vec![0.0; m + 1];
    for i in 0..=n {
        for j in 0..=m {
            let (across, along) = (near[j], if j > 0 { near[j - 1] } else { 0.0 });
            near[j] = if apart(i, j) >= distance {
                0.0
            } else if i + j == 0 {
                1.0
            } else {
                (across * i as f64 + along * j as f64) / (i + j) as f64
            };
        }
    }
    (distance as f64 / (n * m) as f64, 1.0 - near[m])
}

/// The comparison as a section of a Markdown page.
pub(crate) fn table(market: &str, comparisons: &[Comparison]) -> String {
    let objections: Vec<&str> =
        comparisons.iter().filter(|comparison| comparison.objects()).map(|comparison| comparison.figure).collect();
    let verdict = match objections.as_slice() {
        [] => "no figure differs".to_owned(),
        figures => format!("these differ: {}", figures.join(", ")),
    };
    let seeds = comparisons.first().map_or(0, |comparison| comparison.theirs.len());
    let mut text = format!("## {market}\n\nOver {seeds} seeds each, {verdict}.\n\n");
    text += "| figure      | ours, mean ± sd     | ABIDES, mean ± sd   |     D |      p |  corrected |\n";
    text += "|-------------|--------------------:|--------------------:|------:|-------:|-----------:|\n";
    for comparison in comparisons {
        let spread = |values: &[f64]| {
            let mean = mean(values);
            let decimals = if mean < 1_000.0 { 2 } else { 0 };
            format!("{mean:.decimals$} ± {:.decimals$}", deviation(values))
        };
        let corrected = comparison.corrected.map_or("not tested".to_owned(), |chance| format!("{chance:.4}"));
        let Comparison { figure, distance, chance, .. } = comparison;
        let (ours, theirs) = (spread(&comparison.ours), spread(&comparison.theirs));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {figure:<11} | {ours:>19} | {theirs:>19} | {distance:.3} | {chance:.4} | {corrected:>10} |"
        );
    }
    text
}
