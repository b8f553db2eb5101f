//! What an agent did about each fault that it met.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::called::Called;
use crate::faults::Fault;
use crate::tool_spec::Caller;

/// What an agent did after a call that failed on purpose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reaction {
    /// The same call again, in time and after looking where that was needed.
    Retried,
    /// The same call again before the time that the answer named.
    RetriedTooSoon,
    /// The same writing call again without looking whether it had been done. Harmless for a tool that may be repeated.
    RetriedBlindly,
    /// It looked at the world and did not call again.
    Checked,
    /// Nothing.
    GaveUp,
}

/// How often each reaction followed each fault.
pub type Reactions = BTreeMap<&'static str, BTreeMap<Reaction, u64>>;

/// Counts the reactions in a log of calls.
#[must_use]
pub(crate) fn reactions(log: &[Arc<Called>]) -> Reactions {
    let mut counted = Reactions::new();
    let ours: Vec<&Called> =
        log.iter().map(|called| &**called).filter(|called| called.caller == Caller::Agent).collect();
    for (index, called) in ours.iter().enumerate() {
        // A slow service answers: there is nothing to do about it but to go on.
        let Some(fault) = called.fault.filter(|fault| *fault != Fault::SlowDays) else { continue };
        let reaction = reaction(called, fault, &ours[index + 1..]);
        *counted.entry(fault.name()).or_default().entry(reaction).or_default() += 1;
    }
    counted
}

fn reaction(called: &Called, fault: Fault, after: &[&Called]) -> Reaction {
    let same = |other: &&&Called| other.tool == called.tool && other.arguments == called.arguments;
    let again = after.iter().position(|other| same(&other));
    let looked = |until: usize| {
        after[..until]
            .iter()
            .any(|other| !other.is_write && other.was_done && other.tool != called.tool && other.tool != "wait")
    };
    match again {
        Some(place) => match called.not_before {
            Some(until) if after[place].at < until => Reaction::RetriedTooSoon,
            _ if called.is_write && is_unclear(fault) && !looked(place) => Reaction::RetriedBlindly,
            _ => Reaction::Retried,
        },
        None if looked(after.len()) => Reaction::Checked,
        None => Reaction::GaveUp,
    }
}

/// Whether the caller cannot know what was done.
const fn is_unclear(fault: Fault) -> bool {
    matches!(fault, Fault::TimeoutBefore | Fault::TimeoutAfter | Fault::DroppedConnection | Fault::PartialWrite)
}
