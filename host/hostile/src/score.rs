//! Attacks on the score: strategies that want to be paid without earning, and what is asked of each.
//!
//! Their sources travel inside this library, as the tables do.

use serde::{Deserialize, Serialize};

/// The market of an attack that names none: the default of `assay run`.
const MARKET: &str = "calm";

/// A strategy that attacks the score. What is seen is `does not pay` or `pays`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Its file in the folder `j`.
    pub file: String,
    /// What kind of attack it is: marking the close, spoofing, …
    pub kind: String,
    /// Why it must not be paid.
    pub must_not_pay: String,
    /// What holds it.
    pub held_by: String,
    /// The market that it is meant for.
    #[serde(default = "market")]
    pub scenario: String,
    /// Its source; the corpus fills it in.
    #[serde(default)]
    pub text: String,
}

fn market() -> String {
    MARKET.to_owned()
}

impl Score {
    /// Whether it is a Python file, which takes the interpreter.
    #[must_use]
    pub fn is_python(&self) -> bool {
        self.file.ends_with(".py")
    }

    /// The source that this library carries, by the name of the file.
    #[must_use]
    pub fn carried(file: &str) -> Option<&'static str> {
        SOURCES.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
    }
}

macro_rules! sources {
    ($($file:literal)+) => {
        /// Every file of `tests/hostile/j`.
        const SOURCES: &[(&str, &str)] = &[$(($file, include_str!(concat!("../../../tests/hostile/j/", $file)))),+];
    };
}

sources! {
    "all-in-at-the-open.rs"
    "alone-in-the-auction.rs"
    "ambush-after-halts.rs"
    "churn-for-volume.rs"
    "climb-and-dump.rs"
    "corner-the-offers.rs"
    "cross-itself-in-auctions.rs"
    "do-nothing.rs"
    "double-when-losing.py"
    "empty-a-side.rs"
    "false-touch.rs"
    "flat-in-most-seeds.rs"
    "give-up-when-losing.rs"
    "harvest-rebates.rs"
    "hold-long.rs"
    "hold-short.rs"
    "ignite-momentum.rs"
    "know-the-clock.rs"
    "know-the-halt.rs"
    "know-the-level.rs"
    "know-the-symbol.rs"
    "layer-the-book.rs"
    "mark-after-going-short.rs"
    "mark-all-symbols.rs"
    "mark-auction.rs"
    "mark-before-the-window.rs"
    "mark-hidden.rs"
    "mark-layered-bids.rs"
    "mark-many-small.rs"
    "mark-short-side.rs"
    "mark-step-by-step.rs"
    "mark-stop-orders.rs"
    "mark-sweep-at-close.rs"
    "mark-the-rest-of-the-limit.rs"
    "mark-throughout.py"
    "one-good-trade.rs"
    "paint-the-reference.rs"
    "paint-the-tape.rs"
    "pick-pennies.rs"
    "read-the-dealers.rs"
    "recognise-first-prints.rs"
    "recognise-random.rs"
    "self-trade-by-replacing.rs"
    "snipe-slow-makers.rs"
    "snipe-the-open.rs"
    "spoof-the-imbalance.rs"
    "step-in-front.rs"
    "step-the-mid.rs"
    "stop-while-ahead.rs"
    "stub-quotes.rs"
    "stuff-quotes.rs"
    "stuff-the-fill-rate.rs"
    "sweep-and-give-back.rs"
    "sweep-and-wait.rs"
    "sweep-when-inviting.rs"
    "take-the-touch-and-give-back.rs"
    "trade-once.rs"
    "walk-the-band.rs"
    "wreck-the-rivals.rs"
}
