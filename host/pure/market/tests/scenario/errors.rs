//! Everything that can be wrong with a scenario: each must name the key, the line, what is wrong and, where it helps, how to mend it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{SCENARIO_BYTES_MAX, Scenario};

/// The rmsc04 preset with `from` replaced by `to`, and the message and hint that come of it.
fn check(from: &str, to: &str) -> String {
    let text = Scenario::preset("rmsc04").unwrap().to_toml().to_owned();
    assert!(text.contains(from), "the preset says {from:?}");
    let text = text.replacen(from, to, 1);
    let Err(error) = Scenario::parse(&text) else { return "accepted".to_owned() };
    // The line is that of the key, unless the key is not there.
    let line = text.lines().nth(error.line - 1).unwrap_or("");
    let message = error.to_string();
    let message = message.split_once(": ").map_or(message.as_str(), |(_, what)| what);
    let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{} | {} | {message}{hint}", line.trim(), error.key)
}

/// What is replaced by what, and what comes of it: the line, the key, and what is wrong with it.
const MISPLACED_VALUES: &[(&str, &str, &str)] = &[
    (
        "mean_reversion_per_second = 1.67e-7",
        "mean_reversion_per_second = -0.1",
        "mean_reversion_per_second = -0.1         # kappa_oracle 1.67e-16 | fundamental.mean_reversion_per_second | -0.1 is not within 0 to 500",
    ),
    (
        "mean_reversion_per_second = 1.67e-7",
        "mean_reversion_per_second = nan",
        "mean_reversion_per_second = nan         # kappa_oracle 1.67e-16 | fundamental.mean_reversion_per_second | NaN is not within 0 to 500",
    ),
    (
        "volatility_per_root_second = 1.5811388301",
        "volatility_per_root_second = inf",
        "volatility_per_root_second = inf   # fund_vol 5e-5 | fundamental.volatility_per_root_second | inf is not within 0 to 100000000",
    ),
    ("count = 1_000", "count = -5", "count = -5 | agents[0].count | -5 is not within 0 to 1000000"),
    (
        "count = 1_000",
        "count = 99999999999999999999999",
        "count = 99999999999999999999999 | agents[0].count | 9223372036854775807 is not within 0 to 1000000",
    ),
    (
        "count = 1_000",
        "count = 1_000_000_000",
        "count = 1_000_000_000 | agents[0].count | 1000000000 is not within 0 to 1000000",
    ),
    ("count = 1_000", "count = 1.5", "count = 1.5 | agents[0].count | expected a whole number, found float"),
    ("count = 1_000", "count = \"many\"", "count = \"many\" | agents[0].count | expected a whole number, found string"),
    (
        "count = 102",
        "count = 999_500",
        "count = 999_500 | agents[1].count | 1000500 agents are more than the limit of 1000000",
    ),
    (
        "close = 10:00:00",
        "close = 09:00:00",
        "close = 09:00:00 | market.close | the market closes at 09:00:00, not after it opens at 09:30:00 (both are on the same day)",
    ),
    (
        "close = 10:00:00",
        "close = 09:30:00",
        "close = 09:30:00 | market.close | the market closes at 09:30:00, not after it opens at 09:30:00 (both are on the same day)",
    ),
    (
        "close = 10:00:00",
        "close = \"ten\"",
        "close = \"ten\" | market.close | expected a time of day such as 09:30:00, found string",
    ),
    (
        "close = 10:00:00",
        "close = 10:00:00\nclose_window = \"16min\"",
        "close_window = \"16min\" | market.close_window | 16min is not within 0ns to 15min (at most half of the session; \"0s\" closes the market at `close` in every episode)",
    ),
    (
        "close = 10:00:00",
        "close = 10:00:00\nclose_window = \"-1s\"",
        "close_window = \"-1s\" | market.close_window | -1s is not within 0ns to 15min (at most half of the session; \"0s\" closes the market at `close` in every episode)",
    ),
    (
        "close = 10:00:00",
        "close = 10:00:00\nclose_windows = \"1min\"",
        "close_windows = \"1min\" | market.close_windows | unknown key (did you mean `close_window`?)",
    ),
    (
        "close = 10:00:00",
        "close = 10:00:00\nclose_window = \"10min\"\nclosing_auction = \"20min\"",
        "close_window = \"10min\" | market.close_window | 10min is not within 0s to less than 10min (the warm-up and the auctions must be over before the market may close)",
    ),
    (
        "date = 2021-02-05",
        "date = 1969-12-31",
        "date = 1969-12-31 | market.date | 1969-12-31 is not within 1971-01-01 to 2500-12-31",
    ),
    (
        "date = 2021-02-05",
        "date = 2021-02-05T10:00:00Z",
        "date = 2021-02-05T10:00:00Z | market.date | expected a date such as 2021-02-05, found datetime",
    ),
    (
        "kind = \"noise\"",
        "kind = \"nose\"",
        "kind = \"nose\" | agents[0].kind | `nose` is not one of noise, value, momentum, market-maker, execution, metaorder, hawkes, informed, spoofer, dealer (did you mean `noise`?)",
    ),
    (
        "kind = \"noise\"",
        "kind = \"hft\"",
        "kind = \"hft\" | agents[0].kind | `hft` is not one of noise, value, momentum, market-maker, execution, metaorder, hawkes, informed, spoofer, dealer",
    ),
    (
        "kind = \"value\"",
        "kind = \"value\"\nname = \"noise\"",
        "name = \"noise\" | agents[1].name | the name `noise` is taken (give every group its own `name`: names key the random streams)",
    ),
    (
        "kind = \"value\"",
        "kind = \"value\"\nname = \"strategy\"",
        "name = \"strategy\" | agents[1].name | the name `strategy` is taken (give every group its own `name`: names key the random streams)",
    ),
    (
        "name = \"rmsc04\"",
        "name = \"../rmsc04\"",
        "name = \"../rmsc04\" | name | `../rmsc04` is not a name (use 1 to 40 of the characters a-z, A-Z, 0-9, `-`, `_` and `.`)",
    ),
    (
        "name = \"rmsc04\"",
        "name = \"\"",
        "name = \"\" | name | `` is not a name (use 1 to 40 of the characters a-z, A-Z, 0-9, `-`, `_` and `.`)",
    ),
    (
        "tick_interval = \"1s\"",
        "tick_interval = \"1us\"",
        "tick_interval = \"1us\" | strategy.tick_interval | 1us is not within 1ms to 24h",
    ),
    (
        "tick_interval = \"1s\"",
        "tick_interval = \"-1s\"",
        "tick_interval = \"-1s\" | strategy.tick_interval | -1s is not within 0ns to 24h",
    ),
    (
        "tick_interval = \"1s\"",
        "tick_interval = 1",
        "tick_interval = 1 | strategy.tick_interval | expected a duration, found integer (write a number and a unit, for example \"250us\", \"1.5s\" or \"2min\"; units are ns, us, ms, s, min, h)",
    ),
    (
        "tick_interval = \"1s\"",
        "tick_interval = \"1 fortnight\"",
        "tick_interval = \"1 fortnight\" | strategy.tick_interval | `1 fortnight` is not a duration (write a number and a unit, for example \"250us\", \"1.5s\" or \"2min\"; units are ns, us, ms, s, min, h)",
    ),
    (
        "price_band_basis_points = 500 ",
        "price_band_basis_points = 0 ",
        "price_band_basis_points = 0      # 5 %, as limit-up and limit-down for the most liquid US stocks | market.price_band_basis_points | 0 is not within 1 to 10000",
    ),
    (
        "[strategy]\nwarm_up = \"60s\" ",
        "[strategy]\nwarm_up = \"30min\" ",
        "warm_up = \"30min\"                    # until the book has filled | strategy.warm_up | 30min is not within 0ns to 1799999999999ns",
    ),
    (
        "latency = \"1ms\"",
        "nanoseconds_per_fuel = -1",
        "nanoseconds_per_fuel = -1 | strategy.nanoseconds_per_fuel | -1 is not within 0 to 1000",
    ),
    (
        "latency = \"1ms\"",
        "nanoseconds_per_fuel_python = 0.0001",
        "nanoseconds_per_fuel_python = 0.0001 | strategy.nanoseconds_per_fuel_python | 0.0001 is not within 0.001 to 1000 (0 lets computing take no time)",
    ),
    (
        "latency = \"1ms\"",
        "nanosecond_per_fuel = 1",
        "nanosecond_per_fuel = 1 | strategy.nanosecond_per_fuel | unknown key (did you mean `nanoseconds_per_fuel`?)",
    ),
    (
        "latency = \"1ms\"",
        "latency = \"2min\"",
        "latency = \"2min\" | strategy.latency | 2min is not within 0ns to 1min",
    ),
    (
        "latency = \"1ms\"",
        "latency = \"infs\"",
        "latency = \"infs\" | strategy.latency | `infs` is not a duration (write a number and a unit, for example \"250us\", \"1.5s\" or \"2min\"; units are ns, us, ms, s, min, h)",
    ),
    (
        "wake_interval = \"37s\"",
        "wake_interval = \"-37s\"",
        "wake_interval = \"-37s\" | agents[3].wake_interval | -37s is not within 1ms to 24h",
    ),
    (
        "wake_interval = \"37s\"",
        "wake_interval = \"0s\"",
        "wake_interval = \"0s\" | agents[3].wake_interval | 0s is not within 1ms to 24h",
    ),
    (
        "short_window = 20",
        "short_window = 50",
        "short_window = 50 | agents[3].short_window | must be less than `long_window`",
    ),
    (
        "[[agents]]\nkind = \"value\"",
        "[[agents]]\nkind = \"execution\"\nname = \"x\"\ncount = 1\nside = \"bye\"\nquantity = 10\nparticipation = 0.1\ninterval = \"1s\"\nactive_from = 10:00:00\nactive_until = 11:00:00\n[[agents]]\nkind = \"value\"",
        "side = \"bye\" | agents[1].side | `bye` is not one of buy, sell, random (did you mean `buy`?)",
    ),
    (
        "[[agents]]\nkind = \"value\"",
        "[[agents]]\nkind = \"execution\"\nname = \"x\"\ncount = 1\nside = \"buy\"\nquantity = 0\nactive_from = 10:00:00\nactive_until = 11:00:00\n[[agents]]\nkind = \"value\"",
        "quantity = 0 | agents[1].quantity | 0 is not within 1 to 1000000000000",
    ),
    (
        "count = 102",
        "count = 102\nown_size = { least = 5, most = 4 }",
        "own_size = { least = 5, most = 4 } | agents[1].own_size.least | must not be greater than `most`",
    ),
    (
        "count = 2\n",
        "count = 2\nown_size = { least = 5, most = 6 }\n",
        "own_size = { least = 5, most = 6 } | agents[2].own_size | unknown key (known keys here: kind, name, count, wake_interval, volume_window, participation, minimum_size, backstop_size, levels, level_spacing, spread_smoothing, initial_spread, trade_skew, imbalance_threshold, cancel_delay)",
    ),
    (
        "[[agents]]\nkind = \"value\"",
        "[[agents]]\nkind = \"metaorder\"\nname = \"x\"\ncount = 1\nwake_interval = \"1s\"\nself_excitation = 1.0\n[[agents]]\nkind = \"value\"",
        "self_excitation = 1.0 | agents[1].self_excitation | 1 is not within 0 to 0.99",
    ),
    (
        "[[agents]]\nkind = \"value\"",
        "[[agents]]\nkind = \"metaorder\"\nname = \"x\"\ncount = 1\nwake_interval = \"1s\"\ntail_exponent = -1\n[[agents]]\nkind = \"value\"",
        "tail_exponent = -1 | agents[1].tail_exponent | -1 is not within 0.1 to 10",
    ),
    (
        "[[agents]]\nkind = \"value\"",
        "[[agents]]\nkind = \"hawkes\"\nname = \"x\"\ncount = 1\nwake_interval = \"1s\"\nmemory_shortest = \"2min\"\nmemory_longest = \"1min\"\n[[agents]]\nkind = \"value\"",
        "memory_shortest = \"2min\" | agents[1].memory_shortest | must not be greater than `memory_longest`",
    ),
    (
        "[[agents]]\nkind = \"value\"",
        "[[agents]]\nkind = \"hawkes\"\nname = \"x\"\ncount = 1\nwake_interval = \"1s\"\ndepth = 1\ntaker_share = 1.1\n[[agents]]\nkind = \"value\"",
        "taker_share = 1.1 | agents[1].taker_share | 1.1 is not within 0 to 1",
    ),
    (
        "[[agents]]\nkind = \"value\"",
        "[[agents]]\nkind = \"informed\"\nname = \"x\"\ncount = 1\nwake_interval = \"1s\"\nedges = 4\n[[agents]]\nkind = \"value\"",
        "edges = 4 | agents[1].edges | unknown key (did you mean `edge`?)",
    ),
    (
        "[[agents]]\nkind = \"value\"",
        "[[agents]]\nkind = \"spoofer\"\nname = \"x\"\ncount = 1\nwake_interval = \"1s\"\ndistance = 5\nretreat = 5\n[[agents]]\nkind = \"value\"",
        "retreat = 5 | agents[1].retreat | must be less than `distance`",
    ),
    ("weight = 0.7", "weight = 0.5", "[[order_size]] | order_size | the weights add up to 0.800000, not to 1"),
    (
        "active_from = 09:00:00",
        "active_from = 17:00:00",
        "active_from = 17:00:00 | agents[0].active_from | must be less than `active_until`",
    ),
    (
        "starting_cash = 10_000_000",
        "starting_cash = -1",
        "starting_cash = -1         # cents | strategy.starting_cash | -1 is not within 100 to 100000000000000",
    ),
    (
        "[strategy]",
        "[strategy]\nloss_limit = 0",
        "loss_limit = 0 | strategy.loss_limit | 0 is not within 1 to 100000000000000",
    ),
    (
        "[strategy]",
        "[strategy]\nmargin_long = -0.25",
        "margin_long = -0.25 | strategy.margin_long | -0.25 is not within 0 to 1 (a share of what the position is worth: 0.25 lets a strategy hold four times what it has)",
    ),
    (
        "[strategy]",
        "[strategy]\nmargin_short = 1.5",
        "margin_short = 1.5 | strategy.margin_short | 1.5 is not within 0 to 1 (a share of what the position is worth: 0.25 lets a strategy hold four times what it has)",
    ),
    (
        "[strategy]",
        "[strategy]\nmargin_long = 0.5\nmaintenance_margin = 0.3",
        "maintenance_margin = 0.3 | strategy.maintenance_margin | must not be greater than `margin_short` (a strategy would be ruined by its first trade; lower it, or raise the initial margin)",
    ),
    (
        "[strategy]",
        "[strategy]\nmargin_long = 0\nmargin_short = 0\nmaintenance_margin = 0.15",
        "maintenance_margin = 0.15 | strategy.maintenance_margin | must not be greater than `margin_long` (a strategy would be ruined by its first trade; lower it, or raise the initial margin)",
    ),
    // A rebate above the other side's fee pays whoever trades with a friend: in the fee a share, in that on the notional, at a low price, at a high one.
    (
        "[strategy]",
        "[fees]\nmaker_microcents_per_share = -300_000\ntaker_microcents_per_share = 200_000\n[strategy]",
        "maker_microcents_per_share = -300_000 | fees.maker_microcents_per_share | at a price of $0.01, these fees pay the two sides of a trade 100000 micro-cents a share in total (two who trade with each other would be paid for it: make the taker's fee at least as large as the maker's rebate)",
    ),
    (
        "[strategy]",
        "[fees]\ntaker_notional_millionths = -3\nmaker_notional_millionths = 2\n[strategy]",
        "taker_notional_millionths = -3 | fees.taker_notional_millionths | at a price of $0.01, these fees pay the two sides of a trade 1 micro-cents a share in total (two who trade with each other would be paid for it: make the taker's fee at least as large as the maker's rebate)",
    ),
    (
        "[strategy]",
        "[fees]\nmaker_microcents_per_share = -200_000\ntaker_notional_millionths = 20\n[strategy]",
        "maker_microcents_per_share = -200_000 | fees.maker_microcents_per_share | at a price of $0.01, these fees pay the two sides of a trade 199980 micro-cents a share in total (two who trade with each other would be paid for it: make the taker's fee at least as large as the maker's rebate)",
    ),
    (
        "[strategy]",
        "[fees]\nmaker_notional_millionths = -20\ntaker_microcents_per_share = 300_000\n[strategy]",
        "maker_notional_millionths = -20 | fees.maker_notional_millionths | at a price of $1000000.00, these fees pay the two sides of a trade 1999700000 micro-cents a share in total (two who trade with each other would be paid for it: make the taker's fee at least as large as the maker's rebate)",
    ),
    (
        "[strategy]",
        "[fees]\nmaker_microcents_per_share = -300_000\ntaker_microcents_per_share = 300_000\n[strategy]",
        "accepted",
    ),
    (
        "[network]",
        "self_trade_prevention = \"newest\"\n[network]",
        "self_trade_prevention = \"newest\" | market.self_trade_prevention | `newest` is not one of allow, cancel-newest, cancel-oldest, decrement",
    ),
    (
        "[network]",
        "opening_auction = \"20min\"\nclosing_auction = \"10min\"\n[network]",
        "closing_auction = \"10min\" | market.closing_auction | 10min is not within 0ns to 599999999999ns",
    ),
    (
        "[network]",
        "halts = [{ at = 09:40:00, lasts = \"5min\" }, { at = 09:44:00, lasts = \"5min\" }]\n[network]",
        "halts = [{ at = 09:40:00, lasts = \"5min\" }, { at = 09:44:00, lasts = \"5min\" }] | market.halts[1].at | 09:44:00 is not within 09:45:00 to 10:00:00 (halts are listed by time, each after the end of the one before, within the session)",
    ),
    (
        "[network]",
        "halts = [{ at = 09:40:00 }]\n[network]",
        "halts = [{ at = 09:40:00 }] | market.halts[0].lasts | missing",
    ),
    (
        "[network]",
        "circuit_breakers = [{ fall_basis_points = 700, lasts = \"1min\" }, { fall_basis_points = 700, lasts = \"1min\" }]\n[network]",
        "circuit_breakers = [{ fall_basis_points = 700, lasts = \"1min\" }, { fall_basis_points = 700, lasts = \"1min\" }] | market.circuit_breakers[1].fall_basis_points | 700 is not within 701 to 10000",
    ),
    (
        "[network]",
        "limit_pause = { after = \"15s\", lasts = \"1h\" }\n[network]",
        "limit_pause = { after = \"15s\", lasts = \"1h\" } | market.limit_pause.lasts | 1h is not within 1s to 30min",
    ),
    (
        "[strategy]",
        "[fees]\ntaker_notional_millionths = 50_001\n[strategy]",
        "taker_notional_millionths = 50_001 | fees.taker_notional_millionths | 50001 is not within -50000 to 50000",
    ),
    (
        "[strategy]",
        "[fees]\ntaker_microcents_per_share = 100_000_001\n[strategy]",
        "taker_microcents_per_share = 100_000_001 | fees.taker_microcents_per_share | 100000001 is not within -100000000 to 100000000",
    ),
    (
        "starting_cash = 10_000_000",
        "starting_cash = 0",
        "starting_cash = 0         # cents | strategy.starting_cash | 0 is not within 100 to 100000000000000",
    ),
    (
        "position_limit = 5_000",
        "position_limit = 0",
        "position_limit = 0             # shares, long or short, should all open orders trade | strategy.position_limit | 0 is not within 1 to 1000000000",
    ),
    (
        "[strategy]",
        "[strategy]\nbudget = { fuel_callback = 0 }",
        "budget = { fuel_callback = 0 } | strategy.budget.fuel_callback | 0 is not within 1 to 9223372036854775807",
    ),
    (
        "[strategy]",
        "[strategy]\nbudget = { memory_bytes = 5_000_000_000 }",
        "budget = { memory_bytes = 5_000_000_000 } | strategy.budget.memory_bytes | 5000000000 is not within 1 to 4294967296",
    ),
    (
        "[network]",
        "[network]\njitter = { clip = 0.0 }",
        "jitter = { clip = 0.0 } | network.jitter.clip | 0 is not within 0.001 to 1",
    ),
    (
        "[network]",
        "[replay]\nformat = \"lobster\"\nmessages = \"m.csv\"\norderbook = \"b.csv\"\ntick_cents = 0\n[network]",
        "tick_cents = 0 | replay.tick_cents | 0 is not within 1 to 1000",
    ),
    (
        "[network]",
        "[replay]\nformat = \"lobter\"\n[network]",
        "format = \"lobter\" | replay.format | `lobter` is not one of lobster, orders (did you mean `lobster`?)",
    ),
    (
        "[network]",
        "[replay]\nformat = \"lobster\"\nmessages = \"\"\n[network]",
        "messages = \"\" | replay.messages | `` is not a path (a path relative to the scenario's file, of 1 to 4096 bytes)",
    ),
    (
        "[network]",
        "[replay]\nformat = \"lobster\"\nmessages = \"a\\u0000b\"\n[network]",
        "messages = \"a\\u0000b\" | replay.messages | `a\\u{0}b` is not a path (a path relative to the scenario's file, of 1 to 4096 bytes)",
    ),
    (
        "kind = \"value\"",
        "kind = \"value\"\nname = \"replay\"",
        "name = \"replay\" | agents[1].name | the name `replay` is taken (give every group its own `name`: names key the random streams)",
    ),
    (
        "mean = 100_000 ",
        "step = \"0s\"\nmean = 100_000 ",
        "step = \"0s\" | fundamental.step | 0s is not within 1ms to 24h",
    ),
];

