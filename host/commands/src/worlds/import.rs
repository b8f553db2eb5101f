//! `assay worlds import`: published benchmarks as world folders.
//!
//! Invariant: nothing is downloaded; a package is read from the folder that it is installed in.

use super::{MachineOf, as_failure, python};
use crate::face;
use crate::{Ending, Failure};
use assay_worlds::LoadError;
use assay_worlds::import::{self, Domain, Imported, Suite};
use std::path::{Path, PathBuf};

/// Makes a world of a domain of τ²-bench, in `out` or `tau2-DOMAIN`.
///
/// # Errors
/// Something of the package is missing or wrong, or the folder cannot be written.
pub fn import_tau2(package: &Path, domain: Domain, out: Option<&Path>) -> Result<Ending, Failure> {
    let out = out.map_or_else(|| PathBuf::from(format!("tau2-{}", domain.name())), Path::to_path_buf);
    show(import::tau2(package, domain, &out), &out)
}

/// Makes a world of the Berkeley Function-Calling Leaderboard's conversations with tools, in `out` or `bfcl`.
///
/// # Errors
/// Something of the package is missing or wrong, the interpreter is missing, or the folder cannot be written.
pub fn import_bfcl(package: &Path, out: Option<&Path>, machine: &MachineOf<'_>) -> Result<Ending, Failure> {
    let out = out.map_or_else(|| PathBuf::from("bfcl"), Path::to_path_buf);
    show(import::bfcl(package, &out, &|| python::open(machine)), &out)
}

/// Makes a world of a suite of AgentDojo, in `out` or `agentdojo-SUITE`; with an attack, every user's task is there once more for each injected one.
///
/// # Errors
/// Something of the package is missing or wrong, the attack is unknown, the interpreter is missing, or the folder cannot be written.
pub fn import_agentdojo(
    package: &Path,
    suite: Suite,
    attack: Option<&str>,
    out: Option<&Path>,
    machine: &MachineOf<'_>,
) -> Result<Ending, Failure> {
    let out = out.map_or_else(|| PathBuf::from(format!("agentdojo-{}", suite.name())), Path::to_path_buf);
    show(import::agentdojo(package, suite, attack, &out, &|| python::open(machine)), &out)
}

fn show(imported: Result<Imported, LoadError>, out: &Path) -> Result<Ending, Failure> {
    let Imported { tasks, tools, left_out } = imported.map_err(as_failure)?;
    for why in &left_out {
        face::warn(&format!("left out: {}", face::visible(why)));
    }
    face::step("Imported", &format!("{} ({tasks} tasks, {tools} tools)", face::visible(&out.display().to_string())));
    let name = out.display();
    let next = format!("Next:\n  assay worlds check {name}\n  assay worlds run {name} --agent scripted");
    face::note(&face::lines(&next));
    Ok(Ending::Success)
}
