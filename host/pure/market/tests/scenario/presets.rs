//! The presets: each is what its name says, and says it in its own file.

use assay_market::{AgentKind, Inert, Scenario, nearest, presets, simulate};
use assay_model::{Budget, Nanos, Seed, Time};

#[test]
fn every_preset_parses_and_agrees_with_its_entry() {
    for preset in presets() {
        let scenario = Scenario::parse(preset.toml).unwrap_or_else(|error| panic!("{}: {error}", preset.name));
        assert_eq!((scenario.name.as_str(), scenario.summary.as_str()), (preset.name, preset.summary));
        assert_eq!(Scenario::preset(preset.name), Some(scenario.clone()));
        assert_eq!(Scenario::parse(scenario.to_toml()), Ok(scenario), "the source is kept");
    }
}

#[test]
fn rmsc04_is_as_published() {
    let half_hour = Scenario::preset("rmsc04").unwrap();
    let day = Scenario::preset("rmsc04-day").unwrap();
    // 2021-02-05 09:30, in the exchange's own time.
    assert_eq!(half_hour.open, Time(1_612_517_400_000_000_000));
    assert_eq!(half_hour.close.since(half_hour.open), Nanos::from_secs(30 * 60));
    assert_eq!(day.close.since(day.open), Nanos::from_secs(390 * 60));
    let counts: Vec<_> = half_hour.agents.iter().map(|group| (group.kind.name(), group.count)).collect();
    assert_eq!(counts, [("noise", 1_000), ("value", 102), ("market-maker", 2), ("momentum", 12)]);
    let same_but_for_hours = Scenario::parse(
        &half_hour
            .to_toml()
            .replace("name = \"rmsc04\"", "name = \"rmsc04-day\"")
            .replace(&half_hour.summary, &day.summary)
            .replace("close = 10:00:00", "close = 16:00:00"),
    );
    assert_eq!(same_but_for_hours, Ok(day));
    assert_eq!((half_hour.starting_cash, half_hour.budget), (10_000_000, Budget::default()));
}

#[test]
fn rmsc03_is_as_published() {
    let day = Scenario::preset("rmsc03").unwrap();
    let counts: Vec<_> = day.agents.iter().map(|group| (group.kind.name(), group.count)).collect();
    let expected = [("noise", 5_000), ("value", 100), ("market-maker", 2), ("momentum", 25), ("execution", 1)];
    assert_eq!(counts, expected);
    assert_eq!((day.order_sizes.len(), day.close.since(day.open)), (0, Nanos::from_secs(390 * 60)));
}

#[test]
fn the_mixture_of_sizes_may_be_left_out_where_nobody_draws_from_it() {
    let text = Scenario::preset("rmsc03").unwrap().to_toml().to_owned();
    let text = text.replacen("own_size = { least = 1, most = 9 }\n", "", 1);
    let error = Scenario::parse(&text).unwrap_err();
    assert_eq!((error.key.as_str(), error.what.to_string().as_str()), ("order_size", "missing"));
}

#[test]
fn the_strategy_section_has_defaults() {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let (market, _) = text.split_once("[strategy]").unwrap();
    let bare = Scenario::parse(market).unwrap();
    assert_eq!((bare.starting_cash, bare.trader_limits.position, bare.latency), (10_000_000, 5_000, Nanos(1_000_000)));
    assert_eq!((bare.tick_interval, bare.market_data_interval), (Nanos::SECOND, Nanos(0)));
    let config = bare.strategy_config();
    assert_eq!(
        (config.symbol.as_str(), config.market_open, config.market_close),
        ("ASSAY", bare.open, bare.closes_from())
    );
    assert_eq!(config.close_window, Nanos::from_secs(12), "a tenth of the session");
    assert_eq!(bare.new_desk(Seed(1)).cash(), 10_000_000);
}

#[test]
fn the_nearest_preset_is_what_was_meant() {
    let cases = [
        ("rmsc04", Some("rmsc04")),
        ("rmcs04", Some("rmsc04")),
        ("RMSC04", Some("rmsc04")),
        ("rmsc04-dya", Some("rmsc04-day")),
        ("smok", Some("smoke")),
        ("nasdaq", None),
        ("", None),
    ];
    for (word, expected) in cases {
        assert_eq!(nearest(word), expected, "{word}");
    }
    assert_eq!(Scenario::preset("nasdaq"), None);
}

#[test]
fn a_market_without_agents_and_one_of_empty_groups_run() {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let start = text.find("[[agents]]").unwrap();
    let end = text.find("[strategy]").unwrap();
    let nobody = format!("agents = []\n{}{}", &text[..start], &text[end..]);
    let empty =
        text.replace("count = 20", "count = 0").replace("count = 2\n", "count = 0\n").replace("count = 6", "count = 0");
    for text in [nobody, empty] {
        let scenario = Scenario::parse(&text).unwrap();
        let summary = simulate(&scenario, Seed(1), &mut Inert::new(scenario.new_desk(Seed(1))), &mut ());
        assert_eq!((summary.events, summary.seats[0].agent.0), (2, 0), "it opens and closes");
    }
}

#[test]
fn a_preset_is_not_known_by_its_symbol() {
    for preset in presets() {
        assert_eq!(Scenario::preset(preset.name).unwrap().symbol, "ASSAY", "{}", preset.name);
    }
}

#[test]
fn the_half_hour_is_the_day_cut_short() {
    let (half_hour, day) = (Scenario::preset("calm").unwrap(), Scenario::preset("calm-day").unwrap());
    assert_eq!(half_hour.close.since(half_hour.open), Nanos::from_secs(30 * 60));
    assert_eq!(day.close.since(day.open), Nanos::from_secs(390 * 60));
    assert_eq!((&half_hour.agents, &half_hour.fundamental, half_hour.fees), (&day.agents, &day.fundamental, day.fees));
}

/// What dealers show at the best price moves their estimate by less than it costs to take it and give it back: twice the half spread, and half a cent of
/// rounding on each side. Otherwise the round trip pays by itself.
#[test]
fn the_best_price_is_not_worth_taking_and_giving_back() {
    let mut judged = 0;
    for preset in presets() {
        let scenario = Scenario::parse(preset.toml).expect("it parses");
        for group in &scenario.agents {
            let AgentKind::Dealer(dealer) = &group.kind else { continue };
            let moved = dealer.impact * f64::from(group.count) * f64::from(dealer.level_size);
            let cost = 2.0 * dealer.half_spread + 1.0;
            assert!(moved < cost, "{}: the move is {moved} cents, the round trip costs {cost}", preset.name);
            judged += 1;
        }
    }
    assert!(judged >= 10, "only {judged} groups of dealers");
}
