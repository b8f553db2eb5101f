//! What `assay board show` does: it shows what is published.

use super::settings::BoardShowSettings;
use super::{boards, failure};
use crate::{DONE, Ending, Failure, face};
use assay_evaluate::board::{Standings, StandingsRow};
use assay_results::board::{Money, Published, Season, heading, notes, tries};

/// Characters of a name in a table.
const NAME_CHARS: usize = 24;

/// Shows ranks, tries, and how likely it is that the leader is only lucky.
///
/// # Errors
/// Where there is no such board or season, or it cannot be read.
pub fn show(settings: &BoardShowSettings) -> Result<Ending, Failure> {
    let boards = boards(settings.boards.as_deref())?;
    let season = match settings.season {
        Some(number) => Season::numbered(&boards, &settings.name, number),
        None => Season::last(&boards, &settings.name),
    };
    let season = season.map_err(failure)?;
    let Published { standings, behind, unfinished } = season.published().map_err(failure)?;
    if settings.json {
        let json = serde_json::to_string_pretty(&standings)
            .map_err(|error| Failure::infrastructure(format!("failed to write the standings: {error}")))?;
        face::out_json(&json);
    } else {
        face::out(&table(&standings));
    }
    if behind > 0 {
        face::warn(&format!(
            "{behind} tries are newer than these standings; they will appear with the next submission"
        ));
    }
    if unfinished > 0 {
        face::warn(&format!(
            "tries.log ends with {unfinished} bytes of a try that was never finished; they do not count, and the next submission removes them"
        ));
    }
    DONE
}

/// Ranks, tries, luck.
pub(super) fn table(standings: &Standings) -> String {
    let head = heading(standings, face::visible);
    if standings.rows.is_empty() {
        return format!("{head}\n\nNo entry yet. {}", tries(standings));
    }
    let money = Money::of(&standings.board.measure);
    let rows: Vec<Vec<String>> = standings.rows.iter().map(|row| cells(standings, row, money)).collect();
    let (public, sealed) = (format!("PUBLIC SEEDS{}, 95% INTERVAL", money.unit), format!("SEALED{}", money.unit));
    let header = ["RANK", "STRATEGY", "AUTHOR", "ENTRY", &public, &sealed, "AUTHOR'S TRIES", "REPEATS"];
    format!("{head}\n\n{}\n\n{}", face::left_table(&header, &rows, 3), notes(standings).join("\n"))
}

fn cells(standings: &Standings, row: &StandingsRow, money: Money) -> Vec<String> {
    let short = |name: &str| face::visible(name).chars().take(NAME_CHARS).collect::<String>();
    let rank = row.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
    let tries = standings.authors.iter().find(|(name, _)| *name == row.author).map_or(0, |(_, tries)| *tries);
    vec![
        format!("{rank}{}", if row.tied { " tied" } else { "" }),
        short(&row.file),
        short(&row.author),
        format!("#{}", row.number),
        money.spread(row.public_mean, row.public_interval),
        row.sealed_shown.map_or_else(|| "-".to_owned(), |shown| format!("about {}", money.number(shown))),
        tries.to_string(),
        row.repeats.to_string(),
    ]
}
