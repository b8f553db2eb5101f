//! `assay board show`: what is published.

use super::folder::{Season, boards};
use crate::args::BoardShowArgs;
use crate::commands::DONE;
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_evaluate::board::{Standings, StandingsRow};
use assay_market::metrics::{KPIS, Unit};

/// Characters of a name in a table.
const NAME_CHARS: usize = 24;

pub(super) fn run(args: &BoardShowArgs) -> Result<Exit, Failure> {
    let boards = boards(&args.boards)?;
    let season = match args.season {
        Some(number) => Season::numbered(&boards, &args.name, number)?,
        None => Season::last(&boards, &args.name)?,
    };
    let (standings, behind) = season.published()?;
    if args.json {
        let json = serde_json::to_string_pretty(&standings)
            .map_err(|error| Failure::infrastructure(format!("failed to write the standings: {error}")))?;
        ui::out(&json);
    } else {
        ui::out(&table(&standings));
    }
    if behind > 0 {
        ui::warn(&format!("{behind} tries are newer than these standings; they will appear with the next submission"));
    }
    DONE
}

/// Ranks, tries, luck.
pub(super) fn table(standings: &Standings) -> String {
    let board = &standings.board;
    let state = if standings.closed { "closed" } else { "open" };
    let head = format!(
        "{}, season {} ({state}): {} on {}, Assay {}, {} public and {} sealed seeds",
        board.name,
        board.season,
        board.measure,
        ui::visible(&board.scenario.name),
        ui::visible(&board.release),
        board.public.len(),
        board.sealed.count
    );
    if standings.rows.is_empty() {
        return format!("{head}\n\nNo entry yet. {}", tries(standings));
    }
    // Money is kept in cents and shown in dollars.
    let is_money = KPIS.iter().any(|info| info.key == board.measure && info.unit == Unit::Cents);
    let (scale, unit) = if is_money { (0.01, " ($)") } else { (1.0, "") };
    let rows: Vec<Vec<String>> = standings.rows.iter().map(|row| cells(standings, row, scale)).collect();
    let (public, sealed) = (format!("PUBLIC SEEDS{unit}, 95% INTERVAL"), format!("SEALED{unit}"));
    let header = ["RANK", "STRATEGY", "AUTHOR", "ENTRY", &public, &sealed, "AUTHOR'S TRIES", "REPEATS"];
    format!("{head}\n\n{}\n\n{}", ui::left_table(&header, &rows, 3), words(standings))
}

fn cells(standings: &Standings, row: &StandingsRow, scale: f64) -> Vec<String> {
    let number = |value: f64| number(scale * value);
    let short = |name: &str| ui::visible(name).chars().take(NAME_CHARS).collect::<String>();
    let rank = row.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    let public = match row.public_interval {
        Some((low, high)) => format!("{} [{}, {}]", number(row.public_mean), number(low), number(high)),
        None => format!("{} (1 observation)", number(row.public_mean)),
    };
    let tries = standings.authors.iter().find(|(name, _)| *name == row.author).map_or(0, |(_, tries)| *tries);
    vec![
        format!("{rank}{}", if row.tied { " tied" } else { "" }),
        short(&row.file),
        short(&row.author),
        format!("#{}", row.number),
        public,
        row.sealed_shown.map_or_else(|| "-".to_owned(), |shown| format!("about {}", number(shown))),
        tries.to_string(),
        row.repeats.to_string(),
    ]
}

fn number(value: f64) -> String {
    if value.abs() >= 100.0 || value == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn tries(standings: &Standings) -> String {
    format!(
        "{} by {}; {} run.",
        plural(standings.tries, "try", "tries"),
        plural(standings.authors.len() as u64, "author", "authors"),
        plural(standings.chances, "different content was", "different contents were")
    )
}

fn words(standings: &Standings) -> String {
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
    lines.join("\n")
}
