//! Attacks on a running sandbox: a component's callbacks in turn, once or in several circumstances that must make no difference.

use super::{Answer, Trouble, outcome_words};
use assay_hostile::{Budget as Allowed, Guest, MEGABYTE, Play, Same, Vary};
use assay_model::{
    Budget, Desk, Level, Nanos, OrderUpdate, Price, Quote, RequestId, Seed, StrategyConfig, StrategyTerms, SymbolIndex,
    Time, UpdateKind,
};
use assay_sandbox::{Program, Sandbox, SandboxSettings, Verdict};
use assay_validator::{CheckedComponent, check_component};
use std::path::{Path, PathBuf};
use std::thread;
use tempfile::TempDir;

/// Places in the pool: few, so that they are used again and address space stays small.
const INSTANCES: u32 = 8;
/// Runs one after the other of what must always be the same: three for each place in the pool.
const REPEATS: usize = 3 * INSTANCES as usize;

/// A sandbox with a cache of its own.
pub(super) fn sandbox(helper: &Path, cache: &Path) -> Result<Sandbox, Trouble> {
    let mut settings = SandboxSettings::new(cache.to_path_buf(), helper.to_path_buf());
    settings.instances = INSTANCES;
    Ok(Sandbox::new(&settings)?)
}

/// The component that a guest makes, past the validator: it must let these through.
pub(super) fn checked(guest: &Guest) -> Result<CheckedComponent, Trouble> {
    check_component(guest.component()?).map_err(|findings| format!("the validator refused it: {findings}").into())
}

/// Plays a component once.
pub(super) fn play(helper: &Path, attack: &Play) -> Result<Answer, Trouble> {
    let cache = tempfile::tempdir()?;
    let program = sandbox(helper, cache.path())?.load(&checked(&attack.guest)?)?;
    let verdict = episode(&program, &budget(&attack.budget))?;
    let (seen, detail) = outcome_words(&serde_json::to_value(&verdict.outcome)?);
    // The host must serve the next one.
    let honest = sandbox(helper, cache.path())?.load(&checked(&Guest::default())?)?;
    let after = episode(&honest, &budget(&Allowed::default()))?;
    let (after, _) = outcome_words(&serde_json::to_value(&after.outcome)?);
    if after != "finished" {
        return Ok(Answer::new(format!("the next guest: {after}"), seen));
    }
    Ok(Answer::new(seen, detail))
}

/// Plays a component in circumstances that must make no difference.
pub(super) fn same(helper: &Path, attack: &Same) -> Result<Answer, Trouble> {
    let caches = [tempfile::tempdir()?, tempfile::tempdir()?];
    let component = checked(&attack.guest)?;
    let load = |cache: &TempDir| -> Result<Program, Trouble> { Ok(sandbox(helper, cache.path())?.load(&component)?) };
    let allowed = budget(&Allowed::default());
    let program = load(&caches[0])?;
    let first = episode(&program, &allowed)?;
    let others: Vec<Verdict> = match attack.vary {
        Vary::Nothing => (0..REPEATS).map(|_| episode(&program, &allowed)).collect::<Result<_, _>>()?,
        Vary::Threads => in_threads(&program, &allowed)?,
        // From the cache, and compiled anew in another folder.
        Vary::Artifact => vec![episode(&load(&caches[0])?, &allowed)?, episode(&load(&caches[1])?, &allowed)?],
        Vary::Neighbours => {
            let neighbours: Result<Vec<_>, _> =
                (1..INSTANCES).map(|_| program.start(desk(), &Budget { memory_bytes: 64 << 20, ..allowed })).collect();
            let neighbours = neighbours?;
            let verdict = episode(&program, &allowed)?;
            drop(neighbours);
            vec![verdict]
        }
    };
    let (outcome, detail) = outcome_words(&serde_json::to_value(&first.outcome)?);
    let differs = others.iter().find(|other| **other != first);
    Ok(match differs {
        Some(other) => Answer::new("different", format!("{first:?}\n{other:?}")),
        None => Answer::new(format!("same {outcome}"), detail),
    })
}

fn in_threads(program: &Program, allowed: &Budget) -> Result<Vec<Verdict>, Trouble> {
    let several = || (0..4).map(|_| episode(program, allowed).map_err(|error| error.to_string())).collect::<Vec<_>>();
    let all: Vec<Result<Verdict, String>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..INSTANCES).map(|_| scope.spawn(several)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    if all.len() != 4 * INSTANCES as usize {
        return Err("a thread panicked".into());
    }
    Ok(all.into_iter().collect::<Result<_, _>>()?)
}

fn budget(allowed: &Allowed) -> Budget {
    Budget {
        fuel_initialize: allowed.initialize,
        fuel_callback: allowed.callback,
        fuel_episode: allowed.episode,
        memory_bytes: allowed.megabytes * MEGABYTE,
        ..Budget::STANDARD
    }
}

fn desk() -> Desk {
    Desk::new(Seed(1), "strategy", 1_000_000)
}

/// Every callback in turn, as long as the strategy goes along.
pub(super) fn episode(program: &Program, allowed: &Budget) -> Result<Verdict, Trouble> {
    let price = |cents: i64| Price::new(cents).ok_or("a price is wrong");
    let (bid, ask) = (Level { price: price(10_000)?, quantity: 5 }, Level { price: price(10_002)?, quantity: 7 });
    let quote =
        Quote { sequence: 1, at: Time(1_500), bid: Some(bid), ask: Some(ask), last: Price::new(10_001), volume: 12 };
    let accepted = OrderUpdate {
        request: RequestId(1),
        order: RequestId(1),
        at: Time(1),
        remaining: 10,
        kind: UpdateKind::Accepted,
    };
    let config = StrategyConfig {
        symbol: "ABC".to_owned(),
        starting_cash: 1_000_000,
        market_open: Time(1_000),
        market_close: Time(9_000),
        close_window: Nanos(0),
        latency: Nanos(7),
        tick_interval: Nanos(100),
        terms: StrategyTerms::FREE,
    };
    let mut instance = program.start(desk(), allowed)?;
    let _ = (|| {
        instance.initialize(&config)?;
        for time in 2..5 {
            instance.desk().begin(Time(time * 1_000), SymbolIndex::FIRST);
            instance.on_tick()?;
            instance.desk().receive_quote(SymbolIndex::FIRST, quote, &[bid, bid], &[ask]);
            instance.on_market_data()?;
            instance.on_order_update(&accepted)?;
        }
        instance.on_simulation_end()
    })();
    Ok(instance.finish())
}

/// The one entry of a cache folder.
pub(super) fn entry(cache: &Path) -> Result<PathBuf, Trouble> {
    let mut entries = std::fs::read_dir(cache)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "artifact"));
    entries.next().ok_or_else(|| "the cache is empty".into())
}