#[test]
fn a_value_out_of_place_is_named() {
    for &(from, to, expected) in MISPLACED_VALUES {
        assert_eq!(check(from, to), expected, "{from} -> {to}");
    }
}

/// As above.
const UNKNOWN_KEYS: &[(&str, &str, &str)] = &[
    ("close = 10:00:00", "colse = 10:00:00", "colse = 10:00:00 | market.colse | unknown key (did you mean `close`?)"),
    (
        "wake_interval = \"37s\"",
        "wake_intervall = \"37s\"",
        "wake_intervall = \"37s\" | agents[3].wake_intervall | unknown key (did you mean `wake_interval`?)",
    ),
    ("[strategy]", "[fee]\n[strategy]", "[fee] | fee | unknown key (did you mean `fees`?)"),
    ("[market]", "[markets]", "[markets] | markets | unknown key (did you mean `market`?)"),
    (
        "levels = 10",
        "levels = 10\nactive_from = 09:00:00",
        "active_from = 09:00:00 | agents[2].active_from | unknown key (known keys here: kind, name, count, wake_interval, volume_window, participation, minimum_size, backstop_size, levels, level_spacing, spread_smoothing, initial_spread, trade_skew, imbalance_threshold, cancel_delay)",
    ),
    (
        "[strategy]",
        "[strategy]\nbudget = { fuel = 1 }",
        "budget = { fuel = 1 } | strategy.budget.fuel | unknown key (known keys here: fuel_initialize, fuel_callback, fuel_episode, memory_bytes, fuel_per_tick, fuel_per_market_data, fuel_per_order_update)",
    ),
    (
        "symbol = \"ASSAY\"",
        "",
        "# RMSC-4, the reference market of ABIDES (github.com/jpmorganchase/abides-jpmc-public, configs/rmsc04.py): one exchange, 1,000 noise, | symbol | missing",
    ),
    (
        "[network]",
        "[replay]\nformat = \"lobster\"\nmesages = \"m.csv\"\n[network]",
        "mesages = \"m.csv\" | replay.mesages | unknown key (did you mean `messages`?)",
    ),
    (
        "[network]",
        "[replay]\nformat = \"lobster\"\nmessages = \"m.csv\"\n[network]",
        "[replay] | replay.orderbook | missing",
    ),
    (
        "mean = 100_000 ",
        "series = \"f.csv\"\nmean = 100_000 ",
        "mean = 100_000                     # cents | fundamental.mean | cannot be combined with `series` (the value comes from the file: take this key out, or `series`)",
    ),
    (
        "mean = 100_000 ",
        "serie = \"f.csv\"\nmean = 100_000 ",
        "serie = \"f.csv\" | fundamental.serie | unknown key (did you mean `series`?)",
    ),
    ("line_metres = 3_866_660", "", "[network] | network.line_metres | missing"),
    ("kind = \"momentum\"", "", "[[agents]] | agents[3].kind | missing"),
];

#[test]
fn an_unknown_key_gets_its_nearest_neighbour() {
    for &(from, to, expected) in UNKNOWN_KEYS {
        assert_eq!(check(from, to), expected, "{from} -> {to}");
    }
}

#[test]
fn text_that_is_no_scenario_is_refused() {
    let long = "#".repeat(SCENARIO_BYTES_MAX + 1);
    let nested = format!("a = {}", "[".repeat(100_000));
    let cases = [
        ("", "line 1, `market.date`: missing"),
        ("name = ", "line 1: not valid TOML: "),
        ("name = \"x\"\nname = \"y\"", "line 2: not valid TOML: "),
        ("\n\n[market", "line 3: not valid TOML: "),
        ("agents = 5\n[market]\ndate=2021-02-05\nopen=09:30:00\nclose=10:00:00", "line 1, `name`: missing"),
        ("\u{0}\u{1}\u{2}", "line 1: not valid TOML: "),
        (&long, "line 1: the file has 262145 bytes, more than the limit of 262144"),
        (&nested, "line 1: not valid TOML: "),
    ];
    for (text, expected) in cases {
        let message = Scenario::parse(text).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message:?} does not start with {expected:?}");
        assert!(message.len() < 400, "the message is short: {message}");
    }
}
