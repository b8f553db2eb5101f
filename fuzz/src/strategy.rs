//! Strategies: whatever passes the validator must compile in its jail, start, and end with an outcome that is the guest's.

use crate::source::survive;
use assay_model::{
    Budget, Desk, Level, Nanos, OrderUpdate, Price, Quote, RequestId, Seed, StrategyConfig, StrategyTerms, SymbolIndex,
    Time, UpdateKind,
};
use assay_sandbox::{CompileError, LoadError, Outcome, Program, Sandbox, SandboxSettings, Verdict};
use assay_validator::{CheckedComponent, check_component, encode_component};
use std::path::PathBuf;
use std::sync::{LazyLock, OnceLock};

/// Enough to reach every kind of end, little enough for many inputs a second.
const BUDGET: Budget = Budget {
    fuel_initialize: 200_000,
    fuel_callback: 100_000,
    fuel_episode: 1_000_000,
    memory_bytes: 4 << 20,
    ..Budget::STANDARD
};
/// Artifacts kept between inputs: the seeds compile once.
const CACHE_BYTES_MAX: u64 = 64 << 20;

/// The executable that compiles in a jail; where none is named, this one, which must then answer to the words of one.
static HELPER: OnceLock<PathBuf> = OnceLock::new();

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
    let helper = helper();
    let cache = std::env::temp_dir().join("assay-fuzz-artifacts");
    let settings = SandboxSettings::new(cache, helper);
    Sandbox::new(&SandboxSettings { cache_bytes_max: CACHE_BYTES_MAX, instances: 2, ..settings })
        .expect("the sandbox starts")
});

/// The executable that compiles.
pub(crate) fn helper() -> PathBuf {
    HELPER.get_or_init(|| std::env::current_exe().expect("a running program has a path")).clone()
}

/// The sandbox of all inputs.
pub(crate) fn sandbox() -> &'static Sandbox {
    &SANDBOX
}

/// Names another helper; before the first input.
pub fn use_helper(helper: PathBuf) {
    let _ = HELPER.set(helper);
}

/// A component, as it comes from a stranger.
pub fn component(bytes: &[u8]) {
    match check_component(bytes.to_vec()) {
        Ok(checked) => try_out(&checked),
        Err(findings) => survive(&findings),
    }
}

/// A module, which is wrapped first.
pub fn module(bytes: &[u8]) {
    if let Ok(encoded) = encode_component(bytes) {
        component(&encoded);
    }
}

fn try_out(checked: &CheckedComponent) {
    let program = match SANDBOX.load(checked) {
        Ok(program) => program,
        // The machine's doing.
        Err(LoadError::Compile(CompileError::Deadline(_) | CompileError::Killed(_))) => return,
        Err(error) => panic!("passed the validator, but: {error:?}"),
    };
    let outcome = play_with(&program, "ABC").outcome;
    assert!(!matches!(outcome, Outcome::Infrastructure { .. }), "not the guest's doing: {outcome:?}");
    assert_eq!(outcome, play_with(&program, "ABC").outcome, "the same guest ends differently");
}

/// Every callback in turn, as long as the strategy goes along, which trades a symbol of this name.
pub(crate) fn play_with(program: &Program, symbol: &str) -> Verdict {
    let mut instance = program.start(Desk::new(Seed(1), "strategy", 1_000_000), &BUDGET).expect("an instance starts");
    let level = |cents| Level { price: Price::clamped(cents), quantity: 5 };
    let (bid, ask) = (level(9_999), level(10_001));
    let quote =
        Quote { sequence: 1, at: Time(1_500), bid: Some(bid), ask: Some(ask), last: Price::new(10_000), volume: 12 };
    let update = OrderUpdate {
        request: RequestId(1),
        order: RequestId(1),
        at: Time(1),
        remaining: 10,
        kind: UpdateKind::Accepted,
    };
    let config = StrategyConfig {
        symbol: symbol.to_owned(),
        starting_cash: 1_000_000,
        market_open: Time(1_000),
        market_close: Time(9_000),
        close_window: Nanos(0),
        latency: Nanos(7),
        tick_interval: Nanos(100),
        terms: StrategyTerms::FREE,
    };
    let _ = (|| {
        instance.initialize(&config)?;
        for time in 2..4 {
            instance.desk().begin(Time(time * 1_000), SymbolIndex::FIRST);
            instance.on_tick()?;
            instance.desk().receive_quote(SymbolIndex::FIRST, quote, &[bid], &[ask]);
            instance.on_market_data()?;
            instance.on_order_update(&update)?;
        }
        instance.on_simulation_end()
    })();
    instance.finish()
}
