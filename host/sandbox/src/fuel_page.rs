//! `docs/fuel.md`: the price list is what the engine is configured with and what the host charges.

use crate::engine::operator_cost;
use crate::guest::HOST_CALL_BYTES_MAX;
use crate::profile::ENTER_FUEL;
use crate::{CALLBACK_FUEL, HOST_CALL_FUEL, TRAP_FUEL};
use assay_model::Budget;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Set to write the documentation instead of comparing it.
const BLESS: &str = "ASSAY_BLESS";

/// What a strategy could pay by the unit, as the engine names it. The other bulk operators are refused by the validator.
const BY_UNIT: [(&str, &str, &str); 4] = [
    ("memory_grow_per_page", "`memory.grow`", "page of 64 KiB"),
    ("memory_copy_per_byte", "`memory.copy`", "byte"),
    ("memory_fill_per_byte", "`memory.fill`", "byte"),
    ("memory_init_per_byte", "`memory.init`", "byte"),
];

fn page() -> String {
    let costs = serde_json::to_value(operator_cost()).unwrap();
    let mut names: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for (name, cost) in costs.as_object().unwrap().iter().filter(|(name, _)| *name != "variable") {
        names.entry(cost.as_u64().unwrap()).or_default().push(name);
    }
    let free = names.remove(&0).unwrap();
    assert_eq!(names.keys().collect::<Vec<_>>(), [&1], "every other operator costs the same");
    let mut page = format!(
        "# Fuel\n\nWritten by the tests from the engine's configuration and the host's price list: `make docs` writes it anew.\n\n\
         Fuel measures and limits the work of a strategy. It counts executed instructions, not time: the same strategy, scenario and seed use exactly\n\
         the same fuel on every machine. One unit of fuel is about one WebAssembly operator, which takes about a third of a nanosecond to one nanosecond.\n\n\
         ## What things cost\n\n| what | fuel |\n|---|---|\n\
         | an operator | 1 |\n\
         | {} | 0 |\n\
         | entering a function | 1, in addition to the call |\n",
        free.iter().map(|name| format!("`{}`", name.to_lowercase())).collect::<Vec<_>>().join(", "),
    );
    for (key, operator, unit) in BY_UNIT {
        let cost = &costs["variable"][key];
        let _infallible = writeln!(page, "| {operator} | 1 and {cost} for each {unit} |");
    }
    let _infallible = write!(
        page,
        "| a callback | {CALLBACK_FUEL}, before its first operator |\n\
         | a trap, a panic among them | {}, at most what is left |\n\n\
         Data segments and the initial memory of a module cost nothing; the memory budget limits both.\n\n\
         ## What host calls cost\n\nA call costs its base price and the price of what it moves, in addition to the operator. A call that the remaining fuel does not cover has no effect. No call moves more than {} bytes.\n\n\
         | call | base | and |\n|---|---|---|\n",
        grouped(TRAP_FUEL),
        grouped(HOST_CALL_BYTES_MAX as u64),
    );
    for price in HOST_CALL_FUEL {
        let more =
            if price.unit.is_empty() { String::new() } else { format!("{} for each {}", price.per_unit, price.unit) };
        let _infallible = writeln!(page, "| `{}` | {} | {more} |", price.name, grouped(price.base));
    }
    page + &budgets() + &format!("\n{THINKING}") + &profile()
}

/// The defaults are those of `assay_market::Thinking::USUAL`, which is not to be had here; a test of the market reads them from the page.
const THINKING: &str = "\
## How long it takes

Computing takes simulated time. A request leaves the strategy after the time for the fuel that its callback has used so far, including the price of the request; the
strategy is busy until the time for the whole callback has passed. Meanwhile, events wait: all order updates, only the newest quote, and one of the ticks and wake-ups.

| key in `[strategy]` | default | meaning |
|---|---|---|
| `nanoseconds_per_fuel` | 0.5 | for a compiled strategy |
| `nanoseconds_per_fuel_python` | 0.1 | for a Python strategy, whose fuel includes that of the interpreter; its requests leave together, at the end of the callback |

Both are numbers from 0 to 1,000, stored to the picosecond. A delay is rounded down to the nanosecond; with 0, computing takes no time. At 0.5, an order sent after
5,000,000 units of fuel leaves 2.5 ms after the callback started, and one sent after 200 units leaves after 100 ns. Requests that leave after the close are rejected with `MarketClosed`.

Where the defaults come from: compiled natively, an operator takes about a third of a nanosecond to one nanosecond. The interpreter uses about a hundred units of fuel per step, for which
native CPython 3.11 took 6 ns on our machine (the best of 15 runs over a small trading function); a slower machine takes twice that. Fuel is counted, never measured, so both
are the same on every machine.
";

fn budgets() -> String {
    let Budget { fuel_initialize, fuel_callback, fuel_episode, memory_bytes, .. } = Budget::STANDARD;
    format!(
        "\n## Budgets\n\nA scenario sets the budgets of a strategy. A callback gets the smaller of its own budget and what is left for the episode. If it uses all of it, the strategy is out of fuel:\n\
         it is removed and has failed. The engine checks only at function entries and loops, so straight-line code is finished first.\n\n\
         | key in `[strategy.budget]` | default | meaning |\n|---|---|---|\n\
         | `fuel_initialize` | {} | setting up and `initialize` together |\n\
         | `fuel_callback` | {} | each later callback, about 10 ms |\n\
         | `fuel_episode` | {} | the whole episode |\n\
         | `fuel_per_tick` | 0 | added to the episode's budget for each tick of the scenario; wake-ups that a strategy requests add nothing |\n\
         | `fuel_per_market_data` | 0 | added for each quote for which the strategy is called |\n\
         | `fuel_per_order_update` | 0 | added for each update of an order |\n\
         | `memory_bytes` | {} | linear memory |\n\n\
         With the three `fuel_per_…` keys, a budget grows with the episode: a long day or a busy market adds the fuel that it takes, and no scenario needs tuning by hand.\n\n\
         ```toml\n[strategy.budget]\nfuel_episode = 1_000_000\nfuel_per_tick = 20_000\nfuel_per_market_data = 5_000\nfuel_per_order_update = 5_000\n```\n",
        grouped(fuel_initialize),
        grouped(fuel_callback),
        grouped(fuel_episode),
        grouped(memory_bytes),
    )
}

fn profile() -> String {
    format!(
        "\n## Where it goes\n\nEvery run reports, for each kind of callback, the number of calls, the median and the 99th percentile of their fuel (at most a 32nd too high, never above the maximum), and the most expensive call\n\
         with its seed and exchange time.\n\n\
         `assay run my-strategy.rs --profile` reports fuel by function: as a table on the screen, in the report and in `run.json`, and as a flame graph, `profile.svg`. The first scored seed\n\
         is run once more with a wrapper around every function and host call that reads the meter. The cost of a wrapper is refunded immediately, so the\n\
         guest has the same fuel at every operator as without it, and the fuel of the functions adds up exactly to that of the scored episode; `assay run` warns if it ever does not. The same seed gives\n\
         the same profile. Scores come from the run without wrappers.\n\n\
         Two things are different under the profiler: calls are twice as deep, so recursion overflows the stack sooner; and a callback that would end with less than {ENTER_FUEL}\n\
         fuel to spare may run out. Names come from the component's name section, which `assay` keeps; a component without one shows numbers. Inlined functions count as part of\n\
         their caller.\n"
    )
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

#[test]
fn the_price_list_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fuel.md");
    let generated = page();
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap() == generated, "docs/fuel.md is stale: run `make docs`");
}
