//! `docs/measures.md`: the reference of measures is what the catalogue says.

use assay_market::metrics::{
    FILLS_MIN, Group, KPIS, MID_RETURNS_MIN, NONZERO_RETURNS_MIN, RETURNS_MIN, SHOCKS_MIN, Unit,
};
use std::fmt::Write as _;
use std::path::Path;

/// Set to write the documentation instead of comparing it.
const BLESS: &str = "ASSAY_BLESS";

const GROUPS: [(Group, &str); 5] = [
    (Group::Profit, "Profit and risk"),
    (Group::Inventory, "Inventory"),
    (Group::Orders, "Orders and fills"),
    (Group::Execution, "Execution"),
    (Group::Market, "Market"),
];

const SOURCES: &str = "\
## Sources

- Andersen, Bollerslev, Diebold and Labys (2000), *Great realizations*, Risk 13: the volatility signature.
- Easley, López de Prado and O'Hara (2012), *Flow toxicity and liquidity in a high-frequency world*, Review of Financial Studies 25: VPIN.
- Huang and Stoll (1996), *Dealer versus auction markets*, Journal of Financial Economics 41: effective and realised spread, price impact.
- Large (2007), *Measuring the resiliency of an electronic limit order book*, Journal of Financial Markets 10: resilience as a time to recover.
- Lo (2002), *The statistics of Sharpe ratios*, Financial Analysts Journal 58: standard error of the Sharpe ratio, its appendix for returns
  that are not independent.
- Newey and West (1987), *A simple, positive semi-definite, heteroskedasticity and autocorrelation consistent covariance matrix*,
  Econometrica 55; (1994), *Automatic lag selection in covariance matrix estimation*, Review of Economic Studies 61.
- National Market System Plan to Address Extraordinary Market Volatility (Limit Up–Limit Down): the band of 5% for large stocks, which is the
  penalty for shares beyond the depth.
- Perold (1988), *The implementation shortfall: paper versus reality*, Journal of Portfolio Management 14.
- Commission Delegated Regulation (EU) 2017/566 (RTS 9): ratio of unexecuted orders to transactions.
- Sharpe (1994), *The Sharpe ratio*, Journal of Portfolio Management 21.
";

fn page() -> String {
    let mut page = format!(
        "# Measures\n\nWritten by the tests from the catalogue in `assay_market::metrics`: `make docs` writes it anew.\n\n\
         Time is exchange time. q is the position, M the mid, M′ the mid of the book without the strategy's own orders, E the equity,\n\
         D the side of an order (+1 buys), P a price, w shares. Both mids are of the visible book, and are the last two-sided mid unless stated\n\
         otherwise. Every measure starts when the strategy may trade and ends T later, when the market closes; the warm-up is not included.\n\
         Every measure comes from one pass over the events, in integers or in sums of a fixed order, so equal runs give equal bits.\n\
         A measure without enough data has no value and says why. It needs {RETURNS_MIN} returns of equity, {NONZERO_RETURNS_MIN} of them other than 0,\n\
         {MID_RETURNS_MIN} returns of the mid, {FILLS_MIN} fills or trades for an average over them,\n\
         {SHOCKS_MIN} spread shocks; counts and ratios of counts need one of what they divide by.\n\n\
         A run takes each measure with the strategy and with an inert trader in its place, seed by seed. The difference is the mean of the\n\
         paired differences with Student's t interval (95%), over the n seeds in which both have a value. With one such seed there is no\n\
         interval, with none there is no difference, and the record says so.\n"
    );
    for (group, title) in GROUPS {
        let _infallible = write!(page, "\n## {title}\n\n| measure | key | unit | definition |\n|---|---|---|---|\n");
        for info in KPIS.iter().filter(|info| info.group == group) {
            let definition = info.definition.replace('|', "\\|");
            let _infallible =
                writeln!(page, "| {} | `{}` | {} | {definition} |", info.title, info.key, unit(info.unit));
        }
    }
    page + "\n" + SOURCES
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Cents => "cents",
        Unit::CentsPerShare => "cents a share",
        Unit::Shares => "shares",
        Unit::Count => "count",
        Unit::Ratio => "ratio",
        Unit::Fraction => "fraction",
        Unit::BasisPoints => "basis points",
        Unit::Seconds => "seconds",
    }
}

#[test]
fn the_reference_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/measures.md");
    let generated = page();
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap() == generated, "docs/measures.md is stale: run `make docs`");
}
