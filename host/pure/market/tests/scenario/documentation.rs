//! Every key that a scenario may have is in the documents, and so is every preset, kind of agent and term of an order. The keys are those that the
//! reader itself names when it meets one that it does not know.

use assay_market::{AgentKind, Scenario, presets};
use assay_model::{Display, PostOnly, TimeInForce, Trigger};
use std::collections::BTreeSet;

const PAGES: [&str; 4] = [
    include_str!("../../../../../docs/scenarios.md"),
    include_str!("../../../../../docs/venue.md"),
    include_str!("../../../../../docs/replay.md"),
    include_str!("../../../../../docs/fuel.md"),
];
const GUIDE: &str = include_str!("../../../../../guest-sdk/GUIDE.md");

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

/// The rows of the first table below a heading of docs/scenarios.md: the name, and what it says of it.
fn rows(heading: &str) -> Vec<(&'static str, &'static str)> {
    let (_, section) = PAGES[0].split_once(heading).expect("docs/scenarios.md has the heading");
    let is_row = |line: &&str| line.starts_with("| `");
    let lines = section.lines().skip_while(|line| !is_row(line)).take_while(is_row);
    lines.filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | ")).collect()
}

#[test]
fn every_kind_of_agent_and_every_preset_has_a_row() {
    let kinds: BTreeSet<&str> = rows("\n### Agents\n").into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, BTreeSet::from(AgentKind::NAMES), "docs/scenarios.md (left) and the code (right)");
    let expected: Vec<(&str, &str)> = presets().iter().map(|preset| (preset.name, preset.summary)).collect();
    assert_eq!(rows("\n## Presets\n"), expected, "docs/scenarios.md (left) and the code (right)");
}

/// By the names of the SDK, which has a method for a term that is not how long an order lives. What is the default needs no word.
#[test]
fn every_term_of_an_order_is_in_the_guide() {
    let method = |term: String| format!(".{}(", term.to_lowercase());
    let lives = TimeInForce::ALL.into_iter().filter(|term| *term != TimeInForce::default());
    let displays = Display::ALL.into_iter().filter(|term| *term != Display::default());
    let triggers = Trigger::ALL.into_iter().filter(|term| *term != Trigger::default());
    let post_only = PostOnly::ALL.into_iter().filter_map(|term| match term {
        PostOnly::No => None,
        PostOnly::Reject => Some(".post_only(".to_owned()),
        PostOnly::Slide => Some(".slide(".to_owned()),
    });
    let mut words: Vec<String> = lives.map(|term| format!("{term:?}")).collect();
    words.extend(displays.map(|term| method(format!("{term:?}"))));
    words.extend(triggers.map(|term| method(format!("{term:?}"))));
    words.extend(post_only);
    words.retain(|word| !GUIDE.contains(word.as_str()));
    assert!(words.is_empty(), "terms that guest-sdk/GUIDE.md does not name: {}", words.join(", "));
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
