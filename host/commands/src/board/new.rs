//! What `assay board new` does: it makes a season with seeds that nobody picked.

use super::settings::BoardNewSettings;
use super::{boards, failure, scenario_of, secret};
use crate::settings::scenario;
use crate::{DONE, Ending, Failure, face, scenarios};
use assay_evaluate::SCHEMA_VERSION;
use assay_evaluate::board::{BOARD_FORMAT, BOARD_SEEDS, BoardDefinition, SealedSeeds, is_board_step};
use assay_market::metrics::{Better, KPIS};
use assay_results::board::{Season, checked_name, last_season};

/// Makes a board, or the next season of one whose last season is closed.
///
/// # Errors
/// Where the settings are wrong, the last season is open, or the board cannot be written.
pub fn new(settings: &BoardNewSettings) -> Result<Ending, Failure> {
    let name = checked_name(&settings.name).map_err(failure)?;
    for (flag, count) in [("--public", settings.public), ("--sealed", settings.sealed)] {
        if !BOARD_SEEDS.contains(&count) {
            return Err(Failure::usage(format!("{flag} {count} is out of range")).hint(format!(
                "use {} to {}",
                BOARD_SEEDS.start(),
                BOARD_SEEDS.end()
            )));
        }
    }
    if !is_board_step(settings.step) {
        return Err(
            Failure::usage(format!("--step {} is not a valid step", settings.step)).hint("use an amount above 0")
        );
    }
    match KPIS.iter().find(|info| info.key == settings.measure) {
        Some(info) if info.better == Better::Higher => {}
        _ => {
            return Err(Failure::usage(format!(
                "`{}` cannot be used to rank: it is not a measure where higher is better",
                settings.measure
            ))
            .hint("docs/measures.md lists the measures and which direction is better; the usual choice is pnl"));
        }
    }
    let scenario = scenario(&settings.scenario)?;
    scenarios::refuse_gifts(&scenario)?;
    let scenario = scenario_of(&settings.scenario, &scenario);
    let boards = boards(settings.boards.as_deref())?;
    let last = last_season(&boards, name);
    let is_open = |season: Season| Ok(!season.open()?.closed);
    if last > 0 && Season::numbered(&boards, name, last).and_then(is_open).map_err(failure)? {
        return Err(Failure::usage(format!("season {last} of {name} is still open"))
            .hint(format!("`assay board close {name}` ends it; after that, this command starts season {}", last + 1)));
    }
    let season = last + 1;
    let label = BoardDefinition::label(name, season, &scenario.hash);
    let public: Vec<u64> = secret::public(&label, settings.public)?.as_slice().iter().map(|seed| seed.0).collect();
    let key = secret::read(&settings.secret)?;
    let seeds = secret::sealed(&key, &label, settings.sealed, &public)?;
    let sealed = SealedSeeds { count: seeds.as_slice().len() as u64, commitment: String::new() };
    let mut board = BoardDefinition {
        format: BOARD_FORMAT.to_owned(),
        name: name.to_owned(),
        season,
        release: env!("CARGO_PKG_VERSION").to_owned(),
        schema: SCHEMA_VERSION.to_owned(),
        measure: settings.measure.clone(),
        scenario,
        public,
        sealed,
        step: settings.step,
        created_ms: assay_store::Time::now().0,
    };
    board.sealed.commitment = secret::commitment(&key, &seeds, &board)?;
    let season = Season::create(&boards, board).map_err(failure)?;
    let board = &season.board;
    face::step("Created", &format!("season {} of {} on {}", board.season, board.name, board.scenario.name));
    face::note(&format!(
        "{} public seeds and {} sealed ones. Keep the secret safe: anyone who has it knows the sealed seeds.\nNext:\n  assay board submit {name} my-strategy.rs --author NAME {}",
        settings.public,
        settings.sealed,
        settings.secret.words()
    ));
    DONE
}
