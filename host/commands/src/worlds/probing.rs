//! The probes of a world's tasks, with a bar for whoever watches: where tools run in an interpreter, hundreds of tasks take minutes.

use crate::face;
use assay_world::Task;
use assay_worlds::{Refusal, World, probes};
use std::sync::Arc;
use std::time::Duration;

/// What the bar looks like.
const TEMPLATE: &str = "   Probing {bar:24.cyan/dim} {pos}/{len} tasks  {elapsed} (left {eta})";
/// How often the bar is drawn while no task ends.
const REDRAW: Duration = Duration::from_millis(500);

/// Probes tasks: what was found, in their order.
pub(super) fn probed(world: &World, tasks: &[Arc<Task>]) -> Vec<Result<(), Refusal>> {
    let bar = face::bar(TEMPLATE, Some(tasks.len() as u64));
    bar.enable_steady_tick(REDRAW);
    let found = probes(world, tasks, &|| bar.inc(1));
    bar.finish_and_clear();
    found
}
