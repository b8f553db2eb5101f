//! Are our `rmsc04` and `rmsc03` the markets that ABIDES simulates? The example `parity` prints what is tested here; `docs/parity.md` shows it.

mod compare;
mod stats;

use compare::{MARKETS, Market, Verdict, changed, compare, scenario, table};

const PAGE: &str = include_str!("../../../../../docs/parity.md");
/// Half an hour of each, with every seed. Longer sessions take minutes: `make docs` makes their tables, and the test below looks at some seeds.
const HALF_HOURS: [Market; 2] = [MARKETS[0], MARKETS[1]];

/// What is not shown to be equivalent; docs/parity.md says why.
const NOT_SHOWN: [&[&str]; 2] = [&["mid range"], &["bid size"]];

#[test]
fn the_reference_markets_are_those_of_abides() {
    for (market, expected) in HALF_HOURS.iter().zip(NOT_SHOWN) {
        let comparisons = compare(&scenario(market), compare::SEEDS, market.recorded);
        let text = table(market.title, &comparisons);
        let others: Vec<&str> = comparisons
            .iter()
            .filter(|comparison| !matches!(comparison.verdict(), Verdict::Equivalent | Verdict::NotTested))
            .map(|comparison| comparison.figure)
            .collect();
        assert_eq!(others, expected, "{text}");
        assert!(PAGE.contains(&text), "docs/parity.md is not what it is today; run `make docs`\n{text}");
    }
}

/// Over a few seeds no figure of a longer session is different.
#[test]
fn a_longer_session_does_not_differ() {
    for market in &MARKETS[2..] {
        let comparisons = compare(&scenario(market), 10_001..=10_020, market.recorded);
        let text = table(market.title, &comparisons);
        assert!(!comparisons.iter().any(|comparison| comparison.verdict() == Verdict::Differs), "{text}");
    }
}

/// The fundamental value of `rmsc03` stood nearly still once; and the two markets are not one another.
#[test]
fn another_market_is_told_apart() {
    let [rmsc04, rmsc03] = HALF_HOURS;
    let still = changed(&rmsc03, "fundamental.volatility_per_root_second = 3.16227766e-4");
    let all: &[&str] = &["orders", "cancels", "trades", "volume", "mid range", "1-min sd bp", "bid size"];
    let cases = [
        (still, rmsc03.recorded, &["mid range", "1-min sd bp", "bid size"][..]),
        (scenario(&rmsc04), rmsc03.recorded, all),
        (scenario(&rmsc03), rmsc04.recorded, all),
    ];
    for (scenario, recorded, figures) in cases {
        let comparisons = compare(&scenario, 10_001..=10_030, recorded);
        for &figure in figures {
            let comparison = comparisons.iter().find(|comparison| comparison.figure == figure).expect("a figure");
            assert_eq!(comparison.verdict(), Verdict::Differs, "{figure}\n{}", table(&scenario.name, &comparisons));
        }
    }
}
