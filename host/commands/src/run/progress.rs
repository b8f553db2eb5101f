//! Progress over seeds: a bar on a terminal, a line a seed elsewhere.

use crate::face;
use assay_evaluate::{Progress, SeedResult, outcome_name};
use assay_model::Seed;

/// How the bar looks.
const TEMPLATE: &str = "   Running {prefix} {bar:32.cyan/dim} {pos}/{len} seeds  {elapsed} (left {eta})  {msg}";

/// See the module documentation.
pub(crate) struct Bar {
    bar: face::Bar,
    interactive: bool,
}

impl Bar {
    /// A bar over `seeds` seeds of a market.
    pub(crate) fn new(seeds: usize, market: &str) -> Self {
        let bar = face::bar(TEMPLATE, Some(seeds as u64));
        bar.set_prefix(face::visible(market));
        Self { bar, interactive: face::is_interactive() }
    }

    /// Takes the bar off the screen.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn seed_done(&self, seed: Seed, result: SeedResult<'_>, done: usize, total: usize) {
        let text = match result {
            SeedResult::Scored { episode } => {
                let cents = episode.measures.get("pnl").and_then(|pnl| pnl.value);
                let pnl = cents.map_or_else(|| "no PnL".to_owned(), |cents| format!("PnL {:.2}", cents / 100.0));
                format!("{}, {pnl}", outcome_name(episode))
            }
            SeedResult::Unscored { what } => format!("unscored: {}", face::visible(what)),
            SeedResult::NotRun => return,
        };
        self.bar.inc(1);
        if self.interactive {
            self.bar.set_message(format!("seed {}: {text}", seed.0));
        } else {
            face::note(&format!("{done}/{total} seed {} {text}", seed.0));
        }
    }
}
