//! Every key that a scenario may have is in the documents. The keys are those that the reader itself names when it meets one that it does not know.

use assay_market::{AgentKind, Scenario};

const PAGES: [&str; 4] = [
    include_str!("../../../../docs/scenarios.md"),
    include_str!("../../../../docs/venue.md"),
    include_str!("../../../../docs/replay.md"),
    include_str!("../../../../docs/fuel.md"),
];

/// Like no key that there is, so that the reader lists those that there are.
const NO_KEY: &str = "qqqqqqqqqqqqqqqqqqqq";

/// The keys of the table that `text` puts [`NO_KEY`] into.
fn known(text: &str) -> Vec<String> {
    let error = Scenario::parse(text).expect_err("a key that there is not");
    let hint = error.hint.as_deref().and_then(|hint| hint.strip_prefix("known keys here: "));
    hint.unwrap_or_else(|| panic!("{text}\n{error}")).split(", ").map(str::to_owned).collect()
}

#[test]
fn every_key_is_documented() {
    let tables = [
        "market",
        "fundamental",
        "network",
        "network.jitter",
        "network.messages",
        "network.messages.query",
        "fees",
        "strategy",
        "strategy.budget",
    ];
    let changed = tables.map(|table| format!("base = \"calm\"\n{table}.{NO_KEY} = 1\n"));
    let sizes = ["normal\"\nmean = 1\ndeviation = 1", "lognormal\"\nmu = 1\nsigma = 1"]
        .map(|shape| format!("base = \"calm\"\n[[order_size]]\nweight = 1.0\n{NO_KEY} = 1\nshape = \"{shape}\n"));
    let agents = AgentKind::NAMES.map(|kind| {
        format!("base = \"calm\"\n[[agents]]\nname = \"new\"\ncount = 1\n{NO_KEY} = 1\nkind = \"{kind}\"\n")
    });
    let others = [
        format!("base = \"calm\"\n{NO_KEY} = 1\n"),
        format!("base = \"calm\"\n[[symbols]]\nsymbol = \"XYZ\"\n{NO_KEY} = 1\n"),
        format!("base = \"calm\"\nmarket.limit_pause.{NO_KEY} = 1\n"),
        format!("base = \"calm\"\nmarket.halts = [{{ {NO_KEY} = 1 }}]\n"),
        format!("base = \"calm\"\nmarket.circuit_breakers = [{{ {NO_KEY} = 1 }}]\n"),
    ];
    let mut missing = Vec::new();
    for text in changed.iter().chain(&sizes).chain(&agents).chain(&others) {
        for key in known(text) {
            // In a table of its own, or among the keys of a braced value.
            let is_documented = PAGES.iter().any(|page| {
                page.split('`').skip(1).step_by(2).any(|code| {
                    code.split(|c: char| !(c.is_alphanumeric() || "_-".contains(c))).any(|word| word == key)
                })
            });
            if !is_documented {
                missing.push(format!("{key} ({text:?})"));
            }
        }
    }
    assert!(missing.is_empty(), "keys in no document:\n{}", missing.join("\n"));
}

#[test]
fn the_examples_are_scenarios() {
    let mut examples = 0;
    for page in PAGES {
        for text in page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()) {
            if text.starts_with("base = ") {
                examples += 1;
                Scenario::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            }
        }
    }
    assert!(examples > 0, "the pages have no example with a base");
}
