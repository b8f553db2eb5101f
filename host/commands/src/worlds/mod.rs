//! What `assay worlds` does: agents in worlds where nothing can break.
//!
//! ```text
//! run, fork ──► actor ──► episodes in a run's folder ──► summary
//! serve ──► rooms that whoever calls it lets agents into ──► the same
//! ```

mod actor;
mod debug;
mod fork;
mod import;
mod new;
mod person;
mod probing;
mod python;
mod run;
mod serve;
mod state;
mod summary;

use crate::face;
use crate::settings::Machine;
use crate::{Ending, Failure};
use assay_rollout::run::{JOURNAL_NAME, RunFolder, lines_in_words};
use assay_worlds::{LoadError, World};
use probing::probed;
use std::path::Path;

pub use actor::{ActorSettings, AgentSettings};
pub use assay_world::Profile;
pub use assay_worlds::import::{Domain, Suite};
pub use debug::{DebugSettings, debug};
pub use fork::{ForkSettings, fork};
pub use import::{import_agentdojo, import_bfcl, import_tau2};
pub use new::new;
pub use person::debug_by_hand;
pub use run::{RunSettings, SpendingSettings, run};
pub use serve::{ServeSettings, serve};
pub use state::{StateSettings, state};

/// What this machine offers, for worlds that need an interpreter.
pub type MachineOf<'m> = dyn Fn() -> Result<Machine, Failure> + 'm;

/// A world from its folder.
fn load(path: &Path, machine: &MachineOf<'_>) -> Result<World, Failure> {
    assay_worlds::load_with(path, &|| python::open(machine)).map_err(as_failure)
}

fn as_failure(error: LoadError) -> Failure {
    let failure = Failure::usage(&error);
    match error.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Every score in a run's folder has the trajectory that it was computed from: an agent that runs as the user could write a line of its own.
fn proven(folder: &RunFolder) -> Result<(), Failure> {
    let changed = folder.changed();
    let Some(first) = changed.first() else { return Ok(()) };
    let (path, lines) = (folder.path().join(JOURNAL_NAME), lines_in_words(&folder.lines_of(changed)));
    let (trajectories, episodes) = match changed.len() {
        1 => (format!("episodes/{first}.jsonl is missing or has changed since"), "this episode"),
        count => (
            format!("{count} trajectories are missing or have changed since, as episodes/{first}.jsonl"),
            "these episodes",
        ),
    };
    let what = format!("{} has results that nothing proves, in {lines}: {trajectories}", path.display());
    let hint = format!(
        "remove {lines} of {}, with the trajectory where it is still there, to run {episodes} again; or put the trajectory back, or choose another folder with --out",
        path.display()
    );
    Err(Failure::usage(face::visible(&what)).hint(face::visible(&hint)))
}

/// Says which tasks of the world in `path` can be used, and why others cannot.
///
/// # Errors
/// The world cannot be loaded.
pub fn check(path: &Path, machine: &MachineOf<'_>) -> Result<Ending, Failure> {
    let world = load(path, machine)?;
    let probed = probed(&world, &world.tasks);
    let mut refused = 0;
    for (task, found) in world.tasks.iter().zip(&probed) {
        let name = face::visible(&task.id);
        match found {
            Ok(()) => face::out(&format!("{} {name}", face::good("admitted"))),
            Err(why) => {
                refused += 1;
                face::out(&format!("{}  {name}: {}", face::bad("refused"), face::visible(&why.to_string())));
            }
        }
    }
    let name = face::visible(&world.definition.name);
    let tools = world.definition.tools.len();
    face::out(&format!("{name}: {} of {} tasks admitted, {tools} tools", probed.len() - refused, probed.len()));
    Ok(if refused == 0 { Ending::Success } else { Ending::Rejected })
}
