//! Runs of many episodes, through the crate's boundary: folders, journals, schedules, figures, and what a kill leaves.

mod cells;
mod figures;
mod hostile;
mod kill;
mod later;
mod patience;
mod schedule;
mod spending;
mod support;
