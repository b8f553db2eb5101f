//! `assay worlds state`: the world after a step of a recorded episode, part by part.

use super::fork::{hint, place};
use super::{MachineOf, load};
use crate::args::{FiguresFormat, WorldsStateArgs};
use crate::commands::rollout::runtime;
use crate::commands::trace;
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_worlds::Fork;
use assay_worlds::view::{Asked, FileView, Line, Mark, Page, View, ViewError, view};
use std::sync::Arc;

pub(super) fn run(args: &WorldsStateArgs, machine: &MachineOf<'_>) -> Result<Exit, Failure> {
    let (path, step) = place(&args.episode)?;
    let world = Arc::new(load(&args.world, machine)?);
    let trajectory = trace::trajectory(path)?;
    let states = runtime()?.block_on(Fork::states(&world, &trajectory, step)).map_err(|error| {
        Failure::usage(format!("failed to make the steps of {} again: {error}", path.display())).hint(hint(&error))
    })?;
    let asked = Asked { part: args.part.as_deref(), from: args.from, count: args.count };
    let shown = view(&states, (step, trajectory.steps()), &asked).map_err(|error| {
        let failure = Failure::usage(&error);
        match error {
            ViewError::NoPart(_) => failure.hint("without --part, the parts are listed"),
            ViewError::Unreadable(..) => failure,
        }
    })?;
    match args.format {
        FiguresFormat::Json => ui::out(&serde_json::to_string(&shown).map_err(Failure::infrastructure)?),
        FiguresFormat::Table => table(&shown),
    }
    Ok(Exit::Success)
}

fn table(view: &View) {
    ui::out(&format!("after step {} of {}, state {}", view.step, view.steps, view.root.get(..16).unwrap_or_default()));
    match (&view.page, &view.file) {
        (Some(page), _) => rows(page),
        (None, Some(file)) => text(file),
        (None, None) => {
            for head in &view.parts {
                let changed = if head.changed > 0 { format!(", {} changed", head.changed) } else { String::new() };
                ui::out(&format!("  {}: {}{changed}", ui::visible(&head.path), head.entries));
            }
            if view.parts_left_out > 0 {
                ui::out(&format!("  and {} more", view.parts_left_out));
            }
        }
    }
}

fn rows(page: &Page) {
    ui::out(&format!("  {}", ui::visible(&page.columns.join(" | "))));
    for line in page.removed.iter().chain(&page.lines) {
        ui::out(&row(line));
    }
    let shown = page.lines.len() as u64;
    ui::out(&format!("{} of {} rows, from {}", shown, page.total, page.from));
}

fn row(line: &Line) -> String {
    let sign = match line.mark {
        Some(Mark::Added) => "+",
        Some(Mark::Changed) => "~",
        Some(Mark::Removed) => "-",
        None => " ",
    };
    let was = if line.before.is_empty() { String::new() } else { format!("  (was {})", line.before.join(" | ")) };
    ui::visible(&format!("{sign} {}{was}", line.cells.join(" | ")))
}

fn text(file: &FileView) {
    match (&file.text, file.bytes) {
        (Some(text), _) => text.lines().for_each(|line| ui::out(&ui::visible(line))),
        (None, Some(bytes)) => ui::out(&format!("{bytes} bytes that are no text")),
        (None, None) => ui::out("the step has removed it"),
    }
}
