//! Progress over seeds: a bar on a terminal, a line a seed elsewhere.

use crate::ui;
use assay_evaluate::{Progress, SeedResult, outcome_name};
use assay_model::Seed;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// See the module documentation.
pub(crate) struct Bar {
    bar: ProgressBar,
    interactive: bool,
}

impl Bar {
    /// A bar over `seeds` seeds of a market.
    pub(crate) fn new(seeds: usize, market: &str) -> Self {
        let interactive = ui::is_interactive();
        let target = if interactive { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(seeds as u64), target);
        // The template is a constant; should it not parse, the plain default bar serves.
        let style = ProgressStyle::with_template(
            "   Running {prefix} {bar:32.cyan/dim} {pos}/{len} seeds  {elapsed} (left {eta})  {msg}",
        );
        bar.set_prefix(ui::visible(market));
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, interactive }
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
            SeedResult::Unscored { what } => format!("unscored: {}", ui::visible(what)),
            SeedResult::NotRun => return,
        };
        self.bar.inc(1);
        if self.interactive {
            self.bar.set_message(format!("seed {}: {text}", seed.0));
        } else {
            ui::note(&format!("{done}/{total} seed {} {text}", seed.0));
        }
    }
}
