//! The probes of a world's tasks, with a bar on a terminal: where tools run in an interpreter, hundreds of tasks take minutes.

use crate::ui;
use assay_world::Task;
use assay_worlds::{Refusal, World, probes};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;
use std::time::Duration;

/// How often the bar is drawn while no task ends.
const REDRAW: Duration = Duration::from_millis(500);

/// Probes tasks: what was found, in their order.
pub(super) fn probed(world: &World, tasks: &[Arc<Task>]) -> Vec<Result<(), Refusal>> {
    let target = if ui::is_interactive() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(tasks.len() as u64), target);
    // The template is a constant; should it not parse, the plain default bar serves.
    let style = ProgressStyle::with_template("   Probing {bar:24.cyan/dim} {pos}/{len} tasks  {elapsed} (left {eta})");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(REDRAW);
    let found = probes(world, tasks, &|| bar.inc(1));
    bar.finish_and_clear();
    found
}
