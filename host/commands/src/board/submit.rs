//! What `assay board submit` does: it runs a strategy on the board's seeds, through the same evaluation as `assay run`.

use super::settings::BoardSubmitSettings;
use super::show::table;
use super::{boards, failure, scenario_of, secret};
use crate::interrupt::cancel_on_interrupt;
use crate::settings::{self, Machine};
use crate::{DONE, Ending, Failure, check, face, prepare, run};
use assay_evaluate::board::{BoardDefinition, BoardTry, TryOutcome, classify, classify_results};
use assay_evaluate::{Guest, RunRecord, SCHEMA_VERSION, Seeds, StrategyRecord, ToolRecord, Trial};
use assay_market::Scenario;
use assay_results::board::Season;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

/// Characters of an author's name.
const AUTHOR_CHARS_MAX: usize = 64;

/// Runs a strategy on a board's seeds and enters it.
///
/// # Errors
/// Where the settings are wrong, the strategy is refused or fails, the machine fails, or it was interrupted.
pub fn submit(machine: &Machine, settings: &BoardSubmitSettings) -> Result<Ending, Failure> {
    let author = author(&settings.author)?;
    let season = Season::last(&boards(settings.boards.as_deref())?, &settings.name).map_err(failure)?;
    let board = &season.board;
    season.open().and_then(|open| open.check_takes()).map_err(failure)?;
    let scenario = settings::scenario(&board.scenario.reference)?;
    board
        .check(env!("CARGO_PKG_VERSION"), SCHEMA_VERSION, &scenario_of(&board.scenario.reference, &scenario))
        .map_err(|mismatch| {
            Failure::usage(mismatch).hint(
                "`assay board close`, then `assay board new` with the same name: a new season for what there is now",
            )
        })?;
    let sealed_seeds = secret::of_board(&secret::read(&settings.secret)?, board)?;
    let public_seeds = Seeds::list(board.public.clone()).map_err(Failure::usage)?;
    let threads = settings::threads(settings.threads)?;
    let file = settings.strategy.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let entry = BoardTry {
        number: 0,
        at_ms: assay_store::Time::now().0,
        author: author.to_owned(),
        file,
        content: None,
        outcome: TryOutcome::Entry,
        public: Vec::new(),
    };

    let prepared = match prepare::prepare(machine, &settings.strategy, threads.get())? {
        Ok(prepared) => prepared,
        Err(refused) => {
            check::show(&refused.findings, &refused.drawings);
            let what = refused.findings.iter().next().map_or_else(String::new, |finding| finding.code.id().to_owned());
            let entry = BoardTry { outcome: TryOutcome::Refused { what }, ..entry };
            season.open().and_then(|open| open.enter(entry, None)).map_err(failure)?;
            return Err(Failure {
                ending: Ending::Rejected,
                message: format!("{} was refused; it did not run, but it counts as a try", refused.name),
                hint: None,
            });
        }
    };
    let strategy = run::strategy_record(&prepared);
    let entry = BoardTry { content: Some(strategy.content_hash().to_owned()), ..entry };
    let known = {
        let open = season.open().map_err(failure)?;
        classify(&open.tries, author, strategy.content_hash())
    };
    if let Some(outcome) = known {
        return enter(&season, BoardTry { outcome, ..entry }, None);
    }
    let sandbox = run::sandbox(machine, threads)?;
    let guest = run::guest(&sandbox, &prepared, scenario.budget)?;
    let ground = Ground { board, scenario: &scenario, threads, strategy: &strategy, guest: &guest };
    let cancel = cancel_on_interrupt();
    let (public, sealed) = (ground.record(&public_seeds, &cancel)?, ground.record(&sealed_seeds, &cancel)?);
    let outcome = how_it_failed(&public, &sealed);
    let (public, sealed) = (values(board, &public), values(board, &sealed));
    let sealed: Vec<(String, f64)> = sealed.into_iter().map(|(_, path, value)| (path, value)).collect();
    let entry = BoardTry { outcome: outcome.unwrap_or(TryOutcome::Entry), public, ..entry };
    enter(&season, entry, Some(sealed))
}

