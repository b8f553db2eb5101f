//! Several strategies in one market: who earns from whom.
//!
//! Each seed is one game in which every entrant has a seat, a sandbox and a budget of its own. Seats rotate from game to game, because who sits first is
//! served first where two act at the same instant. A game counts with whatever became of a player; infrastructure that fails leaves the game unscored.
//!
//! Invariant: the record does not depend on the number of threads.

mod flows;
mod payments;
mod rating;
mod record;

pub use flows::{Flow, Flows};
pub use rating::{Rating, rate};
pub use record::{
    ARENA_SCHEMA_NAME, ARENA_SCHEMA_VERSION, ArenaRecord, EntrantRecord, FAILED_NOTE, FlowRecord, GameRecord,
    PairRecord, PlayerRecord,
};

use crate::contender::{Contender, Infrastructure};
use crate::episode::NoScore;
use crate::evaluate::EvaluateError;
use crate::record::{SchemaRecord, StopRecord, StrategyRecord, ToolRecord, UnscoredRecord};
use crate::seeds::Seeds;
use crate::statistics::{Confidence, Estimate, Interval, Sample, Tail};
use assay_market::metrics::{Collector, Kpi, Settings};
use assay_market::{Event, EventSink, Exchange, LeftOut, OthersQuote, Scenario, Trader, Until, simulate_seats};
use assay_model::{Seed, SymbolIndex, Time};
use assay_sandbox::Outcome;
use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The party that everybody but the entrants is.
pub const THE_MARKET: &str = "the market";

/// A strategy that takes part.
pub struct Entrant<C> {
    /// Unique among the entrants.
    pub name: String,
    /// For the record.
    pub strategy: StrategyRecord,
    /// Starts it.
    pub contender: C,
}

/// In what the entrants meet.
#[derive(Clone, Copy)]
pub struct Arena<'a> {
    /// The market.
    pub scenario: &'a Scenario,
    /// One game each.
    pub seeds: &'a Seeds,
    /// How many games run at once.
    pub threads: NonZeroUsize,
}

/// One finished game.
struct Game {
    record: GameRecord,
    flows: Flows,
}

/// Plays every seed with all entrants. `progress` hears how many of how many games are over, from any thread. Once `cancel` is set, games under way are abandoned.
///
/// # Errors
/// [`EvaluateError`] before the first game only.
///
/// # Panics
/// If there are more entrants than [`assay_market::SEATS_MAX`].
pub fn arena<C: Contender>(
    arena: &Arena<'_>,
    entrants: &[Entrant<C>],
    (tool, command): (ToolRecord, String),
    progress: &(dyn Fn(usize, usize) + Sync),
    cancel: &AtomicBool,
) -> Result<ArenaRecord, EvaluateError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arena.threads.get())
        .build()
        .map_err(|source| EvaluateError::Threads { threads: arena.threads, source })?;
    let seeds = arena.seeds.as_slice();
    let done = AtomicUsize::new(0);
    let one = |(index, &seed): (usize, &Seed)| {
        let result = match play(arena.scenario, entrants, index, seed, cancel) {
            Err(NoScore::Infrastructure(_)) => play(arena.scenario, entrants, index, seed, cancel),
            result => result,
        };
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, seeds.len());
        (seed, result)
    };
    let results = pool.install(|| seeds.par_iter().enumerate().with_max_len(1).map(one).collect::<Vec<_>>());
    let (mut games, mut unscored, mut complete) = (Vec::new(), Vec::new(), true);
    for (seed, result) in results {
        match result {
            Ok(game) => games.push(game),
            Err(NoScore::Infrastructure(failure)) => unscored.push(UnscoredRecord { seed: seed.0, what: failure.what }),
            Err(NoScore::Interrupted) => complete = false,
        }
    }
    Ok(ArenaRecord {
        schema: SchemaRecord { name: ARENA_SCHEMA_NAME.to_owned(), version: ARENA_SCHEMA_VERSION.to_owned() },
        complete,
        tool,
        command,
        scenario: arena.scenario.into(),
        seeds: seeds.iter().map(|seed| seed.0).collect(),
        unscored,
        entrants: standing(entrants, &games),
        pairs: payments::pairs(entrants, &games),
        flows: payments::who_pays_whom(entrants, &games),
        games: games.into_iter().map(|game| game.record).collect(),
    })
}

/// The seat of an entrant in a game.
fn seat_of(entrant: usize, game: usize, entrants: usize) -> usize {
    (entrant + game) % entrants
}

