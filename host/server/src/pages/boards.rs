//! Boards: the list, and the standings of one season with what a reader must know of them.

use super::layout::{Frame, Section, layout};
use crate::place::Place;
use crate::text;
use assay_evaluate::board::{BoardDefinition, Standings, StandingsRow};
use assay_results::board::{Money, heading, notes, tries};
use maud::{Markup, html};
use serde::Serialize;

/// Boards that are listed.
pub(crate) const BOARDS_MAX: usize = 100;
/// Seasons of a board that are linked: the last ones.
pub(crate) const SEASONS_SHOWN: u32 = 20;
/// Entries that are listed.
const ROWS_MAX: usize = 1_000;

/// A board in the list.
pub(crate) struct Line {
    pub name: String,
    /// Its last season, or why that cannot be read.
    pub board: Result<BoardDefinition, String>,
}

/// A season of a board.
#[derive(Serialize)]
pub(crate) struct Shown<'a> {
    pub standings: &'a Standings,
    /// Tries that the standings do not know of yet.
    pub behind: u64,
    pub last_season: u32,
}

pub(crate) fn list(frame: Frame<'_>, lines: &[Line], all: usize) -> String {
    let body = html! {
        @if lines.is_empty() {
            p { "No board is here. A board ranks strategies on seeds that it chose itself; this makes one:" }
            pre { "head -c 24 /dev/urandom | base64 > secret.txt\nassay board new spring-2027 --scenario calm --secret-file secret.txt\nassay board submit spring-2027 my-strategy.rs --author NAME --secret-file secret.txt" }
        } @else {
            div class="scroll" tabindex="0" role="group" aria-label="Boards" { table {
                thead { tr { th scope="col" { "Board" } th scope="col" { "Season" } th scope="col" { "Measure" } th scope="col" { "Market" } th scope="col" { "Began (UTC)" } } }
                tbody { @for line in lines { (row(frame, line)) } }
            } }
        }
        @if all > lines.len() { p class="small" { (text::counted(all - lines.len(), "more board", "more boards")) ": " code { "assay board show NAME" } } }
    };
    layout(frame, "Boards", Section::Boards, None, &body)
}

fn row(frame: Frame<'_>, line: &Line) -> Markup {
    html! {
        tr data-row="" {
            td class="id" { (frame.link(&Place::Board(line.name.clone(), None), &line.name)) }
            @match &line.board {
                Ok(board) => {
                    td { (board.season) }
                    td { (text::name(&board.measure)) }
                    td class="id" { (text::name(&board.scenario.name)) }
                    td class="short" { (text::moment(board.created_ms)) }
                }
                Err(why) => { td colspan="4" { (text::words(why)) } }
            }
        }
    }
}

pub(crate) fn board(frame: Frame<'_>, shown: &Shown<'_>) -> String {
    let Shown { standings, behind, last_season } = shown;
    let board = &standings.board;
    let first = last_season.saturating_sub(SEASONS_SHOWN - 1).max(1);
    let body = html! {
        p { (heading(standings, text::name)) }
        @if *last_season > 1 {
            nav aria-label="Seasons" {
                @for season in (first..=*last_season).rev() {
                    @let place = Place::Board(board.name.clone(), Some(season));
                    a href=(frame.links.to(&place)) aria-current=[(season == board.season).then_some("page")] { "Season " (season) }
                }
            }
        }
        @if *behind > 0 {
            p class="notice" { (text::counted(*behind, "try is", "tries are")) " newer than these standings, and will appear with the next submission." }
        }
        @if standings.rows.is_empty() { p { "No entry yet. " (tries(standings)) } }
        @else {
            h2 { "Standings" }
            (table(standings))
            @for note in notes(standings) { p { (text::words(&note)) } }
        }
        @if !standings.authors.is_empty() { h2 { "Tries by author" } (authors(standings)) }
        h2 { "Seeds" }
        p { "Public seeds: " code { (board.public.iter().take(1_000).map(u64::to_string).collect::<Vec<_>>().join(",")) } }
        p { "Sealed seeds: " (board.sealed.count) ", known to the holder of the secret alone. The board is bound to them by " code { (text::name(&board.sealed.commitment)) } }
    };
    layout(frame, &format!("{}, season {}", board.name, board.season), Section::Boards, None, &body)
}

fn table(standings: &Standings) -> Markup {
    let money = Money::of(&standings.board.measure);
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Standings" { table {
            thead { tr {
                th scope="col" { "Rank" } th scope="col" { "Strategy" } th scope="col" { "Author" } th scope="col" { "Entry" }
                th class="number" scope="col" { "Public seeds" (money.unit) ", 95% interval" } th class="number" scope="col" { "Sealed" (money.unit) }
                th class="number" scope="col" { "Author’s tries" } th class="number" scope="col" { "Repeats" }
            } }
            tbody { @for row in standings.rows.iter().take(ROWS_MAX) { (entry(standings, row, money)) } }
        } }
        @if standings.rows.len() > ROWS_MAX { p class="small" { (text::counted(standings.rows.len() - ROWS_MAX, "more entry", "more entries")) } }
    }
}

fn entry(standings: &Standings, row: &StandingsRow, money: Money) -> Markup {
    let tries = standings.authors.iter().find(|(name, _)| *name == row.author).map_or(0, |(_, tries)| *tries);
    html! {
        tr data-row="" {
            td { @match row.rank { Some(rank) => { (rank) @if row.tied { " tied" } } None => span class="missing" { "–" } } }
            td class="id" { (text::name(&row.file)) }
            td class="id" { (text::name(&row.author)) }
            td { "#" (row.number) }
            td class="number" { (money.spread(row.public_mean, row.public_interval)) }
            td class="number" { @match row.sealed_shown { Some(shown) => { "about " (money.number(shown)) } None => span class="missing" { "–" } } }
            td class="number" { (tries) }
            td class="number" { (row.repeats) }
        }
    }
}

fn authors(standings: &Standings) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Authors" { table {
            thead { tr { th scope="col" { "Author" } th class="number" scope="col" { "Tries" } } }
            tbody { @for (name, tries) in standings.authors.iter().take(ROWS_MAX) { tr { td { (text::name(name)) } td class="number" { (tries) } } } }
        } }
    }
}
