//! What guest and host must agree on: bounds, and that a strategy in the sandbox trades exactly as the same file does natively.

use assay_compile::{BuildSettings, Source};
use assay_evaluate::{Contender as _, Guest};
use assay_market::{AgentIndex, Event, EventKind, EventSink, Scenario, Thinking, simulate};
use assay_model::{Reason, Seed, SymbolIndex, UpdateKind};
use assay_sandbox::{Outcome, Sandbox, SandboxSettings};
use assay_tests::native::NativeTrader;
use assay_tests::{assay_binary, root};
use std::collections::BTreeMap;

#[path = "../guests/every_term.rs"]
mod every_term;
#[path = "../../examples/strategies/market_maker.rs"]
mod market_maker;
#[path = "../../examples/strategies/momentum.rs"]
mod momentum;
#[path = "../guests/two_symbols.rs"]
mod two_symbols;

#[test]
fn the_bounds_are_the_same() {
    assert_eq!(assay_sdk::PRICE_MAX_CENTS, assay_model::PRICE_MAX_CENTS);
    assert_eq!(assay_sdk::QUANTITY_MAX, assay_model::QUANTITY_MAX);
    assert_eq!(assay_sdk::Reason::ALL.len(), assay_model::Reason::ALL.len());
}

/// rmsc04 with both auctions and a second symbol, in which computing takes no time: a native trader has no fuel to pay for.
fn scenario() -> Scenario {
    let preset = Scenario::preset("rmsc04").expect("rmsc04 is a preset");
    let auctions = "[market]\nopening_auction = \"30s\"\nclosing_auction = \"30s\"";
    let other = "[[symbols]]\nsymbol = \"XYZ\"\nbeta = 1.0\n";
    let text = preset.to_toml().replacen("[market]", auctions, 1) + other;
    let mut scenario = Scenario::parse(&text).expect("the keys exist");
    scenario.thinking = Thinking::NONE;
    scenario
}

/// How often the strategy was told what.
struct Answers {
    trader: AgentIndex,
    reasons: BTreeMap<Reason, u64>,
    fills: u64,
    /// Of those, in the second symbol.
    fills_of_second: u64,
    triggered: u64,
    slid: u64,
}

impl EventSink for Answers {
    fn event(&mut self, event: &Event) {
        let EventKind::Update { agent, update } = event.kind else { return };
        if agent != self.trader {
            return;
        }
        match update.kind {
            UpdateKind::Fill { .. } => {
                self.fills += 1;
                self.fills_of_second += u64::from(event.symbol == SymbolIndex(1));
            }
            UpdateKind::Triggered => self.triggered += 1,
            UpdateKind::Modified { .. } if update.request == update.order => self.slid += 1,
            UpdateKind::Cancelled { reason } | UpdateKind::Rejected { reason } => {
                *self.reasons.entry(reason).or_default() += 1;
            }
            _ => {}
        }
    }
}

impl Answers {
    fn of(trader: AgentIndex) -> Self {
        Self { trader, reasons: BTreeMap::new(), fills: 0, fills_of_second: 0, triggered: 0, slid: 0 }
    }

    /// Each term has shown its effect.
    fn check(&self) {
        assert!(
            self.fills > 100 && self.triggered > 10 && self.slid > 0,
            "{} {} {}",
            self.fills,
            self.triggered,
            self.slid
        );
        use Reason::{CannotFill, Expired, InvalidTerms, NoAuction, NoLiquidity, WouldTrade};
        for reason in [WouldTrade, NoLiquidity, CannotFill, Expired, NoAuction, InvalidTerms] {
            assert!(self.reasons.contains_key(&reason), "{reason:?} is not in {:?}", self.reasons);
        }
    }
}

#[test]
fn a_guest_trades_as_the_same_file_does_natively() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let build = BuildSettings::new(assay_binary().to_owned(), cache.path().join("sdk"));
    let sandbox = Sandbox::new(&SandboxSettings::new(cache.path().join("artifacts"), assay_binary().to_owned()))
        .expect("a sandbox");
    let scenario = scenario();
    for (file, native) in [
        ("examples/strategies/market_maker.rs", market_maker::strategy as fn() -> _),
        ("examples/strategies/momentum.rs", momentum::strategy),
        ("tests/guests/every_term.rs", every_term::strategy),
        ("tests/guests/two_symbols.rs", two_symbols::strategy),
    ] {
        let source = Source::open(&root().join(file)).expect("the strategy is there");
        let built = assay_compile::build(&source, &build).expect("the example builds");
        let checked = assay_validator::check_component(built.component).expect("the example passes");
        let guest = Guest::new(sandbox.load(&checked).expect("the example loads"), scenario.budget);
        for seed in [Seed(1), Seed(2)] {
            let mut trader = guest.start(scenario.new_desk(seed)).expect("an instance");
            let in_sandbox = simulate(&scenario, seed, &mut trader, &mut ());
            assert_eq!(guest.finish(trader).outcome, Outcome::Finished, "{file} {seed:?}");
            let mut trader = NativeTrader::new(native(), scenario.new_desk(seed));
            let mut answers = Answers::of(scenario.trader());
            assert_eq!(simulate(&scenario, seed, &mut trader, &mut answers), in_sandbox, "{file} {seed:?}");
            assert_eq!(answers.fills_of_second > 100, file.contains("two_symbols"), "{file}");
            if file.contains("every_term") {
                answers.check();
            }
        }
    }
}
