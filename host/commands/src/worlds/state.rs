//! `assay worlds state`: the world after a step of a recorded episode, part by part.

use super::fork::{hint, place};
use super::{MachineOf, load};
use crate::face;
use crate::rollout::runtime;
use crate::settings::FiguresFormat;
use crate::trace;
use crate::{Ending, Failure};
use assay_worlds::Fork;
use assay_worlds::view::{Asked, FileView, Line, Mark, Page, View, ViewError, view};
use std::path::PathBuf;
use std::sync::Arc;

/// What to look at.
#[derive(Clone, Debug)]
pub struct StateSettings {
    /// The world's folder.
    pub world: PathBuf,
    /// The trajectory of an episode, and the step after which to look: `EPISODE@STEP`.
    pub episode: String,
    /// The part to show; otherwise they are listed.
    pub part: Option<String>,
    /// The first row, from 0.
    pub from: u64,
    /// Rows at most.
    pub count: usize,
    /// How to write it.
    pub format: FiguresFormat,
}

/// Makes the steps of an episode again in memory, and shows the state that they leave.
///
/// # Errors
/// The settings are wrong, or a step comes out otherwise than it was recorded.
pub fn state(settings: &StateSettings, machine: &MachineOf<'_>) -> Result<Ending, Failure> {
    let (path, step) = place(&settings.episode)?;
    let world = Arc::new(load(&settings.world, machine)?);
    let trajectory = trace::trajectory(path)?;
    let states = runtime()?.block_on(Fork::states(&world, &trajectory, step)).map_err(|error| {
        Failure::usage(format!("failed to make the steps of {} again: {error}", path.display())).hint(hint(&error))
    })?;
    let asked = Asked { part: settings.part.as_deref(), from: settings.from, count: settings.count };
    let shown = view(&states, (step, trajectory.steps()), &asked).map_err(|error| {
        let failure = Failure::usage(&error);
        match error {
            ViewError::NoPart(_) => failure.hint("without --part, the parts are listed"),
            ViewError::Unreadable(..) => failure,
        }
    })?;
    match settings.format {
        FiguresFormat::Json => face::out_json(&serde_json::to_string(&shown).map_err(Failure::infrastructure)?),
        FiguresFormat::Table => table(&shown),
    }
    Ok(Ending::Success)
}

fn table(view: &View) {
    let root = view.root.get(..16).unwrap_or_default();
    face::out(&format!("after step {} of {}, state {root}", view.step, view.steps));
    match (&view.page, &view.file) {
        (Some(page), _) => rows(page),
        (None, Some(file)) => text(file),
        (None, None) => {
            for head in &view.parts {
                let changed = if head.changed > 0 { format!(", {} changed", head.changed) } else { String::new() };
                face::out(&format!("  {}: {}{changed}", face::visible(&head.path), head.entries));
            }
            if view.parts_left_out > 0 {
                face::out(&format!("  and {} more", view.parts_left_out));
            }
        }
    }
}

fn rows(page: &Page) {
    face::out(&format!("  {}", face::visible(&page.columns.join(" | "))));
    for line in page.removed.iter().chain(&page.lines) {
        face::out(&row(line));
    }
    let shown = page.lines.len() as u64;
    face::out(&format!("{} of {} rows, from {}", shown, page.total, page.from));
}

fn row(line: &Line) -> String {
    let sign = match line.mark {
        Some(Mark::Added) => "+",
        Some(Mark::Changed) => "~",
        Some(Mark::Removed) => "-",
        None => " ",
    };
    let was = if line.before.is_empty() { String::new() } else { format!("  (was {})", line.before.join(" | ")) };
    face::visible(&format!("{sign} {}{was}", line.cells.join(" | ")))
}

fn text(file: &FileView) {
    match (&file.text, file.bytes) {
        (Some(text), _) => text.lines().for_each(|line| face::out(&face::visible(line))),
        (None, Some(bytes)) => face::out(&format!("{bytes} bytes that are no text")),
        (None, None) => face::out("the step has removed it"),
    }
}
