//! Published benchmarks as world folders.
//!
//! ```text
//! package folder ──read──► tables, tools, tasks ──write──► world folder, like any other
//! ```
//!
//! Invariants: a package is hostile input: regular files within limits, one bad record spoils the whole, with its file and line; nothing of it runs outside
//! the sandbox; the folder is new, and everything that episodes need lies in it.

mod agentdojo;
mod bfcl;
mod source;
mod tau2;
mod write;

use std::path::Path;

use crate::load::LoadError;

pub use agentdojo::Suite;
pub use assay_tau2::Domain;

/// What an import made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// Tasks that were written.
    pub tasks: usize,
    /// Tools of the world.
    pub tools: usize,
    /// What was left out, and why: for people.
    pub left_out: Vec<String>,
}

/// Makes a world of a domain of τ²-bench, from the folder that the packages are installed in.
///
/// # Errors
/// Something of the package is missing or wrong, or the folder cannot be written.
pub fn tau2(package: &Path, domain: Domain, out: &Path) -> Result<Imported, LoadError> {
    tau2::import(package, domain, out)
}

/// Makes a world of the conversations of the Berkeley Function-Calling Leaderboard, from the package's folder or the one that it is installed in.
///
/// # Errors
/// Something of the package is missing or wrong, there is no interpreter, or the folder cannot be written.
pub fn bfcl(package: &Path, out: &Path, python: &crate::OpenPython<'_>) -> Result<Imported, LoadError> {
    bfcl::import(package, out, python)
}

/// Makes a world of a suite of AgentDojo, from the package's folder or the one that it is installed in. With an attack, every task of a user is there
/// once more for each injected task, with the attacker's texts in place.
///
/// # Errors
/// Something of the package is missing or wrong, the attack is unknown, the interpreter is missing, or the folder cannot be written.
pub fn agentdojo(
    package: &Path,
    suite: Suite,
    attack: Option<&str>,
    out: &Path,
    python: &crate::OpenPython<'_>,
) -> Result<Imported, LoadError> {
    agentdojo::import(package, suite, attack, out, python)
}
