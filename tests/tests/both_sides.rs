//! What guest and host must agree on: bounds, and that a strategy in the sandbox trades exactly as the same file does natively.

use assay_build::{BuildSettings, Source};
use assay_evaluate::{Contender as _, Guest};
use assay_market::{Scenario, simulate};
use assay_model::Seed;
use assay_sandbox::{Outcome, Sandbox, SandboxSettings};
use assay_tests::native::NativeTrader;
use assay_tests::{assay_binary, root};

#[path = "../../examples/strategies/market_maker.rs"]
mod market_maker;
#[path = "../../examples/strategies/momentum.rs"]
mod momentum;

#[test]
fn the_bounds_are_the_same() {
    assert_eq!(assay_sdk::PRICE_MAX_CENTS, assay_model::PRICE_MAX_CENTS);
    assert_eq!(assay_sdk::QUANTITY_MAX, assay_model::QUANTITY_MAX);
    assert_eq!(assay_sdk::Reason::ALL.len(), assay_model::Reason::ALL.len());
}

#[test]
fn a_guest_trades_as_the_same_file_does_natively() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let build = BuildSettings::new(assay_binary().to_owned(), cache.path().join("sdk"));
    let sandbox = Sandbox::new(&SandboxSettings::new(cache.path().join("artifacts"), assay_binary().to_owned()))
        .expect("a sandbox");
    let scenario = Scenario::preset("rmsc04").expect("rmsc04 is a preset");
    for (file, native) in
        [("market_maker.rs", market_maker::strategy as fn() -> _), ("momentum.rs", momentum::strategy)]
    {
        let source = Source::open(&root().join("examples/strategies").join(file)).expect("the example is there");
        let built = assay_build::build(&source, &build).expect("the example builds");
        let checked = assay_validator::check_component(built.component).expect("the example passes");
        let guest = Guest::new(sandbox.load(&checked).expect("the example loads"), scenario.budget);
        for seed in [Seed(1), Seed(2)] {
            let mut trader = guest.start(scenario.new_desk(seed)).expect("an instance");
            let in_sandbox = simulate(&scenario, seed, &mut trader, &mut ());
            assert_eq!(guest.finish(trader).outcome, Outcome::Finished, "{file} {seed:?}");
            let mut trader = NativeTrader::new(native(), scenario.new_desk(seed));
            assert_eq!(simulate(&scenario, seed, &mut trader, &mut ()), in_sandbox, "{file} {seed:?}");
        }
    }
}
