//! `assay board new`: a season with seeds that nobody picked.

use super::{boards, failure, scenario_of, secret};
use crate::args::BoardNewArgs;
use crate::commands::DONE;
use crate::exit::{Exit, Failure};
use crate::{settings, ui};
use assay_evaluate::SCHEMA_VERSION;
use assay_evaluate::board::{BOARD_FORMAT, BoardDefinition, SealedSeeds};
use assay_market::metrics::{Better, KPIS};
use assay_results::board::{Season, checked_name, last_season};
use std::ops::RangeInclusive;

/// Seeds of one kind: two are an interval, and a thousand take a second.
const SEEDS: RangeInclusive<u64> = 2..=1_000;

pub(super) fn run(args: &BoardNewArgs) -> Result<Exit, Failure> {
    let name = checked_name(&args.name).map_err(failure)?;
    for (flag, count) in [("--public", args.public), ("--sealed", args.sealed)] {
        if !SEEDS.contains(&count) {
            return Err(Failure::usage(format!("{flag} {count} is out of range")).hint(format!(
                "use {} to {}",
                SEEDS.start(),
                SEEDS.end()
            )));
        }
    }
    if !args.step.is_finite() || args.step <= 0.0 {
        return Err(Failure::usage(format!("--step {} is not a valid step", args.step)).hint("use an amount above 0"));
    }
    match KPIS.iter().find(|info| info.key == args.measure) {
        Some(info) if info.better == Better::Higher => {}
        _ => {
            return Err(Failure::usage(format!(
                "`{}` cannot be used to rank: it is not a measure where higher is better",
                args.measure
            ))
            .hint("docs/measures.md lists the measures and which direction is better; the usual choice is pnl"));
        }
    }
    let scenario = scenario_of(&args.scenario, &settings::scenario(&args.scenario)?);
    let boards = boards(&args.boards)?;
    let last = last_season(&boards, name);
    let is_open = |season: Season| Ok(!season.open()?.closed);
    if last > 0 && Season::numbered(&boards, name, last).and_then(is_open).map_err(failure)? {
        return Err(Failure::usage(format!("season {last} of {name} is still open"))
            .hint(format!("`assay board close {name}` ends it; after that, this command starts season {}", last + 1)));
    }
    let season = last + 1;
    let label = BoardDefinition::label(name, season, &scenario.hash);
    let public: Vec<u64> = secret::public(&label, args.public)?.as_slice().iter().map(|seed| seed.0).collect();
    let (sealed, commitment) = secret::sealed(&secret::read(&args.secret)?, &label, args.sealed, &public)?;
    let board = BoardDefinition {
        format: BOARD_FORMAT.to_owned(),
        name: name.to_owned(),
        season,
        release: env!("CARGO_PKG_VERSION").to_owned(),
        schema: SCHEMA_VERSION.to_owned(),
        measure: args.measure.clone(),
        scenario,
        public,
        sealed: SealedSeeds { count: sealed.as_slice().len() as u64, commitment },
        step: args.step,
        created_ms: assay_store::Time::now().0,
    };
    let season = Season::create(&boards, board).map_err(failure)?;
    let board = &season.board;
    ui::step("Created", &format!("season {} of {} on {}", board.season, board.name, board.scenario.name));
    ui::note(&format!(
        "{} public seeds and {} sealed ones. Keep the secret safe: anyone who has it knows the sealed seeds.\nNext:\n  assay board submit {name} my-strategy.rs --author NAME {}",
        args.public,
        args.sealed,
        args.secret.flag()
    ));
    DONE
}
