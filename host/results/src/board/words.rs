//! What standings say, in sentences. Names in them are as they were entered: whoever shows a sentence makes every character visible.

use assay_evaluate::board::Standings;
use assay_market::metrics::{KPIS, Unit};

/// How the values of a board are shown: money is kept in cents and shown in dollars.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Money {
    /// What a value is multiplied with.
    pub scale: f64,
    /// What follows the name of a column: ` ($)`, or nothing.
    pub unit: &'static str,
}

impl Money {
    /// For a measure.
    #[must_use]
    pub fn of(measure: &str) -> Self {
        let is_money = KPIS.iter().any(|info| info.key == measure && info.unit == Unit::Cents);
        if is_money { Self { scale: 0.01, unit: " ($)" } } else { Self { scale: 1.0, unit: "" } }
    }

    /// A value with the digits that matter.
    #[must_use]
    pub fn number(self, value: f64) -> String {
        let value = self.scale * value;
        if value.abs() >= 100.0 || value == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
    }

    /// A mean over public seeds with its interval.
    #[must_use]
    pub fn spread(self, mean: f64, interval: Option<(f64, f64)>) -> String {
        match interval {
            Some((low, high)) => format!("{} [{}, {}]", self.number(mean), self.number(low), self.number(high)),
            None => format!("{} (1 observation)", self.number(mean)),
        }
    }
}

/// What the board is. `visible` makes the characters of a name visible.
#[must_use]
pub fn heading(standings: &Standings, visible: impl Fn(&str) -> String) -> String {
    let board = &standings.board;
    let state = if standings.closed { "closed" } else { "open" };
    format!(
        "{}, season {} ({state}): {} on {}, Assay {}, {} public and {} sealed seeds",
        board.name,
        board.season,
        board.measure,
        visible(&board.scenario.name),
        visible(&board.release),
        board.public.len(),
        board.sealed.count
    )
}

fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// How many tries there were, and by how many.
#[must_use]
pub fn tries(standings: &Standings) -> String {
    format!(
        "{} by {}; {} run.",
        plural(standings.tries, "try", "tries"),
        plural(standings.authors.len() as u64, "author", "authors"),
        plural(standings.chances, "different content was", "different contents were")
    )
}

/// What a reader must know of the ranks: tries, luck, what the sealed column shows.
#[must_use]
pub fn notes(standings: &Standings) -> Vec<String> {
    let mut lines = vec![format!(
        "{} Ranks are decided by the sealed seeds, and corrected for all of these tries.",
        tries(standings)
    )];
    if standings.observations == Some(1) {
        lines.push(
            "All sealed seeds are the same market path, so the entries cannot be told apart: rank 1 goes to the leader of the Ladder. Use more recordings or another market.".to_owned(),
        );
    }
    lines.push(match standings.luck {
        Some(luck) => {
            let overfitting = luck.overfitting_percent.map_or_else(
                || "unknown: it needs two entries and 20 market paths".to_owned(),
                |percent| format!("{percent}%"),
            );
            format!(
                "Probability that the best result is luck: {}% (deflated Sharpe ratio, {}). Probability that choosing the best of these overfits (PBO): {overfitting}.",
                luck.luck_percent,
                plural(standings.chances, "chance", "chances")
            )
        }
        None => "Probability that the best result is luck: unknown, because its sealed results do not vary.".to_owned(),
    });
    lines.push(
        "SEALED shows the rounded mean of an entry if it beat the best one shown before it; `-` says nothing either way.".to_owned(),
    );
    lines
}