/// Enters a try as what it is by now: another process may have been faster.
fn enter(season: &Season, entry: BoardTry, sealed: Option<Vec<(String, f64)>>) -> Result<Ending, Failure> {
    let open = season.open().map_err(failure)?;
    let content = entry.content.clone().unwrap_or_default();
    let outcome = match (&entry.outcome, &sealed) {
        (TryOutcome::Entry, Some(sealed)) => classify(&open.tries, &entry.author, &content)
            .unwrap_or_else(|| classify_results(&open.tries, &open.rows, &entry.public, sealed)),
        (outcome, _) => outcome.clone(),
    };
    // Only an entry's results are needed, and what is not kept cannot get lost.
    let (sealed, public) = match &outcome {
        TryOutcome::Entry => (sealed, entry.public.clone()),
        _ => (None, Vec::new()),
    };
    let (entered, standings) = open.enter(BoardTry { outcome, public, ..entry }, sealed).map_err(failure)?;
    face::out(&table(&standings));
    match entered.outcome {
        TryOutcome::Entry => face::step("Entered", &format!("try {}", entered.number)),
        TryOutcome::Again { of } => {
            face::warn(&format!(
                "try {} repeats try {of}: the same content gives the same results, so it was not run",
                entered.number
            ));
        }
        TryOutcome::Copy { of } => {
            face::warn(&format!(
                "try {} has the same content as try {of}, which belongs to whoever submitted it first",
                entered.number
            ));
        }
        TryOutcome::SameResults { of } => {
            face::warn(&format!(
                "try {} has the same results as try {of} in every seed, so it counts as the same entry",
                entered.number
            ));
        }
        TryOutcome::Failed { what } => {
            return Err(Failure {
                ending: Ending::StrategyFailed,
                message: format!("try {} has no rank: {what}", entered.number),
                hint: Some(
                    "run `assay run` on the board's public seeds, which are in board.json, to see where".to_owned(),
                ),
            });
        }
        TryOutcome::Refused { .. } => {}
    }
    DONE
}

fn author(name: &str) -> Result<&str, Failure> {
    let name = name.trim();
    if name.is_empty()
        || name.chars().count() > AUTHOR_CHARS_MAX
        || face::visible(name) != name
        || name.contains(['\n', '\t'])
    {
        return Err(Failure::usage("that is not a valid author name")
            .hint(format!("use 1 to {AUTHOR_CHARS_MAX} visible characters on one line: --author ada")));
    }
    Ok(name)
}

/// What a submission is tried on.
struct Ground<'a> {
    board: &'a BoardDefinition,
    scenario: &'a Scenario,
    threads: NonZeroUsize,
    strategy: &'a StrategyRecord,
    guest: &'a Guest,
}

impl Ground<'_> {
    fn record(&self, seeds: &Seeds, cancel: &AtomicBool) -> Result<RunRecord, Failure> {
        let trial = Trial {
            scenario: self.scenario,
            seeds,
            threads: self.threads,
            tool: ToolRecord {
                assay: env!("CARGO_PKG_VERSION").to_owned(),
                wasmtime: assay_sandbox::ENGINE_VERSION.to_owned(),
            },
            command: "assay board submit".to_owned(),
            strategy: self.strategy.clone(),
            findings: Vec::new(),
            findings_omitted: 0,
            recorder: None,
            baselines: None,
        };
        let record = assay_evaluate::evaluate(&trial, self.guest, &(), cancel).map_err(Failure::infrastructure)?;
        if !record.complete {
            return Err(Failure {
                ending: Ending::Interrupted,
                message: "interrupted; nothing was entered".to_owned(),
                hint: None,
            });
        }
        let is_missing = values(self.board, &record).len() < record.episodes.len();
        if !record.unscored.is_empty() || is_missing {
            return Err(Failure::infrastructure("some seeds could not be scored; nothing was entered")
                .hint("this says nothing about the strategy; submit it again"));
        }
        Ok(record)
    }
}

/// The board's measure in each seed, ascending, with its market path.
fn values(board: &BoardDefinition, record: &RunRecord) -> Vec<(u64, String, f64)> {
    let value = |episode: &assay_evaluate::EpisodeRecord| {
        let value = episode.measures.get(&board.measure)?.value.filter(|value| value.is_finite())?;
        Some((episode.seed, episode.path().to_owned(), value))
    };
    record.episodes.iter().filter_map(value).collect()
}

/// How it failed, if it did. Of sealed seeds neither how nor how often: a strategy that breaks where the price rises would learn how many rise.
fn how_it_failed(public: &RunRecord, sealed: &RunRecord) -> Option<TryOutcome> {
    let failed = |record: &RunRecord| record.episodes.iter().filter(|episode| !episode.succeeded()).count();
    let how = public.summary.outcomes.iter().find(|outcome| outcome.what != "finished");
    let what = match (failed(public), how) {
        (0, _) if failed(sealed) == 0 => return None,
        (0, _) | (_, None) => "it failed in sealed seeds, but in no public seed".to_owned(),
        (count, Some(how)) => format!("it failed in {count} public seeds, first in {}: {}", how.first_seed, how.what),
    };
    Some(TryOutcome::Failed { what })
}
