//! R2E-Gym's reward, exactly as published.
//!
//! Source: R2E-Gym at 69bc953, `agenthub/runtime/docker.py::_calculate_reward_r2e`. Both maps lose their colours and what follows ` - ` in a key;
//! then equal sizes and equal statuses are a 1. Its weaknesses are kept: the status may stand in an assertion's message, the first summary may
//! be a printed one, tests of two files collapse, and nothing matches an empty expectation. Where it stops with a `KeyError`, there is no
//! reward, and so there is none here.

use std::sync::LazyLock;

use super::verdict::{Difference, Part, Unscored, Verdict};
use crate::parse::r2e;
use crate::status::StatusMap;
use crate::text::{Pattern, before, python_pattern};

/// The keys as they are compared: in sorted order, so that the last of two that become one wins.
fn comparable(map: &StatusMap) -> StatusMap {
    static COLOUR: Pattern = LazyLock::new(|| python_pattern(r"\x1b\[\d+m"));
    let plain: StatusMap =
        map.iter().map(|(key, status)| (COLOUR.replace_all(key, "").into_owned(), status.clone())).collect();
    plain.sorted().map(|(key, status)| (before(key, " - "), status.clone())).collect()
}

pub(super) fn grade(expected: &StatusMap, log: &str) -> Verdict {
    let found = comparable(&r2e::parse(log));
    let expected = comparable(expected);
    let differences: Vec<Difference> = found
        .iter()
        .filter(|(key, status)| expected.get(key) != Some(status))
        .map(|(key, status)| (key.to_owned(), Some(status.clone())))
        .chain(expected.iter().filter(|(key, _)| found.get(key).is_none()).map(|(key, _)| (key.to_owned(), None)))
        .map(|(name, found)| Difference { expected: expected.get(&name).cloned(), name, found })
        .collect();
    let matched = expected.iter().filter(|(key, status)| found.get(key) == Some(status)).count();
    let parts = vec![Part::share("matched", matched, expected.len())];
    // The reference walks its keys in order and stops at the first that differs: by an error, where that one is not expected.
    if found.len() == expected.len()
        && let Some((key, _)) = found.iter().find(|(key, status)| expected.get(key) != Some(status))
        && expected.get(key).is_none()
    {
        return Verdict::Unscored(Unscored::ReferenceStops { key: key.to_owned() });
    }
    Verdict::from_differences(differences, parts)
}
