//! Scenarios with a base: what a change gives, and what is said of one that cannot be made.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{AgentKind, Draft, Inert, Scenario, simulate};
use assay_model::{Nanos, Seed, Time};

fn parse(text: &str) -> Scenario {
    Scenario::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Where the error is, and what it says.
fn check(text: &str, expected: &str) {
    let error = Scenario::parse(text).unwrap_err();
    let hint = error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    assert_eq!(format!("{error}{hint}"), expected, "for {text:?}");
}

fn count(scenario: &Scenario, group: &str) -> u32 {
    scenario.agents.iter().find(|found| found.name == group).unwrap().count
}

#[test]
fn what_is_not_changed_is_as_in_the_base() {
    let base = Scenario::preset("rmsc04").unwrap();
    let same = parse("base = \"rmsc04\"");
    assert_eq!(same.agents, base.agents);
    assert_eq!((same.open, same.close, &same.network), (base.open, base.close, &base.network));
    let hash = |scenario: &Scenario| {
        simulate(scenario, Seed(1), &mut Inert::new(scenario.new_desk(Seed(1))), &mut ()).log_hash
    };
    assert_eq!(hash(&same), hash(&base));
}

#[test]
fn tables_merge_and_values_take_the_place() {
    let text = "base = \"rmsc04\"\nname = \"far\"\nstrategy.latency = \"7ms\"\nagents.noise.count = 5\n\
                [agents.market-maker]\nlevels = 3\n";
    let base = Scenario::preset("rmsc04").unwrap();
    let far = parse(text);
    assert_eq!((far.name.as_str(), far.latency), ("far", Nanos(7_000_000)));
    assert_eq!(far.tick_interval, base.tick_interval);
    assert_eq!((count(&far, "noise"), count(&far, "value")), (5, 102));
    let maker = far.agents.iter().find(|group| group.name == "market-maker").unwrap();
    assert!(matches!(&maker.kind, AgentKind::MarketMaker(settings) if settings.levels == 3));
}

#[test]
fn an_array_of_tables_adds_a_group() {
    let text = "base = \"rmsc04\"\n[[agents]]\nkind = \"momentum\"\nname = \"late\"\ncount = 2\nwake_interval = \"9s\"\n\
                short_window = 2\nlong_window = 5\n";
    let more = parse(text);
    assert_eq!(more.agents.len(), Scenario::preset("rmsc04").unwrap().agents.len() + 1);
    assert_eq!(count(&more, "late"), 2);
}

/// TOML has no way to write `[agents.NAME]` and `[[agents]]` in one text.
#[test]
fn one_text_may_change_a_group_and_add_another() {
    let text = "base = \"rmsc04\"\n[agents.noise]\ncount = 4\n[agents.late]\nkind = \"momentum\"\ncount = 2\n\
                wake_interval = \"9s\"\nshort_window = 2\nlong_window = 5\n";
    let both = parse(text);
    assert_eq!((count(&both, "noise"), count(&both, "late"), count(&both, "momentum")), (4, 2, 12));
}

#[test]
fn its_text_is_whole() {
    let near = parse("base = \"smoke\"\nagents.value.count = 1\n");
    assert!(!near.to_toml().contains("base"));
    let again = parse(near.to_toml());
    assert_eq!(again.agents, near.agents);
    assert_eq!(again.to_toml(), near.to_toml());
}

#[test]
fn a_base_may_be_a_file_that_has_a_base() {
    let middle = "base = \"smoke\"\nstrategy.latency = \"3ms\"\n";
    let mut find = |name: &str| {
        if name == "middle.toml" { Ok(middle.to_owned()) } else { Err(format!("failed to read {name}: not found")) }
    };
    let draft = Draft::parse_over("base = \"middle.toml\"\nname = \"top\"\n", &mut find).unwrap();
    let scenario = draft.complete(assay_market::ScenarioData::default()).unwrap();
    assert_eq!((scenario.latency, scenario.name.as_str()), (Nanos(3_000_000), "top"));
    let error = Draft::parse_over("base = \"gone.toml\"", &mut find).unwrap_err();
    assert_eq!(error.to_string(), "line 1, `base`: failed to read gone.toml: not found");
}

/// Bases without an end are told of once, whichever way the files name each other.
#[test]
fn bases_without_an_end() {
    for (bases, expected) in [
        (&["again.toml"][..], "line 1, `base`: bases go in a circle: again.toml → again.toml"),
        (&["./again.toml"], "line 1, `base`: bases go in a circle: again.toml → again.toml"),
        (&["a.toml", "./b.toml"], "line 1, `base`: bases go in a circle: a.toml → b.toml → a.toml"),
        (&["1", "2", "3", "4", "5", "6", "7", "8", "9"], "line 1, `base`: bases are nested more than 8 deep"),
    ] {
        let mut below = bases[1..].iter().chain(&bases[..1]).cycle();
        let mut find = |_: &str| Ok(format!("base = \"{}\"\n", below.next().unwrap()));
        let error = Draft::parse_over(&format!("base = \"{}\"\n", bases[0]), &mut find).unwrap_err();
        assert_eq!(error.to_string(), expected, "{bases:?}");
    }
}

/// However late a strategy enters, no seed closes the market before.
#[test]
fn the_warm_up_is_over_before_any_close() {
    for warm_up in ["0s", "15min", "28min", "29min", "1799s", "1799999999999ns"] {
        let late = parse(&format!("base = \"calm\"\nstrategy.warm_up = \"{warm_up}\"\n"));
        assert!(
            late.open + late.warm_up < Time(late.close.0 - late.close_window.0),
            "{warm_up}: {:?}",
            late.close_window
        );
    }
    for (warm_up, window) in [("29min", "1min"), ("29min", "2min"), ("28min", "2min")] {
        let text = format!("base = \"calm\"\nstrategy.warm_up = \"{warm_up}\"\nmarket.close_window = \"{window}\"\n");
        let error = Scenario::parse(&text).unwrap_err();
        assert_eq!((error.key.as_str(), error.line), ("market.close_window", 3), "{error}");
        assert!(error.hint.unwrap().contains("the warm-up and the auctions must be over"));
    }
}

#[test]
fn what_is_wrong_is_told_by_its_line() {
    check(
        "base = \"rmsc4\"",
        "line 1, `base`: unknown preset `rmsc4` (did you mean `rmsc04`? name a preset of `assay scenarios`, or a file by a path that ends in .toml)",
    );
    check("base = 4", "line 1, `base`: expected a string, found integer");
    check(
        "base = \"smoke\"\n\n[strategy]\nlatncy = \"1ms\"",
        "line 4, `strategy.latncy`: unknown key (did you mean `latency`?)",
    );
    check(
        "base = \"rmsc04\"\n[agents.moment]\ncount = 3\n",
        "line 2, `agents.moment`: unknown key (did you mean `momentum`? To add a new one, give its `kind`)",
    );
    check("base = \"rmsc04\"\nagents.noise = 3\n", "line 2, `agents.noise`: expected a table, found integer");
    check(
        "base = \"rmsc04\"\nagents.noise.count = -3\n",
        "line 2, `agents.noise.count`: -3 is not within 0 to 1000000",
    );
    let added = "kind = \"momentum\"\nname = \"late\"\ncount = -1\n";
    for start in ["[[agents]]", "[agents.late]"] {
        check(
            &format!("base = \"rmsc04\"\n{start}\n{added}"),
            "line 5, `agents.late.count`: -1 is not within 0 to 1000000",
        );
    }
    check(
        "base = \"rmsc04\"\n\n[agents.noise]\nkind = \"momentum\"\nshort_window = 2\n",
        "line 4, `agents.noise.kind`: the base's group of this name is of the kind `noise` (a group keeps its kind: write `count = 0` under [agents.noise] to remove it, and add one of another name with kind = \"momentum\")",
    );
    // The close is the base's, so the line is the one that names the base.
    check(
        "name = \"x\"\nbase = \"rmsc04\"\nmarket.open = 11:00:00\n",
        "line 2, `market.close`: the market closes at 10:00:00, not after it opens at 11:00:00 (both are on the same day)",
    );
    check("base = \"smoke\"\nagents = 7\n", "line 2, `agents`: expected an array of tables, found integer");
}