fn play<C: Contender>(
    scenario: &Scenario,
    entrants: &[Entrant<C>],
    game: usize,
    seed: Seed,
    cancel: &AtomicBool,
) -> Result<Game, NoScore> {
    if cancel.load(Ordering::Relaxed) {
        return Err(NoScore::Interrupted);
    }
    let seats = entrants.len();
    // By seat: who sits there.
    let sitting: Vec<usize> = (0..seats).map(|seat| (seat + seats - game % seats) % seats).collect();
    let mut traders = Vec::with_capacity(seats);
    for (seat, entrant) in sitting.iter().enumerate() {
        let trader = entrants[*entrant].contender.start(scenario.new_desk_for(seed, seat))?;
        traders.push(Until::new(trader, || cancel.load(Ordering::Relaxed)));
    }
    let mut sink = Listeners {
        collectors: (0..seats).map(|seat| Collector::new(Settings::of(scenario, seed, seat))).collect(),
        flows: Flows::new(scenario.trader(), seats, scenario.symbol_count()),
    };
    let summary = {
        let mut lent: Vec<&mut dyn Trader> = traders.iter_mut().map(|trader| trader as &mut dyn Trader).collect();
        simulate_seats(scenario, seed, &mut lent, &mut sink)
    };
    let mut players: Vec<Option<PlayerRecord>> = vec![None; seats];
    for (seat, ((trader, collector), summary)) in
        traders.into_iter().zip(sink.collectors).zip(&summary.seats).enumerate()
    {
        let Some(trader) = trader.into_finished() else { return Err(NoScore::Interrupted) };
        let verdict = entrants[sitting[seat]].contender.finish(trader);
        if let Outcome::Infrastructure { what } = verdict.outcome {
            return Err(NoScore::Infrastructure(Infrastructure { what }));
        }
        let measures = collector.finish().measures;
        players[sitting[seat]] = Some(PlayerRecord {
            seat: seat as u64,
            outcome: verdict.outcome,
            stopped: summary.stopped.map(|(at, cause)| StopRecord { at_ns: at.0, cause: cause.into() }),
            pnl_cents: measures[Kpi::Pnl].value(),
            shares: measures[Kpi::SharesTraded].value(),
            inventory_max: measures[Kpi::InventoryMax].value(),
            drawdown_cents: measures[Kpi::MaxDrawdown].value(),
        });
    }
    let event_log_hash = summary.log_hash.to_hex().to_string();
    let record = GameRecord { seed: seed.0, players: players.into_iter().flatten().collect(), event_log_hash };
    Ok(Game { record, flows: sink.flows })
}

/// A collector for each seat, and who trades with whom.
struct Listeners {
    collectors: Vec<Collector>,
    flows: Flows,
}

impl EventSink for Listeners {
    fn event(&mut self, event: &Event) {
        self.collectors.iter_mut().for_each(|collector| collector.event(event));
        self.flows.event(event);
    }
    fn leaves_out(&self) -> Vec<LeftOut> {
        self.collectors.iter().flat_map(EventSink::leaves_out).chain(self.flows.leaves_out()).collect()
    }
    fn others(&mut self, quote: &OthersQuote) {
        self.collectors.iter_mut().for_each(|collector| collector.others(quote));
        self.flows.others(quote);
    }
    fn closing(&mut self, at: Time, symbol: SymbolIndex, exchange: &Exchange) {
        self.collectors.iter_mut().for_each(|collector| collector.closing(at, symbol, exchange));
    }
}

/// The profits of an entrant, game by game; a market without any price is worth nothing to anybody.
fn profits(games: &[Game], entrant: usize) -> Vec<f64> {
    games.iter().map(|game| game.record.players[entrant].pnl_cents.unwrap_or(0.0)).collect()
}

/// Games that an entrant did not finish.
fn failures(games: &[Game], entrant: usize) -> usize {
    let failed = |game: &&Game| {
        let player = &game.record.players[entrant];
        player.outcome != Outcome::Finished || player.stopped.is_some()
    };
    games.iter().filter(failed).count()
}

fn standing<C>(entrants: &[Entrant<C>], games: &[Game]) -> Vec<EntrantRecord> {
    let columns: Vec<Vec<f64>> = (0..entrants.len()).map(|entrant| profits(games, entrant)).collect();
    let table: Vec<Vec<f64>> =
        (0..games.len()).map(|game| columns.iter().map(|column| column[game]).collect()).collect();
    let failed: Vec<usize> = (0..entrants.len()).map(|entrant| failures(games, entrant)).collect();
    let last: Vec<usize> = (0..entrants.len()).filter(|entrant| failed[*entrant] == games.len()).collect();
    let ratings = rate(&table, &last);
    let records = entrants.iter().enumerate().map(|(index, entrant)| {
        let estimate = mean_of(&columns[index]);
        let by_seat = (0..entrants.len()).map(|seat| {
            let here = |game: &&usize| seat_of(index, **game, entrants.len()) == seat;
            let games: Vec<usize> = (0..games.len()).collect();
            let values: Vec<f64> = games.iter().filter(here).map(|game| columns[index][*game]).collect();
            mean_of(&values).map(|estimate| estimate.mean)
        });
        EntrantRecord {
            name: entrant.name.clone(),
            strategy: entrant.strategy.clone(),
            rating: ratings.get(index).copied(),
            pnl_mean_cents: estimate.map(|estimate| estimate.mean),
            pnl_interval: estimate.and_then(|estimate| estimate.interval),
            pnl_by_seat_cents: by_seat.collect(),
            failed: failed[index] as u64,
        }
    });
    records.collect()
}

/// Mean and interval of one value a game.
fn mean_of(values: &[f64]) -> Option<Estimate> {
    Sample::of_distinct(values.to_vec()).estimate()
}

/// An interval that holds together with `others` of its kind, with 95 %.
fn together(values: &[f64], others: usize) -> Option<Interval> {
    let confidence = Confidence::percent(100.0 * (1.0 - 0.025 / others.max(1) as f64))?;
    let sample = Sample::of_distinct(values.to_vec());
    let (low, high) = (sample.bound(Tail::Lower, confidence)?, sample.bound(Tail::Upper, confidence)?);
    Some(Interval { low, high, degenerate: sample.sd() == Some(0.0) })
}
