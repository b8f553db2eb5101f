//! Reads the tables of host calls in `docs/hostile.md`, for the tests that compare them with what is linked.

use std::collections::BTreeSet;

/// The calls that the page lists for an interface. A row begins with the interface, a colon and its calls, all in backticks.
pub(crate) fn calls_of(page: &str, interface: &str) -> BTreeSet<String> {
    let begins = format!("| `{interface}`: ");
    let cells = page.lines().filter_map(|line| line.strip_prefix(&*begins)?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}
